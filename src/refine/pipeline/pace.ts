import type { Clock } from '../../base/clock.ts'

/** After a smaller batch, the loop waits `gatherMs` for more: each insert is a part that the engine must merge. */
const smallRecords = 200
const gatherMs = 150
/**
 * While nobody reads, the loop waits longer, until a request comes: `quietMs` up to `quietPerS` records/s, and above it
 * `busyMs`, so that the lag stays below 1 s. Decision 28 has the figures.
 */
const quietMs = 1000
const quietPerS = 200
const busyMs = 400
const busyRecords = 500
/** Rates are averaged over this time. */
const meanMs = 2000

/** Who reads events now. */
export type Readers = {
  /** True while a screen has an open stream of changes. */
  present(): boolean
  /** Calls `listener` when a request comes that may read events. Returns the function to unsubscribe. */
  onArrival(listener: () => void): () => void
}

/** Returns a function that takes the records of a batch, and returns the mean of records per second. */
function createRate(clock: Clock): (records: number) => number {
  let perS = 0
  let lastMs = clock.now()
  return (records) => {
    const nowMs = clock.now()
    const spanMs = Math.max(1, nowMs - lastMs)
    lastMs = nowMs
    perS += ((records * 1000) / spanMs - perS) * (1 - Math.exp(-spanMs / meanMs))
    return perS
  }
}

/**
 * Returns a function that is called after each batch with its number of records, and resolves when the next one may
 * begin. Without `readers`, somebody always reads. An abort of `stopped` ends the wait.
 */
export function createGather(
  clock: Clock,
  readers: Readers | undefined,
  stopped: AbortSignal,
): (records: number) => Promise<void> {
  const rateOf = createRate(clock)
  return async (records) => {
    const perS = rateOf(records)
    const isQuiet = readers !== undefined && !readers.present()
    if (records >= (isQuiet ? busyRecords : smallRecords)) return
    const hurry = new AbortController()
    const stop = () => hurry.abort()
    const forget = readers?.onArrival(stop)
    await clock.sleep(gatherMs, stopped)
    stopped.addEventListener('abort', stop)
    if (isQuiet && !stopped.aborted && !hurry.signal.aborted)
      await clock.sleep((perS > quietPerS ? busyMs : quietMs) - gatherMs, hurry.signal)
    stopped.removeEventListener('abort', stop)
    forget?.()
  }
}
