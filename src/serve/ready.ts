import type { Clock } from '../base/clock.ts'

/** An answer is cached for this long, so that frequent ready checks do not load the app process. */
const heldMs = 1000

/** Checks whether the app process answers, once for all parallel callers. */
export function createReady(clock: Clock, ask: () => Promise<boolean>): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined
  return () => {
    if (asked) return asked
    const mine = ask()
    asked = mine
    const forget = () => {
      if (asked === mine) asked = undefined
    }
    void mine.then((is) => (is ? clock.after(heldMs, forget) : forget()), forget)
    return mine
  }
}
