import type { RestBackTest } from '../../../../contract/alerts/alerts-back-test.ts'
import { axisOf, type ValueAxis } from '../../../ui/chart/time-series.ts'

/** `from`: a number that is reached, as the counts of issue rules. */
export type Direction = 'above' | 'below' | 'from'

/** Whether a value is on the firing side of a threshold. */
export function isOver(value: number | null, threshold: number | null, direction: Direction): boolean {
  if (value === null || threshold === null) return false
  if (direction === 'from') return value >= threshold
  return direction === 'above' ? value > threshold : value < threshold
}

/** The value axis: bars and threshold fit, and the line has room to move up. */
export const scaleOf = (points: RestBackTest['points'], threshold: number | null): ValueAxis =>
  axisOf([points.map(({ value }) => value), [threshold === null ? null : threshold * 1.1]])

/** The step of the threshold for arrow keys and drags: a power of ten of about a hundredth of the axis. */
export const stepOf = ({ min, max }: ValueAxis): number => 10 ** Math.floor(Math.log10((max - min) / 50))

/** A threshold on a step and within the axis. The step's decimals stay exact: 0.3, not 0.30000000000000004. */
export function snapped(value: number, axis: ValueAxis): number {
  const step = stepOf(axis)
  const digits = Math.max(0, -Math.round(Math.log10(step)))
  return Number((Math.round(Math.max(axis.min, Math.min(axis.max, value)) / step) * step).toFixed(digits))
}

const steps: Readonly<Record<string, number>> = {
  ArrowUp: 1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowLeft: -1,
  PageUp: 10,
  PageDown: -10,
}

/** The threshold after a key. Undefined: the key does not move it. */
export function afterKey(key: string, threshold: number, axis: ValueAxis): number | undefined {
  if (key === 'Home') return axis.min
  if (key === 'End') return axis.max
  const count = steps[key]
  return count === undefined ? undefined : snapped(threshold + count * stepOf(axis), axis)
}

/** A shape of bars with `heightPx` for the whole axis; a bar is 1 wide. Zero gets no bar, and a small value 1 px. */
export function barsPath(
  points: RestBackTest['points'],
  axis: ValueAxis,
  heightPx: number,
  keep: (value: number | null) => boolean,
): string {
  const span = axis.max - axis.min
  const zero = heightPx - ((0 - axis.min) / span) * heightPx
  return points
    .map(({ value }, at) => {
      if (value === null || value === 0 || !keep(value)) return ''
      const height = Math.max(1, (Math.min(Math.abs(value), span) / span) * heightPx)
      const top = value > 0 ? zero - height : zero
      return `M${at + 0.08} ${top.toFixed(2)}h.84v${height.toFixed(2)}h-.84z`
    })
    .join('')
}

type Marker = { number: number; place: number; height: number; level: 'warning' | 'critical' }

/** Numbered firings as places of the chart, 0 to 1. Those too close to the one before are only in the table. */
export function markersOf({ firings, fromMs, toMs }: RestBackTest, axis: ValueAxis, apart = 0.028): Marker[] {
  const markers: Marker[] = []
  for (const [at, { startMs, peak, level }] of firings.entries()) {
    const place = (startMs - fromMs) / (toMs - fromMs)
    const before = markers.at(-1)
    if (before && place - before.place < apart) continue
    const value = Math.max(axis.min, Math.min(axis.max, peak ?? 0))
    markers.push({ number: at + 1, place, height: (value - axis.min) / (axis.max - axis.min), level })
  }
  return markers
}

const nearMs = 3 * 3_600_000

/** How many firings began within three hours after a deploy. */
export function afterDeploys(firings: RestBackTest['firings'], deploysMs: readonly number[]): number {
  return firings.filter(({ startMs }) => deploysMs.some((atMs) => atMs <= startMs && startMs - atMs <= nearMs)).length
}

/** How long the rule fired in all. What goes on ends with the range. */
export const totalMs = ({ firings, toMs }: RestBackTest): number =>
  firings.reduce((sum, { startMs, endMs }) => sum + Math.max(0, (endMs ?? toMs) - startMs), 0)
