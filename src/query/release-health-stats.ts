/** Statistics of release health. Pure: shares with their uncertainty, and whether two shares differ. */

/** Quantile of the normal distribution for a two-sided 95% interval. */
const z = 1.959964
/** Smaller differences than half a point are ignored: they would need hundreds of thousands of sessions. */
const leastDifference = 0.005

/** A share with its 95% interval, 0 to 1, and the sample size. */
export type Share = { share: number; low: number; high: number; sample: number }

/**
 * Returns the share of `good` in `sample` with Wilson's interval. The interval stays within 0 and 1, and is informative
 * even if all are good. Undefined for an empty sample. Users are estimates, so `good` is clamped to 0 and `sample`.
 */
export function shareOf(good: number, sample: number): Share | undefined {
  if (!(sample > 0)) return undefined
  const share = Math.min(1, Math.max(0, good / sample))
  const spread = z ** 2 / sample
  const centre = (share + spread / 2) / (1 + spread)
  const halfWidth = (z * Math.sqrt((share * (1 - share)) / sample + spread / (4 * sample))) / (1 + spread)
  return {
    share,
    low: Math.min(share, Math.max(0, centre - halfWidth)),
    high: Math.max(share, Math.min(1, centre + halfWidth)),
    sample,
  }
}

/** The difference of two shares: `by` is the first minus the second, with its 95% interval. */
type Difference = {
  by: number
  low: number
  high: number
  /** `same`: the interval contains 0, so there is no result yet. */
  verdict: 'better' | 'worse' | 'same'
  /** For `same`: about how many sessions each needs to detect this difference, or one of half a point. */
  needed: number
}

/** Computes the difference of two independent shares by Newcombe's method, from both Wilson intervals. */
export function differenceOf(now: Share, before: Share): Difference {
  const by = now.share - before.share
  const low = by - Math.hypot(now.share - now.low, before.high - before.share)
  const high = by + Math.hypot(now.high - now.share, before.share - before.low)
  const variance = now.share * (1 - now.share) + before.share * (1 - before.share)
  // Without crashes the variance is 0, so the variance of one crash is used instead.
  const least = 1 / Math.max(1, now.sample) + 1 / Math.max(1, before.sample)
  const needed = Math.ceil((z ** 2 * Math.max(variance, least)) / Math.max(Math.abs(by), leastDifference) ** 2)
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : 'same'
  return { by, low, high, verdict, needed: verdict === 'same' ? roundUp(Math.max(needed, now.sample + 1)) : 0 }
}

/** Rounds up to two digits: nobody needs "about 6,147". */
function roundUp(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1)
  return Math.ceil(count / step) * step
}

/** Sessions of one bucket of time. */
export type Counted = { startMs: number; all: number; crashed: number }

/**
 * Returns the first `sessions` sessions of a release, in whole buckets: its stats at that point of its adoption. The
 * bucket that passes the number counts in proportion.
 */
export function firstOf(
  buckets: readonly Counted[],
  sessions: number,
): { all: number; crashed: number; untilMs: number } {
  const sum = { all: 0, crashed: 0, untilMs: 0 }
  for (const { startMs, all, crashed } of buckets.toSorted((a, b) => a.startMs - b.startMs)) {
    const healthy = sessions - sum.all
    if (healthy <= 0) break
    const part = all > healthy ? healthy / all : 1
    sum.all += all * part
    sum.crashed += crashed * part
    sum.untilMs = startMs
  }
  return { ...sum, all: Math.round(sum.all), crashed: Math.round(sum.crashed) }
}
