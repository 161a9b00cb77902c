import type { RestShare } from '../../../contract/release-health.ts'

/** Formats health values. A share with any crash never shows as 100 %. */
export type HealthWords = {
  /** A share, rounded down. */
  percent(share: number): string
  /** Both bounds of an interval, rounded outwards. */
  interval(share: Pick<RestShare, 'low' | 'high'>): string
  /** A difference in percentage points, without its sign. */
  points(by: number): string
  count(count: number): string
}

const digits = { minimumFractionDigits: 0, maximumFractionDigits: 2 } as const

/** The formatters for a locale. */
export function healthWords(locale: string): HealthWords {
  const down = new Intl.NumberFormat(locale, { ...digits, style: 'percent', roundingMode: 'floor' })
  const [low, high] = (['floor', 'ceil'] as const).map(
    (roundingMode) => new Intl.NumberFormat(locale, { ...digits, minimumFractionDigits: 2, roundingMode }),
  )
  const point = new Intl.NumberFormat(locale, digits)
  const integer = new Intl.NumberFormat(locale)
  // Remove the error of binary fractions before rounding down: 0.9912 must show as 99.12 %.
  const exact = (share: number) => Math.round(share * 1e9) / 1e9
  return {
    percent: (share) => down.format(exact(share)),
    interval: (share) => `${low?.format(exact(share.low) * 100)}–${high?.format(exact(share.high) * 100)}`,
    points: (by) => point.format(Math.abs(by) * 100),
    count: (count) => integer.format(count),
  }
}

/** An axis for intervals: both ends (0 to 1) and the positions of a few round values. */
export type Scale = { from: number; to: number; ticks: number[] }

/** Tick distances of the axis, in percentage points. */
const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
const ticksMax = 6

/** The smallest axis with round ends that contains all intervals. */
export function scaleOf(shares: readonly Pick<RestShare, 'low' | 'high'>[]): Scale {
  const low = Math.min(1, ...shares.map((share) => share.low)) * 100
  const high = Math.max(0, ...shares.map((share) => share.high)) * 100
  for (const step of steps) {
    const [first, last] = [Math.floor(low / step), Math.ceil(high / step)]
    if (last - first >= ticksMax) continue
    const lastOrNext = last > first ? last : first + 1
    // The axis must not go beyond 100 %.
    const [from, to] = lastOrNext * step > 100 ? [first - 1, first] : [first, lastOrNext]
    const ticks = Array.from({ length: to - from + 1 }, (_, at) => ((from + at) * step) / 100)
    return { from: (from * step) / 100, to: (to * step) / 100, ticks }
  }
  return { from: 0, to: 1, ticks: [0, 0.5, 1] }
}

/** The position of a share on the axis, in percent of its length. */
export const positionOf = ({ from, to }: Scale, share: number): number =>
  Math.min(100, Math.max(0, ((share - from) / (to - from)) * 100))

/** Half the width of a two-sided interval of 95% and of 99%, in standard deviations. */
const deviations = { 0.95: 1.959964, 0.99: 2.575829 } as const

/** How sure it is that a difference is not 0, from its 95% interval: 0.99 if a 99% interval leaves out 0 too. */
export function sureOf({ by, low, high }: { by: number; low: number; high: number }): 0.95 | 0.99 {
  const towardsZero = by > 0 ? by - low : high - by
  return Math.abs(by) > (towardsZero / deviations[0.95]) * deviations[0.99] ? 0.99 : 0.95
}
