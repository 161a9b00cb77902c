import type { Clock } from '../base/clock.ts'

/** An answer is cached for this long, so that frequent ready checks do not load the app process. */
const cacheMs = 1000

/** Checks whether the app process answers, once for all parallel callers. */
export function createReady(clock: Clock, check: () => Promise<boolean>): () => Promise<boolean> {
  let cached: Promise<boolean> | undefined
  return () => {
    if (cached) return cached
    const mine = check()
    cached = mine
    const clear = () => {
      if (cached === mine) cached = undefined
    }
    void mine.then((is) => (is ? clock.after(cacheMs, clear) : clear()), clear)
    return mine
  }
}
