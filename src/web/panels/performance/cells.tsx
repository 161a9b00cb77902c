import { useLocale, useTranslations } from 'next-intl'
import type { RestRouteRow } from '../../../contract/explore/performance.ts'
import { scoreBounds } from '../../../domain/traces/vitals.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { type Severity, SeverityShape } from '../../ui/severity.tsx'
import { comparedMin, deltaOf, linePath, opWord, performanceWords, type StatKind, toneOf } from './words.ts'

/** A score of 0 to 1 as a shape, a word for screen readers and a number from 0 to 100. */
export function Score({ score }: { score: number | null }) {
  const t = useTranslations('performance.rating')
  const words = performanceWords(useLocale())
  if (score === null) return <span className="text-ink-3">–</span>
  // The shape follows the number that is shown: 0.898 is "90", and 90 is good.
  const shown = Math.round(score * 100) / 100
  const rating = shown >= scoreBounds.good ? 'good' : shown >= scoreBounds.poor ? 'meh' : 'poor'
  const severity: Record<typeof rating, Severity> = { good: 'ok', meh: 'warning', poor: 'error' }
  return (
    <span className="performance-score">
      <SeverityShape level={severity[rating]} label={t(rating)} sizePx={8} />
      <b>{words.score(score)}</b>
    </span>
  )
}

/** The change of a p75 with its sign; "too few" says why there is none. */
export function Change({ change }: { change: number | null }) {
  const t = useTranslations('performance.routes')
  const words = performanceWords(useLocale())
  return (
    <span
      className="performance-change"
      data-tone={toneOf(change)}
      title={change === null ? t('tooFewTitle') : undefined}
    >
      {change === null ? t('tooFew') : words.change(change)}
    </span>
  )
}

/**
 * The change of a figure against the range before, below it or, `isInline`, beside it: "+41 %", or "+1.1" points of a
 * rate or a score. Nothing if it is about the same, or with too few samples to tell.
 */
export function Delta({
  kind,
  now,
  before,
  samples,
  was,
  isInline = false,
}: {
  kind: StatKind
  now: number | null
  before: number | null
  /** Samples of both ranges. */
  samples: readonly [now: number, before: number]
  /** The figure of the range before as text. */
  was: string
  isInline?: boolean
}) {
  const t = useTranslations('performance.routes')
  const words = performanceWords(useLocale())
  const delta = Math.min(...samples) < comparedMin ? undefined : deltaOf(kind, now, before)
  if (!delta) return null
  const text = kind === 'time' || kind === 'count' ? words.change(delta.change) : words.points(delta.change)
  return (
    <small
      className="performance-delta"
      data-inline={isInline || undefined}
      data-tone={delta.tone}
      title={t('was', { value: was })}
    >
      {text}
    </small>
  )
}

/** A rate of failures. From one percent on it has the colour of errors. */
export function Failures({ rate }: { rate: number | null }) {
  const words = performanceWords(useLocale())
  return <span className={(rate ?? 0) >= 0.01 ? 'text-error' : 'text-ink-2'}>{words.rate(rate)}</span>
}

/** What a segment is: page load, navigation, request. Other ops are shown as sent. */
export function OpName({ op }: { op: string }) {
  const t = useTranslations('performance.op')
  const word = opWord(op)
  return (
    <span className="performance-op">{word ? t(word) : <PlainText text={op || t('none')} charactersMax={30} />}</span>
  )
}

/** A name with the rail of its project. */
export function NameCell({ place, project, text }: { place: number; project: string; text: string }) {
  const t = useTranslations('performance.op')
  return (
    <>
      <Rail place={place} />
      <span className="visually-hidden">{project} </span>
      <code title={text}>{text ? <PlainText text={text} charactersMax={300} /> : t('noRoute')}</code>
    </>
  )
}

const widthPx = 92
const heightPx = 17

/** The p75 of a row over the range, from zero on its own scale. */
export function RouteLine({ row, points }: { row: Pick<RestRouteRow, 'p75'>; points: readonly (number | null)[] }) {
  const t = useTranslations('performance.routes')
  const words = performanceWords(useLocale())
  const line = linePath(points, widthPx, heightPx - 1)
  return (
    <svg
      role="img"
      aria-label={t('lineLabel', { p75: words.duration(row.p75) })}
      className="performance-line"
      width={widthPx}
      height={heightPx}
      viewBox={`0 0 ${widthPx} ${heightPx}`}
    >
      <path className="performance-base" d={`M0 ${heightPx - 0.5}H${widthPx}`} />
      <path className={line.endsWith('h.01') ? 'performance-dot' : undefined} d={line} />
    </svg>
  )
}
