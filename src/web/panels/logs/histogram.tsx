'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo } from 'react'
import type { RestLogSummary } from '../../../contract/explore/logs.ts'
import { type AnnotationsQuery, groupAnnotations } from '../../ui/chart/annotations.ts'
import { useBrush } from '../../ui/chart/brush.ts'
import { ChartAnnotations } from '../../ui/chart/chart-annotations.tsx'
import { useAnnotations } from '../../ui/chart/use-annotations.ts'
import { useTimeText } from '../../ui/time.tsx'
import { stackedLevels } from './levels.ts'

const heightPx = 66
/** Lines of releases that the chart fits; closer releases share a line. */
const annotationSlots = 60
const dayMs = 86_400_000

/** The bars of a range without gaps. */
function barsOf({ bars, interval }: RestLogSummary, range: { fromMs: number; toMs: number }) {
  const found = new Map(bars.map((bar) => [bar.start, bar.levels]))
  const first = Math.floor(range.fromMs / interval) * interval
  return Array.from({ length: Math.max(1, Math.ceil((range.toMs - first) / interval)) }, (_, at) => {
    const startMs = first + at * interval
    const levels = found.get(startMs) ?? {}
    return { startMs, levels, count: Object.values(levels).reduce((sum, count) => sum + count, 0) }
  })
}

/** The rectangles of one level as one path: 90 bars of 6 levels would be 540 elements. */
function pathsOf(bars: ReturnType<typeof barsOf>, most: number): { level: string; path: string }[] {
  const feet = new Float64Array(bars.length)
  return stackedLevels.map((level) => {
    let path = ''
    for (const [at, { levels }] of bars.entries()) {
      const height = ((levels[level] ?? 0) / most) * heightPx
      if (height <= 0) continue
      const foot = heightPx - (feet[at] ?? 0)
      path += `M${at + 0.1} ${foot.toFixed(2)}v${(-height).toFixed(2)}h.8v${height.toFixed(2)}z`
      feet[at] = (feet[at] ?? 0) + height
    }
    return { level, path }
  })
}

/** Lines over time by level, with errors at the foot, and releases. A drag, or Enter on a bar, sets the range. */
export function Histogram({
  organization,
  query,
  summary,
  range,
  select,
}: {
  organization: string
  /** Projects, environments and range whose releases are marked. */
  query: AnnotationsQuery
  summary: RestLogSummary
  range: { fromMs: number; toMs: number }
  select: (fromMs: number, toMs: number) => void
}) {
  const t = useTranslations('logs')
  const level = useTranslations('logs.levels')
  const locale = useLocale()
  const { text, zone } = useTimeText()
  const bars = useMemo(() => barsOf(summary, range), [summary, range])
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const paths = useMemo(() => pathsOf(bars, most), [bars, most])
  const number = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const form = range.toMs - range.fromMs <= 2 * dayMs ? 'clock' : 'shortDay'
  const apply = (from: number, to: number) => {
    const [first, last] = [bars[from], bars[to]]
    if (first && last) select(first.startMs, last.startMs + summary.interval)
  }
  const annotations = useAnnotations(organization, query, undefined)
  const groups = groupAnnotations(annotations?.marks ?? [], range.fromMs, range.toMs, annotationSlots)
  const { plot, low, high } = useBrush(bars.length, apply)
  const words = (bar: (typeof bars)[number]) =>
    [
      text(bar.startMs, 'shortMinute'),
      ...stackedLevels.flatMap((name) => (bar.levels[name] ? `${level(name)} ${number.format(bar.levels[name])}` : [])),
    ].join(', ')
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => range.fromMs + (range.toMs - range.fromMs) * share)
  return (
    <section className="log-chart" aria-label={t('overTime')}>
      <span className="log-chart-top">{number.format(most)}</span>
      <div className="log-plot">
        <div className="log-bars" {...plot}>
          <svg viewBox={`0 0 ${bars.length} ${heightPx}`} preserveAspectRatio="none" aria-hidden="true">
            {paths.map(({ level: name, path }) => (path ? <path key={name} d={path} data-level={name} /> : null))}
          </svg>
          {bars.map((bar, at) => (
            <button
              key={bar.startMs}
              type="button"
              title={words(bar)}
              aria-label={words(bar)}
              data-chosen={(at >= low && at <= high) || undefined}
              onKeyDown={(event) => event.key === 'Enter' && apply(at, at)}
            />
          ))}
        </div>
        <ChartAnnotations organization={organization} groups={groups} />
      </div>
      <div className="log-axis" aria-hidden="true">
        {ticks.map((ms, at) => (
          <span key={ms}>
            {text(ms, form)}
            {at === ticks.length - 1 ? `, ${zone}` : ''}
          </span>
        ))}
      </div>
    </section>
  )
}
