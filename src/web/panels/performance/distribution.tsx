'use client'
import { useLocale, useTranslations } from 'next-intl'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { type Brush, type Bucket, brushOf, movedBrush } from './brush.ts'
import { performanceWords } from './words.ts'

const heightPx = 74
const pageBuckets = 5

/** Labels of the axis: every power of ten, and three times it, that is a bucket's start. */
function ticksOf(buckets: readonly Bucket[]): { at: number; ms: number }[] {
  return buckets.flatMap(({ fromMs }, at) => {
    const power = 10 ** Math.floor(Math.log10(fromMs) + 0.01)
    const ratio = fromMs / power
    return Math.abs(ratio - 1) < 0.06
      ? [{ at, ms: power }]
      : Math.abs(ratio - 3.162) < 0.1
        ? [{ at, ms: power * 3 }]
        : []
  })
}

type DistributionProps = {
  buckets: readonly Bucket[]
  brush: Brush | undefined
  /** Called when a selection ends. */
  select: (brush: Brush | undefined) => void
}

/** The selection while a drag or a key changes it. */
function useSelection({ buckets: { length }, brush, select }: DistributionProps) {
  const plot = useRef<HTMLDivElement>(null)
  const anchor = useRef<number>(undefined)
  const [draft, setDraft] = useState<Brush>()
  const shown = draft ?? brush
  const bucketAt = (event: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect()
    return box ? Math.floor(((event.clientX - box.left) / box.width) * length) : 0
  }
  const begin = (event: PointerEvent<HTMLElement>, from = bucketAt(event)) => {
    if (event.button !== 0) return
    event.preventDefault()
    plot.current?.setPointerCapture(event.pointerId)
    anchor.current = from
    setDraft(brushOf(from, bucketAt(event), length))
  }
  const drag = (event: PointerEvent) => {
    if (anchor.current !== undefined) setDraft(brushOf(anchor.current, bucketAt(event), length))
  }
  const end = () => {
    if (anchor.current === undefined) return
    anchor.current = undefined
    if (draft) select(draft)
    setDraft(undefined)
  }
  const moveBy = (event: KeyboardEvent, side: keyof Brush) => {
    if (!shown) return
    if (event.key === 'Escape') return select(undefined)
    const step = {
      ArrowLeft: -1,
      ArrowRight: 1,
      PageUp: -pageBuckets,
      PageDown: pageBuckets,
      Home: -length,
      End: length,
    }[event.key]
    if (step === undefined) return undefined
    event.preventDefault()
    event.stopPropagation()
    return select(movedBrush(shown, side, step, length))
  }
  return { plot, shown, begin, drag, end, moveBy }
}

/** Durations on a log axis. A drag selects some of them; the two ends also move by keys. */
export function Distribution({ buckets, brush, select }: DistributionProps) {
  const t = useTranslations('performance.distribution')
  const words = performanceWords(useLocale())
  const { plot, shown, begin, drag, end, moveBy } = useSelection({ buckets, brush, select })
  const { length } = buckets
  const top = Math.max(1, ...buckets.map(({ count }) => count))
  const place = (at: number) => `${(at / length) * 100}%`
  return (
    <div className="performance-distribution">
      <span className="performance-top" aria-hidden="true">
        {words.count(top)}
      </span>
      <div
        ref={plot}
        className="performance-bars"
        onPointerDown={begin}
        onPointerMove={drag}
        onPointerUp={end}
        onPointerCancel={end}
      >
        <svg
          role="img"
          aria-label={t('label', { count: words.exact(buckets.reduce((sum, { samples }) => sum + samples, 0)) })}
          viewBox={`0 0 ${length * 10} ${heightPx}`}
          preserveAspectRatio="none"
          style={{ height: heightPx }}
        >
          <path className="performance-grid" d={`M0 .5H${length * 10}M0 ${heightPx / 2}H${length * 10}`} />
          {buckets.map(({ fromMs, toMs, count }, at) => {
            const height = count > 0 ? Math.max(1.5, (count / top) * heightPx) : 0
            return (
              <rect
                key={fromMs}
                className="performance-column"
                data-out={(shown && (at < shown.from || at > shown.to)) || undefined}
                x={at * 10 + 0.8}
                y={heightPx - height}
                width={8.4}
                height={height}
              >
                <title>{`${words.duration(fromMs)} – ${words.duration(toMs)}: ${words.count(count)}`}</title>
              </rect>
            )
          })}
          <path className="performance-base" d={`M0 ${heightPx}H${length * 10}`} />
        </svg>
        {shown ? (
          <div
            className="performance-window"
            style={{ left: place(shown.from), right: `${(1 - (shown.to + 1) / length) * 100}%` }}
          >
            {(['from', 'to'] as const).map((side) => (
              <span
                key={side}
                role="slider"
                tabIndex={0}
                className="performance-handle"
                data-side={side}
                aria-label={t(side)}
                aria-valuemin={0}
                aria-valuemax={length - 1}
                aria-valuenow={shown[side]}
                aria-valuetext={words.duration(
                  (side === 'from' ? buckets[shown.from]?.fromMs : buckets[shown.to]?.toMs) ?? null,
                )}
                onKeyDown={(event) => moveBy(event, side)}
                onPointerDown={(event) => {
                  event.stopPropagation()
                  begin(event, side === 'from' ? shown.to : shown.from)
                }}
              />
            ))}
          </div>
        ) : null}
      </div>
      <div className="performance-ticks" aria-hidden="true">
        {ticksOf(buckets).map(({ at, ms }) => (
          <span key={at} style={{ left: place(at) }}>
            {words.duration(ms)}
          </span>
        ))}
      </div>
    </div>
  )
}
