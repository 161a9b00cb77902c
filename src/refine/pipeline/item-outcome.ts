import type { DataCategory, Outcome, OutcomeCount, OutcomeReason } from '../../base/outcome.ts'
import type { RecordHead } from '../../journal/journal.ts'

/** Builds the outcome of one item, or of `quantity` entries of it. `bytes`: its payload size. */
export function ended(
  { head }: { head: Pick<RecordHead, 'projectId' | 'keyId'> },
  itemType: string,
  category: DataCategory,
  outcome: Outcome,
  reason: OutcomeReason,
  bytes: number,
  quantity = 1,
): OutcomeCount {
  const { projectId, keyId } = head
  return { projectId, keyId, category, outcome, reason, itemType, quantity, bytes }
}
