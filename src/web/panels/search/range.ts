import { isRelativeRange, type RelativeRange, relativeRanges } from '../../../domain/time-ranges.ts'

export type Range = { kind: 'relative'; period: RelativeRange } | { kind: 'absolute'; fromMs: number; toMs: number }

export const defaultPeriod: RelativeRange = '14d'

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

/** The value of a datetime-local field, in the reader's time zone, to the minute. */
export function localFieldOf(ms: number): string {
  const at = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}
