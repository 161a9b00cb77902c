import type { RestPoint } from '../../protocol/rest.ts'

export type Bar = { fromS: number; toS: number; events: number }

/**
 * Spreads points over `count` bars of equal length between two times (seconds since 1970). A point belongs to
 * the bar that its time falls into; points outside are left out, the one exactly at the end falls into the last bar.
 */
export function barsOf(points: readonly RestPoint[], fromS: number, toS: number, count: number): Bar[] {
  const stepS = (toS - fromS) / count
  const bars: Bar[] = []
  for (let at = 0; at < count; at++) bars.push({ fromS: fromS + at * stepS, toS: fromS + (at + 1) * stepS, events: 0 })
  if (!(stepS > 0)) return bars
  // A point carries the start of its hour, and that may lie before the start of the range: it counts in the first bar.
  const slackS = points.length > 1 ? Math.abs((points[1]?.[0] ?? 0) - (points[0]?.[0] ?? 0)) : 3600
  for (const [atS, events] of points) {
    if (atS < fromS - slackS || atS > toS) continue
    const bar = bars[Math.max(0, Math.min(count - 1, Math.floor((atS - fromS) / stepS)))]
    if (bar) bar.events += events
  }
  return bars
}

export const sparkBars = 24
export const sparkWidthPx = 118
export const sparkHeightPx = 24

/**
 * One SVG path for a sparkline: a vertical stroke of 3 px for each value, every 5 px, at least 1 px high, so that
 * an empty bar shows as the base line. Heights are relative to the largest value.
 */
export function sparkPath(values: readonly number[]): string {
  const most = Math.max(1, ...values)
  let path = ''
  values.forEach((value, at) => {
    const height = Math.max(1, Math.round((Math.max(0, value) / most) * (sparkHeightPx - 1)))
    path += `M${at * 5 + 1.5} ${sparkHeightPx}v-${height}`
  })
  return path
}

/** The next round number at or above a value (1, 2, 5 times a power of ten), for the top of a chart. */
export function roundTop(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  for (const step of [1, 2, 5, 10]) if (step * power >= value) return step * power
  return value
}
