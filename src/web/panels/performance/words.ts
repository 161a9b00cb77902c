/** Numbers of the performance pages as text. */
type PerformanceWords = {
  /** Short: 41.2K. */
  count(count: number): string
  /** A number per minute, with three digits: 12.5 and 0.004. */
  perMinute(perMinute: number): string
  /** All digits. */
  exact(count: number): string
  /** Milliseconds with three digits: 940 ms, 2.41 s, 3.2 min. Null: a dash. */
  duration(ms: number | null): string
  /** Long times: 15.3 h. */
  long(ms: number): string
  /** A rate of 0 to 1. */
  rate(rate: number | null): string
  /** A share of 0 to 1 in whole percent. */
  share(share: number): string
  /** A change with its sign. */
  change(change: number): string
  /** A change of a rate or of a score of 0 to 1 with its sign, in points of 100. */
  points(change: number): string
  /** A score of 0 to 1 as 0 to 100. */
  score(score: number): string
  apdex(apdex: number | null): string
  bytes(bytes: number): string
  lift(lift: number): string
}

const dash = '–'
const secondMs = 1000
const minuteMs = 60_000
const hourMs = 3_600_000
/** From a length on, its unit and the length of that. */
const shortUnits = [
  [2 * minuteMs, minuteMs, 'min'],
  [secondMs, secondMs, 's'],
] as const
const longUnits = [
  [hourMs, hourMs, 'h'],
  [minuteMs, minuteMs, 'min'],
  [secondMs, secondMs, 's'],
] as const
const space = '\u00a0'

/** The formatters for a locale. */
export function performanceWords(locale: string): PerformanceWords {
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
  const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const two = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const three = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
  const rate = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  const signed = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  const points = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })
  const scaled = (ms: number, units: readonly (readonly [number, number, string])[]) => {
    const [, lengthMs, unit] = units.find(([fromMs]) => Math.abs(ms) >= fromMs) ?? [0, 1, 'ms']
    return `${three.format(ms / lengthMs)}${space}${unit}`
  }
  return {
    count: (count) => compact.format(count),
    perMinute: (perMinute) => (perMinute < 1000 ? three : compact).format(perMinute),
    exact: (count) => whole.format(count),
    duration: (ms) => (ms === null ? dash : scaled(ms, shortUnits)),
    long: (ms) => scaled(ms, longUnits),
    rate: (part) => (part === null ? dash : rate.format(part)),
    share: (part) => share.format(part),
    change: (change) => signed.format(change),
    points: (change) => points.format(change * 100),
    score: (score) => whole.format(score * 100),
    apdex: (apdex) => (apdex === null ? dash : two.format(apdex)),
    bytes: (bytes) => `${three.format(bytes / (bytes < 1e6 ? 1e3 : 1e6))}${space}${bytes < 1e6 ? 'kB' : 'MB'}`,
    lift: (lift) => tenths.format(lift),
  }
}

/** The top of an axis of durations in ms: the next of 1, 1.5, 2, 2.5, 3, 4, 5, 6 and 8 of its power of ten. */
export function topOf(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(ms))
  return ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].find((step) => step * power >= ms) ?? 10) * power
}

/** The change of a figure: 0.41 is 41 % more. Null without a figure to compare with. */
export const relativeChange = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : now / before - 1

/** The change of a duration as a tone. Within 5 % it is none. */
export const toneOf = (change: number | null): 'worse' | 'better' | undefined =>
  change === null || Math.abs(change) < 0.05 ? undefined : change > 0 ? 'worse' : 'better'

/** Fewer samples in one of the ranges give no stable change. */
export const comparedMin = 50

/** What a figure is: times and counts change by a share, rates and scores by points. */
export type StatKind = 'time' | 'count' | 'rate' | 'score'

/** A smaller change is none: 5 % of a time or a count, a tenth of a percent of a rate, one of 100 points of a score. */
const changeMin = { time: 0.05, count: 0.05, rate: 0.001, score: 0.01 } as const

/**
 * The change of a figure against the range before: its amount (a share, or points of 1), and whether it is worse. Undefined
 * if it is about the same or cannot be compared. More requests are neither worse nor better.
 */
export function deltaOf(
  kind: StatKind,
  now: number | null,
  before: number | null,
): { change: number; tone: 'worse' | 'better' | undefined } | undefined {
  const isShare = kind === 'time' || kind === 'count'
  const change = isShare ? relativeChange(now, before) : now === null || before === null ? null : now - before
  // A difference of shares is inexact: 0.9 - 0.89 is less than 0.01.
  if (change === null || Math.abs(change) < changeMin[kind] - 1e-9) return undefined
  const isWorse = kind === 'score' ? change < 0 : change > 0
  return { change, tone: kind === 'count' ? undefined : isWorse ? 'worse' : 'better' }
}

/**
 * The line of a row from zero on its own scale. Gaps are closed. A single point is a dot: a route with less data than a
 * bucket has no line. '' without points.
 */
export function linePath(values: readonly (number | null)[], widthPx: number, heightPx: number): string {
  const points = values.flatMap((value, at) => (value === null ? [] : [[at, value] as const]))
  const most = Math.max(1e-9, ...points.map(([, value]) => value))
  const last = Math.max(1, values.length - 1)
  const path = points
    .map(([at, value], index) => {
      const [x, y] = [(at / last) * widthPx, heightPx - (value / most) * heightPx]
      return `${index === 0 ? 'M' : 'L'}${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`
    })
    .join('')
  return points.length === 1 ? `${path}h.01` : path
}

/** The op of a segment as a word of the catalogue. */
export const opWord = (op: string): 'load' | 'navigation' | 'request' | 'task' | undefined => {
  if (op === 'pageload') return 'load'
  if (op === 'navigation') return 'navigation'
  if (op === 'http.server') return 'request'
  return /^(?:queue|task|job|celery|cron)/.test(op) ? 'task' : undefined
}

/** The points of a range: one for each bucket, those without samples null. */
export function filledSeries<Value>(
  found: readonly { startS: number; value: Value }[],
  fromMs: number,
  toMs: number,
  bucketS: number,
): { startS: number; value: Value | null }[] {
  const known = new Map(found.map(({ startS, value }) => [startS, value]))
  const points: { startS: number; value: Value | null }[] = []
  for (let startS = Math.floor(fromMs / 1000 / bucketS) * bucketS; startS * 1000 < toMs; startS += bucketS)
    points.push({ startS, value: known.get(startS) ?? null })
  return points
}
