'use client'
import '../../../styles/time-chart.css'
import { useTranslations } from 'next-intl'
import { type PointerEvent, useMemo, useRef, useState } from 'react'
import type { RestBackTest } from '../../../../contract/alerts/alerts-back-test.ts'
import type { RestAnnotations } from '../../../../contract/releases.ts'
import { groupAnnotations } from '../../../ui/chart/annotations.ts'
import { ChartAnnotations } from '../../../ui/chart/chart-annotations.tsx'
import { timeTicks, type ValueAxis } from '../../../ui/chart/time-series.ts'
import { useTimeText } from '../../../ui/time.tsx'
import { afterKey, barsPath, type Direction, isOver, markersOf, scaleOf, snapped } from './chart-scale.ts'

const heightPx = 216
const annotationSlots = 24

type ChartProps = {
  organization: string
  answer: RestBackTest
  /** Null: the rule has no threshold that can move. */
  threshold: number | null
  direction: Direction
  valueText: (value: number | null) => string
  marks: RestAnnotations | undefined
  /** Undefined: the reader may not change the rule. */
  onThreshold: ((threshold: number) => void) | undefined
}

/** The threshold as a line to drag, or to move by keys. While it is dragged, only the bars follow. */
function ThresholdLine({
  axis,
  threshold,
  valueText,
  move,
  settle,
}: {
  axis: ValueAxis
  threshold: number
  valueText: (value: number | null) => string
  move: (threshold: number) => void
  settle: (threshold: number) => void
}) {
  const t = useTranslations('alerts.backTest')
  const dragging = useRef(false)
  function valueAt(event: PointerEvent<HTMLElement>): number {
    const box = event.currentTarget.parentElement?.getBoundingClientRect()
    if (!box || box.height === 0) return threshold
    return snapped(axis.max - ((event.clientY - box.top) / box.height) * (axis.max - axis.min), axis)
  }
  return (
    <div
      className="alert-threshold"
      style={{ top: `${((axis.max - threshold) / (axis.max - axis.min)) * 100}%` }}
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('threshold')}
      aria-valuemin={axis.min}
      aria-valuemax={axis.max}
      aria-valuenow={threshold}
      aria-valuetext={valueText(threshold)}
      onKeyDown={(event) => {
        if (event.altKey || event.ctrlKey || event.metaKey) return
        const next = afterKey(event.key, threshold, axis)
        if (next === undefined) return
        event.preventDefault()
        event.stopPropagation()
        settle(next)
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        dragging.current = true
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => dragging.current && move(valueAt(event))}
      onPointerUp={(event) => {
        if (!dragging.current) return
        dragging.current = false
        settle(valueAt(event))
      }}
      onPointerCancel={() => {
        dragging.current = false
        settle(threshold)
      }}
    >
      <span>{valueText(threshold)}</span>
    </div>
  )
}

function Days({ answer }: { answer: RestBackTest }) {
  const { text, zone } = useTimeText()
  const { fromMs, toMs, points } = answer
  const isDay = toMs - fromMs <= 36 * 3_600_000
  const starts = points.map(({ startMs }) => startMs)
  return (
    <div className="alert-days" aria-hidden="true">
      {timeTicks(starts, fromMs, toMs, 7).map((tickMs) => (
        <span key={tickMs} style={{ left: `${((tickMs - fromMs) / (toMs - fromMs)) * 100}%` }}>
          {text(tickMs, isDay ? 'clock' : 'shortDay')}
        </span>
      ))}
      <span data-end="">
        {text(toMs, 'clock')}, {zone}
      </span>
    </div>
  )
}

/** The bars of a back-test: those over the threshold in the colour of errors, firings with their numbers, releases. */
export function BackTestChart(props: ChartProps) {
  const { organization, answer, threshold, direction, valueText, marks, onThreshold } = props
  const t = useTranslations('alerts.backTest')
  const [dragged, setDragged] = useState<number>()
  const { points, fromMs, toMs, blind } = answer
  const axis = useMemo(() => scaleOf(points, threshold), [points, threshold])
  const shown = dragged ?? threshold
  const groups = useMemo(
    () => groupAnnotations(marks?.marks ?? [], fromMs, toMs, annotationSlots),
    [marks, fromMs, toMs],
  )
  const over = (value: number | null) => isOver(value, shown, direction)
  const place = (ms: number) => (Math.max(fromMs, Math.min(toMs, ms)) - fromMs) / (toMs - fromMs)
  return (
    <figure className="alert-chart">
      <div className="alert-chart-box" style={{ height: heightPx }}>
        <div className="alert-chart-y" aria-hidden="true">
          {axis.ticks.map((tick) => (
            <span key={tick} style={{ top: `${((axis.max - tick) / (axis.max - axis.min)) * 100}%` }}>
              {valueText(tick)}
            </span>
          ))}
        </div>
        <div className="alert-chart-plot">
          <svg
            role="img"
            aria-label={t('chart', { count: answer.firings.length })}
            viewBox={`0 0 ${Math.max(1, points.length)} ${heightPx}`}
            preserveAspectRatio="none"
          >
            <path className="alert-bar-under" d={barsPath(points, axis, heightPx, (value) => !over(value))} />
            <path className="alert-bar-over" d={barsPath(points, axis, heightPx, over)} />
          </svg>
          {blind.map((part) => (
            <span
              key={`${part.fromMs} ${part.reason}`}
              className="alert-blind"
              style={{ left: `${place(part.fromMs) * 100}%`, right: `${(1 - place(part.toMs)) * 100}%` }}
            />
          ))}
          <ChartAnnotations organization={organization} groups={groups} />
          {markersOf(answer, axis).map((marker) => (
            <span
              key={marker.number}
              className="alert-firing"
              data-level={marker.level}
              aria-hidden="true"
              style={{ left: `${marker.place * 100}%`, bottom: `${Math.min(marker.height * 100, 94)}%` }}
            >
              {marker.number}
            </span>
          ))}
          {shown === null ? null : onThreshold ? (
            <ThresholdLine
              axis={axis}
              threshold={shown}
              valueText={valueText}
              move={setDragged}
              settle={(value) => {
                setDragged(undefined)
                if (value !== threshold) onThreshold(value)
              }}
            />
          ) : (
            <div
              className="alert-threshold"
              data-fixed=""
              style={{ top: `${((axis.max - shown) / (axis.max - axis.min)) * 100}%` }}
            >
              <span>{valueText(shown)}</span>
            </div>
          )}
        </div>
      </div>
      <Days answer={answer} />
    </figure>
  )
}
