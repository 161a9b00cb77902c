import type { RestIssue } from '../../../contract/issues.ts'

/** Maximum issues per merge: their ids must fit into a URL below 8 kB. */
export const mergesMax = 300
/** Maximum issues whose merge can be undone together. */
export const undosMax = 20

type Mergeable = Pick<RestIssue, 'id' | 'shortId' | 'lifetime'> & { project: Pick<RestIssue['project'], 'id'> }

/** The result of a merge of the rows, or why they cannot be merged. */
type MergePlan<Row> = { kind: 'merge'; into: Row; others: Row[] } | { kind: 'few' | 'several' | 'many' }

/**
 * Chooses the remaining issue by the server's rule: the most events, then the older issue. Counts can change meanwhile,
 * so only the server's response is final.
 */
export function mergeOf<Row extends Mergeable>(rows: readonly Row[]): MergePlan<Row> {
  const sorted = rows.toSorted(
    (a, b) => Number(b.lifetime.count) - Number(a.lifetime.count) || Number(a.id) - Number(b.id),
  )
  const [into, ...others] = sorted
  if (!into || others.length === 0) return { kind: 'few' }
  if (others.some((other) => other.project.id !== into.project.id)) return { kind: 'several' }
  if (rows.length > mergesMax) return { kind: 'many' }
  return { kind: 'merge', into, others }
}
