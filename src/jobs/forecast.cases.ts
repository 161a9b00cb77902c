import { floors, overLimit } from '../domain/issue-states.ts'
import { randomOf } from '../random.cases.ts'
import { forecastOf } from './forecast.ts'

/** Generated histories give the number of events per minute. They use a seed, so that results are reproducible. */

function poisson(mean: number, random: () => number): number {
  if (mean > 60) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal))
  }
  const end = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > end; product *= random()) count++
  return count
}

const gamma = (shape: number, random: () => number): number => {
  // Marsaglia and Tsang (2000), for shapes of 1 or more.
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

/** Returns the number of events in `minutes` from `minute`. Calls come in time order. */
type Series = (minute: number, minutes: number) => number
export type Kind = 'steady' | 'daily' | 'working' | 'clusters' | 'noisy' | 'rare'
const kinds: readonly Kind[] = ['steady', 'daily', 'working', 'clusters', 'noisy', 'rare']

/** Returns the level of a kind at a minute, as a factor of its mean. */
function shapeOf(kind: Kind, minute: number): number {
  const hour = (minute / 60) % 24
  const day = Math.floor(minute / 1440) % 7
  if (kind === 'daily' || kind === 'noisy') return 1 + 0.8 * Math.sin((2 * Math.PI * (hour - 8)) / 24)
  if (kind === 'working') return (day >= 5 ? 0.2 : 1) * (hour >= 7 && hour < 19 ? 1.7 : 0.15)
  return 1
}

/** Returns a series of a kind with `perHour` events on average. */
function seriesOf(kind: Kind, perHour: number, random: () => number): Series {
  let factor = 1
  return (minute, minutes) => {
    const mean = (perHour / 60) * minutes * shapeOf(kind, minute)
    // Each hour has a different level: a coefficient of variation of 0.5.
    if (kind === 'noisy' && minute % 60 === 0) factor = gamma(4, random) / 4
    if (kind === 'noisy') return poisson(mean * factor, random)
    // Users arrive one after another with a few events each: geometric sizes with mean 5.
    if (kind === 'clusters') {
      let sum = 0
      for (let left = poisson(mean / 5, random); left > 0; left--)
        sum += 1 + Math.floor(Math.log(1 - random()) / Math.log(0.8))
      return sum
    }
    return poisson(mean, random)
  }
}

const weekMinutes = 7 * 24 * 60
const minuteMs = 60_000
const slotMinutes = 2

/**
 * Watches a series like the commit and the job: two-minute slots, hours, and an hourly forecast from the previous week.
 * Calls `over` at the end of each slot above its limit, until it returns true.
 */
function watch(series: Series, startMs: number, toMinute: number, over: (minute: number) => boolean): void {
  const hours = Array.from({ length: 168 }, (_, hour) => series(hour * 60, 60))
  let limits = forecastOf(startMs, hours)
  let hourCount = 0
  const slots = [0, 0, 0, 0, 0]
  for (let minute = weekMinutes; minute < toMinute; minute += slotMinutes) {
    if (minute % 60 === 0 && minute > weekMinutes) {
      hours.push(hourCount)
      hours.shift()
      hourCount = 0
      limits = forecastOf(startMs + minute * minuteMs - weekMinutes * minuteMs, hours)
    }
    const count = series(minute, slotMinutes)
    slots.push(count)
    slots.shift()
    hourCount += count
    let tenCount = 0
    for (const slot of slots) tenCount += slot
    if (tenCount <= floors.ten && hourCount <= floors.hour) continue
    const atMs = startMs + minute * minuteMs
    const windows = { slotStartMs: atMs, hourStartMs: atMs, tenCount, hourCount }
    if (overLimit(windows, limits) && over(minute + slotMinutes)) return
  }
}

/** Simulates issue-weeks of every kind, from one event a day to 1,500 an hour. Returns those with a false alarm. */
export function falseAlarms(weeks: number, seed: number): string[] {
  const startMs = Date.UTC(2026, 10, 2)
  const rates = [0.05, 0.5, 3, 20, 120, 1_500]
  return Array.from({ length: weeks }, (_, at) => at).flatMap((at) => {
    const kind = kinds[at % kinds.length] ?? 'steady'
    const rate = kind === 'rare' ? 0.02 : (rates[Math.floor(at / kinds.length) % rates.length] ?? 1)
    let alarm = false
    // After one alarm, the issue is escalating for a week.
    watch(seriesOf(kind, rate, randomOf(seed + at)), startMs, 2 * weekMinutes, () => {
      alarm = true
      return true
    })
    return alarm ? [`${kind} ${rate}/h`] : []
  })
}

/** Minutes to detect a tenfold rise; Infinity if over an hour. It starts when the issue is at least at its mean. */
export function minutesToSee(kind: Kind, perHour: number, seed: number): number {
  const random = randomOf(seed)
  let rise = 0
  do rise = weekMinutes + Math.floor(random() * (weekMinutes - 60))
  while (shapeOf(kind, rise) < 1)
  const plain = seriesOf(kind, perHour, random)
  const series: Series = (minute, minutes) => {
    const after = Math.max(0, Math.min(minutes, minute + minutes - rise))
    const before = after < minutes ? plain(minute, minutes - after) : 0
    return before + (after > 0 ? poisson((perHour / 6) * after * shapeOf(kind, minute), random) : 0)
  }
  let seen = Number.POSITIVE_INFINITY
  watch(series, Date.UTC(2026, 10, 2), rise + 60, (minute) => {
    if (minute >= rise) seen = minute - rise
    return minute >= rise
  })
  return seen
}
