import type { Store } from '../database/store.ts'
import { batchStatements, issueOf } from '../ingest/batch-statements.ts'
import { demandMergeable as demand, mergeRows } from './merge.ts'

/** A merge of issues into the issue `intoId`. */
export type Merge = { organizationId: number; userId: string | null; intoId: number; fromIds: readonly number[] }

/** Stored state of a merge between its steps: the target issue and the activity entry. */
export type MergeState = { into: number; noted: number | null }

/** See `BulkStore.askMerge`. */
export const demandMergeable = async (store: Store, merge: Merge): Promise<void> => {
  await demand(store, batchStatements(store.write, store.dialect), merge)
}

/**
 * Creates the function that merges the next issues in the caller's transaction. Each step is a complete merge, so
 * counts and links are correct even if the process ends. Issues that can no longer be merged stay unchanged.
 */
export function mergeStepper(store: Store) {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = batchStatements(write, dialect)

  /** Returns the target issue. Meanwhile it can have been merged into another issue, or deleted. */
  async function targetOf(id: number) {
    const row = await issueOf(statements, id)
    if (row) return row
    const moved = await write.get(builder.selectFrom('moved_issue').select('issue_id').where('id', '=', id))
    return moved && (await issueOf(statements, moved.issue_id))
  }
  const removedIds = async (ids: readonly number[]) =>
    new Set(
      (
        await write.all(
          builder.selectFrom('removal').select('issue_id').where('issue_id', 'in', ids).where('ended_ms', 'is', null),
        )
      ).map((row) => row.issue_id),
    )

  return async (
    state: MergeState,
    ids: readonly number[],
    userId: string | null,
    nowMs: number,
  ): Promise<{ asked: MergeState; issueIds: number[]; merged: number }> => {
    const into = await targetOf(state.into)
    const removed = await removedIds([state.into, ...(into ? [into.id] : []), ...ids])
    if (!into || removed.has(into.id)) return { asked: state, issueIds: [], merged: 0 }
    const mergeable = ids.filter((id) => id !== into.id && !removed.has(id))
    const rows = new Map((await statements.issues.all(mergeable.map((id) => ({ id })))).map((row) => [row.id, row]))
    const from = mergeable.flatMap((id) => rows.get(id) ?? []).filter((item) => item.project_id === into.project_id)
    if (from.length === 0) return { asked: state, issueIds: [], merged: 0 }
    const { noted } = await mergeRows(store, statements, into, from, { userId, nowMs, noted: state.noted })
    return { asked: { ...state, noted }, issueIds: [into.id, ...from.map((item) => item.id)], merged: from.length }
  }
}
