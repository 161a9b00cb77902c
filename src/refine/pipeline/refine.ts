import { MishapError } from '../../base/errors.ts'
import { type Lane, lanes } from '../../base/lane.ts'
import { openJournalReader } from '../../journal/files.ts'
import type { JournalReader } from '../../journal/journal.ts'
import { segmentOf } from '../../journal/record.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import { createMetricBuffers, type MetricBuffers } from '../kinds/metric/memory.ts'
import { createMapCache, type MapCache } from '../symbolicate/map-cache.ts'
import { eventsLimits } from './batch-size.ts'
import type { RefineDeps, Totals, Work } from './commit.ts'
import { createMemory } from './deduplicate.ts'
import {
  createInserting,
  createLaneLoop,
  createSignal,
  finishedLanes,
  type LaneLoop,
  type LoopState,
  type Signal,
} from './lane.ts'
import { bulkPace, createGather, eventsPace, type Gather } from './pace.ts'
import { recover } from './recovery.ts'
import { createRemapper, type Remapper } from './reprocess-rows.ts'
import { createWaits, type Wait, type Waits, waitedForOf, withRetry } from './retry.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

const waitingMax = 5000
/**
 * A backlog of more bytes is not waited for by a reader: it takes longer than an answer may. Before the first request after
 * a pause, a batch of events can be in flight while the next one waits.
 */
const catchUpBytesMax = (lane: Lane, wasIdle: boolean): number => {
  if (lane === 'bulk') return bulkPace.idleBytes
  return wasIdle ? 2 * eventsPace.idleBytes : eventsPace.enoughBytes
}
/** A lane with more records before it, of any lane, is not waited for either: passing 1,000 takes 4 ms. */
const catchUpRecordsMax = 2 * eventsLimits.recordsMax
const dayMs = 86_400_000

/** A lane: everything before `doneTo` is committed. `waiting`: its uncommitted records on disk, counted up to 5,000. */
type LaneState = { doneTo: number; waiting: number }

/** The loops from the journal to the stores (ARCHITECTURE.md, "Exactly once"). */
export type Refine = {
  /** The source map cache; undefined if refine was made without artifacts. */
  mapCache: MapCache | undefined
  /** Recovers open batches, then refines until `stop`. Resolves when recovery is done. */
  start(): Promise<void>
  /**
   * Reports that the journal is on disk up to this position. `knownMs`: when that was so; without it, every position is
   * reported at once.
   */
  advance(durable: number, knownMs?: number): void
  /** The number of uncommitted records on disk, counted up to 5,000. */
  waiting(): Promise<number>
  /** What waits in each lane. */
  lanes(): Promise<Record<Lane, LaneState>>
  /** The time of receipt before which everything in each lane is committed. */
  processedTo(): Promise<Record<Lane, number>>
  /** The store that blocks refining because it is down or its disk is full; undefined if none does. */
  waitsFor(): Wait | undefined
  /**
   * Resolves when everything that is on disk is committed, and after `ms` at the latest. Returns at once while the backlog is
   * too large for that, a store is away, or no batch may begin. For somebody who reads what has just been sent. `durable`:
   * where main saw the end of the journal (`durableHeader`). This process may learn of it up to 0.2 s later.
   */
  caughtUp(ms: number, durable?: number): Promise<void>
  /** Totals of the commits since the start. `ms` is the sum of the batch durations from start to commit. */
  totals(): Totals
  /** Reprocesses stored rows of a project in a separate thread. Throws without artifacts. */
  reprocessRows: Remapper['run']
  /** Waits for the batches in flight and starts no others until the returned function is called. Pauses can overlap. */
  pause(): Promise<() => void>
  /** Waits at most `ms` for the batches in flight, then stops. */
  stop(ms: number): Promise<void>
}

/** The settings of a project with the state of its artifacts. Workers look for maps only then, and anew each day. */
async function settingsOf(
  { meta, clock }: RefineDeps,
  maps: MapCache | undefined,
  projectId: number,
): Promise<ProjectSettings | undefined> {
  const settings = await meta.projects.projectSettings(projectId)
  const state = settings && maps ? await maps.stateOf(projectId) : ''
  if (!settings || !maps || !state) return settings
  const artifactNames = await maps.presenceOf(projectId, state)
  const artifacts = `${state}-${Math.floor(clock.now() / dayMs)}`
  return { ...settings, artifacts, ...(artifactNames ? { artifactNames } : {}) }
}

const createPool = (
  deps: RefineDeps,
  maps: MapCache | undefined,
  metrics: MetricBuffers,
  waiting: { stopped: AbortController; waits: Waits },
): WorkerPool =>
  createWorkerPool({
    full: (full) => (full ? waiting.waits.begin(waitedForOf(deps.blobs)) : waiting.waits.end(waitedForOf(deps.blobs))),
    size: deps.workers,
    setup: { ...deps.worker, metrics },
    startThread: deps.startThread,
    observe: deps.observe,
    settingsOf: (id) => withRetry({ ...deps, ...waiting }, 'database', () => settingsOf(deps, maps, id)),
    maps,
  })

/** Creates the source map cache and what reprocesses stored rows by it. Both are undefined without artifacts. */
function createMapping(
  { clock, observe, meta, artifacts, blobs, worker: { blobSource } }: RefineDeps,
  waits: Waits,
): { maps: MapCache | undefined; remapper: Remapper | undefined } {
  if (!artifacts) return { maps: undefined, remapper: undefined }
  const away = (isAway: boolean) => (isAway ? waits.begin('blobs') : waits.end('blobs'))
  const maps = createMapCache({ clock, observe, meta: artifacts, blobs, blobSource, away })
  const groupingOf = async (id: number) => (await meta.projects.projectSettings(id))?.grouping
  return { maps, remapper: createRemapper({ clock, observe, maps, groupingOf }) }
}

/** Stops refine if the journal ends below a cursor. Its new records would be skipped silently as already refined. */
async function checkPosition(deps: RefineDeps, durable: number): Promise<void> {
  const cursor = Math.max(...(await Promise.all(lanes.map((lane) => deps.meta.batches.cursor(lane)))))
  if (durable >= cursor) return
  const detail =
    `The journal ends at position ${durable}, but everything before ${cursor} is already stored: the folder "journal" was ` +
    'emptied or is an older copy. Put the one back that belongs to this data folder. If it is gone, write ' +
    `${segmentOf(cursor)} and a line break into the file "newest" in it and start again; what it held is lost.`
  deps.failed(new MishapError('START_JOURNAL_BEHIND', { detail }))
}

/** Makes `caughtUp`. It waits for the lanes that can be committed soon. */
function createCatchUp(
  { clock, stopped, cursors, waits, readers: people }: Work,
  state: LoopState,
  signal: Signal,
  loops: readonly LaneLoop[],
  readers: Record<Lane, JournalReader>,
): Refine['caughtUp'] {
  const isBehind = (lane: Lane, target: number) => {
    const limits = { bytesMax: catchUpBytesMax(lane, people.isIdle()), recordsMax: catchUpRecordsMax }
    const { at, bytes } = readers[lane].survey(cursors[lane], target, lane, limits)
    return bytes >= limits.bytesMax || at < target
  }
  return async (ms, durable = 0) => {
    if (!state.isRunning || state.draining || state.pauseCount > 0 || waits.oldest()) return
    const target = Math.max(state.durable, durable)
    const awaited = loops.filter((loop) => !loop.isDone(target) && !isBehind(loop.lane, target))
    const late = clock.sleep(ms, stopped.signal).then(() => true)
    while (awaited.some((loop) => !loop.isDone(target)))
      if (await Promise.race([late, signal.wait().then(() => false)])) return
  }
}

const newLoopState = (): LoopState => ({
  durable: 0,
  knownMs: 0,
  isRunning: false,
  draining: false,
  pauseCount: 0,
  checked: Promise.resolve(),
})

/** Makes the loop of each lane. */
function createLoops(
  work: Work,
  state: LoopState,
  signal: Signal,
  readers: Record<Lane, JournalReader>,
): { loops: LaneLoop[]; gathers: Record<Lane, Gather> } {
  const { clock, readers: people, stopped } = work
  // Beside a backlog of bulk data, all that a batch of events does takes twice as long. It does not wait for more then.
  const isBehind = () => loops.some(({ lane, look }) => lane === 'bulk' && look() >= eventsPace.enoughBytes)
  const gathers = {
    events: createGather(
      clock,
      { ...people, present: () => people.present() || isBehind() },
      stopped.signal,
      eventsPace,
    ),
    bulk: createGather(clock, people, stopped.signal, bulkPace),
  }
  const inserting = createInserting(clock, stopped.signal)
  const loops: LaneLoop[] = lanes.map((lane) =>
    createLaneLoop({
      work,
      lane,
      state,
      signal,
      gather: gathers[lane],
      reader: readers[lane],
      inserting,
      finishedWith: (committing) => finishedLanes(loops, committing, stopped.signal),
    }),
  )
  return { loops, gathers }
}

/** Makes `pause`. */
function createPause(state: LoopState, signal: Signal, drained: () => Promise<void>): Refine['pause'] {
  return async () => {
    state.pauseCount++
    await drained()
    let done = false
    return () => {
      if (!done) state.pauseCount--
      done = true
      signal.notify()
    }
  }
}

/** Counts what waits in each lane. */
async function laneStatesOf(
  { meta }: RefineDeps,
  state: LoopState,
  loops: readonly LaneLoop[],
  readers: Record<Lane, JournalReader>,
): Promise<Record<Lane, LaneState>> {
  const states: Record<Lane, LaneState> = { events: { doneTo: 0, waiting: 0 }, bulk: { doneTo: 0, waiting: 0 } }
  for (const { lane, doneTo } of loops) {
    const from = Math.max(doneTo, await meta.batches.cursor(lane))
    states[lane] = { doneTo: from, waiting: readers[lane].count(from, state.durable, waitingMax, lane) }
  }
  return states
}

/**
 * A record is in the journal, and known here, so long after its time of receipt at the latest: it waits for the sync of its
 * group, and process main reports that.
 */
const arrivalMs = 5000

/**
 * See `Refine.processedTo`: the receipt of the oldest record that is not committed, else that of what may still arrive. After
 * a standstill of this process (a stopped machine, a long collection of memory), what main has reported meanwhile is not
 * read yet: then it is the last report that counts, and not the clock.
 */
async function processedTo(
  { clock, meta }: Pick<RefineDeps, 'clock' | 'meta'>,
  state: LoopState,
  loops: readonly LaneLoop[],
  readers: Record<Lane, JournalReader>,
): Promise<Record<Lane, number>> {
  const nowMs = clock.now()
  const reached: Record<Lane, number> = { events: 0, bulk: 0 }
  // Before the journal is known to this process, anything may wait.
  if (state.durable === 0) return reached
  for (const { lane, doneTo } of loops) {
    const from = Math.max(doneTo, await meta.batches.cursor(lane))
    const [oldest] = readers[lane].read(from, state.durable, 1, 1, lane).records
    reached[lane] = Math.min(nowMs, state.knownMs, oldest?.head.receivedMs ?? nowMs) - arrivalMs
  }
  return reached
}

/** Makes refine. Its loops run only after `start`. */
export function createRefine(deps: RefineDeps): Refine {
  const stopped = new AbortController()
  const waits = createWaits(deps.clock)
  const { maps, remapper } = createMapping(deps, waits)
  const metrics = createMetricBuffers()
  const pool = createPool(deps, maps, metrics, { stopped, waits })
  const totals: Totals = { batches: 0, records: 0, events: 0, ms: 0 }
  const cursors = { events: 0, bulk: 0 }
  const work: Work = { ...deps, pool, stopped, totals, waits, memory: createMemory(), metrics, cursors }
  const signal = createSignal()
  // One for each lane: they are in different segments when a lane is behind.
  const open = () => openJournalReader(deps.worker.journalFolder)
  const readers = { events: open(), bulk: open() }
  const state = newLoopState()
  const { loops, gathers } = createLoops(work, state, signal, readers)

  const drained = async () => {
    while (loops.some(({ inFlight }) => inFlight > 0)) await signal.wait()
  }

  const laneStates = () => laneStatesOf(deps, state, loops, readers)

  return {
    mapCache: maps,
    caughtUp: createCatchUp(work, state, signal, loops, readers),
    lanes: laneStates,
    processedTo: () => processedTo(deps, state, loops, readers),
    waiting: async () => {
      const { events, bulk } = await laneStates()
      return Math.min(waitingMax, events.waiting + bulk.waiting)
    },
    advance: (durable, knownMs = Number.POSITIVE_INFINITY) => {
      const isFirst = state.knownMs === 0
      state.knownMs = knownMs
      if (durable <= state.durable && !isFirst) return
      // One check is enough: the positions and the cursors only grow from here.
      if (isFirst) state.checked = checkPosition(deps, durable).catch(deps.failed)
      state.durable = Math.max(state.durable, durable)
      for (const loop of loops) if (loop.position > 0) gathers[loop.lane].grown(loop.look())
      signal.notify()
    },
    waitsFor: waits.oldest,
    totals: () => ({ ...totals }),
    reprocessRows: async (projectId, rows) => {
      if (!remapper) throw new Error('no artifacts to map by')
      return remapper.run(projectId, rows)
    },
    start: async () => {
      await recover(work, readers)
      deps.trim(Math.min(...Object.values(cursors)))
      state.isRunning = true
      for (const loop of loops)
        loop.run(cursors[loop.lane]).catch((error: unknown) => {
          if (!stopped.signal.aborted) deps.failed(error)
        })
    },
    pause: createPause(state, signal, drained),
    stop: async (ms) => {
      state.draining = true
      signal.notify()
      await Promise.race([drained(), deps.clock.sleep(ms)])
      stopped.abort()
      signal.notify()
      for (const lane of lanes) readers[lane].close()
      await pool.close()
      await remapper?.close()
      await maps?.close()
    },
  }
}
