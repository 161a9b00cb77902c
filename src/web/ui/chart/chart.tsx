'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { RestPoint } from '../../../contract/issues.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { useTimeText } from '../time.tsx'
import { groupAnnotations, spanOf } from './annotations.ts'
import { barsOf, roundTop } from './bars.ts'
import { ChartAnnotations } from './chart-annotations.tsx'

const heightPx = 72
/** Maximum lines of a chart: one per 7 px on a phone. */
const annotationSlots = 48

type ChartProps = {
  points: readonly RestPoint[]
  organization: string
  /** Releases and deploys in the range; undefined while unknown. */
  annotations: RestAnnotations | undefined
}

/** Events over the range as bars, with a scale, a text for the bar under the pointer, and lines for releases. */
export function Chart({ points, organization, annotations }: ChartProps) {
  const t = useTranslations('issues.chart')
  const tAnnotations = useTranslations('releases.marks')
  const locale = useLocale()
  const [at, setAt] = useState<number | null>(null)
  const bars = useMemo(() => barsOf(points), [points])
  const groups = useMemo(() => {
    const span = spanOf(points)
    return span && annotations ? groupAnnotations(annotations.marks, span.fromMs, span.toMs, annotationSlots) : []
  }, [points, annotations])
  const top = roundTop(Math.max(0, ...bars.map((bar) => bar.events)))
  const number = useMemo(() => new Intl.NumberFormat(locale), [locale])
  const { text, zone } = useTimeText()
  const time = (seconds: number) => text(seconds * 1000, 'minute')
  const sum = bars.reduce((all, bar) => all + bar.events, 0)
  const [first] = bars
  const last = bars.at(-1)
  const shown = at === null ? undefined : bars[at]
  if (!first || !last) return null
  const label = t('label', { events: number.format(sum), from: time(first.fromS), to: time(last.toS) })
  return (
    <figure className="chart">
      <div className="chart-scale" aria-hidden="true">
        <span>{number.format(top)}</span>
        <span>0</span>
      </div>
      <div className="chart-plot">
        <div className="chart-figure">
          <svg
            role="img"
            aria-label={label}
            width="100%"
            height={heightPx}
            viewBox={`0 0 ${bars.length} ${heightPx}`}
            preserveAspectRatio="none"
            onMouseLeave={() => setAt(null)}
          >
            {bars.map((bar, index) => {
              const height = bar.events ? Math.max(1.5, (bar.events / top) * heightPx) : 0
              return (
                // biome-ignore lint/a11y/noStaticElementInteractions: the chart's label has the same content
                <g key={bar.fromS} data-here={index === at || undefined} onMouseEnter={() => setAt(index)}>
                  <rect x={index} y={0} width={1} height={heightPx} className="chart-hit" />
                  <rect x={index + 0.14} y={heightPx - height} width={0.72} height={height} className="chart-bar" />
                </g>
              )
            })}
          </svg>
          <ChartAnnotations organization={organization} groups={groups} />
        </div>
        <figcaption>
          {shown ? (
            <>
              <b>{t('events', { count: shown.events })}</b> {time(shown.fromS)} – {time(shown.toS)}, {zone}
            </>
          ) : (
            <>
              <span>{time(first.fromS)}</span>
              <span>
                {time(last.toS)}, {zone}
              </span>
            </>
          )}
        </figcaption>
        {annotations && annotations.omitted > 0 ? (
          <p className="chart-note">{tAnnotations('omitted', { count: annotations.omitted })}</p>
        ) : null}
      </div>
    </figure>
  )
}
