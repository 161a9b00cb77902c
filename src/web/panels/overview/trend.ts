import type { RestPoint } from '../../../contract/issues.ts'

/** Trends of the overview as SVG paths. Pure. */

export const trendWidthPx = 112
export const trendHeightPx = 24
export const trendBars = 14
/** An event that is not none stays visible. */
const leastPx = 1.5

/** Sums points into at most `max` bars of the same length, oldest first. The first bar may have fewer points. */
export function barsOfPoints(points: readonly RestPoint[], max: number): number[] {
  const each = Math.max(1, Math.ceil(points.length / max))
  const bars: number[] = []
  for (let end = points.length; end > 0; end -= each)
    bars.unshift(points.slice(Math.max(0, end - each), end).reduce((sum, [, events]) => sum + events, 0))
  return bars
}

/** The next of 1, 2 and 6 times a power of ten at or above a value: the common top of all rows. */
export function rowsTop(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 6, 10].find((step) => step * power >= value) ?? 10) * power
}

/** Bars of a row on the scale of all rows: the height is the square root of the part of `top`. */
export function barsPath(bars: readonly number[], top: number): string {
  const pitch = trendWidthPx / Math.max(1, bars.length)
  return bars
    .map((events, at) => {
      if (events <= 0) return ''
      const height = Math.max(leastPx, Math.sqrt(Math.min(1, events / top)) * trendHeightPx)
      return `M${round((at + 0.5) * pitch)} ${trendHeightPx}v-${round(height)}`
    })
    .join('')
}

/** A line from zero on its own scale, over a box of `widthPx` by `heightPx`. '' for fewer than two points. */
export function linePath(values: readonly number[], widthPx: number, heightPx: number): string {
  if (values.length < 2) return ''
  const most = Math.max(1, ...values)
  return values
    .map((value, at) => {
      const x = round((at / (values.length - 1)) * widthPx)
      return `${at === 0 ? 'M' : 'L'}${x} ${round(heightPx - (Math.max(0, value) / most) * heightPx)}`
    })
    .join('')
}

const round = (value: number) => Math.round(value * 100) / 100
