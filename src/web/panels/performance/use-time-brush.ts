'use client'
import type { HTMLAttributes, KeyboardEvent } from 'react'
import { useBrush } from '../../ui/chart/brush.ts'
import { type Brush, brushOf } from './brush.ts'

type TimeBrush = {
  /** Number of buckets. */
  count: number
  /** The bucket of a moment. It can be outside. */
  placeOf: (ms: number) => number
  /** The bucket whose values are shown. */
  at: number | null
  setAt: (at: number | null) => void
  during: { fromMs: number; toMs: number } | undefined
  select: (brush: Brush | undefined) => void
}

/** The selected buckets after a key. `anchor` is the end that stays. Undefined: the key selects nothing. */
export function keyedBrush(
  key: string,
  { at, count, isExtending, shown }: { at: number; count: number; isExtending: boolean; shown: Brush | undefined },
): { at: number; brush: Brush | undefined } | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count }[key]
  if (step !== undefined) {
    const next = Math.max(0, Math.min(count - 1, at + step))
    if (!isExtending) return { at: next, brush: shown }
    const anchor = shown ? (at === shown.from ? shown.to : shown.from) : at
    return { at: next, brush: brushOf(anchor, next, count) }
  }
  if (key === 'Enter' || key === ' ') return { at, brush: { from: at, to: at } }
  return key === 'Escape' && shown ? { at, brush: undefined } : undefined
}

/** Selects a part of a chart over time, by dragging or with keys. `shown` are the selected buckets, also during a drag. */
export function useTimeBrush({ count, placeOf, at, setAt, during, select }: TimeBrush): {
  shown: Brush | undefined
  handlers: Pick<
    HTMLAttributes<HTMLElement>,
    'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel' | 'onKeyDown'
  >
} {
  const { plot, low, high } = useBrush(count, (from, to) => select(brushOf(from, to, count)))
  const chosen = during && brushOf(placeOf(during.fromMs), placeOf(during.toMs - 1), count)
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const place = at ?? chosen?.to ?? count - 1
    const next = keyedBrush(event.key, { at: place, count, isExtending: event.shiftKey, shown: chosen })
    if (!next) return
    event.preventDefault()
    event.stopPropagation()
    setAt(next.at)
    if (next.brush !== chosen) select(next.brush)
  }
  return { shown: low >= 0 ? { from: low, to: high } : chosen, handlers: { ...plot, onKeyDown } }
}
