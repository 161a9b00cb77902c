/** One value of a series. `startMs`: the start of its interval, ms since 1970. Null: no data, which a chart shows as a gap. */
export type TimePoint = {
  startMs: number
  value: number | null
  /** The value of the same interval in the previous period. */
  previous?: number | null | undefined
  /** The interval has not ended, or its data was only read in part. */
  incomplete?: boolean | undefined
}

export type TimeSeries = {
  key: string
  /** May be text of an event. */
  label: string
  /** Name of a token, such as `--error`. By default, series take the chart colours in their order. */
  colour?: string
  points: readonly TimePoint[]
}

export type TimeChartKind = 'line' | 'area' | 'bar'

/** Series on one common time axis. Each list of values has one entry per start. */
export type AlignedSeries = {
  startsMs: number[]
  intervalMs: number
  values: (number | null)[][]
  /** Empty if no series has a previous period. */
  previous: (number | null)[][]
  incomplete: boolean[]
}

/** Colours of several series. c5 is last, because it looks like an error. */
const colours = ['--c1', '--c2', '--c3', '--c4', '--c6', '--c7', '--c8', '--c5'] as const

/** The colour of a series by its place. A single series is neutral. */
export const seriesColour = (series: Pick<TimeSeries, 'colour'>, place: number, count: number): string =>
  series.colour ?? (count === 1 ? '--c7' : (colours[place % colours.length] ?? '--c7'))

const hourMs = 3_600_000

/** Puts series on one time axis. A start that a series does not have is a gap there. */
export function alignSeries(series: readonly Pick<TimeSeries, 'points'>[]): AlignedSeries {
  const startsMs = [...new Set(series.flatMap(({ points }) => points.map(({ startMs }) => startMs)))].sort(
    (a, b) => a - b,
  )
  const places = new Map(startsMs.map((startMs, at) => [startMs, at]))
  const gaps = startsMs.slice(1).map((startMs, at) => startMs - (startsMs[at] ?? startMs))
  const incomplete = startsMs.map(() => false)
  const isCompared = series.some(({ points }) => points.some(({ previous }) => previous != null))
  const values = series.map(() => startsMs.map((): number | null => null))
  const previous = isCompared ? series.map(() => startsMs.map((): number | null => null)) : []
  series.forEach(({ points }, row) => {
    for (const point of points) {
      const at = places.get(point.startMs) ?? 0
      const [own, before] = [values[row], previous[row]]
      if (own) own[at] = point.value
      if (before) before[at] = point.previous ?? null
      if (point.incomplete) incomplete[at] = true
    }
  })
  return { startsMs, intervalMs: gaps.length > 0 ? Math.min(...gaps) : hourMs, values, previous, incomplete }
}

/** Sums series up, each on top of those before it. A gap adds nothing; where all have a gap, the sum has a gap. */
export function stackSeries(values: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const sums: (number | null)[] = []
  return values.map((row) =>
    row.map((value, at) => {
      const below = sums[at] ?? null
      const sum = value === null ? below : (below ?? 0) + value
      sums[at] = sum
      return sum
    }),
  )
}

const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10] as const

/** The next round number at or above a positive value. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return (steps.find((step) => step * power >= value * (1 - 1e-9)) ?? 10) * power
}

/** The value axis: from zero, or below it when there are negative values. `ticks` are its labels from the top down. */
export type ValueAxis = { min: number; max: number; ticks: number[] }

/** The axis for these values. Without values it goes to 1. */
export function axisOf(rows: readonly (readonly (number | null)[])[]): ValueAxis {
  let [least, most] = [0, 0]
  for (const row of rows)
    for (const value of row)
      if (value !== null && Number.isFinite(value)) {
        least = Math.min(least, value)
        most = Math.max(most, value)
      }
  const max = most > 0 ? roundUp(most) : least < 0 ? 0 : 1
  const min = least < 0 ? -roundUp(-least) : 0
  return {
    min,
    max,
    ticks: min < 0 ? [max, 0, min].filter((tick, at, all) => all.indexOf(tick) === at) : [max, max / 2, 0],
  }
}

/** Places of at most `most` labels of the time axis: the starts of every n-th interval, and never the last tenth. */
export function timeTicks(startsMs: readonly number[], fromMs: number, toMs: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(startsMs.length / most))
  return startsMs.filter(
    (startMs, at) => at % every === 0 && startMs >= fromMs && startMs <= toMs - (toMs - fromMs) / 10,
  )
}

/** The index after a key at the reading position. Undefined if the key does not move it. */
export function readingStep(key: string, at: number | null, last: number): number | null | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return at === null ? last : Math.max(0, at - 1)
  if (key === 'ArrowRight' || key === 'ArrowUp') return at === null ? 0 : Math.min(last, at + 1)
  if (key === 'PageDown') return Math.max(0, (at ?? last) - 10)
  if (key === 'PageUp') return Math.min(last, (at ?? 0) + 10)
  if (key === 'Home') return 0
  if (key === 'End') return last
  return key === 'Escape' && at !== null ? null : undefined
}
