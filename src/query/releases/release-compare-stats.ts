/** Statistics of the issues of two releases. Pure: rates with their uncertainty, and whether two rates differ. */

/**
 * Quantile of the normal distribution for a two-sided 99% interval. A comparison tests hundreds of issues at once: with
 * 95% one of twenty unchanged issues would be called changed.
 */
const z = 2.575829

/** Events of an issue in one release, and the users whom they affected; 0 users: none was sent. */
export type Occurrences = { events: number; users: number }

/** Events per session or per event of the release, with the 99% interval. */
type Rate = { rate: number; low: number; high: number }

/** `by` is the rate after less the rate before, with its 99% interval. */
type RateDifference = { by: number; low: number; high: number }
export type RateVerdict = 'more' | 'fewer' | 'same'

/**
 * Returns how many events come together. The events of one user are not independent: a page that fails a hundred times
 * for one user says as much as one failure. One size serves both releases, so that a release without events has an
 * honest upper bound too.
 */
function clusterSizeOf(both: readonly Occurrences[]): number {
  const clusters = both.reduce((sum, { events, users }) => sum + (users > 0 ? Math.min(users, events) : events), 0)
  const events = both.reduce((sum, occurrences) => sum + occurrences.events, 0)
  return clusters > 0 ? events / clusters : 1
}

/** Returns the rate of a Poisson count with its score interval, which is informative even for 0 events. */
function rateOf(events: number, exposure: number, clusterSize: number): Rate {
  const clusters = events / clusterSize
  const centre = clusters + z ** 2 / 2
  const halfWidth = z * Math.sqrt(clusters + z ** 2 / 4)
  const scale = clusterSize / exposure
  return { rate: events / exposure, low: Math.max(0, centre - halfWidth) * scale, high: (centre + halfWidth) * scale }
}

/**
 * Compares how often an issue occurs in two releases. `exposure` is the number of sessions, or of events, of each
 * release. The interval of the difference is made of both intervals (Newcombe's method). Undefined without exposure in
 * one of them.
 */
export function compareRates(
  before: Occurrences & { exposure: number },
  after: Occurrences & { exposure: number },
): { before: Rate; after: Rate; difference: RateDifference; verdict: RateVerdict } | undefined {
  if (!(before.exposure > 0 && after.exposure > 0)) return undefined
  const size = clusterSizeOf([before, after])
  const [first, second] = [rateOf(before.events, before.exposure, size), rateOf(after.events, after.exposure, size)]
  const by = second.rate - first.rate
  const low = by - Math.hypot(second.rate - second.low, first.high - first.rate)
  const high = by + Math.hypot(second.high - second.rate, first.rate - first.low)
  const verdict = low > 0 ? 'more' : high < 0 ? 'fewer' : 'same'
  return { before: first, after: second, difference: { by, low, high }, verdict }
}
