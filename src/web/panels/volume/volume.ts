import type { RestVolume } from '../../../contract/volume.ts'

type Bucket = RestVolume['buckets'][number]

/** A selection: the first and the last bar, by index. */
export type Brush = { from: number; to: number }

export const eventsOf = ({ error, warning, other }: Bucket): number => error + warning + other

/** The value of the upper line of the y axis: the largest bar, rounded up to 2, 4, 6, 8 or 10 x 10^n. Even: half of it has a line. */
export function axisTop(buckets: readonly Bucket[]): number {
  const most = Math.max(2, ...buckets.map(eventsOf))
  const unit = 10 ** Math.floor(Math.log10(most))
  const factor = [2, 4, 6, 8, 10].find((step) => step * unit >= most) ?? 10
  return factor * unit
}

/** The heights of a bar's parts, of 1. A bar with events has at least `least`, so that one event can be seen. */
export function partsOf(bucket: Bucket, top: number, least: number): { error: number; warning: number; other: number } {
  const events = eventsOf(bucket)
  if (events === 0) return { error: 0, warning: 0, other: 0 }
  const scale = Math.max(events / top, least) / events
  return { error: bucket.error * scale, warning: bucket.warning * scale, other: bucket.other * scale }
}

/** Times of a selection in ms: start of its first bar to end of its last, not after the end of the range. */
export function rangeOfBrush(volume: RestVolume, brush: Brush, endMs: number): { fromMs: number; toMs: number } {
  const start = (at: number) => (volume.buckets[at]?.start ?? 0) * 1000
  return { fromMs: start(brush.from), toMs: Math.min(endMs, start(brush.to) + volume.interval * 1000) }
}

export const eventsIn = (volume: RestVolume, { from, to }: Brush): number =>
  volume.buckets.slice(from, to + 1).reduce((sum, bucket) => sum + eventsOf(bucket), 0)

/** The selection between two bars, in any order, within the chart. */
export function brushOf(a: number, b: number, count: number): Brush {
  const inside = (at: number) => Math.max(0, Math.min(count - 1, at))
  return { from: inside(Math.min(a, b)), to: inside(Math.max(a, b)) }
}

/** Moves one end of a selection. It does not pass the other end. */
export function movedBrush(brush: Brush, end: keyof Brush, step: number, count: number): Brush {
  return end === 'from'
    ? { from: Math.max(0, Math.min(brush.to, brush.from + step)), to: brush.to }
    : { from: brush.from, to: Math.max(brush.from, Math.min(count - 1, brush.to + step)) }
}

/** The labels of the time axis: up to `max` bars at equal distances. */
export function ticksOf(count: number, max: number): number[] {
  const step = Math.max(1, Math.ceil(count / max))
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step)
}
