import { useLocale, useTranslations } from 'next-intl'
import type { RestVital } from '../../../contract/explore/performance.ts'
import { vitalRating } from '../../../domain/traces/vitals.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Delta } from './cells.tsx'
import { useSampledText } from './sampled.tsx'
import { performanceWords } from './words.ts'

const severities = { good: 'ok', meh: 'warning', poor: 'error' } as const

/** The p75 of a vital, with the shape and the word of its rating, and its change against the range before. */
export function VitalValue({ vital }: { vital: RestVital }) {
  const { previous } = vital
  const t = useTranslations('performance.rating')
  const locale = useLocale()
  const words = performanceWords(locale)
  const rating = vitalRating(vital.vital, vital.p75)
  const text = (value: number) =>
    vital.vital === 'cls'
      ? new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value)
      : words.duration(value)
  return (
    <span className="performance-score">
      <SeverityShape level={severities[rating]} label={t(rating)} sizePx={8} />
      <b>{text(vital.p75)}</b>
      {previous ? (
        <Delta
          isInline
          kind="time"
          now={vital.p75}
          before={previous.p75}
          samples={[vital.samples, previous.samples]}
          was={text(previous.p75)}
        />
      ) : null}
    </span>
  )
}

/** The shares of good, meh and poor as one bar, and in words for screen readers. */
export function VitalShares({ vital }: { vital: RestVital }) {
  const t = useTranslations('performance.vitals')
  const words = performanceWords(useLocale())
  const text = t('shares', {
    good: words.share(vital.good),
    meh: words.share(vital.meh),
    poor: words.share(vital.poor),
  })
  return (
    <span className="performance-share-of" title={text}>
      <span role="img" className="performance-shares" aria-label={text}>
        {(['good', 'meh', 'poor'] as const).map((name) => (
          <span key={name} data-rating={name} style={{ width: `${vital[name] * 100}%` }} />
        ))}
      </span>
      <span aria-hidden="true">{t('goodShare', { share: words.share(vital.good) })}</span>
    </span>
  )
}

/** The vitals of a route, each with its rating, shares and what caused it. */
export function VitalList({ vitals }: { vitals: readonly RestVital[] }) {
  const t = useTranslations('performance.vitals')
  const sampled = useSampledText()
  return (
    <section aria-labelledby="performance-vitals">
      <h2 id="performance-vitals" className="performance-title">
        {t('title')}
      </h2>
      <ul className="performance-list performance-vitals">
        {vitals.map((vital) => (
          <li key={vital.vital}>
            <abbr title={t(vital.vital)}>{vital.vital.toUpperCase()}</abbr>
            <VitalValue vital={vital} />
            <VitalShares vital={vital} />
            <span className="text-ink-3">{sampled(vital)}</span>
            {vital.cause ? (
              <code className="performance-cause" title={`${vital.cause.element} (${sampled(vital.cause)})`}>
                <PlainText text={vital.cause.element} charactersMax={120} />
              </code>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  )
}
