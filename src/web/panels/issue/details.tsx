'use client'
import { useTranslations } from 'next-intl'
import type { RestEvent, RestRequest } from '../../../contract/events.ts'
import { safeHref } from '../../text.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type Detail, DetailList } from './detail-list.tsx'
import { useMetadataNotes } from './metadata-note.tsx'
import { withoutRepeats } from './tag-order.ts'
import type { TagHrefs } from './tag-value.tsx'
import { TagChip } from './tags.tsx'

/** The request: URL (a link only for http and https), parameters, body, headers, cookies, environment. */
export function Request({ request }: { request: RestRequest }) {
  const t = useTranslations('issues.request')
  const href = safeHref(request.url)
  const groups: [string, Detail[]][] = [
    ['query', request.query.map(([name, value], at) => ({ name, value, path: `request.query_string.${at}.1` }))],
    ['headers', request.headers.map(([name, value], at) => ({ name, value, path: `request.headers.${at}.1` }))],
    ['cookies', request.cookies.map(([name, value], at) => ({ name, value, path: `request.cookies.${at}.1` }))],
    ['env', Object.entries(request.env ?? {}).map(([name, value]) => ({ name, value, path: `request.env.${name}` }))],
  ]
  const body = request.data
  return (
    <Section id="request" title={t('title')}>
      <p className="request-line">
        <b>{request.method ?? 'GET'}</b>{' '}
        {href ? (
          <a className="link" href={href} rel="noreferrer noopener nofollow" target="_blank">
            <PlainText text={request.url ?? ''} charactersMax={2000} />
          </a>
        ) : (
          <PlainText text={request.url ?? ''} charactersMax={2000} />
        )}
        {request.fragment ? <PlainText text={`#${request.fragment}`} charactersMax={500} /> : null}
      </p>
      {body === null || body === undefined ? null : (
        <>
          <h3 className="part-sub">
            {t('body')}{' '}
            {request.inferredContentType ? (
              <span className="text-ink-3">{request.inferredContentType.slice(0, 80)}</span>
            ) : null}
          </h3>
          {typeof body === 'object' && !Array.isArray(body) ? (
            <DetailList
              details={Object.entries(body).map(([name, value]) => ({ name, value, path: `request.data.${name}` }))}
            />
          ) : (
            <pre className="raw-small">
              <PlainText text={typeof body === 'string' ? body : JSON.stringify(body, null, 2)} charactersMax={8000} />
            </pre>
          )}
        </>
      )}
      {groups.map(([name, details]) =>
        details.length ? (
          <div key={name}>
            <h3 className="part-sub">{t(name)}</h3>
            <DetailList details={details} />
          </div>
        ) : null,
      )}
    </Section>
  )
}

/** The user, with all fields of the payload. */
export function User({ user }: { user: NonNullable<RestEvent['user']> }) {
  const t = useTranslations('issues.user')
  const details: Detail[] = (['id', 'email', 'username', 'name', 'ip_address'] as const).flatMap((name) =>
    user[name] ? [{ name, value: user[name], path: `user.${name}` }] : [],
  )
  for (const [name, value] of Object.entries(user.geo ?? {})) details.push({ name: `geo.${name}`, value })
  for (const [name, value] of Object.entries(user.data ?? {})) details.push({ name, value, path: `user.data.${name}` })
  return (
    <Section id="user" title={t('title')}>
      <DetailList details={details} />
    </Section>
  )
}

/** The contexts, each under its own name, and the extra data. */
export function Contexts({ event }: { event: RestEvent }) {
  const t = useTranslations('issues.contexts')
  const extra = Object.entries(event.context)
  return (
    <Section id="contexts" title={t('title')}>
      <div className="contexts">
        {Object.entries(event.contexts).map(([name, values]) => (
          <div key={name}>
            <h3 className="part-sub">
              <PlainText text={name} charactersMax={80} />
            </h3>
            <DetailList
              details={Object.entries(values ?? {}).flatMap(([key, value]) =>
                key === 'type' || value === null ? [] : [{ name: key, value, path: `contexts.${name}.${key}` }],
              )}
            />
          </div>
        ))}
        {extra.length ? (
          <div>
            <h3 className="part-sub">{t('extra')}</h3>
            <DetailList details={extra.map(([name, value]) => ({ name, value, path: `extra.${name}` }))} />
          </div>
        ) : null}
      </div>
    </Section>
  )
}

/** The SDK with its integrations, and the application's packages (collapsed if there are many). */
export function SdkAndPackages({ event }: { event: RestEvent }) {
  const t = useTranslations('issues.sdk')
  const packages = Object.entries(event.packages)
  const { sdk } = event
  return (
    <Section id="sdk" title={t('title')}>
      {sdk ? (
        <DetailList
          details={[
            { name: t('name'), value: `${sdk.name} ${sdk.version}` },
            ...(sdk.integrations.length ? [{ name: t('integrations'), value: sdk.integrations.join(', ') }] : []),
            ...(sdk.packages.length
              ? [
                  {
                    name: t('sdkPackages'),
                    value: sdk.packages.map((pack) => `${pack.name} ${pack.version}`).join(', '),
                  },
                ]
              : []),
          ]}
        />
      ) : null}
      {packages.length ? (
        <details className="fold">
          <summary>{t('packages', { count: packages.length })}</summary>
          <DetailList details={packages.map(([name, value]) => ({ name, value }))} />
        </details>
      ) : null}
    </Section>
  )
}

/** A security report (CSP and similar) as received. */
export function Csp({ report }: { report: Record<string, unknown> }) {
  const t = useTranslations('issues.csp')
  return (
    <Section id="csp" title={t('title')}>
      <DetailList details={Object.entries(report).map(([name, value]) => ({ name, value, path: `csp.${name}` }))} />
    </Section>
  )
}

/** All values that were trimmed, scrubbed or repaired, each with its reason. */
export function NoteList() {
  const t = useTranslations('issues.remark')
  const notes = useMetadataNotes()
  if (notes.length === 0) return null
  return (
    <Section id="remarks" title={t('title', { count: notes.length })}>
      <ul className="plain-list">
        {notes.map((metadataNote, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two notes on one value can be equal
          <li key={index}>
            <span className={`remark remark-${metadataNote.kind}`}>{t(metadataNote.kind)}</span>{' '}
            <code>{metadataNote.path ? <PlainText text={metadataNote.path} charactersMax={300} /> : t('event')}</code>{' '}
            <span className="text-ink-3">
              <PlainText text={metadataNote.rule} charactersMax={300} />
              {metadataNote.lengthWas === null ? null : ` · ${t('was', { count: metadataNote.lengthWas })}`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Why the event is in this issue: every grouping variant, whether it counted, and its components. */
export function Grouping({ event, base }: { event: RestEvent; base: string }) {
  const t = useTranslations('issues.grouping')
  const explain = useTranslations('grouping')
  return (
    <Section id="grouping" title={t('title')}>
      <p className="mb-2">
        <Link className="link" href={`${base}/grouping?event=${event.eventID}`}>
          {explain('explain')}
        </Link>
      </p>
      <ul className="plain-list">
        {event.grouping.variants.map((variant) => (
          <li key={`${variant.name}:${variant.hash}`} className="variant">
            <div>
              <b>{variant.name}</b>{' '}
              <span className={`chip ${variant.contributes ? 'text-ok' : 'text-ink-3'}`}>
                {variant.contributes ? t('counts') : t('doesNot')}
              </span>{' '}
              {variant.hash ? <code className="text-ink-3">{variant.hash}</code> : null}
            </div>
            <p className="text-ink-2">
              <PlainText text={variant.why} charactersMax={500} />
            </p>
            {variant.values.length ? (
              <details className="fold">
                <summary>{t('values', { count: variant.values.length })}</summary>
                <pre className="raw-small">
                  <PlainText text={variant.values.join('\n')} charactersMax={8000} />
                </pre>
              </details>
            ) : null}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Tags that a reader needs first. */
const headTags = ['environment', 'release', 'dist', 'browser', 'url', 'user']

/** The most telling tags of the event on one line, with its trace. The others are in the section of tags. */
export function EventDetails({ event, hrefs }: { event: RestEvent; hrefs: TagHrefs }) {
  const t = useTranslations('parts.tags')
  const sections = useTranslations('issues.section')
  const tags = withoutRepeats(event.tags)
  const shown = headTags.flatMap((key) => tags.find((tag) => tag.key === key) ?? [])
  const more = tags.length - shown.length
  if (shown.length === 0 && more === 0 && !event.traceId) return null
  return (
    <ul className="tag-list event-tags">
      {shown.map((tag) => (
        <TagChip key={tag.key} tag={tag.key} value={tag.value} hrefs={hrefs} />
      ))}
      {event.traceId ? (
        <li className="tag-chip">
          <span>{sections('trace')}</span>
          <Link className="link" href={`/t/${encodeURIComponent(event.traceId)}`}>
            <code>{event.traceId.slice(0, 64)}</code>
          </Link>
        </li>
      ) : null}
      {more > 0 ? (
        <li>
          <a className="link" href="#tags">
            {t('more', { count: more })}
          </a>
        </li>
      ) : null}
    </ul>
  )
}
