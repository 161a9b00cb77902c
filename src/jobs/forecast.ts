import { fewEvents, floors, type Limits, quietLimits } from '../domain/issue-states.ts'

/** What a forecast is made of, and how sure it is (docs/triage.md says it in words). */
const hoursOfDay = 24
/** A rise under this many times its own level is none. */
const risesBy = 3
/**
 * Exponent of Bernstein's inequality: a window of an issue that goes on as before is over its limit in less than
 * e^-12 = 6 of 10^6 cases, and as the inequality is no equation in far fewer: one false alarm in 10,000 issue-weeks. With 15
 * there was none, but 12 of 1,000 tenfold rises were seen later than after ten minutes instead of 3.
 */
const exponent = 12
const tensAnHour = 6

/** A Poisson variable of this mean is above this limit so rarely that a higher number never counts as chance. */
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
  const mean = counts.length === 0 ? 0 : counts.reduce((sum, count) => sum + count, 0) / counts.length
  return sums.map((sum, hour) => (days[hour] ? sum / (days[hour] ?? 1) : mean))
}

const around = (means: readonly number[], hour: number): number[] =>
  [hour + hoursOfDay - 1, hour, hour + 1].map((item) => means[item % hoursOfDay] ?? 0)

/** How busy each day of the history was, as a factor of its mean: a weekend is no irregularity. */
function daysOf(startHour: number, counts: readonly number[], means: readonly number[]): number[] {
  const factors: number[] = []
  for (let from = 0; from < counts.length; from += hoursOfDay) {
    const own = counts.slice(from, from + hoursOfDay)
    const expected = own.reduce((sum, _one, i) => sum + (means[(startHour + from + i) % hoursOfDay] ?? 0), 0)
    factors.push(expected === 0 ? 1 : own.reduce((sum, item) => sum + item, 0) / expected)
  }
  return factors
}

/** How much more the counts vary than those of independent events would: 1 for these, 50 where events come in fifties. */
function dispersionOf(startHour: number, counts: readonly number[], means: readonly number[]): number {
  // With less there is nothing to tell a day's shape from chance.
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
  // What the means themselves were made of varies less around them.
  const free = isShort ? counts.length - 1 : counts.length - hoursOfDay - days.length
  return expected === 0 ? 1 : Math.max(1, (squares / expected) * (counts.length / Math.max(1, free)))
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
  const total = counts.reduce((sum, count) => sum + count, 0)
  // Few events say nothing of how many may come together.
  const least = total < fewEvents ? { ten: quietLimits.ten[0] ?? 0, hour: quietLimits.hour[0] ?? 0 } : floors
  const limit = (share: number, floor: number) =>
    means.map((_mean, hour) => {
      const level = Math.max(...around(means, hour))
      // A mean of few days is itself uncertain.
      const sure = level + 2 * Math.sqrt((level * dispersion) / days)
      const spread = dispersion * poissonLimit((sure * share) / dispersion)
      return Math.ceil(Math.max(floor, risesBy * level * share, spread))
    })
  return { ten: limit(1 / tensAnHour, least.ten), hour: limit(1, least.hour) }
}
