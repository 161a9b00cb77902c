import type { Clock } from '../base/clock.ts'

const minuteMs = 60_000

/**
 * Decides which pages of Mishap's own screens send traces: at most `perMinute` pages a minute, for all people together.
 * Without a limit the screens' own spans were 54% of all stored items of a quiet installation. Returns a function that
 * takes one permit; false if none is left.
 */
export function selfTraces(clock: Clock, perMinute: number): () => boolean {
  let permits = perMinute
  let filledMs = clock.now()
  return () => {
    const nowMs = clock.now()
    permits = Math.min(perMinute, permits + (Math.max(0, nowMs - filledMs) / minuteMs) * perMinute)
    filledMs = nowMs
    if (permits < 1) return false
    permits -= 1
    return true
  }
}
