'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { DurationBar } from '../../../query/traces/span-explore.ts'
import { useBrush } from '../../ui/chart/brush.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { durationText } from '../../ui/relative.ts'
import { useTimeText } from '../../ui/time.tsx'
import { SampledNote } from './sampled-note.tsx'

/** The spans that a chart shows: those that are stored, and what they stand for. */
type Sampled = { samples: number; count: number }

const leastPercent = 3

/** The height of a bar. The root shows a few slow spans beside many fast ones. */
const heightOf = (count: number, most: number): number =>
  count === 0 ? 0 : Math.max(leastPercent, Math.sqrt(count / Math.max(1, most)) * 100)

/**
 * The distribution of durations on a logarithmic axis. A drag over bars selects their durations; with the keys, a click
 * on a bar does.
 */
export function Histogram({
  bars,
  of,
  select,
  clear,
}: {
  bars: readonly DurationBar[]
  of: Sampled
  select: (fromMs: number, toMs: number) => void
  /** Removes the selection from the search, if there is a selection. */
  clear: (() => void) | undefined
}) {
  const t = useTranslations('spans')
  const locale = useLocale()
  const length = (ms: number) => durationText(ms, locale)
  const most = Math.max(...bars.map(({ count }) => count))
  function apply(from: number, to: number): void {
    const [first, last] = [bars[from], bars[to]]
    if (first && last) select(first.fromMs, last.toMs)
  }
  const { plot, low, high } = useBrush(bars.length, apply)
  const number = new Intl.NumberFormat(locale, { notation: 'compact' })
  const middle = bars[Math.floor(bars.length / 2)]
  return (
    <section className="span-chart" aria-label={t('durations')}>
      <h2>
        {t('durations')}
        {clear ? (
          <Button compact onClick={clear}>
            {t('allDurations')}
          </Button>
        ) : (
          <span>{t('brush')}</span>
        )}
      </h2>
      <SampledNote {...of} />
      <div className="span-bars" data-brush {...plot}>
        {bars.map((bar, at) => (
          <button
            key={bar.fromMs}
            type="button"
            className="span-bar"
            data-chosen={(at >= low && at <= high) || undefined}
            title={t('bar', { from: length(bar.fromMs), to: length(bar.toMs), count: number.format(bar.count) })}
            aria-label={t('bar', { from: length(bar.fromMs), to: length(bar.toMs), count: number.format(bar.count) })}
            onKeyDown={(event) => event.key === 'Enter' && apply(at, at)}
          >
            <span style={{ height: `${heightOf(bar.count, most)}%` }} />
            <span data-failed style={{ height: `${heightOf(bar.failed, most)}%` }} />
          </button>
        ))}
      </div>
      <div className="span-axis" aria-hidden="true">
        <span>{length(bars[0]?.fromMs ?? 0)}</span>
        <span>{bars.length > 4 ? length(middle?.fromMs ?? 0) : ''}</span>
        <span>{length(bars.at(-1)?.toMs ?? 0)}</span>
      </div>
    </section>
  )
}

/** Spans over time, and the failed ones among them. A click on a bar sets the range. */
export function Failures({
  series,
  of,
  bucketMs,
  range,
  select,
}: {
  series: readonly { startMs: number; count: number; failed: number }[]
  of: Sampled
  bucketMs: number
  range: { fromMs: number; toMs: number }
  select: (fromMs: number, toMs: number) => void
}) {
  const t = useTranslations('spans')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale, { notation: 'compact' })
  const found = new Map(series.map((point) => [point.startMs, point]))
  const first = Math.floor(range.fromMs / bucketMs) * bucketMs
  const points = Array.from({ length: Math.ceil((range.toMs - first) / bucketMs) }, (_, n) => {
    const startMs = first + n * bucketMs
    return found.get(startMs) ?? { startMs, count: 0, failed: 0 }
  })
  const most = Math.max(1, ...points.map(({ count }) => count))
  const failed = points.reduce((sum, point) => sum + point.failed, 0)
  const count = points.reduce((sum, point) => sum + point.count, 0)
  const { text } = useTimeText()
  const form = range.toMs - range.fromMs < 3 * 86_400_000 ? 'clock' : 'shortDay'
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  return (
    <section className="span-chart" aria-label={t('failures')}>
      <h2>
        {t('failures')}
        <span>
          {t('failed', { count: number.format(failed), share: share.format(count > 0 ? failed / count : 0) })}
        </span>
      </h2>
      <SampledNote {...of} />
      <div className="span-bars">
        {points.map((point) => {
          const label = t('timeBar', { count: number.format(point.count), failed: number.format(point.failed) })
          return (
            <button
              key={point.startMs}
              type="button"
              className="span-bar"
              title={label}
              aria-label={label}
              onClick={() => select(point.startMs, point.startMs + bucketMs)}
            >
              <span style={{ height: `${heightOf(point.count, most)}%` }} />
              <span data-failed style={{ height: `${heightOf(point.failed, most)}%` }} />
            </button>
          )
        })}
      </div>
      <div className="span-axis" aria-hidden="true">
        <span>{text(first, form)}</span>
        <span>{text(range.toMs, form)}</span>
      </div>
    </section>
  )
}
