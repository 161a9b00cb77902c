/** Who reads events now. Refine waits longer between small batches while nobody does. */
export type Readers = {
  /** True while a screen has an open stream of changes. */
  present(): boolean
  /** A request for a screen or the API has come. What waits is to be readable soon. */
  arrive(): void
  /** Calls `listener` at each `arrive`. Returns the function to unsubscribe. */
  onArrival(listener: () => void): () => void
}

/** Creates the state. `isHeard`: whether a stream of changes is open. */
export function createReaders(isHeard: () => boolean): Readers {
  const listeners = new Set<() => void>()
  return {
    present: isHeard,
    arrive: () => {
      for (const listener of listeners) listener()
    },
    onArrival: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
