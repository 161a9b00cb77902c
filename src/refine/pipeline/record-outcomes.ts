import type { JournalRecord } from '../../journal/journal.ts'
import { type ItemEnd, noteItemsMax, notesPerKey, type RecordEnd } from '../../journal/request-log.ts'
import type { BatchEffects } from '../../store/meta/meta.ts'
import type { GroupFacts, Refined } from '../kinds/kind.ts'
import { deadKey, deadKeyOf } from './dead-letters.ts'

/** The ends of a refined record, as far as they are known before its batch is committed. */
export function endOfRecord(record: JournalRecord, refined: Refined): RecordEnd {
  const items: ItemEnd[] = []
  // what the item held (a transaction's children) is no item; of one that came again nothing is stored, so it says so
  for (const { outcomes, part, key, jpos, index } of refined.groups) {
    const [own] = outcomes
    if (!own) continue
    const { itemType: type, bytes, outcome, reason } = own
    const isEvent = part === 'only'
    items.push({
      type,
      bytes,
      outcome,
      reason,
      eventId: isEvent ? key : '',
      at: jpos,
      ...(isEvent ? {} : { index }),
    })
  }
  for (const entry of [
    ...[...refined.attachments, ...refined.effects.feedback].map(({ outcome }) => outcome),
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

/** The outcomes as the commit made them: rows that are not among `groups` came before; of those, some may be dead letters. */
export function settledEnds(
  ends: readonly RecordEnd[],
  { dead }: Pick<BatchEffects, 'dead'>,
  groups: readonly Pick<GroupFacts, 'jpos' | 'index' | 'part'>[],
): RecordEnd[] {
  const lost = new Set(dead.map((entry) => entry.blobKey))
  const stored = new Set(groups.map(deadKeyOf))
  return ends.map((end) => ({
    ...end,
    items: end.items.map((item): ItemEnd => {
      const key = deadKey(item.at, item.index)
      if (item.at >= 0 && lost.has(key)) return { ...item, outcome: 'dead', reason: 'failed' }
      return item.at < 0 || stored.has(key) ? item : { ...item, outcome: 'duplicate', reason: 'same_event_id' }
    }),
  }))
}
