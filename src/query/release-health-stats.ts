/** Statistics of release health. Pure: shares with their uncertainty, and whether two of them differ. */

/** Normal quantile of a two-sided interval of 95%. */
const z = 1.959964
/** A difference below half a point is not looked for: it would take hundreds of thousands of sessions. */
const leastDifference = 0.005

/** A share with its interval of 95%, 0 to 1, and the number that it was counted from. */
export type Share = { share: number; low: number; high: number; sample: number }

/**
 * How large the share of `good` among `sample` is, with Wilson's interval: it stays within 0 and 1, and says something also
 * where all are good. Undefined for an empty sample. Users are estimates, so `good` may be a little off: it is bounded.
 */
export function shareOf(good: number, sample: number): Share | undefined {
  if (!(sample > 0)) return undefined
  const share = Math.min(1, Math.max(0, good / sample))
  const spread = z ** 2 / sample
  const centre = (share + spread / 2) / (1 + spread)
  const half = (z * Math.sqrt((share * (1 - share)) / sample + spread / (4 * sample))) / (1 + spread)
  return {
    share,
    low: Math.min(share, Math.max(0, centre - half)),
    high: Math.max(share, Math.min(1, centre + half)),
    sample,
  }
}

/** How two shares differ: `by` is the first less the second, with its interval of 95%. */
type Difference = {
  by: number
  low: number
  high: number
  /** `same`: the interval holds 0, so nothing can be said yet. */
  verdict: 'better' | 'worse' | 'same'
  /** Of `same`: about how many sessions of each would tell a difference of this size, or of half a point. */
  needed: number
}

/** The difference of two independent shares by Newcombe's method, which is made of both Wilson intervals. */
export function differenceOf(now: Share, before: Share): Difference {
  const by = now.share - before.share
  const low = by - Math.hypot(now.share - now.low, before.high - before.share)
  const high = by + Math.hypot(now.high - now.share, before.share - before.low)
  const variance = now.share * (1 - now.share) + before.share * (1 - before.share)
  // Without any crash the variance is 0: that of one crash among all stands for it.
  const least = 1 / Math.max(1, now.sample) + 1 / Math.max(1, before.sample)
  const needed = Math.ceil((z ** 2 * Math.max(variance, least)) / Math.max(Math.abs(by), leastDifference) ** 2)
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : 'same'
  return { by, low, high, verdict, needed: verdict === 'same' ? roundUp(Math.max(needed, now.sample + 1)) : 0 }
}

/** Up to two digits: nobody needs "about 6,147". */
function roundUp(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1)
  return Math.ceil(count / step) * step
}

/** Sessions of one bucket of time. */
export type Counted = { startMs: number; all: number; crashed: number }

/**
 * The first `sessions` sessions of a release, in whole buckets: what it had been at that point of its adoption. The bucket
 * that passes the number counts with the part that is needed.
 */
export function firstOf(
  buckets: readonly Counted[],
  sessions: number,
): { all: number; crashed: number; untilMs: number } {
  const sum = { all: 0, crashed: 0, untilMs: 0 }
  for (const { startMs, all, crashed } of buckets.toSorted((a, b) => a.startMs - b.startMs)) {
    const left = sessions - sum.all
    if (left <= 0) break
    const part = all > left ? left / all : 1
    sum.all += all * part
    sum.crashed += crashed * part
    sum.untilMs = startMs
  }
  return { ...sum, all: Math.round(sum.all), crashed: Math.round(sum.crashed) }
}

/** Share of the sessions of a day from which a release counts as adopted. */
const adoptedShare = 0.1

/** `replaced`: it was adopted, and is not any more. */
type AdoptionStage = 'low' | 'adopted' | 'replaced'

/** The stage of a release by its share of now and the highest one that it ever had. */
export const stageOf = (share: number, highest: number): AdoptionStage =>
  share >= adoptedShare ? 'adopted' : highest >= adoptedShare ? 'replaced' : 'low'
