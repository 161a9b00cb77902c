import type { RestPoint } from '../../../contract/issues.ts'
import { barsOf } from '../../ui/chart/bars.ts'

/** The scale of a chart in words: its highest bar, its usual bar, and how long a bar lasts. */
type ChartScale = { peak: number; usual: number; unit: 'minutes' | 'hours' | 'days'; length: number }

const units = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const

/**
 * The scale of the points. The usual bar is the median from the first event on, without the last bar: it is not over
 * yet. Undefined without events.
 */
export function scaleOf(points: readonly RestPoint[]): ChartScale | undefined {
  const bars = barsOf(points)
  const peak = Math.max(0, ...bars.map((bar) => bar.events))
  const [first] = bars
  if (!first || peak === 0) return undefined
  const lasts = first.toS - first.fromS
  const [unit, unitS] = units.find(([, size]) => lasts >= size) ?? ['minutes', 60]
  const begun = bars.slice(bars.findIndex((bar) => bar.events > 0))
  const whole = begun.length > 1 ? begun.slice(0, -1) : begun
  const sorted = whole.map((bar) => bar.events).sort((a, b) => a - b)
  return { peak, usual: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0, unit, length: Math.round(lasts / unitS) }
}
