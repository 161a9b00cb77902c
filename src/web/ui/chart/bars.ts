import type { RestPoint } from '../../../contract/issues.ts'

type Bar = { fromS: number; toS: number; events: number }

/** Points as bars. Each bar lasts until the next, the last as long as the one before (one hour if it is alone). */
export function barsOf(points: readonly RestPoint[]): Bar[] {
  return points.map(([fromS, events], at) => {
    const before = points[at - 1]?.[0]
    const toS = points[at + 1]?.[0] ?? fromS + (before === undefined ? 3600 : fromS - before)
    return { fromS, toS, events }
  })
}

export const trendWidthPx = 112
export const trendHeightPx = 24
export const trendBarPx = 6
const trendBarsMax = 14
/** Height of the smallest bar: one event must be visible beside thousands. */
const leastPx = 1.5

/** How the height of a bar follows from its events. */
export const trendScales = ['root', 'log', 'linear'] as const
export type TrendScale = (typeof trendScales)[number]

/** Bars of a trend, oldest first, each `barS` seconds long. */
type TrendBars = { values: number[]; barS: number }

/**
 * At most 14 bars from the points of a range. Neighbouring points are added up from the end, so that the newest bar is
 * whole. If the oldest bar would be the 15th, it is left out: the range begins within it.
 */
export function trendBars(points: readonly RestPoint[]): TrendBars {
  const size = Math.max(1, Math.ceil((points.length - 1) / trendBarsMax))
  const values: number[] = []
  for (let end = points.length; end > 0 && values.length < trendBarsMax; end -= size)
    values.push(points.slice(Math.max(0, end - size), end).reduce((sum, [, events]) => sum + events, 0))
  const stepS = points.length > 1 ? (points[1]?.[0] ?? 0) - (points[0]?.[0] ?? 0) : 3600
  return { values: values.reverse(), barS: size * stepS }
}

/** The top of a scale for all rows: the next 1, 2 or 6 times a power of ten at or above the largest value. */
export function trendTop(most: number): number {
  if (!(most > 1)) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 6, 10].find((step) => step * power >= most) ?? 10) * power
}

function shareOf(value: number, top: number, scale: TrendScale): number {
  if (scale === 'linear') return value / top
  return scale === 'root' ? Math.sqrt(value / top) : Math.log1p(value) / Math.log1p(top)
}

/** One SVG path with a vertical stroke for each bar that has events. The newest bar is at the right end. */
export function trendPath(values: readonly number[], top: number, scale: TrendScale): string {
  const pitch = trendWidthPx / trendBarsMax
  const empty = trendBarsMax - values.length
  let path = ''
  values.forEach((value, at) => {
    if (!(value > 0)) return
    const share = Math.min(1, shareOf(value, Math.max(1, top), scale))
    const height = Math.max(leastPx, Math.round(share * (trendHeightPx - 1) * 10) / 10)
    path += `M${(empty + at + 0.5) * pitch} ${trendHeightPx - 1}v-${height}`
  })
  return path
}

/** The next round number (1, 2 or 5 times a power of ten) at or above a value, for the top of a chart. */
export function roundTop(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  for (const step of [1, 2, 5, 10]) if (step * power >= value) return step * power
  return value
}
