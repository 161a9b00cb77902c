'use client'
import { useTranslations } from 'next-intl'
import type { RestTraceItem } from '../../../contract/explore/trace-views.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import type { TraceControls } from './use-trace.ts'
import type { Words } from './words.ts'

const valueCharactersMax = 2000

type Details = { trace: TraceControls; words: Words; node: number; item: RestTraceItem }

/** Attributes of an event or a link. They are texts, numbers, or JSON. */
function Values({ attributes }: { attributes: Record<string, unknown> }) {
  const entries = Object.entries(attributes)
  if (entries.length === 0) return null
  return (
    <dl className="tp-fields">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt>
            <PlainText text={name} charactersMax={200} />
          </dt>
          <dd className="whitespace-pre-wrap">
            <PlainText
              text={typeof value === 'string' ? value : JSON.stringify(value ?? null)}
              charactersMax={valueCharactersMax}
            />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The events of a span with their time after its start: OpenTelemetry sends exceptions and messages as such. */
export function SpanEvents({ trace: { model }, words, node, item }: Details) {
  const t = useTranslations('trace')
  if (item.events.length === 0) return null
  const startUs = model.view.origin + (model.view.spans.starts[node] ?? 0)
  return (
    <section className="tp-points" aria-label={t('spanEvents')}>
      <h3>{t('spanEvents')}</h3>
      <ol>
        {item.events.map(({ name, timestamp, attributes }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two events can have one name and time, and their order stays
          <li key={at} className="flex-wrap">
            <b>
              <PlainText text={name} charactersMax={200} />
            </b>
            <span className="tp-dim">
              {t('afterStart', { duration: words.duration(Math.max(0, timestamp * 1e6 - startUs)) })}
            </span>
            <Values attributes={attributes} />
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The spans that a span is linked to, such as the request that put its message into a queue. */
export function SpanLinks({ trace, item }: Omit<Details, 'words' | 'node'>) {
  const t = useTranslations('trace')
  const { model, organization, reveal } = trace
  if (item.links.length === 0) return null
  return (
    <section className="tp-points" aria-label={t('spanLinks')}>
      <h3>{t('spanLinks')}</h3>
      <ul>
        {item.links.map((link, at) => {
          const here = link.trace_id === model.view.traceID ? model.view.spans.ids.indexOf(link.span_id) : -1
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a span can be linked twice
            <li key={at} className="flex-wrap">
              {here >= 0 ? (
                <button type="button" onClick={() => reveal(here)}>
                  {t('linkHere', { span: link.span_id })}
                </button>
              ) : (
                <Link
                  className="link"
                  href={`/o/${organization}/traces/${link.trace_id}?span=${link.span_id}`}
                  title={link.trace_id}
                >
                  {t('linkOther', { trace: link.trace_id.slice(0, 8), span: link.span_id })}
                </Link>
              )}
              {link.sampled ? null : <span className="tp-dim">{t('linkUnsampled')}</span>}
              <Values attributes={link.attributes ?? {}} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
