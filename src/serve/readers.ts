import type { Clock } from '../base/clock.ts'

/** How long the batch that a request began can take, ms. */
const catchUpMs = 1000
/** After this time without a request, ms, nobody reads. */
export const readingMs = 10_000

/** Whether a request may be for events. Assets of screens and the checks of whether this process answers are not. */
export const isReading = (target: string): boolean => !/^(\/[^?]*)?\/_next\/|^\/api\/0\/status\/access\//.test(target)

/** Who reads events now. Refine waits longer between small batches while nobody does. */
export type Readers = {
  /** True while a screen has an open stream of changes. */
  present(): boolean
  /** No stream is open, and no request has come for 10 s. Refine can wait longer, which saves work. */
  isIdle(): boolean
  /**
   * A request for a screen or the API has come. What waits is to be readable soon. The first one after 10 s gets a
   * promise, and so do those that come before it resolves: once everything up to `durable` (the end of the journal, where
   * known) is readable, or after 1 s. It resolves at once where more waits than an answer may take (`Refine.caughtUp`).
   */
  arrive(durable?: number): Promise<void> | undefined
  /** Time of the last `arrive`, ms; 0 before the first. */
  arrivedMs(): number
  /** Calls `listener` at each `arrive`. Returns the function to unsubscribe. */
  onArrival(listener: () => void): () => void
  /** A request has just ended a wait of refine. What came before it is on its way. */
  isCatchingUp(): boolean
}

/** Creates the state. `isHeard`: whether a stream of changes is open. `caughtUp`: see `Refine.caughtUp`. */
export function createReaders(
  clock: Pick<Clock, 'now'>,
  isHeard: () => boolean,
  caughtUp: (ms: number, durable?: number) => Promise<void>,
): Readers {
  const listeners = new Set<() => void>()
  let arrivedMs = 0
  let endedMs = 0
  let catchingUp: Promise<void> | undefined
  // The absolute difference: a clock that was set back must not hide for hours that nobody reads.
  const isIdle = () => !isHeard() && Math.abs(clock.now() - arrivedMs) > readingMs
  return {
    present: isHeard,
    isIdle,
    arrive: (durable) => {
      if (isIdle()) {
        // A journal that cannot be read stops refine, which reports it. The request is answered from what is stored.
        const mine = caughtUp(catchUpMs, durable)
          .catch(() => undefined)
          .finally(() => {
            if (catchingUp === mine) catchingUp = undefined
          })
        catchingUp = mine
      }
      arrivedMs = clock.now()
      if (listeners.size > 0) endedMs = arrivedMs
      for (const listener of listeners) listener()
      return catchingUp
    },
    arrivedMs: () => arrivedMs,
    onArrival: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    isCatchingUp: () => Math.abs(clock.now() - endedMs) <= catchUpMs,
  }
}
