import type { Store } from '../database/store.ts'
import { batchStatements } from '../ingest/batch-statements.ts'
import { demandMergeable as demand, mergeRows } from './merge.ts'

/** A merge of issues into the issue `intoId`. */
export type Merge = { organizationId: number; userId: string | null; intoId: number; fromIds: readonly number[] }

/** Stored state of a merge between its steps: the target issue and the activity entry. */
export type AskedMerge = { into: number; noted: number | null }

/** See `BulkStore.askMerge`. */
export const demandMergeable = (store: Store, merge: Merge): void =>
  void demand(store, batchStatements(store.write, store.dialect), merge)

/**
 * Creates the function that merges the next issues in the caller's transaction. Each step is a complete merge, so
 * counts and links are correct even if the process ends. Issues that can no longer be merged stay unchanged.
 */
export function mergeStepper(store: Store) {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = batchStatements(write, dialect)

  /** Returns the target issue. Meanwhile it can have been merged into another issue, or deleted. */
  function standing(id: number) {
    const row = statements.issue.get({ id })
    if (row) return row
    const moved = write.get(builder.selectFrom('moved_issue').select('issue_id').where('id', '=', id))
    return moved && statements.issue.get({ id: moved.issue_id })
  }
  const leaving = (ids: readonly number[]) =>
    new Set(
      write
        .all(
          builder.selectFrom('removal').select('issue_id').where('issue_id', 'in', ids).where('ended_ms', 'is', null),
        )
        .map((row) => row.issue_id),
    )

  return (
    asked: AskedMerge,
    ids: readonly number[],
    userId: string | null,
    nowMs: number,
  ): { asked: AskedMerge; issueIds: number[]; merged: number } => {
    const into = standing(asked.into)
    const gone = leaving([asked.into, ...(into ? [into.id] : []), ...ids])
    if (!into || gone.has(into.id)) return { asked, issueIds: [], merged: 0 }
    const from = ids
      .filter((id) => id !== into.id && !gone.has(id))
      .flatMap((id) => statements.issue.get({ id }) ?? [])
      .filter((item) => item.project_id === into.project_id)
    if (from.length === 0) return { asked, issueIds: [], merged: 0 }
    const { noted } = mergeRows(store, statements, into, from, { userId, nowMs, noted: asked.noted })
    return { asked: { ...asked, noted }, issueIds: [into.id, ...from.map((item) => item.id)], merged: from.length }
  }
}
