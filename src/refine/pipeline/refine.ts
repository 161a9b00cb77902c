import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Observe } from '../../base/observe.ts'
import { openJournalReader } from '../../journal/files.ts'
import { segmentOf } from '../../journal/record.ts'
import type { RecordOutcomes } from '../../journal/request-log.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { EventRow } from '../../store/events/events.ts'
import { dropRows } from '../../store/events/row-file.ts'
import type { Batch, BatchEffects, BatchResult, ProjectSettings } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { eventWindow } from '../kinds/error/events.ts'
import { createMapCache, type MapCache, type MapCacheDeps } from '../symbolicate/map-cache.ts'
import {
  createMemory,
  type Deduplicated,
  deduplicate,
  type Memory,
  nothingStored,
  readMemory,
  type Stored,
} from './deduplicate.ts'
import { createGather, type Readers } from './pace.ts'
import type { RefinedRange } from './range.ts'
import { committedOutcomes } from './record-outcomes.ts'
import { applyStored, refineOpen } from './recovery.ts'
import { createRemapper, type Remapper } from './reprocess-rows.ts'
import { createWaits, type Wait, type Waits, waitedForOf, withRetry } from './retry.ts'
import { settle, settleAll, store, tablesToRecount } from './store-rows.ts'
import type { WorkerSetup } from './worker.ts'
import { createWorkerPool, type RunningRange, type WorkerPool } from './worker-pool.ts'

/** Limits of a batch: 500 rows of 14 kB are 7 MB, and larger batches gained nothing in the prototype. */
const recordsMax = 1000
const bytesMax = 8 * 1024 * 1024
/** Two batches in flight are 38% faster than a single batch. */
const inFlightMax = 2
const waitingMax = 5000
/** A backlog of more bytes is not waited for by a reader: it takes longer than an answer may. */
const catchUpBytesMax = 2 * 1024 * 1024
const reportedMs = 25
const dayMs = 86_400_000

type RefineDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'batches.cursor'
    | 'batches.openBatches'
    | 'batches.openBatch'
    | 'batches.commitBatch'
    | 'ledger.touchKeys'
    | 'projects.projectSettings'
  >
  events: EventStore
  blobs: BlobStore
  workers: number
  worker: WorkerSetup
  readers: Readers
  /** Finds uploaded source maps. Without it, frames stay unmapped. */
  artifacts?: MapCacheDeps['meta']
  /** Called after each commit, never before. The result lists changed issues, if any. */
  committed(result: BatchResult): void
  /** The journal before this position is no longer needed. */
  trim(before: number): void
  /** Outcomes of the committed records, the newest of each key, for the request log. */
  ended?(ends: RecordOutcomes[]): void
  /** The loop has stopped for good. The process should exit and restart, which recovers. */
  failed(error: unknown): void
}

/** The loop from the journal to the stores (ARCHITECTURE.md, "Exactly once"). */
export type Refine = {
  /** The source map cache; undefined if refine was made without artifacts. */
  mapCache: MapCache | undefined
  /** Recovers open batches, then refines until `stop`. Resolves when recovery is done. */
  start(): Promise<void>
  /** Reports that the journal is on disk up to this position. */
  advance(durable: number): void
  /** The number of uncommitted records on disk, counted up to 5,000. */
  waiting(): Promise<number>
  /** The store that blocks refining because it is down or its disk is full; undefined if none does. */
  waitsFor(): Wait | undefined
  /**
   * Resolves when everything that was on disk at the call is committed, and after `ms` at the latest. Returns at once
   * while the backlog is too large for that. For a program that reads what it has just sent.
   */
  caughtUp(ms: number): Promise<void>
  /** Totals of the commits since the start. `ms` is the sum of the batch durations from start to commit. */
  totals(): Totals
  /** Reprocesses stored rows of a project in a separate thread. Throws without artifacts. */
  reprocessRows: Remapper['run']
  /** Waits for the batches in flight and starts no others until the returned function is called. Pauses can overlap. */
  pause(): Promise<() => void>
  /** Waits at most `ms` for the batches in flight, then stops. */
  stop(ms: number): Promise<void>
}

type Totals = { batches: number; records: number; events: number; ms: number }

type Work = RefineDeps & {
  memory: Memory
  pool: WorkerPool
  stopped: AbortController
  totals: Totals
  waits: Waits
  gather: ReturnType<typeof createGather>
  /** The end of the last committed batch. */
  progress: { committedTo: number }
}

async function commit(
  work: Work,
  batch: Batch,
  range: RefinedRange,
  { groups }: Deduplicated,
  effects: BatchEffects,
  startedMs: number,
): Promise<void> {
  const result = await withRetry(work, 'database', () =>
    work.meta.batches.commitBatch(batch, effects, work.clock.now()),
  )
  if (range.uses.length > 0) await withRetry(work, 'database', () => work.meta.ledger.touchKeys(range.uses))
  dropRows(range.lines.values())
  work.progress.committedTo = batch.to
  work.trim(batch.to)
  for (const key of range.spools) work.blobs.delete(key).catch(() => undefined)
  for (const { blobKey } of range.again) work.blobs.delete(blobKey).catch(() => undefined)
  work.totals.batches++
  work.totals.records += range.records
  work.totals.events += effects.events.length
  work.totals.ms += Math.max(0, work.clock.now() - startedMs)
  if (range.ends.length > 0) work.ended?.(committedOutcomes(range.ends, effects, groups))
  work.committed(result)
}

/** The stored events of a batch, by position. Waits until the engine answers. */
async function storedEvents(work: Work, { from, to }: Batch, stored: Stored): Promise<Map<number, EventRow>> {
  if (!stored.get('events')?.size) return new Map()
  const rows = await withRetry(work, 'events', () => work.events.eventsBetween(from, to))
  return new Map(rows.map((row) => [row.jpos, row]))
}

/** Finishes the batches that the previous process left open: stored rows stay, the rest is refined again. */
async function recover(work: Work): Promise<void> {
  const cursor = await work.meta.batches.cursor()
  const batches = (await work.meta.batches.openBatches()).filter((batch) => batch.to > cursor)
  const open: { batch: Batch; stored: Stored; rows: Map<number, EventRow> }[] = []
  for (const batch of batches) {
    const stored = await settleAll(work, batch)
    open.push({ batch, stored, rows: await storedEvents(work, batch, stored) })
  }
  await remember(work)
  for (const { rows } of open)
    for (const row of rows.values()) work.memory.get(eventWindow.name)?.forget(row.projectId, row.eventId)
  for (const { batch, stored, rows } of open) {
    const range = await refineOpen(work, batch, stored)
    applyStored(range, stored, rows)
    if (range.to !== batch.to)
      work.observe.error({ from: batch.from, to: batch.to, found: range.to }, 'the journal ends before an open batch')
    const first = deduplicate(range, work.memory, stored)
    const done = await store(work, batch, range, first, stored, true)
    // A power cut can lose rows and keep their rollups. The rollups are recounted from the stored rows.
    for (const table of tablesToRecount(first, stored)) await settle(work, table, batch)
    await commit(work, batch, range, first, done, work.clock.now())
    const found = [...stored].map(([table, places]) => [table, places.size])
    work.observe.info(
      { from: batch.from, to: batch.to, stored: Object.fromEntries(found), refined: range.groups.length },
      'recovered an open batch',
    )
  }
}

/** Reads the dedup windows of the last hour. Retries until the store answers. */
async function remember(work: Work): Promise<void> {
  for (;;) {
    try {
      await readMemory(work.memory, work.events, work.clock.now())
      return
    } catch (error) {
      if (work.stopped.signal.aborted) throw error
      await work.clock.sleep(200, work.stopped.signal)
    }
  }
}

/** Wakes all waiters. */
function createSignal() {
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

/** The last batch to open, deduplicate and commit. Each stage runs in the order of the journal. */
type Order = { opened: Promise<void>; deduplicated: Promise<void>; committed: Promise<void> }

/** Runs one batch to its commit. Inserts of two batches overlap; open, deduplicate and commit stay in order. */
async function runBatch(work: Work, from: number, running: Promise<RunningRange>, order: Order): Promise<void> {
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
    const { to, done } = await running
    // The order of batch numbers is the order of commits. An open may have to wait for disk space.
    await before.opened
    if (to > from) {
      const batch = await withRetry(work, 'database', () => work.meta.batches.openBatch(from, to))
      opened.resolve()
      const range = await done
      await before.deduplicated
      const deduplicatedRange = deduplicate(range, work.memory, nothingStored())
      deduplicated.resolve()
      const effects = await store(work, batch, range, deduplicatedRange, nothingStored())
      await before.committed
      await commit(work, batch, range, deduplicatedRange, effects, startedMs)
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
  waiting: { stopped: AbortController; waits: Waits },
): WorkerPool =>
  createWorkerPool({
    full: (full) => (full ? waiting.waits.begin(waitedForOf(deps.blobs)) : waiting.waits.end(waitedForOf(deps.blobs))),
    size: deps.workers,
    setup: deps.worker,
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

/** Stops refine if the journal ends below the cursor. Its new records would be skipped silently as already refined. */
async function checkPosition(deps: RefineDeps, durable: number): Promise<void> {
  const cursor = await deps.meta.batches.cursor()
  if (durable >= cursor) return
  const detail =
    `The journal ends at position ${durable}, but everything before ${cursor} is already stored: the folder "journal" was ` +
    'emptied or is an older copy. Put the one back that belongs to this data folder. If it is gone, write ' +
    `${segmentOf(cursor)} and a line break into the file "newest" in it and start again; what it held is lost.`
  deps.failed(new MishapError('START_JOURNAL_BEHIND', { detail }))
}

type LoopState = {
  durable: number
  position: number
  /**
   * The durable end at which no record was found. A start begins an empty segment, so the journal ends beyond its last
   * record. Without this check, an idle product kept a core busy with repeated reads.
   */
  emptyTo: number
  inFlight: number
  draining: boolean
  pauseCount: number
  /** The check of the position: no batch starts before it ends, because a commit would move the cursor under it. */
  checked: Promise<unknown>
}

const newLoopState = (): LoopState => ({
  durable: 0,
  position: 0,
  emptyTo: -1,
  inFlight: 0,
  draining: false,
  pauseCount: 0,
  checked: Promise.resolve(),
})

/** Refines from `state.position` until it is stopped. A failed batch stops it. */
async function runLoop(work: Work, state: LoopState, signal: ReturnType<typeof createSignal>): Promise<void> {
  const order: Order = { opened: Promise.resolve(), deduplicated: Promise.resolve(), committed: Promise.resolve() }

  function launch(from: number): Promise<RunningRange> {
    const running = work.pool.begin({ from, durable: state.durable, recordsMax, bytesMax })
    state.inFlight++
    runBatch(work, from, running, order)
      .catch((error: unknown) => {
        if (!work.stopped.signal.aborted) work.failed(error)
        work.stopped.abort()
      })
      .finally(() => {
        state.inFlight--
        signal.notify()
      })
    return running
  }

  while (!work.stopped.signal.aborted && !state.draining) {
    const { durable, pauseCount, inFlight, position } = state
    if (pauseCount > 0 || position >= durable || durable === state.emptyTo || inFlight >= inFlightMax) {
      await signal.wait()
      continue
    }
    await state.checked
    const { to, records } = await launch(position)
    if (to === position) {
      state.emptyTo = durable
      signal.notify()
    }
    state.position = to
    await work.gather.after(records, state.durable - state.position)
  }
}

/** Makes `caughtUp`. */
function createCatchUp(
  { clock, stopped, progress }: Work,
  state: LoopState,
  signal: ReturnType<typeof createSignal>,
): Refine['caughtUp'] {
  // No record follows `emptyTo`.
  const isCommitted = (target: number) =>
    progress.committedTo >= target || (state.emptyTo >= target && state.inFlight === 0)
  return async (ms) => {
    // Main reports the end of the journal at most every 20 ms.
    await clock.sleep(reportedMs, stopped.signal)
    const target = state.durable
    // Positions of two segments say nothing about bytes.
    const isOther = segmentOf(target) !== segmentOf(progress.committedTo)
    if (!isOther && target - progress.committedTo > catchUpBytesMax) return
    const late = clock.sleep(ms, stopped.signal).then(() => true)
    while (!isCommitted(target)) if (await Promise.race([late, signal.wait().then(() => false)])) return
  }
}

/** Makes the loop. It runs only after `start`. */
export function createRefine(deps: RefineDeps): Refine {
  const stopped = new AbortController()
  const waits = createWaits(deps.clock)
  const { maps, remapper } = createMapping(deps, waits)
  const pool = createPool(deps, maps, { stopped, waits })
  const totals: Totals = { batches: 0, records: 0, events: 0, ms: 0 }
  const progress = { committedTo: 0 }
  const gather = createGather(deps.clock, deps.readers, stopped.signal)
  const work: Work = { ...deps, pool, stopped, totals, waits, gather, memory: createMemory(), progress }
  const signal = createSignal()
  const reader = openJournalReader(deps.worker.journalFolder)
  const state = newLoopState()

  const drained = async () => {
    while (state.inFlight > 0) await signal.wait()
  }

  return {
    mapCache: maps,
    caughtUp: createCatchUp(work, state, signal),
    waiting: async () => reader.count(await deps.meta.batches.cursor(), state.durable, waitingMax),
    advance: (durable) => {
      // One check is enough: the position and the cursor only grow from here.
      if (state.durable === 0) state.checked = checkPosition(deps, durable).catch(deps.failed)
      state.durable = Math.max(state.durable, durable)
      gather.grown(state.durable - state.position)
      signal.notify()
    },
    waitsFor: waits.oldest,
    totals: () => ({ ...totals }),
    reprocessRows: async (projectId, rows) => {
      if (!remapper) throw new Error('no artifacts to map by')
      return remapper.run(projectId, rows)
    },
    start: async () => {
      await recover(work)
      state.position = await deps.meta.batches.cursor()
      progress.committedTo = state.position
      deps.trim(state.position)
      runLoop(work, state, signal).catch((error: unknown) => {
        if (!stopped.signal.aborted) deps.failed(error)
      })
    },
    pause: async () => {
      state.pauseCount++
      await drained()
      let done = false
      return () => {
        if (!done) state.pauseCount--
        done = true
        signal.notify()
      }
    },
    stop: async (ms) => {
      state.draining = true
      signal.notify()
      await Promise.race([drained(), deps.clock.sleep(ms)])
      stopped.abort()
      signal.notify()
      reader.close()
      await pool.close()
      await remapper?.close()
      await maps?.close()
    },
  }
}
