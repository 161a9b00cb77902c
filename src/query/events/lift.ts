import type { RestInCommon } from '../../contract/issues.ts'
import { commonLiftMin, isTrivialTag } from '../../domain/in-common.ts'

/** Finds tag values that an issue's events have more often than other events. Pure; in-common.ts queries the store. */

/** Counts of one value: among the events, and estimated among the other events. */
export type ValueCount = { key: string; value: string; own: number; others: number }
export type Counted = {
  /** Events that were read. */
  own: number
  others: number
  values: readonly ValueCount[]
}
type Common = RestInCommon['values'][number]

/** Quantile of the normal distribution for a two-sided 95% interval. */
const deviations = 1.96
/** A value with a smaller share of the events explains little. */
const shareMin = 0.05
/** A value is shown only if the lower bound of its lift is at least this. */
const lowMin = 1.2

/** Returns the lift of a value with its bounds: a ratio of shares with a nearly normal logarithm (Katz et al. 1978). */
export function liftOf({ own, others }: ValueCount, counted: Counted): { lift: number; low: number; high: number } {
  // Adds half an event on both sides, so that a value that no other event has gets a finite ratio.
  const ratio = (own + 0.5) / (counted.own + 1) / ((others + 0.5) / (counted.others + 1))
  const variance = 1 / (own + 0.5) - 1 / (counted.own + 1) + 1 / (others + 0.5) - 1 / (counted.others + 1)
  const spread = Math.exp(deviations * Math.sqrt(Math.max(0, variance)))
  return { lift: ratio, low: ratio / spread, high: ratio * spread }
}

/** Shares within a quarter of each other are about the same. */
const alikeLiftMax = 1.25
/** A rare value is about the same by chance, and one that nearly all have says nothing. */
const alikeShares = { min: 0.2, max: 0.98 } as const

/** The shares of each value on both sides, and its lift. Empty if a side has no events. */
function comparedOf(counted: Counted): Common[] {
  if (counted.own === 0 || counted.others === 0) return []
  return counted.values
    .filter(({ key }) => !isTrivialTag(key))
    .map((valueCount) => ({
      key: valueCount.key,
      value: valueCount.value,
      own: valueCount.own,
      ownShare: valueCount.own / counted.own,
      otherShare: valueCount.others / counted.others,
      ...liftOf(valueCount, counted),
    }))
}

/**
 * Returns at most `max` values that are frequent and about as frequent on both sides, most frequent first, one of each key:
 * what does not explain the difference.
 */
export function alikeOf(counted: Counted, max: number): Common[] {
  const alike = comparedOf(counted)
    .filter(({ ownShare, otherShare, lift }) => {
      const isTelling = Math.min(ownShare, otherShare) >= alikeShares.min && ownShare <= alikeShares.max
      return isTelling && lift <= alikeLiftMax && lift >= 1 / alikeLiftMax
    })
    .sort((a, b) => b.ownShare - a.ownShare || (a.key < b.key ? -1 : 1))
  const keys = new Set<string>()
  return alike.filter(({ key }) => !keys.has(key) && keys.add(key)).slice(0, max)
}

/** Returns at most `max` over-represented values, ordered by the lower bound of the lift. */
export function commonOf(counted: Counted, max: number): Common[] {
  return comparedOf(counted)
    .filter(({ ownShare, lift, low }) => ownShare >= shareMin && lift >= commonLiftMin && low >= lowMin)
    .sort((a, b) => b.low - a.low || b.own - a.own || (a.key < b.key ? -1 : 1))
    .slice(0, max)
}
