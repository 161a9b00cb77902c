'use client'
import '../../styles/time-chart.css'
import dynamic from 'next/dynamic'
import { useLocale, useTranslations } from 'next-intl'
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { patientImport } from '../../client/connection.ts'
import { measureText } from '../measure.ts'
import { PlainText } from '../plain-text.tsx'
import { useTimeText } from '../time.tsx'
import { groupAnnotations } from './annotations.ts'
import { ChartAnnotations } from './chart-annotations.tsx'
import {
  type AlignedSeries,
  alignSeries,
  axisOf,
  readingStep,
  seriesColour,
  stackSeries,
  type TimeChartKind,
  type TimeSeries,
  timeTicks,
} from './time-series.ts'
import { TimeTable } from './time-table.tsx'

// 23 KiB that pages without charts do not load, and that pages with charts load after their text.
const TimePlot = dynamic(
  patientImport(() => import('./time-plot.tsx').then((module) => module.TimePlot)),
  { ssr: false },
)

/** One line of releases per 16 px of a phone. */
const annotationSlots = 24
const dayMs = 86_400_000

type TimeChartProps = {
  /** What the chart shows, for screen readers and the table. */
  label: string
  kind: TimeChartKind
  series: readonly TimeSeries[]
  /** Unit of the values: a name such as millisecond, byte or ratio, or null. */
  unit: string | null
  fromMs: number
  toMs: number
  /** Height of the plot. The whole chart is 62 px higher, and its height does not depend on the data. */
  heightPx?: number
  organization: string
  /** Releases and deploys to mark; undefined while unknown or if they are not wanted. */
  annotations?: RestAnnotations | undefined
  /** Called when the reader drags over a range. Without it, dragging does nothing. */
  onSelect?: ((fromMs: number, toMs: number) => void) | undefined
}

/** The names of the series, with their values at the interval that is read. */
function Legend({
  series,
  aligned,
  at,
  value,
}: {
  series: readonly TimeSeries[]
  aligned: AlignedSeries
  at: number | null
  value: (value: number | null) => string
}) {
  const t = useTranslations('charts')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
    <ul className="time-chart-legend" tabIndex={0}>
      {series.map(({ key, label, ...own }, place) => {
        const before = at === null ? undefined : aligned.previous[place]?.[at]
        return (
          <li key={key}>
            <span
              aria-hidden="true"
              className="time-chart-swatch"
              style={{ background: `var(${seriesColour(own, place, series.length)})` }}
            />
            <PlainText text={label} charactersMax={60} />
            {at === null ? null : <b>{value(aligned.values[place]?.[at] ?? null)}</b>}
            {before == null ? null : <span>{t('before', { value: value(before) })}</span>}
          </li>
        )
      })}
    </ul>
  )
}

/** Labels of the time axis. The zone is named once, at its end. */
function TimeAxis({ startsMs, fromMs, toMs }: { startsMs: readonly number[]; fromMs: number; toMs: number }) {
  const { text, zone } = useTimeText()
  const lengthMs = toMs - fromMs
  const form = lengthMs <= 1.5 * dayMs ? 'clock' : lengthMs <= 5 * dayMs ? 'shortMinute' : 'shortDay'
  return (
    <div className="time-chart-x" aria-hidden="true">
      {timeTicks(startsMs, fromMs, toMs, 5).map((tickMs) => (
        <span key={tickMs} style={{ left: `${Math.round(((tickMs - fromMs) / lengthMs) * 1000) / 10}%` }}>
          {text(tickMs, form)}
        </span>
      ))}
      <span data-end="">{zone}</span>
    </div>
  )
}

/** The share of the width that data does not cover in full, at the right end. */
function incompleteShare({ startsMs, incomplete }: AlignedSeries, fromMs: number, toMs: number): number {
  let first = incomplete.length
  while (first > 0 && incomplete[first - 1]) first--
  const startMs = startsMs[first]
  return startMs === undefined ? 0 : Math.min(1, Math.max(0, (toMs - startMs) / (toMs - fromMs)))
}

/**
 * Series over time as lines, areas or bars. Several areas or bars are stacked. The reader moves over the intervals with
 * the pointer or the arrow keys, and can show all values as a table. Its height does not change while it loads.
 */
export function TimeChart(props: TimeChartProps) {
  const { label, kind, series, unit, fromMs, toMs, heightPx = 160, organization, annotations, onSelect } = props
  const t = useTranslations('charts')
  const { text } = useTimeText()
  const measure = measureText(useLocale())
  const tableId = useId()
  const [at, setAt] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  const aligned = useMemo(() => alignSeries(series), [series])
  const drawn = useMemo(
    () => (kind === 'line' ? aligned : { ...aligned, values: stackSeries(aligned.values) }),
    [aligned, kind],
  )
  const axis = useMemo(() => axisOf([...drawn.values, ...drawn.previous]), [drawn])
  const groups = useMemo(
    () => groupAnnotations(annotations?.marks ?? [], fromMs, toMs, annotationSlots),
    [annotations, fromMs, toMs],
  )
  const value = (number: number | null) => measure(number, unit)
  const colours = series.map((own, place) => seriesColour(own, place, series.length))
  const last = aligned.startsMs.length - 1
  const readMs = at === null ? undefined : aligned.startsMs[at]
  const reading =
    readMs === undefined || at === null
      ? t('unread', { count: series.length })
      : `${text(readMs, 'minute')}: ${series.map((own, place) => `${own.label} ${value(aligned.values[place]?.[at] ?? null)}`).join(', ')}`

  function step(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || last < 0) return
    const next = readingStep(event.key, at, last)
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    setAt(next)
  }
  const missing = incompleteShare(aligned, fromMs, toMs)
  return (
    <figure className="time-chart">
      <div className="time-chart-box" style={{ height: heightPx }}>
        <div className="time-chart-y" aria-hidden="true">
          {axis.ticks.map((tick) => (
            <span key={tick} style={{ top: `${((axis.max - tick) / (axis.max - axis.min)) * 100}%` }}>
              {value(tick)}
            </span>
          ))}
        </div>
        <div className="time-chart-plot">
          <div
            className="time-chart-reader"
            role="slider"
            tabIndex={0}
            aria-label={t('label', { label })}
            aria-valuemin={0}
            aria-valuemax={Math.max(0, last)}
            aria-valuenow={at ?? 0}
            aria-valuetext={reading}
            onKeyDown={step}
            onBlur={() => setAt(null)}
          >
            <TimePlot
              kind={kind}
              aligned={drawn}
              axis={axis}
              fromMs={fromMs}
              toMs={toMs}
              heightPx={heightPx}
              colours={colours}
              at={at}
              onPoint={setAt}
              onSelect={onSelect}
            />
          </div>
          {missing > 0 ? (
            <span className="time-chart-incomplete" style={{ width: `${missing * 100}%` }} title={t('incomplete')} />
          ) : null}
          <ChartAnnotations organization={organization} groups={groups} />
        </div>
      </div>
      <TimeAxis startsMs={aligned.startsMs} fromMs={fromMs} toMs={toMs} />
      <figcaption>
        <span className="time-chart-when">{readMs === undefined ? '' : text(readMs, 'shortMinute')}</span>
        <Legend series={series} aligned={aligned} at={at} value={value} />
        <button
          type="button"
          className="link"
          aria-expanded={isTable}
          aria-controls={tableId}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? t('hideTable') : t('showTable')}
        </button>
      </figcaption>
      <div id={tableId}>
        {isTable ? <TimeTable label={label} series={series} aligned={aligned} value={value} /> : null}
      </div>
    </figure>
  )
}
