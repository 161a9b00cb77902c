import { type SkewKind, skewKinds } from './diagnostics.ts'

/** The tag of an event's row that says which kind of skew it is; a client's own tag of this name gives way. */
export const skewTag = 'sign.skew'
export const skewKindIds = Object.keys(skewKinds) as SkewKind[]

/** How long a deploy is looked at: who still has an old tab after two days is no surprise any more. */
export const skewWindowMs = 48 * 3_600_000
/** The last stretch of a window, whose events are held against those of the whole. */
export const skewLastMs = 600_000
/** How long what skew brings about waits before anybody is told: three stretches, of which the last must be the smallest. */
export const skewWaitMs = 3 * skewLastMs

/**
 * Whether skew goes on instead of decaying: its last ten minutes have at least half as many events as its ten minutes had on
 * average. Of what halves every ten minutes the third has 0.43 of that, of what stays as it was 1. Undefined before there were
 * three such stretches.
 */
export function lastsOn(events: number, last: number, lengthMs: number): boolean | undefined {
  if (lengthMs < skewWaitMs) return undefined
  return last > 0 && last >= events / (lengthMs / skewLastMs) / 2
}
