import { systemClock } from '../../base/clock.ts'
import type { Lane } from '../../base/lane.ts'
import { faultOf } from '../../base/observe.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import { packDeadLetter } from '../../journal/dead-letter.ts'
import { openJournalReader } from '../../journal/files.ts'
import type { JournalRecord } from '../../journal/journal.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import { type BlobSource, openBlobs } from '../../store/blobs/open.ts'
import type { EventRow } from '../../store/events/events.ts'
import { isRowFile } from '../../store/events/row-file.ts'
import { type TableName, tables } from '../../store/events/tables.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import { type KindEffects, noEffects, type Refined, type RowGroup, type StoredPlaces } from '../kinds/kind.ts'
import type { MetricBuffers } from '../kinds/metric/memory.ts'
import { openDumps } from '../kinds/minidump/upload.ts'
import type { MapQuery } from '../symbolicate/frames.ts'
import type { MapAnswer } from '../symbolicate/map-cache.ts'
import { createWorkerMaps, type RangeMaps, type WaitBudget, type WorkerMaps } from '../symbolicate/maps.ts'
import { bulkLimits, cutToBodies, eventsLimits } from './batch-size.ts'
import { createTools, type Tools } from './context.ts'
import { deadLetterKey } from './dead-letters.ts'
import { createLineFiles, type LineFile } from './line-files.ts'
import { createLines, type Forms, type Lines } from './lines.ts'
import { addEffects, emptyRange, type KeyUse, type RangeGroup, type RangeJob, type RefinedRange } from './range.ts'
import { createReadBuffers } from './read-buffers.ts'
import { refineRecord } from './record.ts'
import { loggedRecords, outcomesOfDeadLetter, outcomesOfRecord } from './record-outcomes.ts'
import { shareSegments } from './shared-segments.ts'
import { waitingBlobs } from './waiting-blobs.ts'

export type ToWorker =
  | ({ kind: 'range' } & RangeJob)
  | { kind: 'settings'; job: number; settings: ProjectSettings[] }
  | { kind: 'maps'; ask: number; answers: MapAnswer[] }
export type FromWorker =
  | { kind: 'ask'; ask: number; projectId: number; queries: MapQuery[]; waitMs: number }
  /** `hasTotals`: whether it may have points of cumulative streams. */
  | { kind: 'found'; job: number; to: number; projectIds: number[]; records: number; hasTotals: boolean }
  | { kind: 'done'; range: RefinedRange }
  | { kind: 'failed'; job: number; reason: string }
  /** The blob store accepts no writes (`full: true`: its disk is full, or it is away) or accepts them again. */
  | { kind: 'full'; full: boolean }

/**
 * `rowsPrefix`: start of the paths of files for rows; without it rows stay in memory. `file`: the script that the thread
 * runs instead of `thread.ts`. Tests set it. `metrics`: memory that all threads share.
 */
export type WorkerSetup = {
  journalFolder: string
  blobSource: BlobSource
  rowsPrefix?: string
  file?: string
  metrics?: MetricBuffers
}

/** Adds the counts of ingest itself: refusals and key uses, summed once a second. */
function addOutcomes(record: JournalRecord, into: RefinedRange): void {
  const value: unknown = JSON.parse(record.body.toString('utf8'))
  const { outcomes = [], uses = [] } = value as { outcomes?: OutcomeCount[]; uses?: KeyUse[] }
  into.outcomes.push(...outcomes)
  const refused = outcomes.reduce(
    (sum, outcome) => sum + (outcome.outcome === 'client_discard' ? 0 : outcome.quantity),
    0,
  )
  if (refused > 0) into.outcomes.push(receivedCount(0, 0, 'refused', refused, 0))
  into.uses.push(...uses)
}

/** The ledger's `received` entry of a record: how many items it contained. */
export const receivedCount = (
  projectId: number,
  keyId: number,
  itemType: string,
  quantity: number,
  bytes: number,
): OutcomeCount => ({
  projectId,
  keyId,
  category: 'default',
  outcome: 'received',
  reason: 'ok',
  itemType,
  quantity,
  bytes,
})

/** Queries do not depend on mapped frames, so one retry finds every map. The third try is for evicted maps. */
const mapTriesMax = 3
/** Time that a range waits for unread maps, in ms. After that its events stay unmapped. */
const mapWaitMs = 3000

/** The lines of each table that has rows in this range. A table gets memory when its first row arrives. */
type RangeLines = {
  of(table: TableName): Lines
  sizes(): Map<TableName, number>
  cut(sizes: Map<TableName, number>): void
}

/** `create` makes the lines of a table. */
function createRangeLines(create: (table: TableName) => Lines): RangeLines & { all: Map<TableName, Lines> } {
  const all = new Map<TableName, Lines>()
  return {
    all,
    of: (table) => {
      const lines = all.get(table) ?? create(table)
      all.set(table, lines)
      return lines
    },
    sizes: () => new Map([...all].map(([table, lines]) => [table, lines.size])),
    cut: (sizes) => {
      for (const [table, lines] of all) lines.cut(sizes.get(table) ?? 0)
    },
  }
}

/** Encodes the rows of a group into the lines of their table. */
function encodeGroup({ rows, forms, ...group }: RowGroup & { forms?: Forms }, all: RangeLines): RangeGroup {
  const lines = all.of(group.table)
  const from = lines.size
  // The rows and the table belong to one group. The type of a list of groups cannot express that.
  const { encode } = tables[group.table] as { encode(row: unknown): string }
  for (const row of rows)
    if (forms) lines.write(row as EventRow, forms)
    else lines.append(encode(row))
  return { ...group, from, to: lines.size }
}

async function processRecord(
  record: JournalRecord,
  settings: ProjectSettings,
  blobs: BlobStore,
  tools: Tools,
  into: RefinedRange,
  lines: RangeLines,
  maps: RangeMaps | undefined,
  stored: StoredPlaces | undefined,
): Promise<Refined | undefined> {
  if (record.head.kind === 'outcomes') {
    addOutcomes(record, into)
    return undefined
  }
  let body = record.body
  if (record.head.spool) {
    into.spools.push(record.head.spool.key)
    const found = await blobs.get(record.head.spool.key)
    if (!found) throw new Error('the spooled body is gone')
    body = found
  }
  const dumps = await openDumps(record.head, body)
  let refined = refineRecord(record, body, settings, tools, dumps, maps, stored)
  // Some maps were not loaded yet. The record is refined again, without what it said of totals. Most need one repeat.
  for (let tries = 0; maps?.missing() && tries < mapTriesMax; tries++) {
    await maps.load()
    tools.metrics.streams.endRecord(false)
    refined = refineRecord(record, body, settings, tools, dumps, maps, stored)
  }
  // Each retry starts a new stream, because writes are repeated while the disk is full.
  for (const { row, bytes, chunks } of refined.attachments)
    if (chunks)
      await blobs.putStream(row.blobKey, { [Symbol.asyncIterator]: () => chunks()[Symbol.asyncIterator]() }, row.bytes)
    else await blobs.put(row.blobKey, bytes)
  for (const group of refined.groups) into.groups.push(encodeGroup(group, lines))
  for (const { row, outcome } of refined.attachments) {
    into.effects.attachments.push(row)
    into.outcomes.push(outcome)
  }
  addEffects<KindEffects>(into.effects, refined.effects)
  into.outcomes.push(...refined.outcomes)
  const { projectId, keyId, kind } = record.head
  into.outcomes.push(receivedCount(projectId, keyId, kind, refined.received, body.length))
  return refined
}

/** The outcomes of everything that would be stored. */
const storedOutcomes = ({ groups, attachments, effects }: Refined): OutcomeCount[] => [
  ...groups.flatMap(({ outcomes }) => outcomes),
  ...[...attachments, ...effects.feedback].map(({ outcome }) => outcome),
]

/** Processes a record of a deleted project: counts each of its items as discarded and stores nothing. */
async function processRemoved(
  record: JournalRecord,
  blobs: BlobStore,
  tools: Tools,
  into: RefinedRange,
): Promise<Refined> {
  const { spool, projectId, keyId, kind } = record.head
  if (spool) into.spools.push(spool.key)
  const body = spool ? ((await blobs.get(spool.key)) ?? Buffer.alloc(0)) : record.body
  const refined = refineRecord(record, body, noSettings, tools)
  const ends = storedOutcomes(refined).map(
    (outcome): OutcomeCount => ({ ...outcome, outcome: 'filtered', reason: 'discarded' }),
  )
  const discarded: Refined = {
    groups: [],
    effects: noEffects(),
    attachments: [],
    outcomes: [...ends, ...refined.outcomes],
    received: refined.received,
  }
  into.outcomes.push(...discarded.outcomes, receivedCount(projectId, keyId, kind, discarded.received, body.length))
  return discarded
}

/** Stores a failed record whole as a dead letter, for inspection and replay. Returns the size of its body in bytes. */
async function bury(record: JournalRecord, error: unknown, blobs: BlobStore, into: RefinedRange): Promise<number> {
  const { head } = record
  const blobKey = deadLetterKey(record.jpos)
  const body = head.spool ? ((await blobs.get(head.spool.key)) ?? Buffer.alloc(0)) : record.body
  await blobs.put(blobKey, packDeadLetter(head, body))
  const reason = faultOf(error)
  into.dead.push({
    jpos: record.jpos,
    projectId: head.projectId,
    keyId: head.keyId,
    receivedMs: head.receivedMs,
    reason,
    bytes: body.length,
    blobKey,
  })
  const count = {
    projectId: head.projectId,
    keyId: head.keyId,
    category: 'default',
    outcome: 'dead',
    reason: 'failed',
    itemType: head.kind,
    quantity: 1,
    bytes: body.length,
  } as const
  into.outcomes.push(count, receivedCount(head.projectId, head.keyId, head.kind, 1, body.length))
  return body.length
}

/**
 * Leaves out a failed record that already has stored rows: replaying it as a dead letter would store them twice.
 * Recovery uses the stored rows instead. Returns false if no row of the record is stored.
 */
function addStoredRecord(
  stored: StoredPlaces | undefined,
  { jpos: from, end: to, head, body }: JournalRecord,
  into: RefinedRange,
): boolean {
  const within = (jpos: number) => jpos >= from && jpos < to
  if (![...(stored?.values() ?? [])].some((places) => [...places.keys()].some(within))) return false
  into.storedRecords.push({
    from,
    to,
    projectId: head.projectId,
    keyId: head.keyId,
    kind: head.kind,
    bytes: body.length,
  })
  return true
}

/** Refines the records of one range into rows and effects. When it resolves, all blobs are on disk. */
export async function refineRange(
  job: RangeJob,
  records: JournalRecord[],
  to: number,
  settings: ProjectSettings[],
  blobs: BlobStore,
  { metrics, ...caches }: Tools,
  maps?: WorkerMaps,
  fileOf?: (job: number, table: TableName) => LineFile | undefined,
  turn?: Turn,
): Promise<RefinedRange> {
  const range = emptyRange(job, to)
  // Ranges of two lanes can run in turns on one thread.
  const streams = metrics.shared.beginRange()
  const tools: Tools = { ...caches, metrics: { ...metrics, streams } }
  const mapsOf = rangeMaps(maps)
  const bodyBytes = records.reduce((sum, record) => sum + record.body.length, 0)
  const lines = createRangeLines((table) =>
    createLines(
      bodyBytes * (tools.lineBytes.get(table) ?? bytesPerBodyByte) + records.length * 1024,
      fileOf?.(job.job, table),
    ),
  )
  const byProject = new Map(settings.map((setting) => [setting.projectId, setting]))
  const logged = loggedRecords(records)
  for (const record of records) {
    await turn?.()
    const projectSettings = byProject.get(record.head.projectId)
    const before = { sizes: lines.sizes(), groups: range.groups.length }
    if (record.head.again) range.again.push(record.head.again)
    try {
      if (job.quarantineReason !== undefined) throw new Error(job.quarantineReason)
      if (record.head.kind !== 'outcomes' && !projectSettings) throw new Error('the project is gone')
      const refined = projectSettings?.removed
        ? await processRemoved(record, blobs, tools, range)
        : await processRecord(
            record,
            projectSettings ?? noSettings,
            blobs,
            tools,
            range,
            lines,
            mapsOf(projectSettings),
            job.stored,
          )
      if (refined && logged.has(record)) range.ends.push(outcomesOfRecord(record, refined))
      streams.endRecord(true)
    } catch (error) {
      streams.endRecord(false)
      // Refining is deterministic, so a retry would fail the same way. The record goes straight to the dead letters.
      lines.cut(before.sizes)
      range.groups.length = before.groups
      if (addStoredRecord(job.stored, record, range)) continue
      const bytes = await bury(record, error, blobs, range)
      if (logged.has(record)) range.ends.push(outcomesOfDeadLetter(record, bytes))
    }
  }
  for (const [table, all] of lines.all) {
    if (bodyBytes >= largeBytes) tools.lineBytes.set(table, (all.size / bodyBytes) * 1.1)
    range.lines.set(table, all.take())
  }
  range.totals = streams.totals()
  range.outcomes = summed(range.outcomes)
  range.records = records.length
  return range
}

/** Returns the map source of a project, one per range; undefined if the project has no uploads. */
function rangeMaps(maps: WorkerMaps | undefined): (settings: ProjectSettings | undefined) => RangeMaps | undefined {
  const budget: WaitBudget = { leftMs: mapWaitMs }
  const byProject = new Map<number, RangeMaps>()
  return (settings) => {
    if (!maps || !settings?.artifacts) return undefined
    const { projectId, artifacts, artifactNames } = settings
    const found = byProject.get(projectId) ?? maps.of(projectId, artifacts, budget, artifactNames)
    byProject.set(projectId, found)
    return found
  }
}

/** Sums up equal outcomes: each object costs 4 us on its way to the main thread. */
function summed(outcomes: OutcomeCount[]): OutcomeCount[] {
  const sums = new Map<string, OutcomeCount>()
  for (const outcome of outcomes) {
    const key = `${outcome.projectId} ${outcome.keyId} ${outcome.category} ${outcome.outcome} ${outcome.reason} ${outcome.itemType}`
    const sum = sums.get(key)
    if (sum) {
      sum.quantity += outcome.quantity
      sum.bytes += outcome.bytes
    } else sums.set(key, { ...outcome })
  }
  return [...sums.values()]
}

/**
 * Two JSON forms and the columns, measured with bodies of 2 and 12 kB. The buffer grows if that is too small. Buffers that
 * grow or stay half empty make V8 collect the heap more often, so later ranges use what the last large one needed.
 */
const bytesPerBodyByte = 2.5
const largeBytes = 256 * 1024

const noSettings: ProjectSettings = {
  projectId: 0,
  organizationId: 0,
  scrubDefaults: true,
  scrubIpAddresses: false,
  sensitiveFields: [],
  safeFields: [],
}

/** A reader with memory of its own. */
function createLaneReader(folder: string, bufferBytes: number) {
  const buffers = createReadBuffers(bufferBytes)
  return { buffers, reader: openJournalReader(folder, { allocate: buffers.take }) }
}

/** How long bulk data keeps a worker from events, ms. One record is 1 to 50 ms. A turn costs 0.05 ms. */
const turnMs = 5

/** Returns a function that lets the worker receive messages when the last time is `turnMs` ago. */
function createTurns(): Turn {
  let lastMs = systemClock.now()
  return () => {
    const nowMs = systemClock.now()
    // The absolute difference: the clock can be set back.
    if (Math.abs(nowMs - lastMs) < turnMs) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        lastMs = systemClock.now()
        resolve()
      }),
    )
  }
}

/** A function that a range calls between its records. */
type Turn = () => Promise<void> | undefined

/**
 * Creates the order of ranges. Bulk ranges run one after the other: in turns, both would be late. Between their records
 * they give way to a range of events, which runs to its end.
 */
function createRangeOrder() {
  let bulk: Promise<unknown> = Promise.resolve()
  const turn = createTurns()
  return <T>(lane: Lane, run: (turn?: Turn) => Promise<T>): Promise<T> => {
    if (lane !== 'bulk') return run()
    const result = bulk.then(() => run(turn))
    bulk = result.catch(() => undefined)
    return result
  }
}

/** Runs a worker thread until its port closes. Tests pass a `refine` of their own. */
export function work(
  setup: WorkerSetup,
  post: (message: FromWorker, transfer?: ArrayBuffer[]) => void,
  listen: (listener: (message: ToWorker) => void) => void,
  refine: typeof refineRange = refineRange,
): void {
  // One for each lane: a small read of events would give up the memory that the next bulk read needs.
  const readers = {
    events: createLaneReader(setup.journalFolder, eventsLimits.bytesMax),
    bulk: createLaneReader(setup.journalFolder, bulkLimits.bytesMax),
  }
  const blobs = waitingBlobs(openBlobs(setup.blobSource), (full) => post({ kind: 'full', full }))
  const tools = createTools(setup.metrics)
  const fileOf = setup.rowsPrefix === undefined ? undefined : createLineFiles(setup.rowsPrefix)
  const shared = shareSegments(tools.segments, setup.journalFolder)
  const open = new Map<number, { job: RangeJob; records: JournalRecord[]; to: number; memory: Buffer[] }>()
  const pending = new Map<number, (answers: MapAnswer[]) => void>()
  let requestCount = 0
  const requestMaps = (projectId: number, queries: MapQuery[], waitMs: number) =>
    new Promise<MapAnswer[]>((resolve) => {
      pending.set(++requestCount, resolve)
      post({ kind: 'ask', ask: requestCount, projectId, queries, waitMs })
    })
  const maps = createWorkerMaps(requestMaps, systemClock.now)
  const inOrder = createRangeOrder()
  listen((message) => {
    if (message.kind === 'maps') {
      pending.get(message.ask)?.(message.answers)
      pending.delete(message.ask)
      return
    }
    if (message.kind === 'range') {
      const { reader, buffers } = readers[message.lane]
      const { records, next } = cutToBodies(
        reader.read(message.from, message.durable, message.recordsMax, message.bytesMax, message.lane),
        message.bytesMax,
      )
      open.set(message.job, { job: message, records, to: next, memory: buffers.taken() })
      const projectIds = [...new Set(records.map((record) => record.head.projectId))]
      const hasTotals = records.some(({ head }) => head.kind === 'otlp_metrics')
      return post({ kind: 'found', job: message.job, to: next, projectIds, records: records.length, hasTotals })
    }
    const entry = open.get(message.job)
    open.delete(message.job)
    if (!entry) return
    const { job, records, to } = entry
    inOrder(job.lane, (turn) => refine(job, records, to, message.settings, blobs, tools, maps, fileOf, turn))
      .then(
        (range) => {
          shared.send()
          post({ kind: 'done', range }, [
            ...[...range.lines.values()].flatMap((rows) => (isRowFile(rows) ? [] : (rows.buffer as ArrayBuffer))),
            ...(range.totals ? [range.totals.buffer] : []),
          ])
        },
        (error: unknown) => post({ kind: 'failed', job: message.job, reason: faultOf(error) }),
      )
      .finally(() => readers[job.lane].buffers.give(entry.memory))
  })
}
