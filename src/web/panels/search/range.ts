/** The relative ranges of the stream in menu order, with their length in ms. */
export const relativeRanges = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '14d': 14 * 86_400_000,
  '30d': 30 * 86_400_000,
  '90d': 90 * 86_400_000,
} as const

export type RelativeRange = keyof typeof relativeRanges
export type Range = { kind: 'relative'; period: RelativeRange } | { kind: 'absolute'; fromMs: number; toMs: number }

export const defaultPeriod: RelativeRange = '14d'

/** Whether the text is a key of `relativeRanges`. */
export function isRelativeRange(text: string): text is RelativeRange {
  return Object.hasOwn(relativeRanges, text)
}

/**
 * Reads the range from the URL: `from` and `to` (ISO 8601) if both are valid and in order, else `t`, else 14 days.
 * Never throws.
 */
export function rangeOf(params: { t: string | null; from: string | null; to: string | null }): Range {
  const fromMs = params.from ? Date.parse(params.from) : Number.NaN
  const toMs = params.to ? Date.parse(params.to) : Number.NaN
  if (Number.isFinite(fromMs) && Number.isFinite(toMs) && fromMs < toMs) return { kind: 'absolute', fromMs, toMs }
  return { kind: 'relative', period: params.t && isRelativeRange(params.t) ? params.t : defaultPeriod }
}

/** Start and end of a range in ms since 1970, seen from `nowMs`. */
export function boundsOf(range: Range, nowMs: number): { fromMs: number; toMs: number } {
  if (range.kind === 'absolute') return { fromMs: range.fromMs, toMs: range.toMs }
  return { fromMs: nowMs - relativeRanges[range.period], toMs: nowMs }
}

/** Adds the range to the parameters of a REST call (statsPeriod, or start and end as ISO). */
export function addRange(params: URLSearchParams, range: Range): void {
  if (range.kind === 'relative') params.set('statsPeriod', range.period)
  else {
    params.set('start', new Date(range.fromMs).toISOString())
    params.set('end', new Date(range.toMs).toISOString())
  }
}

/** The value of a datetime-local field for a time (ms since 1970) in a zone (IANA name), to the minute. */
export function fieldOf(ms: number, zone: string): string {
  // Swedish dates are written as the field wants them: 2026-11-16 10:00.
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(ms)
  return text.replace(' ', 'T')
}

/** The time (ms since 1970) of the value of a datetime-local field in a zone. NaN for no time. */
export function msOfField(text: string, zone: string): number {
  const asUtc = Date.parse(`${text}Z`)
  if (Number.isNaN(asUtc)) return Number.NaN
  const offsetAt = (ms: number) => Date.parse(`${fieldOf(ms, zone)}Z`) - Math.floor(ms / 60_000) * 60_000
  // The offset at a time that is wrong by the offset. Around a change of the clocks the second look is the right one.
  return asUtc - offsetAt(asUtc - offsetAt(asUtc))
}
