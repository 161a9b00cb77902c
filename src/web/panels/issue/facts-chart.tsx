'use client'
import { useFormatter, useTranslations } from 'next-intl'
import { useMemo } from 'react'
import type { RestPoint } from '../../../contract/issues.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { groupAnnotations, spanOf } from '../../ui/chart/annotations.ts'
import { barsOf } from '../../ui/chart/bars.ts'
import { ChartAnnotations } from '../../ui/chart/chart-annotations.tsx'
import { scaleOf } from './chart-words.ts'

const heightPx = 30
/** Maximum lines of releases: one per 14 px on a wide screen. */
const annotationSlots = 32

type FactsChartProps = {
  organization: string
  points: readonly RestPoint[]
  /** Releases and deploys in the range; undefined while unknown. */
  annotations: RestAnnotations | undefined
  isLarge: boolean
  toggle: () => void
}

/** All bars as one path, at least 1 px high where there was an event. */
function pathOf(points: readonly RestPoint[], top: number): string {
  return points
    .map(([, events], at) => {
      const height = events ? Math.max(1, (events / top) * heightPx) : 0
      return height ? `M${at + 0.1} ${heightPx}v${-height.toFixed(2)}h.8v${height.toFixed(2)}z` : ''
    })
    .join('')
}

/** The events over the range, 30 px high, with its scale in words. A click opens the large chart below. */
export function FactsChart({ organization, points, annotations, isLarge, toggle }: FactsChartProps) {
  const t = useTranslations('issuepage.chart')
  const format = useFormatter()
  const scale = useMemo(() => scaleOf(points), [points])
  const bars = useMemo(() => barsOf(points), [points])
  const groups = useMemo(() => {
    const span = spanOf(points)
    return span && annotations ? groupAnnotations(annotations.marks, span.fromMs, span.toMs, annotationSlots) : []
  }, [points, annotations])
  const first = bars[0]
  const last = bars.at(-1)
  if (!first || !last) return null
  const isShort = last.toS - first.fromS <= 2 * 86_400
  const dateOf = (seconds: number) =>
    format.dateTime(
      new Date(seconds * 1000),
      isShort ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' },
    )
  const words = scale
    ? t(scale.unit, { ...scale, peak: format.number(scale.peak), usual: format.number(scale.usual) })
    : t('none')
  return (
    <figure className="facts-chart">
      <div className="facts-plot">
        <button type="button" aria-expanded={isLarge} title={t(isLarge ? 'small' : 'large')} onClick={toggle}>
          <svg
            role="img"
            aria-label={t('label', { from: dateOf(first.fromS), to: dateOf(last.toS), words })}
            width="100%"
            height={heightPx}
            viewBox={`0 0 ${bars.length} ${heightPx}`}
            preserveAspectRatio="none"
          >
            <path d={pathOf(points, scale?.peak ?? 1)} className="chart-bar" />
          </svg>
        </button>
        <ChartAnnotations organization={organization} groups={groups} />
      </div>
      <figcaption>
        <span>{dateOf(first.fromS)}</span>
        <span className="facts-words">{words}</span>
        <span>{dateOf(last.toS)}</span>
      </figcaption>
    </figure>
  )
}
