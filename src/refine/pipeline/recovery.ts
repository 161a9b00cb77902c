import { type Lane, lanes } from '../../base/lane.ts'
import type { JournalReader } from '../../journal/journal.ts'
import type { EventRow } from '../../store/events/events.ts'
import { anyTable, tableNames } from '../../store/events/tables.ts'
import type { Batch, FinishedTo } from '../../store/meta/meta.ts'
import { effectOf, eventWindow, groupOf } from '../kinds/error/events.ts'
import type { StoredPlaces } from '../kinds/kind.ts'
import { readTotals, restoreStreams } from '../kinds/metric/memory.ts'
import { commit, type Work } from './commit.ts'
import { type CrashCount, endCrashCount, readCrashCount, writeCrashCount } from './crash-guard.ts'
import { deduplicate, markStored, readMemory } from './deduplicate.ts'
import { lookedRecordsMax } from './lane.ts'
import { joined, type RangeJob, type RefinedRange } from './range.ts'
import { withRetry } from './retry.ts'
import { settle, settleAll, store, tablesToRecount } from './store-rows.ts'
import { receivedCount } from './worker.ts'

/** Failed recoveries of a batch before it is refined record by record, and failed tries of one record. */
const triesMax = 2

/**
 * Refines a part of an open batch again. A stored record that fails now has totals in the store, which this run did not
 * learn: they are read back.
 */
async function refineAgain(work: Work, range: Omit<RangeJob, 'job'>): Promise<RefinedRange> {
  const refined = await work.pool.refine(range)
  for (const positions of range.lane === 'bulk' ? refined.storedRecords : [])
    await withRetry(work, 'events', () => readTotals(work.metrics, work.events, positions, work.clock.now()))
  return refined
}

/**
 * Refines the records of an open batch again. One of them may have crashed the process. After repeated crashes, the
 * records are refined one at a time, and the record that still crashes becomes a dead letter.
 */
async function refineOpen(work: Work, { from, to, lane }: Batch, stored: StoredPlaces): Promise<RefinedRange> {
  const folder = work.worker.journalFolder
  const crashCount = readCrashCount(folder, { from, to, lane })
  const next: CrashCount = { ...crashCount, tries: crashCount.tries + 1 }
  await withRetry(work, 'files', () => writeCrashCount(folder, next))
  const whole = { from, durable: to, recordsMax: 1e9, bytesMax: 1e12, stored, lane }
  if (crashCount.tries < triesMax) {
    const range = await refineAgain(work, whole)
    // The batch came through. Later failures are not caused by a record.
    endCrashCount(folder, crashCount)
    return range
  }
  work.observe.warn({ from, to, lane, tries: crashCount.tries }, 'an open batch is recovered record by record')
  const ranges: RefinedRange[] = []
  for (let at = from; at < to; ) {
    const atTries = crashCount.at === at ? (crashCount.atTries ?? 0) : 0
    const entry = { ...next, at, atTries: atTries + 1 }
    await withRetry(work, 'files', () => writeCrashCount(folder, entry))
    const quarantine = atTries >= triesMax ? { quarantineReason: 'the process ended on it' } : {}
    const range = await refineAgain(work, { ...whole, from: at, recordsMax: 1, ...quarantine })
    if (range.to <= at) break
    ranges.push(range)
    at = range.to
  }
  endCrashCount(folder, crashCount)
  return joined(ranges, from)
}

/** An open batch in recovery: its stored rows, and what its records were refined to. */
type Recovered = { batch: Batch; stored: StoredPlaces; rows: Map<number, EventRow>; range: RefinedRange }

/** The stored events of a batch, by position. Waits until the engine answers. */
async function storedEvents(
  work: Work,
  { from, to, lane }: Batch,
  stored: StoredPlaces,
): Promise<Map<number, EventRow>> {
  // Bulk records hold no events: what is between their positions belongs to batches of the other lane.
  if (lane === 'bulk' || !stored.get('events')?.size) return new Map()
  const rows = await withRetry(work, 'events', () => work.events.eventsBetween(from, to))
  return new Map(rows.map((row) => [row.jpos, row]))
}

/** Reads the dedup windows and the cumulative streams of the last hour. Retries until the store answers. */
async function remember(work: Work): Promise<void> {
  for (;;) {
    try {
      await readMemory(work.memory, work.events, work.clock.now())
      // Records with totals are all in this lane.
      await restoreStreams(work.metrics, work.events, { cursor: work.cursors.bulk, nowMs: work.clock.now() })
      return
    } catch (error) {
      if (work.stopped.signal.aborted) throw error
      await work.clock.sleep(200, work.stopped.signal)
    }
  }
}

/** Stores what is missing of an open batch and commits it. */
async function finish(work: Work, { batch, stored, range }: Recovered, finished: FinishedTo): Promise<void> {
  if (range.to !== batch.to)
    work.observe.error({ from: batch.from, to: batch.to, found: range.to }, 'the journal ends before an open batch')
  const first = deduplicate(range, work.memory, stored)
  const done = await store(work, batch, range, first, stored, true)
  // A power cut can lose rows and keep their rollups. The rollups are recounted from the stored rows.
  for (const table of tablesToRecount(first, stored)) await settle(work, table, batch)
  await commit(work, batch, range, first, done, work.clock.now(), finished)
  const found = [...stored].map(([table, places]) => [table, places.size])
  work.observe.info(
    {
      from: batch.from,
      to: batch.to,
      lane: batch.lane,
      stored: Object.fromEntries(found),
      refined: range.groups.length,
    },
    'recovered an open batch',
  )
}

/** Returns how far a lane has no records behind `from`: up to `to` at most. */
async function passed(
  work: Work,
  reader: JournalReader,
  lane: Lane,
  { from, to }: { from: number; to: number },
): Promise<number> {
  for (let at = from; ; ) {
    const found = reader.survey(at, to, lane, { bytesMax: 1, recordsMax: lookedRecordsMax })
    if (found.bytes > 0 || found.isDamaged || found.at === at) return at
    at = found.at
    if (at >= to) return at
    await work.clock.sleep(0)
  }
}

/** Finishes the batches that the previous process left open: stored rows stay, the rest is refined again. */
export async function recover(work: Work, readers: Record<Lane, JournalReader>): Promise<void> {
  for (const lane of lanes) work.cursors[lane] = await work.meta.batches.cursor(lane)
  const batches = (await work.meta.batches.openBatches()).filter((batch) => batch.to > work.cursors[batch.lane])
  // Events first. The sort keeps the order of each lane.
  batches.sort((a, b) => lanes.indexOf(a.lane) - lanes.indexOf(b.lane))
  const open: Omit<Recovered, 'range'>[] = []
  for (const batch of batches) {
    const stored = await settleAll(work, batch)
    open.push({ batch, stored, rows: await storedEvents(work, batch, stored) })
  }
  await remember(work)
  for (const { rows } of open)
    for (const row of rows.values()) work.memory.get(eventWindow.name)?.forget(row.projectId, row.eventId)
  const recovered: Recovered[] = []
  for (const { batch, stored, rows } of open) {
    const range = await refineOpen(work, batch, stored)
    applyStored(range, stored, rows)
    recovered.push({ batch, stored, rows, range })
  }
  // The order between lanes is not known: a span that one lane stored was a duplicate in the other.
  for (const { range, stored } of recovered) markStored(range, work.memory, stored)
  const end = Math.max(...recovered.map(({ batch }) => batch.to))
  for (const [at, each] of recovered.entries()) {
    const left = new Set(recovered.slice(at + 1).map(({ batch }) => batch.lane))
    const finished: FinishedTo = {}
    for (const lane of lanes) {
      const from = Math.max(work.cursors[lane], lane === each.batch.lane ? each.batch.to : 0)
      if (!left.has(lane)) finished[lane] = await passed(work, readers[lane], lane, { from, to: end })
    }
    await finish(work, each, finished)
  }
}

/** Replaces the effects of stored events by those of their rows, whatever the rules decide now. */
export function applyStored(range: RefinedRange, stored: StoredPlaces, rows: ReadonlyMap<number, EventRow>): void {
  applyStoredRecords(range, stored, rows)
  for (const group of range.groups) {
    const row = group.table === 'events' ? rows.get(group.jpos) : undefined
    if (row && group.effect) group.effect = effectOf(row, group.effect.keyId)
  }
}

/** Counts the stored rows of records that now fail to process as stored, like the first time. */
function applyStoredRecords(range: RefinedRange, stored: StoredPlaces, rows: ReadonlyMap<number, EventRow>): void {
  for (const { from, to, projectId, keyId, kind, bytes } of range.storedRecords) {
    const end = { projectId, keyId, outcome: 'stored', reason: 'ok', itemType: kind, bytes } as const
    const within = (jpos: number) => jpos >= from && jpos < to
    let received = 0
    for (const table of tableNames) {
      const [category = 'default'] = anyTable(table).categories
      const places = [...(stored.get(table) ?? [])].flatMap(([jpos, all]) => (within(jpos) ? [...all] : []))
      received += places.length
      if (table !== 'events' && places.length > 0) range.outcomes.push({ ...end, category, quantity: places.length })
    }
    for (const row of [...rows.values()].filter(({ jpos }) => within(jpos))) {
      const outcomes = [{ ...end, category: 'error', quantity: 1 } as const]
      const { rows: _rows, ...group } = groupOf(row, row.jpos - from)
      range.groups.push({ ...group, outcomes, effect: effectOf(row, keyId), from: 0, to: 0 })
    }
    range.outcomes.push(receivedCount(projectId, keyId, kind, received, bytes))
  }
}
