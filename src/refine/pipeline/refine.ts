import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Observe } from '../../base/observe.ts'
import { openJournalReader } from '../../journal/files.ts'
import { segmentOf } from '../../journal/record.ts'
import type { RecordEnd } from '../../journal/request-log.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { EventRow } from '../../store/events/events.ts'
import type { Batch, BatchEffects, BatchResult, BatchStore, ProjectSettings } from '../../store/meta/meta.ts'
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
import type { KeyUse, RefinedRange } from './range.ts'
import { settledEnds } from './record-outcomes.ts'
import { refineOpen, takeStored } from './recovery.ts'
import { createRemapper, type Remapper } from './reprocess-rows.ts'
import { createWaits, type Wait, type Waits, withRetry } from './retry.ts'
import { settle, settleAll, store, tablesToRecount } from './store-rows.ts'
import type { WorkerSetup } from './worker.ts'
import { type Begun, createWorkerPool, type WorkerPool } from './worker-pool.ts'

/** Records of one batch: 500 rows of 14 kB are 7 MB, and larger batches gained nothing in the prototype. */
const recordsMax = 1000
const bytesMax = 8 * 1024 * 1024
/** Two batches in flight beat one by 38%. */
const inFlightMax = 2
/** A batch smaller than this waits a little for more: each insert is a part that the engine has to merge. */
const smallRecords = 200
const gatherMs = 150
const waitingMax = 5000
const dayMs = 86_400_000

type RefineDeps = {
  clock: Clock
  observe: Observe
  meta: BatchStore & { touchKeys(uses: KeyUse[]): void }
  events: EventStore
  blobs: BlobStore
  workers: number
  worker: WorkerSetup
  /** Where uploaded source maps are found; without it frames stay as they came. */
  artifacts?: MapCacheDeps['meta']
  /** After a commit, never before. */
  committed(result: BatchResult): void
  /** The journal before this position is no longer needed. */
  trim(before: number): void
  /** How records of a commit ended, the newest of each key; for the ingest debugger. */
  ended?(ends: RecordEnd[]): void
  /** The loop has stopped for good: the process should end and be started again, which recovers. */
  failed(error: unknown): void
}

/** The loop from journal to stores (ARCHITECTURE.md "Exactly once"). */
export type Refine = {
  /** Reads source maps; undefined where refine was made without artifacts. */
  desk: MapCache | undefined
  /** Recovers open batches, then refines until `stop`. Resolves once recovery is done. */
  start(): Promise<void>
  /** The journal is on disk up to here. */
  advance(durable: number): void
  /** Records on disk that are not committed; counted up to 5,000. */
  waiting(): number
  /** The store that holds refining up, as its disk is full or it is away; undefined when none does. */
  waitsFor(): Wait | undefined
  /** What was committed since the start; `ms` is the time of each batch from its start to its commit, summed up. */
  totals(): Totals
  /** Maps stored rows of a project again, in a thread of its own. */
  mapAgain: Remapper['run']
  /** Lets batches in flight end and starts none until the returned function is called; several may hold it at once. */
  pause(): Promise<() => void>
  /** Lets batches in flight end, at most `ms`, then stops. */
  stop(ms: number): Promise<void>
}

type Totals = { batches: number; records: number; events: number; ms: number }

type Work = RefineDeps & { memory: Memory; crew: WorkerPool; stopped: AbortController; totals: Totals; waits: Waits }

async function commit(
  work: Work,
  batch: Batch,
  range: RefinedRange,
  { groups }: Deduplicated,
  effects: BatchEffects,
  beganMs: number,
): Promise<void> {
  const result = await withRetry(work, 'database', () => work.meta.commitBatch(batch, effects, work.clock.now()))
  if (range.uses.length > 0) await withRetry(work, 'database', () => work.meta.touchKeys(range.uses))
  work.trim(batch.to)
  for (const key of range.spools) work.blobs.delete(key).catch(() => undefined)
  for (const { blobKey } of range.again) work.blobs.delete(blobKey).catch(() => undefined)
  work.totals.batches++
  work.totals.records += range.records
  work.totals.events += effects.events.length
  work.totals.ms += Math.max(0, work.clock.now() - beganMs)
  if (range.ends.length > 0) work.ended?.(settledEnds(range.ends, effects, groups))
  if (result.issues.length > 0) work.committed(result)
}

/** The events that are stored of a batch, by position; waits for the engine as long as it takes. */
async function storedEvents(work: Work, { from, to }: Batch, stored: Stored): Promise<Map<number, EventRow>> {
  if (!stored.get('events')?.size) return new Map()
  const rows = await withRetry(work, 'events', () => work.events.eventsBetween(from, to))
  return new Map(rows.map((row) => [row.jpos, row]))
}

/** Batches that were open when the last process ended: what is stored is taken as it is, the rest is refined again. */
async function recover(work: Work): Promise<void> {
  const batches = work.meta.openBatches().filter((batch) => batch.to > work.meta.cursor())
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
    takeStored(range, stored, rows)
    if (range.to !== batch.to)
      work.observe.error({ from: batch.from, to: batch.to, found: range.to }, 'the journal ends before an open batch')
    const first = deduplicate(range, work.memory, stored)
    const done = await store(work, batch, range, first, stored, true)
    // a power cut may have kept the rollups of rows that it took: they are counted anew from what is stored now
    for (const table of tablesToRecount(first, stored)) await settle(work, table, batch)
    await commit(work, batch, range, first, done, work.clock.now())
    const found = [...stored].map(([table, places]) => [table, places.size])
    work.observe.info(
      { from: batch.from, to: batch.to, stored: Object.fromEntries(found), refined: range.groups.length },
      'recovered an open batch',
    )
  }
}

/** Reads the memory of the last hour back; asks the store until it answers. */
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

/** Wakes everybody who waits for it. */
function createBell() {
  let waiting: (() => void)[] = []
  return {
    ring: () => {
      const all = waiting
      waiting = []
      for (const resolve of all) resolve()
    },
    rung: () => new Promise<void>((resolve) => void waiting.push(resolve)),
  }
}

/** Chains in the order of the journal: what is opened, what is deduplicated, and what is committed. */
type Order = { opened: Promise<void>; deduplicated: Promise<void>; committed: Promise<void> }

/** One batch from its range to its commit. Inserts of two batches overlap; opening, deduplicating and commits keep their order. */
async function runBatch(work: Work, from: number, begun: Promise<Begun>, order: Order): Promise<void> {
  const before = { ...order }
  const opened = Promise.withResolvers<void>()
  const deduplicated = Promise.withResolvers<void>()
  const committed = Promise.withResolvers<void>()
  order.opened = opened.promise
  order.deduplicated = deduplicated.promise
  order.committed = committed.promise
  for (const entry of [opened, deduplicated, committed]) entry.promise.catch(() => undefined)
  const beganMs = work.clock.now()
  try {
    const { to, done } = await begun
    // the numbers of batches are the order of their commits, and one may wait for room
    await before.opened
    if (to > from) {
      const batch = await withRetry(work, 'database', () => work.meta.openBatch(from, to))
      opened.resolve()
      const range = await done
      await before.deduplicated
      const kept = deduplicate(range, work.memory, nothingStored())
      deduplicated.resolve()
      const effects = await store(work, batch, range, kept, nothingStored())
      await before.committed
      await commit(work, batch, range, kept, effects, beganMs)
    } else {
      opened.resolve()
      await Promise.all([before.deduplicated, before.committed])
    }
    deduplicated.resolve()
    committed.resolve()
  } catch (error) {
    // a batch that can't be committed holds all that follow: their commits would leave a hole
    for (const entry of [opened, deduplicated, committed]) entry.reject(error)
    throw error
  }
}

/** The settings of a project, with what says that it has artifacts: workers ask for maps only then, and anew each day. */
function settingsOf(
  { meta, clock }: RefineDeps,
  maps: MapCache | undefined,
  projectId: number,
): ProjectSettings | undefined {
  const settings = meta.projectSettings(projectId)
  const state = settings && maps ? maps.stateOf(projectId) : ''
  if (!settings || !maps || !state) return settings
  const artifactNames = maps.presenceOf(projectId, state)
  const artifacts = `${state}-${Math.floor(clock.now() / dayMs)}`
  return { ...settings, artifacts, ...(artifactNames ? { artifactNames } : {}) }
}

const crewOf = (deps: RefineDeps, maps: MapCache | undefined, waits: Waits): WorkerPool =>
  createWorkerPool({
    full: (full) => (full ? waits.begin('files') : waits.end('files')),
    size: deps.workers,
    setup: deps.worker,
    observe: deps.observe,
    settingsOf: (id) => settingsOf(deps, maps, id),
    maps,
  })

/** A journal that ends below the cursor would be taken for refined, and what it holds skipped without a word. */
function checkPlace(deps: RefineDeps, durable: number): void {
  const cursor = deps.meta.cursor()
  if (durable >= cursor) return
  const detail =
    `The journal ends at position ${durable}, but all before ${cursor} is stored already: the folder "journal" was ` +
    'emptied or is an older copy. Put the one back that belongs to this data folder. If it is gone, write ' +
    `${segmentOf(cursor)} and a line break into the file "newest" in it and start again; what it held is lost.`
  deps.failed(new MishapError('START_JOURNAL_BEHIND', { detail }))
}

type LoopState = { durable: number; position: number; inFlight: number; draining: boolean; held: number }

/** Refines from `state.position` on until it is stopped; a batch that fails ends it. */
async function runLoop(work: Work, state: LoopState, bell: ReturnType<typeof createBell>): Promise<void> {
  const order: Order = { opened: Promise.resolve(), deduplicated: Promise.resolve(), committed: Promise.resolve() }

  function launch(from: number): Promise<Begun> {
    const begun = work.crew.begin({ from, durable: state.durable, recordsMax, bytesMax })
    state.inFlight++
    runBatch(work, from, begun, order)
      .catch((error: unknown) => {
        if (!work.stopped.signal.aborted) work.failed(error)
        work.stopped.abort()
      })
      .finally(() => {
        state.inFlight--
        bell.ring()
      })
    return begun
  }

  // Up to where nothing was found. A start begins a new, empty segment, so the journal's end is then beyond the last
  // record: asked for again at once, over and over, an idle product kept a core busy.
  let emptyTo = -1
  while (!work.stopped.signal.aborted && !state.draining) {
    const { durable, held, inFlight, position } = state
    if (held > 0 || position >= durable || durable === emptyTo || inFlight >= inFlightMax) {
      await bell.rung()
      continue
    }
    const { to, records } = await launch(position)
    if (to === position) emptyTo = durable
    state.position = to
    if (records < smallRecords) await work.clock.sleep(gatherMs, work.stopped.signal)
  }
}

/** Makes the loop; nothing runs before `start`. */
export function createRefine(deps: RefineDeps): Refine {
  const stopped = new AbortController()
  const { clock, observe, artifacts, blobs, worker } = deps
  const maps = artifacts && createMapCache({ clock, observe, meta: artifacts, blobs, blobFolder: worker.blobFolder })
  const waits = createWaits(clock)
  const crew = crewOf(deps, maps, waits)
  const remapper =
    maps && createRemapper({ clock, observe, maps, groupingOf: (id) => deps.meta.projectSettings(id)?.grouping })
  const totals: Totals = { batches: 0, records: 0, events: 0, ms: 0 }
  const work: Work = { ...deps, crew, stopped, totals, waits, memory: createMemory() }
  const bell = createBell()
  const reader = openJournalReader(deps.worker.journalFolder)
  const state: LoopState = { durable: 0, position: 0, inFlight: 0, draining: false, held: 0 }

  const drained = async () => {
    while (state.inFlight > 0) await bell.rung()
  }

  return {
    desk: maps,
    waiting: () => reader.count(deps.meta.cursor(), state.durable, waitingMax),
    advance: (durable) => {
      // once is enough: both only grow from here on
      if (state.durable === 0) checkPlace(deps, durable)
      state.durable = Math.max(state.durable, durable)
      bell.ring()
    },
    waitsFor: waits.oldest,
    totals: () => ({ ...totals }),
    mapAgain: async (projectId, rows) => {
      if (!remapper) throw new Error('no artifacts to map by')
      return remapper.run(projectId, rows)
    },
    start: async () => {
      await recover(work)
      state.position = deps.meta.cursor()
      deps.trim(state.position)
      runLoop(work, state, bell).catch((error: unknown) => {
        if (!stopped.signal.aborted) deps.failed(error)
      })
    },
    pause: async () => {
      state.held++
      await drained()
      let done = false
      return () => {
        if (!done) state.held--
        done = true
        bell.ring()
      }
    },
    stop: async (ms) => {
      state.draining = true
      bell.ring()
      await Promise.race([drained(), deps.clock.sleep(ms)])
      stopped.abort()
      bell.ring()
      reader.close()
      await crew.close()
      await remapper?.close()
      await maps?.close()
    },
  }
}
