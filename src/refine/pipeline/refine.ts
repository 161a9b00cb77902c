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
import { transactionKey } from '../kinds/span/spans.ts'
import { createMapCache, type MapCache, type MapCacheDeps } from '../symbolicate/map-cache.ts'
import { endTrial, readTrial, type Trial, writeTrial } from './crash-guard.ts'
import { createSeen } from './dedup-window.ts'
import { effectOf } from './record.ts'
import { settledEnds } from './record-outcomes.ts'
import { createRemapper, type Remapper } from './reprocess-rows.ts'
import { createWaits, patiently, type Wait, type Waits } from './retry.ts'
import { type Memory, nothingStored, type Sifted, type Stored, settleSurely, sift, store } from './store-events.ts'
import { settleSpansSurely } from './store-spans.ts'
import { joined, type KeyUse, type RefinedRange, receivedCount, type WorkerSetup } from './worker.ts'
import { type Begun, type Crew, createCrew } from './worker-pool.ts'

/** Records of one batch: 500 rows of 14 kB are 7 MB, and larger batches gained nothing in the prototype. */
const recordsMax = 1000
const bytesMax = 8 * 1024 * 1024
/** Two batches in flight beat one by 38%. */
const inFlightMax = 2
/** A batch smaller than this waits a little for more: each insert is a part that the engine has to merge. */
const smallRecords = 200
const gatherMs = 150
const waitingMax = 5000
const seenMs = 3_600_000
/** 3 minutes at 4,000 events/s, an hour at 200; a table of it is 16 MB. An SDK that got no answer sends again in seconds. */
const seenMax = 750_000
const dayMs = 86_400_000
/** Read back at start; a million rows would hold the start up for seconds. */
const seenAtStart = 200_000
/** As many as arrive in an hour at ten times the rate of a small machine; a table of it is 8 MB. */
const transactionsMax = 200_000
const transactionsAtStart = 50_000
/** Span items: an SDK sends one every some seconds, whatever its spans. Nothing of them is read back at start. */
const spanItemsMax = 200_000
const createMemory = (): Memory => ({
  seen: createSeen(seenMs, seenMax),
  transactions: createSeen(seenMs, transactionsMax),
  spanItems: createSeen(seenMs, spanItemsMax),
})

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

type Work = RefineDeps & Memory & { crew: Crew; stopped: AbortController; totals: Totals; waits: Waits }

async function commit(
  work: Work,
  batch: Batch,
  range: RefinedRange,
  sifted: Sifted,
  effects: BatchEffects,
  beganMs: number,
): Promise<void> {
  const result = await patiently(work, 'database', () => work.meta.commitBatch(batch, effects, work.clock.now()))
  if (range.uses.length > 0) await patiently(work, 'database', () => work.meta.touchKeys(range.uses))
  work.trim(batch.to)
  for (const key of range.spools) work.blobs.delete(key).catch(() => undefined)
  for (const { blobKey } of range.again) work.blobs.delete(blobKey).catch(() => undefined)
  work.totals.batches++
  work.totals.records += range.records
  work.totals.events += effects.events.length
  work.totals.ms += Math.max(0, work.clock.now() - beganMs)
  if (range.ends.length > 0) work.ended?.(settledEnds(range.ends, effects, sifted.spans))
  if (result.issues.length > 0) work.committed(result)
}

/** Batches that were open when the last process ended: what stands is taken as it is, the rest is refined again. */
async function recover(work: Work): Promise<void> {
  const open = work.meta.openBatches().filter((batch) => batch.to > work.meta.cursor())
  const standing = new Map<Batch, EventRow[]>()
  const spans = new Map<Batch, Stored['spans']>()
  for (const batch of open) {
    standing.set(batch, await settleSurely(work, batch))
    spans.set(batch, await settleSpansSurely(work, batch))
  }
  await remember(work)
  for (const rows of standing.values()) for (const row of rows) work.seen.forget(row.projectId, row.eventId)
  for (const batch of open) {
    const rows = new Map((standing.get(batch) ?? []).map((row) => [row.jpos, row]))
    const stored: Stored = { events: new Set(rows.keys()), spans: spans.get(batch) ?? new Map() }
    const range = await refineAgain(work, batch, stored)
    takeKept(range, stored, rows)
    if (range.to !== batch.to)
      work.observe.error({ from: batch.from, to: batch.to, found: range.to }, 'the journal ends before an open batch')
    for (const event of range.events) {
      const row = rows.get(event.effect.jpos)
      if (row) event.effect = effectOf(row, event.effect.keyId)
    }
    const sifted = sift(range, work, stored)
    const done = await store(work, batch, range, sifted, stored, true)
    // a power cut may have kept the rollups of rows that it took: they are counted anew from what stands now
    if (sifted.tsv.length > 0) await settleSurely(work, batch)
    await commit(work, batch, range, sifted, done, work.clock.now())
    work.observe.info(
      { from: batch.from, to: batch.to, standing: rows.size, spansOf: stored.spans.size, refined: range.events.length },
      'recovered an open batch',
    )
  }
}

/** What stands of records that could not be refined again counts as stored, as it was when it was refined first. */
function takeKept(range: RefinedRange, stored: Stored, rows: ReadonlyMap<number, EventRow>): void {
  for (const { from, to, projectId, keyId, kind, bytes } of range.kept) {
    const end = { projectId, keyId, outcome: 'stored', reason: 'ok', itemType: kind, bytes } as const
    const within = (jpos: number) => jpos >= from && jpos < to
    const events = [...rows.values()].filter((row) => within(row.jpos))
    const spans = [...stored.spans].flatMap(([jpos, places]) => (within(jpos) ? [...places] : [])).length
    for (const row of events) {
      const outcome = { ...end, category: 'error', quantity: 1 } as const
      range.events.push({ effect: effectOf(row, keyId), outcome, tsvFrom: 0, tsvTo: 0, index: row.jpos - from })
    }
    if (spans > 0) range.outcomes.push({ ...end, category: 'span', quantity: spans })
    range.outcomes.push(receivedCount(projectId, keyId, kind, events.length + spans, bytes))
  }
}

/** Recoveries of one batch that ended the process before its records are refined one by one, and trials of one alone. */
const trialsMax = 2

/**
 * The records of an open batch once more. One of them may be why the process ended: when it does so again and again,
 * they are refined one at a time, and the one that still ends it is kept as a dead item.
 */
async function refineAgain(work: Work, { from, to }: Batch, stored: Stored): Promise<RefinedRange> {
  const folder = work.worker.journalFolder
  const trial = readTrial(folder, from, to)
  const next: Trial = { ...trial, tries: trial.tries + 1 }
  await patiently(work, 'files', () => writeTrial(folder, next))
  const standing = { events: stored.events, spans: new Set(stored.spans.keys()) }
  const whole = { from, durable: to, recordsMax: 1e9, bytesMax: 1e12, standing }
  if (trial.tries < trialsMax) {
    const range = await work.crew.refine(whole)
    // it came through: what fails from here on is no record's fault
    endTrial(folder)
    return range
  }
  work.observe.warn({ from, to, tries: trial.tries }, 'an open batch is recovered record by record')
  const ranges: RefinedRange[] = []
  for (let at = from; at < to; ) {
    const atTries = trial.at === at ? (trial.atTries ?? 0) : 0
    const entry = { ...next, at, atTries: atTries + 1 }
    await patiently(work, 'files', () => writeTrial(folder, entry))
    const bury = atTries >= trialsMax ? { bury: 'the process ended on it' } : {}
    const range = await work.crew.refine({ ...whole, from: at, recordsMax: 1, ...bury })
    if (range.to <= at) break
    ranges.push(range)
    at = range.to
  }
  endTrial(folder)
  return joined(ranges, from)
}

/** The memory of the last hour, from the store. */
async function remember(work: Work): Promise<void> {
  for (;;) {
    try {
      const sinceMs = work.clock.now() - seenMs
      for (const { projectId, eventId } of await work.events.recentIds(sinceMs, seenAtStart))
        work.seen.add(projectId, eventId, work.clock.now())
      for (const recentTransaction of await work.events.recentTransactions(sinceMs, transactionsAtStart))
        work.transactions.add(recentTransaction.projectId, transactionKey(recentTransaction), work.clock.now())
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

/** Chains in the order of the journal: what is opened, what is sifted, and what is committed. */
type Order = { opened: Promise<void>; sifted: Promise<void>; committed: Promise<void> }

/** One batch from its range to its commit. Inserts of two batches overlap; opening, sifting and commits keep their order. */
async function runBatch(work: Work, from: number, begun: Promise<Begun>, order: Order): Promise<void> {
  const before = { ...order }
  const opened = Promise.withResolvers<void>()
  const sifted = Promise.withResolvers<void>()
  const committed = Promise.withResolvers<void>()
  order.opened = opened.promise
  order.sifted = sifted.promise
  order.committed = committed.promise
  for (const entry of [opened, sifted, committed]) entry.promise.catch(() => undefined)
  const beganMs = work.clock.now()
  try {
    const { to, done } = await begun
    // the numbers of batches are the order of their commits, and one may wait for room
    await before.opened
    if (to > from) {
      const batch = await patiently(work, 'database', () => work.meta.openBatch(from, to))
      opened.resolve()
      const range = await done
      await before.sifted
      const kept = sift(range, work, nothingStored)
      sifted.resolve()
      const effects = await store(work, batch, range, kept, nothingStored)
      await before.committed
      await commit(work, batch, range, kept, effects, beganMs)
    } else {
      opened.resolve()
      await Promise.all([before.sifted, before.committed])
    }
    sifted.resolve()
    committed.resolve()
  } catch (error) {
    // a batch that can't be committed holds all that follow: their commits would leave a hole
    for (const entry of [opened, sifted, committed]) entry.reject(error)
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

const crewOf = (deps: RefineDeps, maps: MapCache | undefined, waits: Waits): Crew =>
  createCrew({
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
  const order: Order = { opened: Promise.resolve(), sifted: Promise.resolve(), committed: Promise.resolve() }

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
  const work: Work = { ...deps, crew, stopped, totals, waits, ...createMemory() }
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
