import type { Clock } from '../base/clock.ts'

/** An answer counts for this long: whoever asks for the ready check often must not keep process app busy. */
const heldMs = 1000

/** Asks whether process app answers, once for all who ask at the same time. */
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
