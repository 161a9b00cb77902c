import { MishapError } from '../base/errors.ts'

/** A time range and the name by which other clients know it. */
export type Range = { fromMs: number; toMs: number /** `24h`, `14d`, ... or `range` for fixed ends. */; period: string }

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
/** The longest range: ten years, the longest retention. */
const rangeMsMax = 3650 * 86_400_000
/** The events store supports times from 1970 to 2106: seconds in 32 bits. */
const momentMsMax = 4_294_967_295_000
const defaultPeriod = '14d'

const wrong = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })

/** Parses ISO 8601 (UTC if it has no zone) or seconds since 1970. Returns ms since 1970. Throws VALIDATION. */
function momentOf(field: string, text: string): number {
  if (/^\d{9,11}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const zoned = /([zZ]|[+-]\d{2}:?\d{2})$/.test(text) || /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : `${text}Z`
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(zoned.replace(' ', 'T')) : Number.NaN
  if (Number.isNaN(ms)) throw wrong(field, 'A date such as 2026-01-31T12:00:00Z.')
  if (ms < 0 || ms > momentMsMax) throw wrong(field, 'A date between 1970 and 2106.')
  return ms
}

/** Parses `statsPeriod` (14d, 24h) or `start` and `end`; default 14 days. Throws VALIDATION with the field. */
export function rangeOf(
  input: { statsPeriod?: string | undefined; start?: string | undefined; end?: string | undefined },
  nowMs: number,
): Range {
  if (input.start !== undefined || input.end !== undefined) {
    if (input.start === undefined || input.end === undefined)
      throw wrong(input.start === undefined ? 'start' : 'end', 'start and end must be given together.')
    const fromMs = momentOf('start', input.start)
    const toMs = momentOf('end', input.end)
    if (fromMs >= toMs) throw wrong('start', 'start must be before end.')
    if (toMs - fromMs > rangeMsMax) throw wrong('start', 'At most ten years.')
    return { fromMs, toMs, period: 'range' }
  }
  const period = input.statsPeriod || defaultPeriod
  const found = /^(\d{1,6})([smhdw])$/.exec(period)
  const lengthMs = found ? Number(found[1]) * (unitMs[found[2] ?? ''] ?? 0) : 0
  if (lengthMs <= 0 || lengthMs > rangeMsMax)
    throw wrong('statsPeriod', 'A number with m, h, d or w, such as 24h or 14d.')
  // Clients' clocks can be a minute ahead, and such events keep their time.
  return { fromMs: nowMs - lengthMs, toMs: nowMs + 60_000, period }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const bucketChoicesMs = [
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  dayMs,
  7 * dayMs,
  30 * dayMs,
]

/**
 * Returns the bucket length in ms that gives at most `pointsMax` buckets. From 12 hours on it is whole hours, because
 * the events store counts such ranges by the hour.
 */
export function bucketOf(range: { fromMs: number; toMs: number }, pointsMax = 30): number {
  const lengthMs = range.toMs - range.fromMs
  const leastMs = lengthMs < 12 * hourMs ? minuteMs : hourMs
  return bucketChoicesMs.find((bucketMs) => bucketMs >= leastMs && lengthMs / bucketMs <= pointsMax) ?? 30 * dayMs
}

/** Converts buckets with events to the points of a range: [seconds, events], oldest first, zeros filled in. */
export function pointsOf(
  range: { fromMs: number; toMs: number },
  bucketMs: number,
  found: { startMs: number; events: number }[],
): [number, number][] {
  const counts = new Map<number, number>()
  for (const point of found) counts.set(point.startMs, (counts.get(point.startMs) ?? 0) + point.events)
  const points: [number, number][] = []
  for (let startMs = Math.floor(range.fromMs / bucketMs) * bucketMs; startMs < range.toMs; startMs += bucketMs)
    points.push([startMs / 1000, counts.get(startMs) ?? 0])
  return points
}
