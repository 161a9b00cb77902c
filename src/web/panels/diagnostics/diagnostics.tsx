'use client'
import './diagnostics.css'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestDiagnostics } from '../../../contract/diagnostics.ts'
import { PlainText } from '../../ui/plain-text.tsx'

type Hydration = NonNullable<RestDiagnostics['hydration']>

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A value from the event, with a label. */
function Sent({ name, text }: { name: string; text: string | null }) {
  if (text === null || text === '') return null
  return (
    <p className="sign-sent">
      {name}{' '}
      <code>
        <PlainText text={text} charactersMax={600} />
      </code>
    </p>
  )
}

function HydrationText({ text }: { text: string | null }) {
  const t = useTranslations('diagnostics')
  if (text === null) return <span className="text-ink-3">{t('none')}</span>
  return (
    <code>
      <PlainText text={text} charactersMax={1000} />
    </code>
  )
}

/** Values that server and browser rendered differently, side by side. */
function Differences({ differences }: Pick<Hydration, 'differences'>) {
  const t = useTranslations('diagnostics')
  if (differences.length === 0) return null
  return (
    <details className="fold" open>
      <summary>{t('differences', { count: differences.length })}</summary>
      <table className="table differences">
        <thead>
          <tr>
            <th scope="col">{t('what')}</th>
            <th scope="col">{t('server')}</th>
            <th scope="col">{t('browser')}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two differences can be equal
            <tr key={at}>
              <td>
                {t(`kind.${difference.what}`)}{' '}
                {difference.name === null ? null : (
                  <code>
                    <PlainText text={difference.name} charactersMax={100} />
                  </code>
                )}
              </td>
              <td data-side={t('server')}>
                <HydrationText text={difference.server} />
              </td>
              <td data-side={t('browser')}>
                <HydrationText text={difference.client} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function HydrationPart({ hydration }: { hydration: Hydration }) {
  const t = useTranslations('diagnostics')
  return (
    <Part name={t('part.hydration')}>
      <p>
        <span className="chip text-ink-2">{t(`causeChip.${hydration.cause}`)}</span> {t(`hydration.${hydration.cause}`)}
      </p>
      <Sent name={t('evidence')} text={hydration.evidence} />
      <Sent name={t('component')} text={hydration.component} />
      <Differences differences={hydration.differences} />
    </Part>
  )
}

function LoggedPart({ logged }: { logged: NonNullable<RestDiagnostics['logged']> }) {
  const t = useTranslations('diagnostics')
  const { by, type, value, component, boundary } = logged
  return (
    <Part name={t('part.logged')}>
      <p>{t(`loggedBy.${by}`)}</p>
      {type === null && value === null ? null : (
        <p className="sign-sent">
          <code>
            <PlainText text={[type, value].filter((part) => part !== null).join(': ')} charactersMax={600} />
          </code>
        </p>
      )}
      <Sent name={t('loggedIn')} text={component} />
      <Sent name={t('loggedBoundary')} text={boundary} />
    </Part>
  )
}

/** Diagnostics of an event: noise, version skew, hydration, invariant, log only. Most events have none. */
export function Diagnostics({ diagnostics }: { diagnostics: RestDiagnostics }) {
  const t = useTranslations('diagnostics')
  const { react, invariant, logged, hydration, skew, noise } = diagnostics
  if (!invariant && !logged && !hydration && !skew && !noise) return null
  return (
    <section id="signs" className="signs" aria-label={t('label')}>
      <dl>
        {noise ? (
          <Part name={t('part.noise')}>
            <p>
              <span className="chip text-warning">{t(`chip.${noise.kind}`)}</span> {t(`noise.${noise.kind}`)}
            </p>
            <Sent name={t('found')} text={noise.found} />
          </Part>
        ) : null}
        {skew ? (
          <Part name={t('part.skew')}>
            <p>
              <span className="chip text-ink-2">{t(`skewChip.${skew.kind}`)}</span> {t(`skew.${skew.kind}`)}
            </p>
            <Sent name={t('found')} text={skew.found} />
          </Part>
        ) : null}
        {hydration ? <HydrationPart hydration={hydration} /> : null}
        {invariant ? (
          <Part name={t('part.invariant')}>
            <p>
              <b>{t(`invariant.${invariant.id}.name`)}</b>
            </p>
            <p>
              <span className="text-ink-3">{t('cause')}</span> {t(`invariant.${invariant.id}.cause`)}
            </p>
            {/* The header shows React's message already. */}
            {react?.message ? null : <Sent name={t('found')} text={invariant.found} />}
          </Part>
        ) : null}
        {logged ? <LoggedPart logged={logged} /> : null}
      </dl>
    </section>
  )
}
