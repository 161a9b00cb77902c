import type { Clock } from '../../base/clock.ts'
import type { Lane } from '../../base/lane.ts'
import type { JournalReader } from '../../journal/journal.ts'
import type { FinishedTo } from '../../store/meta/meta.ts'
import { growthAtStart, growthOf, limitsOf } from './batch-size.ts'
import { commit, type Work } from './commit.ts'
import { deduplicate, nothingStored } from './deduplicate.ts'
import { bulkPace, eventsPace, type Gather } from './pace.ts'
import { withRetry } from './retry.ts'
import { store } from './store-rows.ts'
import type { RunningRange } from './worker-pool.ts'

/** Two batches in flight are 38% faster than a single batch. */
const inFlightMax = 2
/** Records that one look passes: 10 ms of the main thread at most. */
export const lookedRecordsMax = 2000

/** Wakes all waiters. */
export function createSignal() {
  let waiting: (() => void)[] = []
  return {
    notify: () => {
      const all = waiting
      waiting = []
      for (const resolve of all) resolve()
    },
    wait: () => new Promise<void>((resolve) => void waiting.push(resolve)),
  }
}
export type Signal = ReturnType<typeof createSignal>

/** The last batch to open, deduplicate and commit. Each stage runs in the order of the journal. */
type Order = { opened: Promise<void>; deduplicated: Promise<void>; committed: Promise<void> }

/** What the lanes have in common. */
export type LoopState = {
  durable: number
  /** When the journal ended there. */
  knownMs: number
  /** Recovery is done, and the loops run. */
  isRunning: boolean
  draining: boolean
  pauseCount: number
  /** The check of the positions: no batch starts before it ends, because a commit would move a cursor under it. */
  checked: Promise<unknown>
}

/** The loop of one lane. */
export type LaneLoop = {
  readonly lane: Lane
  /** Everything of the lane before it is in a batch or committed. */
  readonly position: number
  readonly inFlight: number
  /** Refines from this position until it is stopped. A failed batch stops all lanes. */
  run(from: number): Promise<void>
  /** Everything of the lane before it is committed. It is not before its cursor in the meta store. */
  readonly doneTo: number
  /** Looks at what came. Returns the bytes of the lane's records that no batch has, counted up to what ends any wait. */
  look(): number
  /** Whether everything of the lane before a position is committed. */
  isDone(before: number): boolean
}

type LaneDeps = {
  work: Work
  lane: Lane
  state: LoopState
  signal: Signal
  gather: Gather
  reader: JournalReader
  inserting: Inserting
  /** Returns what is finished once a batch of the lane is committed. */
  finishedWith(lane: Lane): FinishedTo
}

/** Inserts of both lanes. Those of bulk data begin while none of events runs. */
type Inserting = { run<T>(lane: Lane, insert: () => Promise<T>): Promise<T> }

/** How long a bulk insert waits for events at most, ms. One of them takes 0.1 to 0.3 s. */
const bulkWaitMs = 500

/** Creates the order of inserts. */
export function createInserting(clock: Clock, stopped: AbortSignal): Inserting {
  const ended = createSignal()
  let events = 0
  return {
    run: async (lane, insert) => {
      if (lane === 'bulk') {
        if (events > 0) await Promise.race([ended.wait(), clock.sleep(bulkWaitMs, stopped)])
        return insert()
      }
      events++
      try {
        return await insert()
      } finally {
        events--
        if (events === 0) ended.notify()
      }
    },
  }
}

/** Runs one batch to its commit. Inserts of two batches overlap; open, deduplicate and commit stay in order. */
async function runBatch(
  { work, lane, inserting, finishedWith }: LaneDeps,
  from: number,
  running: Promise<RunningRange>,
  order: Order,
): Promise<void> {
  const before = { ...order }
  const opened = Promise.withResolvers<void>()
  const deduplicated = Promise.withResolvers<void>()
  const committed = Promise.withResolvers<void>()
  order.opened = opened.promise
  order.deduplicated = deduplicated.promise
  order.committed = committed.promise
  for (const entry of [opened, deduplicated, committed]) entry.promise.catch(() => undefined)
  const startedMs = work.clock.now()
  try {
    const { to, records, done } = await running
    // The order of batch numbers is the order of commits. An open may have to wait for disk space.
    await before.opened
    if (records > 0) {
      const batch = await withRetry(work, 'database', () => work.meta.batches.openBatch(from, to, lane))
      opened.resolve()
      const range = await done
      await before.deduplicated
      const deduplicatedRange = deduplicate(range, work.memory, nothingStored())
      deduplicated.resolve()
      const effects = await inserting.run(lane, () => store(work, batch, range, deduplicatedRange, nothingStored()))
      await before.committed
      await commit(work, batch, range, deduplicatedRange, effects, startedMs, finishedWith(lane))
    } else {
      opened.resolve()
      await Promise.all([before.deduplicated, before.committed])
    }
    deduplicated.resolve()
    committed.resolve()
  } catch (error) {
    // A failed batch also fails the batches after it: their commits would leave a gap.
    for (const entry of [opened, deduplicated, committed]) entry.reject(error)
    throw error
  }
}

/** Where a lane is, and what it knows of the journal behind that. */
type Place = {
  /** Everything of the lane before it is in a batch or committed. */
  position: number
  inFlight: number
  /** The last position with no batch in flight. */
  idleTo: number
  /**
   * The durable end at which no record was found. A start begins an empty segment, so the journal ends beyond its last
   * record. Without this check, an idle product kept a core busy with repeated reads.
   */
  emptyTo: number
  /** The part of the journal behind `position` that was looked at, and the bytes of the lane in it. */
  looked: { from: number; at: number; bytes: number; isDamaged: boolean }
}

const newPlace = (): Place => ({
  position: 0,
  inFlight: 0,
  idleTo: 0,
  emptyTo: -1,
  looked: { from: 0, at: 0, bytes: 0, isDamaged: false },
})

/** See `LaneLoop.look`. Passes records of other lanes. */
function lookAhead({ lane, state, reader }: LaneDeps, place: Place): number {
  const { position } = place
  const { enoughBytes, idleBytes } = lane === 'bulk' ? bulkPace : eventsPace
  const bytesMax = Math.max(enoughBytes, idleBytes)
  if (place.looked.from !== position) place.looked = { from: position, at: position, bytes: 0, isDamaged: false }
  const { looked } = place
  if (looked.bytes < bytesMax && !looked.isDamaged) {
    const limits = { bytesMax, recordsMax: lookedRecordsMax }
    const { at, bytes, isDamaged } = reader.survey(looked.at, state.durable, lane, limits)
    Object.assign(looked, { at, bytes: looked.bytes + bytes, isDamaged })
  }
  if (looked.bytes === 0 && !looked.isDamaged) {
    place.position = looked.at
    looked.from = looked.at
  }
  return looked.bytes
}

/** Refines until it is stopped. `launch` begins a batch. */
async function runLoop(deps: LaneDeps, place: Place, launch: (from: number) => Promise<RunningRange>): Promise<void> {
  const { work, state, signal, gather } = deps
  while (!work.stopped.signal.aborted && !state.draining) {
    await state.checked
    // Nothing is awaited from here to the launch: a pause would not know of the batch.
    const { durable, pauseCount } = state
    const { position } = place
    if (pauseCount > 0 || position >= durable || durable === place.emptyTo || place.inFlight >= inFlightMax) {
      await signal.wait()
      continue
    }
    if (lookAhead(deps, place) === 0 && !place.looked.isDamaged && place.position > position) {
      // A long run of another lane: other work of the process goes on meanwhile.
      if (place.position < durable) await work.clock.sleep(0)
      else signal.notify()
      continue
    }
    const from = place.position
    const { to, records } = await launch(from)
    if (to === from) {
      place.emptyTo = durable
      signal.notify()
    }
    place.position = to
    await gather.after(records, lookAhead(deps, place))
  }
}

/** Makes the loop of a lane. */
export function createLaneLoop(deps: LaneDeps): LaneLoop {
  const { work, lane, state, signal } = deps
  const order: Order = { opened: Promise.resolve(), deduplicated: Promise.resolve(), committed: Promise.resolve() }
  const place = newPlace()
  let growth = growthAtStart

  /** Learns from a refined range how large the next one may be. */
  async function learn(running: Promise<RunningRange>): Promise<void> {
    growth = growthOf(await (await running).done) ?? growth
  }

  function launch(from: number): Promise<RunningRange> {
    const running = work.pool.begin({ from, durable: state.durable, ...limitsOf(lane, growth), lane })
    learn(running).catch(() => undefined) // `runBatch` handles the error
    if (place.inFlight === 0) place.idleTo = from
    place.inFlight++
    runBatch(deps, from, running, order)
      .catch((error: unknown) => {
        if (!work.stopped.signal.aborted) work.failed(error)
        work.stopped.abort()
      })
      .finally(() => {
        place.inFlight--
        signal.notify()
      })
    return running
  }

  const look = () => lookAhead(deps, place)
  return {
    lane,
    look,
    get position() {
      return place.position
    },
    get inFlight() {
      return place.inFlight
    },
    get doneTo() {
      // A batch that failed is not in flight any more.
      if (place.inFlight === 0 && !work.stopped.signal.aborted) {
        look()
        place.idleTo = place.position
      }
      return Math.max(place.idleTo, work.cursors[lane])
    },
    isDone: (before) => {
      if (work.cursors[lane] >= before) return true
      look()
      return place.inFlight === 0 && Math.max(place.position, place.emptyTo) >= before
    },
    run: (from) => {
      place.position = from
      return runLoop(deps, place, launch)
    },
  }
}

/**
 * Returns positions before which lanes have nothing left once a batch of `committing` is committed: those that have no
 * other batch in flight, up to where they looked. None after a failure: the failed batch is not in flight any more.
 */
export function finishedLanes(loops: readonly LaneLoop[], committing: Lane, stopped: AbortSignal): FinishedTo {
  const finished: FinishedTo = {}
  if (stopped.aborted) return finished
  for (const loop of loops) {
    if (loop.inFlight !== (loop.lane === committing ? 1 : 0)) continue
    loop.look()
    finished[loop.lane] = loop.position
  }
  return finished
}
