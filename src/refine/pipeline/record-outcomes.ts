import type { JournalRecord } from '../../journal/journal.ts'
import { type ItemEnd, noteItemsMax, notesPerKey, type RecordEnd } from '../../journal/request-log.ts'
import type { BatchEffects } from '../../store/meta/meta.ts'
import { deadKey } from './dead-letters.ts'
import type { Refined } from './record.ts'

/** The ends of a refined record, as far as they are known before its batch is committed. */
export function endOfRecord(record: JournalRecord, refined: Refined): RecordEnd {
  const items: ItemEnd[] = []
  for (const { row, outcome } of refined.events)
    items.push({
      type: outcome.itemType,
      bytes: outcome.bytes,
      outcome: outcome.outcome,
      reason: outcome.reason,
      eventId: row.eventId,
      at: row.jpos,
    })
  // of a transaction that came again nothing is stored, so its item says so; its children are not items
  for (const { index, outcomes } of refined.spans)
    for (const { itemType, bytes, outcome, reason, category } of outcomes)
      if (category === 'transaction' || itemType === 'span')
        items.push({ type: itemType, bytes, outcome, reason, eventId: '', at: record.jpos, index })
  for (const entry of [
    ...[...refined.attachments, ...refined.feedback].map(({ outcome }) => outcome),
    ...refined.outcomes,
  ]) {
    if (entry.outcome === 'client_discard') continue
    items.push({
      type: entry.itemType,
      bytes: entry.bytes,
      outcome: entry.outcome,
      reason: entry.reason,
      eventId: '',
      at: -1,
    })
  }
  const more = Math.max(0, items.length - noteItemsMax)
  return { jpos: record.jpos, keyId: record.head.keyId, items: items.slice(0, noteItemsMax), more }
}

/** The end of a record that became a dead item whole. */
export function endOfDead({ jpos, head }: JournalRecord, bytes: number): RecordEnd {
  const item: ItemEnd = { type: head.kind, bytes, outcome: 'dead', reason: 'failed', eventId: '', at: -1 }
  return { jpos, keyId: head.keyId, items: [item], more: 0 }
}

/** The newest records of each key: a debugger that keeps 100 can show no more, so the ends of the others are not made. */
export function toldOf(records: readonly JournalRecord[]): Set<JournalRecord> {
  const seen = new Map<number, number>()
  const told = new Set<JournalRecord>()
  for (const record of records.toReversed()) {
    const count = seen.get(record.head.keyId) ?? 0
    seen.set(record.head.keyId, count + 1)
    if (count < notesPerKey) told.add(record)
  }
  return told
}

/**
 * The ends as the commit made them: an event that is not among its effects was there already, or is dead; so are spans that
 * are not among `spans`, those that did not come before.
 */
export function settledEnds(
  ends: readonly RecordEnd[],
  effects: Pick<BatchEffects, 'events' | 'dead'>,
  spans: readonly { jpos: number; index: number }[] = [],
): RecordEnd[] {
  const dead = new Set(effects.dead.map((entry) => entry.blobKey))
  const stored = new Set(effects.events.map((event) => deadKey(event.jpos)))
  for (const { jpos, index } of spans) stored.add(deadKey(jpos, index))
  return ends.map((end) => ({
    ...end,
    items: end.items.map((item): ItemEnd => {
      const key = deadKey(item.at, item.index)
      if (item.at >= 0 && dead.has(key)) return { ...item, outcome: 'dead', reason: 'failed' }
      return item.at < 0 || stored.has(key) ? item : { ...item, outcome: 'duplicate', reason: 'same_event_id' }
    }),
  }))
}
