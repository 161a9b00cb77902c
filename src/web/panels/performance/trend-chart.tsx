'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { RestRoutePage } from '../../../contract/explore/performance.ts'
import { groupAnnotations } from '../../ui/chart/annotations.ts'
import { ChartAnnotations } from '../../ui/chart/chart-annotations.tsx'
import { useTimeText } from '../../ui/time.tsx'
import type { PerformanceParams } from './params.ts'
import { useTimeBrush } from './use-time-brush.ts'
import { filledSeries, performanceWords, topOf } from './words.ts'

const heightPx = 190
/** Units of the drawing for each bucket: the line goes through their middles. */
const unit = 10
const annotationSlots = 12
const labelPx = 14
const names = ['p50', 'p75', 'p95'] as const

type Point = { p50: number | null; p75: number | null; p95: number | null; samples: number }

/** A line through the buckets that have a value. Buckets without samples interrupt it; one alone is a dot. */
function pathOf(values: readonly (number | null)[], top: number): string {
  let path = ''
  let isOpen = false
  values.forEach((value, at) => {
    if (value === null) {
      isOpen = false
      return
    }
    const place = `${(at + 0.5) * unit} ${Math.round((heightPx - (value / top) * heightPx) * 10) / 10}`
    path += isOpen ? `L${place}` : `M${place}h.01`
    isOpen = true
  })
  return path
}

/** The names of the lines at their begin, from the top down. They keep the height of a line apart. */
function labelsOf(point: Point | null | undefined, top: number): { name: string; topPx: number }[] {
  let belowPx: number = heightPx - 2
  const labels = names.flatMap((name) => {
    const value = point?.[name]
    if (value == null) return []
    belowPx = Math.min(belowPx, (1 - value / top) * heightPx) - labelPx
    return [{ name, topPx: Math.max(0, belowPx) }]
  })
  return labels.reverse()
}

/** Where a label is: after the begin of its line, or before it if the line begins at the right. */
const labelPlace = (place: number) =>
  place > 0.9 ? { right: `${(1 - place) * 100}%`, left: 'auto' } : { left: `calc(${place * 100}% + 6px)` }

/** The lines of the percentiles over their buckets, and an area of each bucket that shows its values. */
function Lines({
  points,
  top,
  label,
  setAt,
}: {
  points: readonly (Point | null)[]
  top: number
  label: string
  setAt: (at: number | null) => void
}) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${points.length * unit} ${heightPx}`}
      preserveAspectRatio="none"
      style={{ height: heightPx }}
      onMouseLeave={() => setAt(null)}
    >
      <path
        className="performance-grid"
        d={`M0 .5H${points.length * unit}M0 ${heightPx / 2}H${points.length * unit}`}
      />
      <path className="performance-base" d={`M0 ${heightPx}H${points.length * unit}`} />
      {names.map((name) => (
        <path
          key={name}
          className="performance-percentile"
          data-name={name}
          d={pathOf(
            points.map((point) => point?.[name] ?? null),
            top,
          )}
        />
      ))}
      {points.map((_, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys show the same values
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a bucket is its place
          key={index}
          className="performance-hit"
          x={index * unit}
          y={0}
          width={unit}
          height={heightPx}
          onMouseEnter={() => setAt(index)}
        />
      ))}
    </svg>
  )
}

type TrendProps = {
  organization: string
  page: RestRoutePage
  /** The selected part of the range. */
  during: PerformanceParams['during']
  select: (during: PerformanceParams['during']) => void
}

/**
 * Percentiles of a route over the range, with lines for releases and deploys. A drag selects a part of the range; with the
 * keys, arrows read the values and Enter selects.
 */
export function TrendChart({ organization, page, during, select }: TrendProps) {
  const t = useTranslations('performance.trend')
  const words = performanceWords(useLocale())
  const { text, zone } = useTimeText()
  const [at, setAt] = useState<number | null>(null)
  const [fromMs, endMs] = [Date.parse(page.start), Date.parse(page.end)]
  const points = filledSeries(
    page.series.map(([startS, samples, p50, p75, p95]): { startS: number; value: Point } => ({
      startS,
      value: { samples, p50, p75, p95 },
    })),
    fromMs,
    endMs,
    page.bucketSeconds,
  )
  const startMs = (points[0]?.startS ?? 0) * 1000
  const stopMs = startMs + points.length * page.bucketSeconds * 1000
  const groups = useMemo(
    () => groupAnnotations(page.releases.marks, startMs, stopMs, annotationSlots),
    [page.releases, startMs, stopMs],
  )
  const top = topOf(Math.max(1, ...points.map(({ value }) => value?.p95 ?? 0)))
  const shown = at === null ? undefined : points[at]
  const bucketMs = page.bucketSeconds * 1000
  const brush = useTimeBrush({
    count: points.length,
    placeOf: (ms) => Math.floor((ms - startMs) / bucketMs),
    at,
    setAt,
    during,
    select: (part) =>
      select(part && { fromMs: startMs + part.from * bucketMs, toMs: startMs + (part.to + 1) * bucketMs }),
  })
  const valueText = [
    text((shown?.startS ?? 0) * 1000, 'minute'),
    ...names.map((name) => `${name} ${words.duration(shown?.value?.[name] ?? null)}`),
  ].join(', ')
  const firstAt = points.findIndex(({ value }) => value?.p75 != null)
  const first = points[firstAt]?.value
  const last = points.findLast(({ value }) => value?.p75 != null)?.value
  return (
    <figure className="performance-trend">
      <div className="performance-y" aria-hidden="true">
        <span>{words.duration(top)}</span>
        <span>{words.duration(top / 2)}</span>
        <span>0</span>
      </div>
      <div className="performance-plot">
        <div
          className="performance-brushed"
          role="slider"
          tabIndex={0}
          aria-label={t('select')}
          aria-valuemin={0}
          aria-valuemax={points.length - 1}
          aria-valuenow={at ?? points.length - 1}
          aria-valuetext={shown ? valueText : t('hint')}
          {...brush.handlers}
        >
          <Lines
            points={points.map(({ value }) => value)}
            top={top}
            label={t('label', { p75: words.duration(last?.p75 ?? null) })}
            setAt={setAt}
          />
          {brush.shown ? (
            <span
              className="performance-window"
              style={{
                left: `${(brush.shown.from / points.length) * 100}%`,
                right: `${(1 - (brush.shown.to + 1) / points.length) * 100}%`,
              }}
            />
          ) : null}
        </div>
        {labelsOf(first, top).map(({ name, topPx }) => (
          <span
            key={name}
            className="performance-direct"
            data-name={name}
            aria-hidden="true"
            // At the right end a label is before its line.
            style={{ top: topPx, ...labelPlace(firstAt / points.length) }}
          >
            {name}
          </span>
        ))}
        <ChartAnnotations organization={organization} groups={groups} />
      </div>
      <figcaption>
        {shown ? (
          <>
            <b>{text(shown.startS * 1000, 'minute')}</b>
            {names.map((name) => (
              <span key={name}>
                {name} {words.duration(shown.value?.[name] ?? null)}
              </span>
            ))}
            <span>{t('samples', { count: shown.value?.samples ?? 0 })}</span>
          </>
        ) : (
          <>
            <span>{text(startMs, 'shortMinute')}</span>
            <span className="performance-trend-hint">{t('hint')}</span>
            <span>
              {text(endMs, 'shortMinute')}, {zone}
            </span>
          </>
        )}
      </figcaption>
    </figure>
  )
}
