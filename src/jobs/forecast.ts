import { fewEvents, floors, type Limits, silentLimits } from '../domain/issue-states.ts'

/** Inputs of a forecast and its confidence (described in docs/triage.md). */
const hoursOfDay = 24
/** A rise below this multiple of the level does not count. */
const risesBy = 3
/**
 * Exponent of Bernstein's inequality. A window of an unchanged issue exceeds its limit in less than e^-12 = 6 of 10^6
 * cases. In practice it is far less, as this is an upper bound: one false alarm in 10,000 issue-weeks. 15 gave no false
 * alarm, but detected 12 of 1,000 tenfold rises after more than ten minutes instead of 3.
 */
const exponent = 12
const tensAnHour = 6

/** Returns a limit that a Poisson variable of this mean exceeds so rarely that a higher number is never chance. */
export const poissonLimit = (mean: number): number =>
  mean + exponent / 3 + Math.sqrt((exponent / 3) ** 2 + 2 * exponent * mean)

/** Returns the mean of each hour of the day over the available days. */
function meansOf(startHour: number, counts: readonly number[]): number[] {
  const sums = Array<number>(hoursOfDay).fill(0)
  const days = Array<number>(hoursOfDay).fill(0)
  for (const [i, count] of counts.entries()) {
    const hour = (startHour + i) % hoursOfDay
    sums[hour] = (sums[hour] ?? 0) + count
    days[hour] = (days[hour] ?? 0) + 1
  }
  const mean = counts.length === 0 ? 0 : counts.reduce((sum, count) => sum + count, 0) / counts.length
  return sums.map((sum, hour) => (days[hour] ? sum / (days[hour] ?? 1) : mean))
}

const smoothed = (means: readonly number[], hour: number): number[] =>
  [hour + hoursOfDay - 1, hour, hour + 1].map((item) => means[item % hoursOfDay] ?? 0)

/** Returns the level of each day as a factor of its mean, so that a weekend is no irregularity. */
function daysOf(startHour: number, counts: readonly number[], means: readonly number[]): number[] {
  const factors: number[] = []
  for (let from = 0; from < counts.length; from += hoursOfDay) {
    const ownCounts = counts.slice(from, from + hoursOfDay)
    const expected = ownCounts.reduce((sum, _count, i) => sum + (means[(startHour + from + i) % hoursOfDay] ?? 0), 0)
    factors.push(expected === 0 ? 1 : ownCounts.reduce((sum, item) => sum + item, 0) / expected)
  }
  return factors
}

/** Returns the variance relative to independent events: 1 for independent ones, 50 if events come in fifties. */
function dispersionOf(startHour: number, counts: readonly number[], means: readonly number[]): number {
  // With less data, the shape of a day cannot be distinguished from chance.
  const isShort = counts.length < 3 * hoursOfDay
  const mean = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
  const days = isShort ? [] : daysOf(startHour, counts, means)
  let squares = 0
  let expected = 0
  for (const [i, count] of counts.entries()) {
    const level = isShort ? mean : (means[(startHour + i) % hoursOfDay] ?? 0) * (days[Math.floor(i / hoursOfDay)] ?? 1)
    squares += (count - level) ** 2
    expected += level
  }
  // Values vary less around means that were computed from them. Correct the degrees of freedom.
  const free = isShort ? counts.length - 1 : counts.length - hoursOfDay - days.length
  return expected === 0 ? 1 : Math.max(1, (squares / expected) * (counts.length / Math.max(1, free)))
}

/**
 * Returns the limits for ten minutes and one hour, by hour of the day. More events than that exceed what the history of
 * the issue explains. Takes event counts of whole hours (at most a week), oldest first, and their start in ms.
 *
 * The level of an hour is the highest mean of that hour of the day and its two neighbours. The limit is almost never
 * exceeded at that level if events stay as dispersed as before (a Poisson law scaled by the dispersion of the history).
 * It is at least three times the level, and at least the floors.
 */
export function forecastOf(startMs: number, counts: readonly number[]): Limits {
  const startHour = new Date(startMs).getUTCHours()
  const means = meansOf(startHour, counts)
  const dispersion = dispersionOf(startHour, counts, means)
  const days = Math.max(1, counts.length / hoursOfDay)
  const total = counts.reduce((sum, count) => sum + count, 0)
  // Too few events do not show how many can come together.
  const least = total < fewEvents ? { ten: silentLimits.ten[0] ?? 0, hour: silentLimits.hour[0] ?? 0 } : floors
  const limit = (share: number, floor: number) =>
    means.map((_mean, hour) => {
      const level = Math.max(...smoothed(means, hour))
      // A mean over few days is uncertain.
      const upperBound = level + 2 * Math.sqrt((level * dispersion) / days)
      const spread = dispersion * poissonLimit((upperBound * share) / dispersion)
      return Math.ceil(Math.max(floor, risesBy * level * share, spread))
    })
  return { ten: limit(1 / tensAnHour, least.ten), hour: limit(1, least.hour) }
}
