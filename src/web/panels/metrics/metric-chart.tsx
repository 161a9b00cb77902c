'use client'
import { useLocale, useTranslations } from 'next-intl'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { MetricDetails } from '../../../query/metrics/metrics.ts'
import { useTimeText } from '../../ui/time.tsx'
import { axisOf, metricWords } from './words.ts'

const heightPx = 190
/** Units of the drawing for each bucket: a line goes through their middles. */
const unit = 10

/** A line through the buckets that have points. Buckets without points interrupt it; one alone is a dot. */
function pathsOf(values: readonly (number | undefined)[], place: (value: number) => number) {
  let [line, dots] = ['', '']
  values.forEach((value, at) => {
    if (value === undefined) return
    const point = `${(at + 0.5) * unit} ${Math.round(place(value) * 10) / 10}`
    const [isAfter, isBefore] = [values[at - 1] !== undefined, values[at + 1] !== undefined]
    if (!isAfter && !isBefore) dots += `M${point}h.01`
    else line += isAfter ? `L${point}` : `M${point}`
  })
  return { line, dots }
}

/** One button for each bucket: it shows the values there and opens the points behind them. Arrow keys move. */
function Buckets({
  starts,
  chosenMs,
  labelOf,
  show,
  choose,
}: {
  starts: readonly number[]
  chosenMs: number | undefined
  labelOf: (at: number) => string
  show: (at: number | undefined) => void
  choose: (startMs: number) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState(starts.length - 1)
  const current = Math.min(focused, starts.length - 1)
  function move(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -starts.length, End: starts.length }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const next = Math.max(0, Math.min(starts.length - 1, current + step))
    setFocused(next)
    box.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it moves the focus between its buttons
    <div ref={box} className="metric-buckets" onKeyDown={move} onMouseLeave={() => show(undefined)}>
      {starts.map((startMs, at) => (
        <button
          key={startMs}
          type="button"
          tabIndex={at === current ? 0 : -1}
          aria-label={labelOf(at)}
          aria-pressed={startMs === chosenMs}
          onMouseEnter={() => show(at)}
          onFocus={() => show(at)}
          onBlur={() => show(undefined)}
          onClick={() => choose(startMs)}
        />
      ))}
    </div>
  )
}

/** A metric by time, one line for each group. A click on a bucket opens the points behind it. */
export function MetricChart({
  details,
  range,
  chosenMs,
  choose,
}: {
  details: Pick<MetricDetails, 'groups' | 'bucketMs' | 'unit' | 'aggregate'>
  range: { fromMs: number; toMs: number }
  chosenMs: number | undefined
  choose: (startMs: number) => void
}) {
  const t = useTranslations('metrics')
  const words = metricWords(useLocale())
  const { text, zone } = useTimeText()
  const [at, setAt] = useState<number>()
  const { bucketMs, aggregate } = details
  const shownUnit = aggregate === 'count' ? '' : details.unit
  const starts: number[] = []
  for (let ms = Math.floor(range.fromMs / bucketMs) * bucketMs; ms < range.toMs; ms += bucketMs) starts.push(ms)
  const lines = details.groups.filter(({ series }) => series.length > 0)
  const { low, high } = axisOf(lines.flatMap(({ series }) => series.map(([, value]) => value)))
  const place = (value: number) => heightPx - ((value - low) / (high - low)) * heightPx
  const valuesOf = new Map(lines.map(({ group, series }) => [group, new Map(series)]))
  const textOf = (index: number) =>
    lines.flatMap(({ group }) => {
      const value = valuesOf.get(group)?.get(starts[index] ?? 0)
      if (value === undefined) return []
      return `${group === '' ? t(`aggregates.${aggregate}`) : group.slice(0, 40)}: ${words.value(value, shownUnit)}`
    })
  const startMs = at === undefined ? undefined : starts[at]
  return (
    <figure className="metric-chart">
      <div className="metric-y" aria-hidden="true">
        <span>{words.value(high, shownUnit)}</span>
        <span>{words.value((high + low) / 2, shownUnit)}</span>
        <span>{words.value(low, shownUnit)}</span>
      </div>
      <div className="metric-plot">
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${starts.length * unit} ${heightPx}`}
          preserveAspectRatio="none"
          style={{ height: heightPx }}
        >
          <path className="metric-grid" d={`M0 .5H${starts.length * unit}M0 ${heightPx / 2}H${starts.length * unit}`} />
          <path className="metric-base" d={`M0 ${place(0)}H${starts.length * unit}`} />
          {lines.map(({ group }, index) => {
            const { line, dots } = pathsOf(
              starts.map((start) => valuesOf.get(group)?.get(start)),
              place,
            )
            return (
              <g key={group} className="metric-line" data-color={index + 1}>
                <path d={line} />
                <path className="metric-dots" d={dots} />
              </g>
            )
          })}
        </svg>
        <Buckets
          starts={starts}
          chosenMs={chosenMs}
          labelOf={(index) =>
            `${text(starts[index] ?? 0, 'minute')}. ${textOf(index).join(', ') || t('noPoints')}. ${t('openBucket')}`
          }
          show={setAt}
          choose={choose}
        />
      </div>
      <figcaption>
        {at !== undefined && startMs !== undefined ? (
          <>
            <b>{text(startMs, 'minute')}</b>
            <span>{textOf(at).slice(0, 4).join(' · ') || t('noPoints')}</span>
          </>
        ) : (
          <>
            <span>{text(range.fromMs, 'shortMinute')}</span>
            <span>
              {text(range.toMs, 'shortMinute')}, {zone}
            </span>
          </>
        )}
      </figcaption>
    </figure>
  )
}
