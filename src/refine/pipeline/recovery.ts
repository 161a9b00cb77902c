import type { EventRow } from '../../store/events/events.ts'
import { anyTable, tableNames } from '../../store/events/tables.ts'
import type { Batch } from '../../store/meta/meta.ts'
import { effectOf, groupOf } from '../kinds/error/events.ts'
import { type CrashCount, endCrashCount, readCrashCount, writeCrashCount } from './crash-guard.ts'
import type { Stored } from './deduplicate.ts'
import { joined, type RefinedRange } from './range.ts'
import { withRetry } from './retry.ts'
import type { Storing } from './store-rows.ts'
import { receivedCount } from './worker.ts'
import type { WorkerPool } from './worker-pool.ts'

/** Failed recoveries of a batch before it is refined record by record, and failed tries of one record. */
const triesMax = 2

/**
 * Refines the records of an open batch again. One of them may have crashed the process. After repeated crashes, the
 * records are refined one at a time, and the record that still crashes becomes a dead letter.
 */
export async function refineOpen(
  work: Storing & { pool: WorkerPool },
  { from, to }: Batch,
  stored: Stored,
): Promise<RefinedRange> {
  const folder = work.worker.journalFolder
  const crashCount = readCrashCount(folder, from, to)
  const next: CrashCount = { ...crashCount, tries: crashCount.tries + 1 }
  await withRetry(work, 'files', () => writeCrashCount(folder, next))
  const positions = new Map([...stored].map(([table, places]) => [table, new Set(places.keys())]))
  const whole = { from, durable: to, recordsMax: 1e9, bytesMax: 1e12, stored: positions }
  if (crashCount.tries < triesMax) {
    const range = await work.pool.refine(whole)
    // The batch came through. Later failures are not caused by a record.
    endCrashCount(folder)
    return range
  }
  work.observe.warn({ from, to, tries: crashCount.tries }, 'an open batch is recovered record by record')
  const ranges: RefinedRange[] = []
  for (let at = from; at < to; ) {
    const atTries = crashCount.at === at ? (crashCount.atTries ?? 0) : 0
    const entry = { ...next, at, atTries: atTries + 1 }
    await withRetry(work, 'files', () => writeCrashCount(folder, entry))
    const quarantine = atTries >= triesMax ? { quarantineReason: 'the process ended on it' } : {}
    const range = await work.pool.refine({ ...whole, from: at, recordsMax: 1, ...quarantine })
    if (range.to <= at) break
    ranges.push(range)
    at = range.to
  }
  endCrashCount(folder)
  return joined(ranges, from)
}

/** Replaces the effects of stored events by those of their rows, whatever the rules decide now. */
export function applyStored(range: RefinedRange, stored: Stored, rows: ReadonlyMap<number, EventRow>): void {
  applyStoredRecords(range, stored, rows)
  for (const group of range.groups) {
    const row = group.table === 'events' ? rows.get(group.jpos) : undefined
    if (row && group.effect) group.effect = effectOf(row, group.effect.keyId)
  }
}

/** Counts the stored rows of records that now fail to process as stored, like the first time. */
function applyStoredRecords(range: RefinedRange, stored: Stored, rows: ReadonlyMap<number, EventRow>): void {
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
