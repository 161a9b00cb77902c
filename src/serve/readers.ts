import type { Clock } from '../base/clock.ts'

/** How long the batch that a request began can take, ms. */
const catchUpMs = 1000

/** Who reads events now. Refine waits longer between small batches while nobody does. */
export type Readers = {
  /** True while a screen has an open stream of changes. */
  present(): boolean
  /** A request for a screen or the API has come. What waits is to be readable soon. */
  arrive(): void
  /** Time of the last `arrive`, ms; 0 before the first. */
  arrivedMs(): number
  /** Calls `listener` at each `arrive`. Returns the function to unsubscribe. */
  onArrival(listener: () => void): () => void
  /** A request has just ended a wait of refine. What came before it is on its way. */
  isCatchingUp(): boolean
}

/** Creates the state. `isHeard`: whether a stream of changes is open. */
export function createReaders(clock: Pick<Clock, 'now'>, isHeard: () => boolean): Readers {
  const listeners = new Set<() => void>()
  let arrivedMs = 0
  let endedMs = 0
  return {
    present: isHeard,
    arrive: () => {
      arrivedMs = clock.now()
      if (listeners.size > 0) endedMs = arrivedMs
      for (const listener of listeners) listener()
    },
    arrivedMs: () => arrivedMs,
    onArrival: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    isCatchingUp: () => Math.abs(clock.now() - endedMs) <= catchUpMs,
  }
}
