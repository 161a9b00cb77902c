import type { JournalRecord } from '../../journal/journal.ts'
import { type ItemOutcome, type RecordOutcomes, requestItemsMax, requestsPerKey } from '../../journal/request-log.ts'
import type { BatchEffects } from '../../store/meta/meta.ts'
import type { GroupDetails, Refined } from '../kinds/kind.ts'
import { deadLetterKey, deadLetterKeyOf } from './dead-letters.ts'

/** The outcomes of a refined record, as far as they are known before its batch is committed. */
export function outcomesOfRecord(record: JournalRecord, refined: Refined): RecordOutcomes {
  const items: ItemOutcome[] = []
  // Children of a transaction are no items. A duplicate is not stored; `committedOutcomes` corrects its outcome.
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
  const more = Math.max(0, items.length - requestItemsMax)
  return { jpos: record.jpos, keyId: record.head.keyId, items: items.slice(0, requestItemsMax), more }
}

/** The outcome of a whole record that became a dead letter. `bytes`: the size of its body. */
export function outcomesOfDeadLetter({ jpos, head }: JournalRecord, bytes: number): RecordOutcomes {
  const item: ItemOutcome = { type: head.kind, bytes, outcome: 'dead', reason: 'failed', eventId: '', at: -1 }
  return { jpos, keyId: head.keyId, items: [item], more: 0 }
}

/** The newest records of each key. The request log keeps 100 per key, so outcomes of older ones are not built. */
export function loggedRecords(records: readonly JournalRecord[]): Set<JournalRecord> {
  const counts = new Map<number, number>()
  const logged = new Set<JournalRecord>()
  for (const record of records.toReversed()) {
    const count = counts.get(record.head.keyId) ?? 0
    counts.set(record.head.keyId, count + 1)
    if (count < requestsPerKey) logged.add(record)
  }
  return logged
}

/** Corrects the outcomes after the commit. Rows missing from `groups` are dead letters or else duplicates. */
export function committedOutcomes(
  ends: readonly RecordOutcomes[],
  { dead }: Pick<BatchEffects, 'dead'>,
  groups: readonly Pick<GroupDetails, 'jpos' | 'index' | 'part'>[],
): RecordOutcomes[] {
  const lost = new Set(dead.map((entry) => entry.blobKey))
  const stored = new Set(groups.map(deadLetterKeyOf))
  return ends.map((end) => ({
    ...end,
    items: end.items.map((item): ItemOutcome => {
      const key = deadLetterKey(item.at, item.index)
      if (item.at >= 0 && lost.has(key)) return { ...item, outcome: 'dead', reason: 'failed' }
      return item.at < 0 || stored.has(key) ? item : { ...item, outcome: 'duplicate', reason: 'same_event_id' }
    }),
  }))
}
