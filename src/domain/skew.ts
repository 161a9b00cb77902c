import { type SkewKind, skewKinds } from './diagnostics.ts'

/** The tag with the kind of skew of an event. It replaces a client tag of this name. */
export const skewTag = 'sign.skew'
export const skewKindIds = Object.keys(skewKinds) as SkewKind[]

/** Observation time after a deploy. Old tabs after two days are expected. */
export const skewWindowMs = 48 * 3_600_000
/** The last part of a window. Its events are compared with the whole window. */
export const skewLastMs = 600_000
/** Delay of notifications about skew: three such parts, of which the last must be the smallest. */
export const skewWaitMs = 3 * skewLastMs

/**
 * Returns whether skew continues instead of decaying: the last ten minutes have at least half the average events of ten
 * minutes. If events halve every ten minutes, the third part has 0.43 of the average; if they stay constant, 1.
 * Undefined before there are three parts.
 */
export function lastsOn(events: number, last: number, lengthMs: number): boolean | undefined {
  if (lengthMs < skewWaitMs) return undefined
  return last > 0 && last >= events / (lengthMs / skewLastMs) / 2
}
