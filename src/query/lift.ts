import type { RestInCommon } from '../contract/issues.ts'

/** Which tag values an issue's events have more often than others do; pure, in-common.ts asks the store. */

/** Counts of one value: among the events, and how many of the others it stands for. */
export type ValueCount = { key: string; value: string; own: number; others: number }
export type Counted = {
  /** Events that were read. */
  own: number
  others: number
  values: readonly ValueCount[]
}
type Common = RestInCommon['values'][number]

/** Two-sided 95 % of a normal law. */
const deviations = 1.96
/** A value of fewer of its events explains little of the issue. */
const shareMin = 0.05
/** A value is shown only if it is surely more frequent than this. */
const lowMin = 1.2

/** Lift of one value with its bounds: a ratio of shares, whose logarithm is about normal (Katz et al. 1978). */
export function liftOf({ own, others }: ValueCount, counted: Counted): { lift: number; low: number; high: number } {
  // Half an event on both sides: a value that no other event has is not infinitely more frequent.
  const ratio = (own + 0.5) / (counted.own + 1) / ((others + 0.5) / (counted.others + 1))
  const variance = 1 / (own + 0.5) - 1 / (counted.own + 1) + 1 / (others + 0.5) - 1 / (counted.others + 1)
  const spread = Math.exp(deviations * Math.sqrt(Math.max(0, variance)))
  return { lift: ratio, low: ratio / spread, high: ratio * spread }
}

/** The values that are over-represented, the surest first: by the lower bound of the lift; at most `max`. */
export function commonOf(counted: Counted, max: number): Common[] {
  if (counted.own === 0 || counted.others === 0) return []
  return counted.values
    .map((item) => ({
      key: item.key,
      value: item.value,
      own: item.own,
      ownShare: item.own / counted.own,
      otherShare: item.others / counted.others,
      ...liftOf(item, counted),
    }))
    .filter((item) => item.ownShare >= shareMin && item.low >= lowMin)
    .sort((a, b) => b.low - a.low || b.own - a.own || (a.key < b.key ? -1 : 1))
    .slice(0, max)
}
