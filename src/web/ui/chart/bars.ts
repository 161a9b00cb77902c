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

export const sparkWidthPx = 118
export const sparkHeightPx = 24

/**
 * One SVG path for a sparkline: a vertical stroke per value, at least 1 px high, so that empty bars form a base line.
 * Heights are relative to the largest value. `barPx` is the stroke width.
 */
export function sparkOf(values: readonly number[]): { path: string; barPx: number } {
  const most = Math.max(1, ...values)
  const pitch = sparkWidthPx / Math.max(1, values.length)
  const barPx = Math.min(3, Math.round(pitch * 6) / 10)
  let path = ''
  values.forEach((value, at) => {
    const height = Math.max(1, Math.round((Math.max(0, value) / most) * (sparkHeightPx - 1)))
    path += `M${Math.round((at + 0.5) * pitch * 10) / 10} ${sparkHeightPx}v-${height}`
  })
  return { path, barPx }
}

/** The next round number (1, 2 or 5 times a power of ten) at or above a value, for the top of a chart. */
export function roundTop(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  for (const step of [1, 2, 5, 10]) if (step * power >= value) return step * power
  return value
}
