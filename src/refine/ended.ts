import type { RecordHead } from '../journal/journal.ts'
import type { DataCategory, Outcome, OutcomeCount, OutcomeReason } from '../outcome.ts'

/** One end of one item. */
export function ended(
  { head }: { head: Pick<RecordHead, 'projectId' | 'keyId'> },
  itemType: string,
  category: DataCategory,
  outcome: Outcome,
  reason: OutcomeReason,
  bytes: number,
): OutcomeCount {
  const { projectId, keyId } = head
  return { projectId, keyId, category, outcome, reason, itemType, quantity: 1, bytes }
}
