import { moveAttention } from './attention.ts'
import type { IssueRow } from './issue-state.ts'
import type { Store } from './store.ts'

/**
 * Gives what hangs on issues to another one of their organization and removes them; their links lead to the other one. What
 * people wrote and decided goes along, entries of their activity of the types `staying` end with them. Counts and texts are
 * the caller's. At most some hundred at once, as their ids stand in one statement.
 */
export function moveIssues(
  store: Store,
  ids: readonly number[],
  targetId: number,
  staying: readonly string[],
  nowMs: number,
): void {
  const { write, dialect } = store
  const { builder } = dialect
  for (const table of ['fingerprint', 'feedback', 'alert_due', 'moved_issue'] as const)
    write.run(builder.updateTable(table).set({ issue_id: targetId }).where('issue_id', 'in', ids))
  write.run(
    builder
      .updateTable('activity')
      .set({ issue_id: targetId })
      .where('issue_id', 'in', ids)
      .where('type', 'not in', staying),
  )
  moveAttention(store, ids, targetId)
  write.run(
    builder
      .insertInto('moved_issue')
      .columns(['id', 'organization_id', 'short_id', 'issue_id', 'moved_ms'])
      .expression(
        builder
          .selectFrom('issue')
          .select(({ val }) => [
            ...(['id', 'organization_id', 'short_id'] as const),
            ...[val(targetId).as('issue_id'), val(nowMs).as('moved_ms')],
          ])
          .where('id', 'in', ids),
      ),
  )
  write.run(builder.deleteFrom('issue').where('id', 'in', ids))
}

/** What people decided about an issue goes on for the one that it became part of, where nothing was decided there. */
export const decidedOf = (to: IssueRow, from: IssueRow) => ({
  priority: to.priority ?? from.priority,
  assignee_user_id: to.assignee_user_id ?? from.assignee_user_id,
  comments: to.comments + from.comments,
})
