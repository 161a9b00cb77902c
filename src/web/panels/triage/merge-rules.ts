import type { RestIssue } from '../../../contract/issues.ts'

/** Issues in one merge: their ids are one address, which stays below 8 kB. */
export const mergesMax = 300

type Mergeable = Pick<RestIssue, 'id' | 'shortId' | 'lifetime'> & { project: Pick<RestIssue['project'], 'id'> }

/** What a merge would make of the rows, or why they can't be merged. */
export type MergePlan<Row> = { kind: 'merge'; into: Row; others: Row[] } | { kind: 'few' | 'several' | 'many' }

/**
 * Which of the rows stays, by the server's own rule: the one that has most events, of equal ones the older. Its events may
 * have come since, so the answer of the merge is what counts.
 */
export function mergeOf<Row extends Mergeable>(rows: readonly Row[]): MergePlan<Row> {
  const sorted = rows.toSorted(
    (a, b) => Number(b.lifetime.count) - Number(a.lifetime.count) || Number(a.id) - Number(b.id),
  )
  const [into, ...others] = sorted
  if (!into || others.length === 0) return { kind: 'few' }
  if (others.some((item) => item.project.id !== into.project.id)) return { kind: 'several' }
  if (rows.length > mergesMax) return { kind: 'many' }
  return { kind: 'merge', into, others }
}
