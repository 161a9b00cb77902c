import { moveAttention } from './attention.ts'
import type { IssueRow } from './issue-state.ts'
import type { Store } from './store.ts'

/**
 * Gives what hangs on an issue to another one of its organization and removes it; its link leads to the other one. What
 * people wrote and decided goes along, entries of its activity of the types `staying` end with it. Counts and texts are
 * the caller's.
 */
export function moveIssue(
  store: Store,
  from: IssueRow,
  targetId: number,
  staying: readonly string[],
  nowMs: number,
): void {
  const { write, dialect } = store
  const { builder } = dialect
  const { id, organization_id, short_id } = from
  for (const table of ['fingerprint', 'feedback', 'alert_due', 'moved_issue'] as const)
    write.run(builder.updateTable(table).set({ issue_id: targetId }).where('issue_id', '=', id))
  write.run(
    builder
      .updateTable('activity')
      .set({ issue_id: targetId })
      .where('issue_id', '=', id)
      .where('type', 'not in', staying),
  )
  moveAttention(store, id, targetId)
  write.run(
    builder.insertInto('moved_issue').values({ id, organization_id, short_id, issue_id: targetId, moved_ms: nowMs }),
  )
  write.run(builder.deleteFrom('issue').where('id', '=', id))
}

/** What people decided about an issue goes on for the one that it became part of, where nothing was decided there. */
export const decidedOf = (to: IssueRow, from: IssueRow) => ({
  priority: to.priority ?? from.priority,
  assignee_user_id: to.assignee_user_id ?? from.assignee_user_id,
  comments: to.comments + from.comments,
})
