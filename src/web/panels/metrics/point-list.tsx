'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { MetricDetails } from '../../../query/metrics/metrics.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { metricWords } from './words.ts'

const valueCharacters = 60
const shownAttributes = 8

/** Points, each with the trace that it belongs to. */
export function Samples({
  organization,
  samples,
  unit,
}: {
  organization: string
  samples: MetricDetails['samples']
  unit: string
}) {
  const t = useTranslations('metrics')
  const words = metricWords(useLocale())
  if (samples.length === 0) return <p className="metric-note">{t('noSamples')}</p>
  return (
    <ul className="metric-samples">
      {samples.map((sample, index) => {
        const { traceId, spanId, timeMs, value, count, attributes } = sample
        const own = Object.entries({
          ...(sample.service ? { service: sample.service } : {}),
          ...(sample.environment ? { environment: sample.environment } : {}),
          ...attributes,
        })
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: points have no id, and the list never changes its order
          <li key={index}>
            <Time at={timeMs} form="moment" className="metric-sample-time" />
            <b>
              {words.value(value, unit)}
              {count > 1 ? ` × ${words.count(count)}` : ''}
            </b>
            <span className="metric-sample-trace">
              {traceId === '' ? (
                t('noTrace')
              ) : (
                <Link className="link" href={`/o/${organization}/traces/${traceId}${spanId ? `?span=${spanId}` : ''}`}>
                  {t('trace')} <code>{traceId.slice(0, 8)}</code>
                </Link>
              )}
            </span>
            <span className="metric-sample-attributes">
              {own.slice(0, shownAttributes).map(([key, text]) => (
                <code key={key}>
                  <PlainText text={`${key}: ${text}`} charactersMax={valueCharacters} />
                </code>
              ))}
              {sample.folded > 0 ? <em>{t('foldedSample')}</em> : null}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
