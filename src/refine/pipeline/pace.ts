import type { Clock } from '../../base/clock.ts'
import { bulkLimits, eventsLimits } from './batch-size.ts'

/** How long a lane waits between batches: each insert is a part that the engine must merge. */
export type Pace = {
  /** After a smaller batch, the loop waits `gatherMs` for more; while nobody reads, after one below `busyRecords`. */
  smallRecords: number
  busyRecords: number
  /** A batch of so many records was full: more is in the journal, even if a look at it does not show that. */
  fullRecords: number
  /** Records per second up to which the longer wait applies, and the wait above them. */
  quietPerS: number
  busyMs: number
  /** With this many bytes in the journal, there is nothing to wait for. */
  enoughBytes: number
  /** The same while nobody reads at all: no more than the first reader can wait for. */
  idleBytes: number
  /** The wait above `quietPerS` while nobody reads at all. 0: `busyMs` applies then, too. */
  idleBusyMs: number
}
const gatherMs = 150
/** Less than this in the journal behind a batch is what came while it began: 50 events of 5 kB, or 500 small ones. */
const littleBytes = 256 * 1024
/**
 * Between the requests of people without a stream of changes, the loop waits longer, until the next one comes: `quietMs`
 * up to `quietPerS` records/s, and above it `busyMs`, so that the lag stays below 1 s. Decision 28 has the figures.
 */
const quietMs = 700
/**
 * The wait up to `quietPerS` while nobody reads at all. The first request then waits until all that has come is stored. At
 * 100 events/s the product needs 0.18 of a core instead of 0.24, and no less with 5 s. Alerts come that much later.
 */
const idleMs = 3000
export const eventsPace: Pace = {
  smallRecords: 200,
  busyRecords: 500,
  fullRecords: eventsLimits.recordsMax,
  quietPerS: 200,
  busyMs: 400,
  enoughBytes: 4 * 1024 * 1024,
  // 1,500 events of 5 kB are stored within 0.5 s. At 2,000/s the product needs 0.95 of a core, with half of it 1.29.
  idleBytes: 8 * 1024 * 1024,
  idleBusyMs: 1000,
}
/**
 * Bulk data waits by bytes alone: a record is one span or a thousand points. An insert of 18,000 spans costs the engine
 * 16 us a span with all of its merges, one of 4,500 spans 31 us (decision 48).
 */
export const bulkPace: Pace = {
  smallRecords: Number.POSITIVE_INFINITY,
  busyRecords: Number.POSITIVE_INFINITY,
  fullRecords: bulkLimits.recordsMax,
  quietPerS: 20,
  // With 400, the lag of 50,000 points/s was 1.2 s (p95) beside other work.
  busyMs: 250,
  enoughBytes: 12 * 1024 * 1024,
  // A byte of bulk data needs twice as long as one of events.
  idleBytes: 2 * 1024 * 1024,
  idleBusyMs: 0,
}
/** Rates are averaged over this time. */
const meanMs = 2000

/** Who reads events now. */
export type Readers = {
  /** True while a screen has an open stream of changes. */
  present(): boolean
  /** Nobody has asked for anything lately: the next request waits for what is not stored yet. */
  isIdle(): boolean
  /** Time of the last request that may read events, ms. */
  arrivedMs(): number
  /** Calls `listener` when such a request comes. Returns the function to unsubscribe. */
  onArrival(listener: () => void): () => void
}

export type Gather = {
  /**
   * Resolves when the next batch may begin. `records`: the size of the last batch. `leftBytes`: the bytes that are in the
   * journal behind it; more than a segment if it ended at the end of a segment.
   */
  after(records: number, leftBytes: number): Promise<void>
  /** More is in the journal: `leftBytes` in all. */
  grown(leftBytes: number): void
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

/** Creates the waits between batches. An abort of `stopped` ends them. */
export function createGather(
  clock: Clock,
  readers: Readers,
  stopped: AbortSignal,
  { smallRecords, busyRecords, fullRecords, quietPerS, busyMs, enoughBytes, idleBytes, idleBusyMs }: Pace,
): Gather {
  const rateOf = createRate(clock)
  /** End of the last wait. A request since then does not wait for the next batch. */
  let endedMs = clock.now()
  let wake: AbortController | undefined
  let isEnough = false
  /** The present wait is one of those while nobody reads at all. */
  let isIdle = false

  async function sleep(ms: number): Promise<void> {
    const control = new AbortController()
    wake = control
    const stop = () => control.abort()
    stopped.addEventListener('abort', stop)
    if (!stopped.aborted) await clock.sleep(ms, control.signal)
    stopped.removeEventListener('abort', stop)
    wake = undefined
  }

  /** Whether nobody reads at all, and the next wait may be long. With more behind it, it is a burst after a pause. */
  function mayIdle(records: number, perS: number, leftBytes: number): boolean {
    if (!readers.isIdle() || readers.present()) return false
    return perS > quietPerS ? idleBusyMs > 0 && records < fullRecords : leftBytes < littleBytes
  }

  /** The length of a long wait, ms. */
  function longMs(perS: number): number {
    if (perS > quietPerS) return isIdle ? idleBusyMs : busyMs
    return isIdle ? idleMs : quietMs
  }

  async function wait(records: number, perS: number): Promise<void> {
    const isQuiet = !readers.present()
    // What came while nobody reads is more than a small batch.
    if (!isIdle && records >= (isQuiet ? busyRecords : smallRecords)) return
    let isHurried = readers.arrivedMs() > endedMs
    let isLong = false
    const unsubscribe = readers.onArrival(() => {
      isHurried = true
      if (isLong) wake?.abort()
    })
    await sleep(gatherMs)
    isLong = isQuiet && !isHurried && !isEnough
    if (isLong) await sleep(longMs(perS) - gatherMs)
    unsubscribe()
  }

  return {
    after: async (records, leftBytes) => {
      const perS = rateOf(records)
      isIdle = mayIdle(records, perS, leftBytes)
      isEnough = leftBytes >= (isIdle ? idleBytes : enoughBytes)
      if (!isEnough) await wait(records, perS)
      isIdle = false
      endedMs = clock.now()
    },
    grown: (leftBytes) => {
      if (leftBytes < (isIdle ? idleBytes : enoughBytes)) return
      isEnough = true
      wake?.abort()
    },
  }
}
