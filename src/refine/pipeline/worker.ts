import { systemClock } from '../../base/clock.ts'
import { faultOf } from '../../base/observe.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import { packDead } from '../../journal/dead-letter.ts'
import { openJournalReader } from '../../journal/files.ts'
import type { DeadAgain, JournalRecord, RecordHead } from '../../journal/journal.ts'
import type { RecordEnd } from '../../journal/request-log.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import { openFileBlobs } from '../../store/blobs/files.ts'
import { encodeSpanRow } from '../../store/events/encode-span.ts'
import type { FeedbackEffect } from '../../store/meta/issues/feedback.ts'
import type { AttachmentRow, DeadLetter, EventEffect, ProjectSettings } from '../../store/meta/meta.ts'
import type { FilteredEvent } from '../../store/meta/projects/inbound-filters.ts'
import { itemKind } from '../../wire/item-types.ts'
import { openDumps } from '../kinds/minidump/upload.ts'
import type { RefinedSpans } from '../kinds/span/spans.ts'
import type { MapQuery } from '../symbolicate/frames.ts'
import type { MapAnswer } from '../symbolicate/map-cache.ts'
import { createWorkerMaps, type RangeMaps, type WaitBudget, type WorkerMaps } from '../symbolicate/maps.ts'
import { createTools, type Tools } from './context.ts'
import { deadKey } from './dead-letters.ts'
import { createLines, type Lines } from './lines.ts'
import { type Refined, refineRecord, type Standing } from './record.ts'
import { endOfDead, endOfRecord, toldOf } from './record-outcomes.ts'
import { waitingBlobs } from './waiting-blobs.ts'

/** A range of the journal to refine; `to` is known in a recovery or a retry, else the worker finds it. */
export type RangeJob = {
  job: number
  from: number
  durable: number
  recordsMax: number
  bytesMax: number
  /** The records are not refined but kept as dead items, for this reason: they ended a worker. */
  bury?: string
  /** In a recovery: positions whose rows are stored already. */
  standing?: Standing | undefined
}

/** One event of a batch: its effect, what it counts as, and where its row stands in the batch's TSV (bytes). */
type RefinedEvent = {
  effect: EventEffect
  outcome: OutcomeCount
  tsvFrom: number
  tsvTo: number
  /** Which event of its record it is; the record stands at `effect.jpos - index`. */
  index: number
}

/** The spans of one item of a batch: what they count as, and where their rows stand in the batch's span lines (bytes). */
export type RangeSpans = Pick<RefinedSpans, 'item' | 'key' | 'index'> & {
  projectId: number
  /** Their record's position, and the place of the first one there; the others follow it. */
  jpos: number
  firstPlace: number
  receivedMs: number
  outcomes: OutcomeCount[]
  tsvFrom: number
  tsvTo: number
}

/** When accept saw a project key last. */
export type KeyUse = { keyId: number; atMs: number; refusedCode: string | null }

/** What a worker makes of a range. `tsv` holds the rows of all events, in order. */
export type RefinedRange = {
  job: number
  from: number
  to: number
  tsv: Uint8Array<ArrayBuffer>
  events: RefinedEvent[]
  /** Rows of all spans, in order. */
  spanTsv: Uint8Array<ArrayBuffer>
  spans: RangeSpans[]
  attachments: AttachmentRow[]
  feedback: FeedbackEffect[]
  samples: FilteredEvent[]
  /** Records that could not be refined though rows of theirs stand (positions `from` to `to`). */
  kept: { from: number; to: number; projectId: number; keyId: number; kind: RecordHead['kind']; bytes: number }[]
  outcomes: OutcomeCount[]
  uses: KeyUse[]
  dead: DeadLetter[]
  /** Dead items that came again as records of this range. */
  again: DeadAgain[]
  /** How the newest records of each key ended, for the ingest debugger. */
  ends: RecordEnd[]
  /** Keys of bodies that lay outside the journal; deleted after the commit. */
  spools: string[]
  records: number
}

export type ToWorker =
  | ({ kind: 'range' } & RangeJob)
  | { kind: 'settings'; job: number; settings: ProjectSettings[] }
  | { kind: 'maps'; ask: number; answers: MapAnswer[] }
export type FromWorker =
  | { kind: 'ask'; ask: number; projectId: number; queries: MapQuery[]; waitMs: number }
  | { kind: 'found'; job: number; to: number; projectIds: number[]; records: number }
  | { kind: 'done'; range: RefinedRange }
  | { kind: 'failed'; job: number; reason: string }
  /** The disk of the blobs takes nothing, or does again. */
  | { kind: 'full'; full: boolean }

/** `file`: what the thread runs instead of `thread.ts`; tests have their own. */
export type WorkerSetup = { journalFolder: string; blobFolder: string; file?: string }

/** Ranges that follow each other as one. */
export function joined(ranges: readonly RefinedRange[], from: number): RefinedRange {
  const last = ranges.at(-1)
  const out = emptyRange({ job: 0, from }, last?.to ?? from)
  const [tsv, spanTsv] = [concat(ranges.map((range) => range.tsv)), concat(ranges.map((range) => range.spanTsv))]
  let [at, spansAt] = [0, 0]
  for (const range of ranges) {
    for (const event of range.events) out.events.push(movedBy(event, at))
    for (const span of range.spans) out.spans.push(movedBy(span, spansAt))
    for (const attachment of range.attachments) out.attachments.push(attachment)
    for (const outcome of range.outcomes) out.outcomes.push(outcome)
    out.feedback.push(...range.feedback)
    out.samples.push(...range.samples)
    out.kept.push(...range.kept)
    out.uses.push(...range.uses)
    out.dead.push(...range.dead)
    out.again.push(...range.again)
    out.ends.push(...range.ends)
    out.spools.push(...range.spools)
    out.records += range.records
    at += range.tsv.length
    spansAt += range.spanTsv.length
  }
  return { ...out, tsv, spanTsv }
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

const movedBy = <T extends { tsvFrom: number; tsvTo: number }>(entry: T, bytes: number): T => ({
  ...entry,
  tsvFrom: entry.tsvFrom + bytes,
  tsvTo: entry.tsvTo + bytes,
})

const emptyRange = (job: { job: number; from: number }, to: number): RefinedRange => ({
  job: job.job,
  from: job.from,
  to,
  tsv: new Uint8Array(0),
  events: [],
  spanTsv: new Uint8Array(0),
  spans: [],
  attachments: [],
  feedback: [],
  samples: [],
  kept: [],
  outcomes: [],
  uses: [],
  dead: [],
  again: [],
  ends: [],
  spools: [],
  records: 0,
})

/** Takes what accept itself counted: refusals and key uses, summed once a second. */
function takeOutcomes(record: JournalRecord, into: RefinedRange): void {
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

/**
 * How many items a record brought, from its framing alone: the figure that the items' ends are held against.
 * Only an envelope has a framing of its own; of the other kinds every end counts as one received.
 */
function receivedOf({ items, events, attachments, feedback, spans, outcomes }: Refined): number {
  const endsOf = (counted: OutcomeCount[]) =>
    counted.reduce((sum, entry) => sum + (entry.outcome === 'client_discard' ? 0 : entry.quantity), 0)
  const ends = [
    ...[...events, ...attachments, ...feedback].map((event) => event.outcome),
    ...spans.flatMap((span) => span.outcomes),
    ...outcomes,
  ]
  if (items === undefined) return endsOf(ends)
  // a browser puts several reports into one item, an SDK its spans and logs, and each ends for itself
  let more = 0
  for (const type of new Set(items.filter((type) => itemKind(type).holdsMany))) {
    const lists = items.filter((entry) => entry === type).length
    more += Math.max(0, endsOf(ends.filter((end) => end.itemType === type)) - lists)
  }
  // and a transaction ends beside its spans
  return items.length + more + endsOf(ends.filter((end) => end.category === 'span' && end.itemType !== 'span'))
}

/** The ledger's first line of a record: how many items it came with. */
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

/** The caller's frames decide nothing about what is asked, so a second look finds all; a third is for a map that was pushed out. */
const mapTriesMax = 3
/** ms that a range waits for maps which nobody has read yet; their events go unmapped after that. */
const mapWaitMs = 3000

/** Rows of a batch, as bytes. */
type BatchLines = { events: Lines; spans: Lines }

function spansOf({ rows, ...one }: RefinedSpans, { jpos, head }: JournalRecord, lines: Lines): RangeSpans {
  const tsvFrom = lines.size
  for (const row of rows) lines.append(encodeSpanRow(row))
  const { projectId, receivedMs } = head
  const firstPlace = rows[0]?.place ?? 0
  return { ...one, projectId, jpos, firstPlace, receivedMs, tsvFrom, tsvTo: lines.size }
}

async function takeRecord(
  record: JournalRecord,
  settings: ProjectSettings,
  blobs: BlobStore,
  tools: Tools,
  into: RefinedRange,
  lines: BatchLines,
  maps: RangeMaps | undefined,
  standing: Standing | undefined,
): Promise<Refined | undefined> {
  if (record.head.kind === 'outcomes') {
    takeOutcomes(record, into)
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
  let refined = refineRecord(record, body, settings, tools, dumps, maps, standing)
  // a map that was not known yet: refining is pure, so it is done again with it; nearly all records need it once
  for (let tries = 0; maps?.missing() && tries < mapTriesMax; tries++) {
    await maps.load()
    refined = refineRecord(record, body, settings, tools, dumps, maps, standing)
  }
  // begun anew each time that it is asked for: a full disk is waited for
  for (const { row, bytes, pieces } of refined.attachments)
    if (pieces)
      await blobs.putStream(row.blobKey, { [Symbol.asyncIterator]: () => pieces()[Symbol.asyncIterator]() }, row.bytes)
    else await blobs.put(row.blobKey, bytes)
  for (const { row, forms, effect, outcome, index } of refined.events) {
    const tsvFrom = lines.events.size
    lines.events.write(row, forms)
    into.events.push({ effect, outcome, tsvFrom, tsvTo: lines.events.size, index })
  }
  for (const span of refined.spans) into.spans.push(spansOf(span, record, lines.spans))
  for (const { row, outcome } of refined.attachments) {
    into.attachments.push(row)
    into.outcomes.push(outcome)
  }
  into.feedback.push(...refined.feedback)
  into.samples.push(...refined.samples)
  into.outcomes.push(...refined.outcomes)
  const { projectId, keyId, kind } = record.head
  into.outcomes.push(receivedCount(projectId, keyId, kind, receivedOf(refined), body.length))
  return refined
}

/** A record of a project that people deleted while it waited: each of its items is counted, and nothing kept. */
async function takeRemoved(
  record: JournalRecord,
  blobs: BlobStore,
  tools: Tools,
  into: RefinedRange,
): Promise<Refined> {
  const { spool, projectId, keyId, kind } = record.head
  if (spool) into.spools.push(spool.key)
  const body = spool ? ((await blobs.get(spool.key)) ?? Buffer.alloc(0)) : record.body
  const refined = refineRecord(record, body, noSettings, tools)
  const kept = [...refined.events, ...refined.attachments, ...refined.feedback].map(({ outcome }) => outcome)
  const ends = [...kept, ...refined.spans.flatMap((span) => span.outcomes)].map(
    (outcome): OutcomeCount => ({ ...outcome, outcome: 'filtered', reason: 'discarded' }),
  )
  const gone: Refined = {
    ...refined,
    events: [],
    attachments: [],
    feedback: [],
    samples: [],
    spans: [],
    outcomes: [...ends, ...refined.outcomes],
  }
  into.outcomes.push(...gone.outcomes, receivedCount(projectId, keyId, kind, receivedOf(gone), body.length))
  return gone
}

/** Keeps what could not be refined, whole, so that it can be looked at and sent again. Gives the bytes of its body. */
async function bury(record: JournalRecord, error: unknown, blobs: BlobStore, into: RefinedRange): Promise<number> {
  const { head } = record
  const blobKey = deadKey(record.jpos)
  const body = head.spool ? ((await blobs.get(head.spool.key)) ?? Buffer.alloc(0)) : record.body
  await blobs.put(blobKey, packDead(head, body))
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
 * Leaves a record alone whose rows stand already, all of one insert: as a dead item it would be stored twice when it is
 * sent again. Recovery takes it from the rows. Returns false for one of which nothing stands.
 */
function keepStanding(
  standing: Standing | undefined,
  { jpos: from, head, body }: JournalRecord,
  to: number,
  into: RefinedRange,
): boolean {
  if (!standing) return false
  const stands = (jpos: number) => jpos >= from && jpos < to
  if (![...standing.events].some(stands) && ![...standing.spans].some(stands)) return false
  into.kept.push({ from, to, projectId: head.projectId, keyId: head.keyId, kind: head.kind, bytes: body.length })
  return true
}

/** Refines the records of one range into rows and effects; blobs are on disk when it resolves. */
export async function refineRange(
  job: RangeJob,
  records: JournalRecord[],
  to: number,
  settings: ProjectSettings[],
  blobs: BlobStore,
  tools: Tools,
  maps?: WorkerMaps,
): Promise<RefinedRange> {
  const range = emptyRange(job, to)
  const mapsOf = rangeMaps(maps)
  const bodyBytes = records.reduce((sum, record) => sum + record.body.length, 0)
  const lines: BatchLines = {
    events: createLines(bodyBytes * bytesPerBodyByte + records.length * 1024),
    spans: createLines(0),
  }
  const byProject = new Map(settings.map((setting) => [setting.projectId, setting]))
  const told = toldOf(records)
  for (const [at, record] of records.entries()) {
    const own = byProject.get(record.head.projectId)
    const start = { events: lines.events.size, spans: lines.spans.size }
    const before = { events: range.events.length, spans: range.spans.length }
    if (record.head.again) range.again.push(record.head.again)
    try {
      if (job.bury !== undefined) throw new Error(job.bury)
      if (record.head.kind !== 'outcomes' && !own) throw new Error('the project is gone')
      const refined = own?.removed
        ? await takeRemoved(record, blobs, tools, range)
        : await takeRecord(record, own ?? noSettings, blobs, tools, range, lines, mapsOf(own), job.standing)
      if (refined && told.has(record)) range.ends.push(endOfRecord(record, refined))
    } catch (error) {
      // refining is a pure function of the record, so a second try would fail alike: dead at once
      lines.events.cut(start.events)
      lines.spans.cut(start.spans)
      range.events.length = before.events
      range.spans.length = before.spans
      if (keepStanding(job.standing, record, records[at + 1]?.jpos ?? to, range)) continue
      const bytes = await bury(record, error, blobs, range)
      if (told.has(record)) range.ends.push(endOfDead(record, bytes))
    }
  }
  range.tsv = lines.events.take()
  range.spanTsv = lines.spans.take()
  range.outcomes = summed(range.outcomes)
  range.records = records.length
  return range
}

/** The maps of each project of a range that has uploaded any. */
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

/** Equal ends as one: each object costs 4 us on its way to the main thread. */
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

/** Two forms and the columns: what measured bodies of 2 and 12 kB come to; more is made room for. */
const bytesPerBodyByte = 2.5

const noSettings: ProjectSettings = {
  projectId: 0,
  organizationId: 0,
  scrubDefaults: true,
  scrubIpAddresses: false,
  sensitiveFields: [],
  safeFields: [],
}

/** What a worker thread does until its port closes. `refine`: instead of `refineRange`, for tests. */
export function work(
  setup: WorkerSetup,
  post: (message: FromWorker, hand?: ArrayBuffer[]) => void,
  listen: (listener: (message: ToWorker) => void) => void,
  refine: typeof refineRange = refineRange,
): void {
  const reader = openJournalReader(setup.journalFolder)
  const blobs = waitingBlobs(openFileBlobs(setup.blobFolder), (full) => post({ kind: 'full', full }))
  const tools = createTools()
  const open = new Map<number, { job: RangeJob; records: JournalRecord[]; to: number }>()
  const asked = new Map<number, (answers: MapAnswer[]) => void>()
  let asks = 0
  const askMaps = (projectId: number, queries: MapQuery[], waitMs: number) =>
    new Promise<MapAnswer[]>((resolve) => {
      asked.set(++asks, resolve)
      post({ kind: 'ask', ask: asks, projectId, queries, waitMs })
    })
  const maps = createWorkerMaps(askMaps, systemClock.now)
  listen((message) => {
    if (message.kind === 'maps') {
      asked.get(message.ask)?.(message.answers)
      asked.delete(message.ask)
      return
    }
    if (message.kind === 'range') {
      const { records, next } = reader.read(message.from, message.durable, message.recordsMax, message.bytesMax)
      open.set(message.job, { job: message, records, to: next })
      const projectIds = [...new Set(records.map((record) => record.head.projectId))]
      return post({ kind: 'found', job: message.job, to: next, projectIds, records: records.length })
    }
    const entry = open.get(message.job)
    open.delete(message.job)
    if (!entry) return
    refine(entry.job, entry.records, entry.to, message.settings, blobs, tools, maps).then(
      (range) => post({ kind: 'done', range }, [range.tsv.buffer, range.spanTsv.buffer]),
      (error: unknown) => post({ kind: 'failed', job: message.job, reason: faultOf(error) }),
    )
  })
}
