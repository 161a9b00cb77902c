import { floors, type Limits } from '../protocol/issue-states.ts'

/** What a forecast is made of, and how sure it is (docs/triage.md says it in words). */
const hoursOfDay = 24
/** A rise under this many times its own level is none. */
const risesBy = 3
/**
 * Exponent of Bernstein's inequality: a window of an issue that goes on as before is over its limit in less than
 * e^-15 = 3 of 10^7 cases, and as the inequality is no equation rather in one of 10^9.
 */
const exponent = 15
const tensAnHour = 6

/** A number that a Poisson variable of this mean is over so rarely that it never counts as one. */
export const poissonLimit = (mean: number): number =>
  mean + exponent / 3 + Math.sqrt((exponent / 3) ** 2 + 2 * exponent * mean)

/** Mean of each hour of the day over the days that there are. */
function meansOf(startHour: number, counts: readonly number[]): number[] {
  const sums = Array<number>(hoursOfDay).fill(0)
  const days = Array<number>(hoursOfDay).fill(0)
  for (const [i, count] of counts.entries()) {
    const hour = (startHour + i) % hoursOfDay
    sums[hour] = (sums[hour] ?? 0) + count
    days[hour] = (days[hour] ?? 0) + 1
  }
  const mean = counts.length === 0 ? 0 : counts.reduce((sum, one) => sum + one, 0) / counts.length
  return sums.map((sum, hour) => (days[hour] ? sum / (days[hour] ?? 1) : mean))
}

const around = (means: readonly number[], hour: number): number[] =>
  [hour + hoursOfDay - 1, hour, hour + 1].map((one) => means[one % hoursOfDay] ?? 0)

/** How much more the counts vary than those of independent events would: 1 for these, 50 where events come in fifties. */
function dispersionOf(startHour: number, counts: readonly number[], means: readonly number[]): number {
  let squares = 0
  let expected = 0
  for (const [i, count] of counts.entries()) {
    const level = around(means, (startHour + i) % hoursOfDay).reduce((sum, one) => sum + one, 0) / 3
    squares += (count - level) ** 2
    expected += level
  }
  return expected === 0 ? 1 : Math.max(1, squares / expected)
}

/**
 * How many events of an issue may arrive in ten minutes and in an hour, by hour of the day, before that is more than its
 * own history explains. Takes the events of whole hours (at most a week), oldest first, and when they begin (ms).
 *
 * The level of an hour is the highest mean of the hour of the day and its two neighbours. The limit is what that level
 * is over next to never if events come as spread as they did (a Poisson law scaled by the dispersion of the history), at
 * least three times the level, and at least the floors.
 */
export function forecastOf(startMs: number, counts: readonly number[]): Limits {
  const startHour = new Date(startMs).getUTCHours()
  const means = meansOf(startHour, counts)
  const dispersion = dispersionOf(startHour, counts, means)
  const days = Math.max(1, counts.length / hoursOfDay)
  const limit = (share: number, floor: number) =>
    means.map((_mean, hour) => {
      const level = Math.max(...around(means, hour))
      // A mean of few days is itself uncertain.
      const sure = level + 2 * Math.sqrt((level * dispersion) / days)
      const spread = dispersion * poissonLimit((sure * share) / dispersion)
      return Math.ceil(Math.max(floor, risesBy * level * share, spread))
    })
  return { ten: limit(1 / tensAnHour, floors.ten), hour: limit(1, floors.hour) }
}
