import { sql } from 'kysely'
import { number } from '../database/dialect.ts'
import type { Store } from '../database/store.ts'
import { moveAttention } from './attention.ts'
import type { IssueRow } from './issue-state.ts'

/**
 * Moves the related rows of issues to another issue of their organization and deletes the issues. Their ids redirect to
 * the other issue. Comments and decisions of people move too. Activity entries of the types in `staying` are deleted.
 * The caller sets counts and texts. Pass at most some hundred issues at once, because their ids are in one statement.
 */
export async function moveIssues(
  store: Store,
  ids: readonly number[],
  targetId: number,
  staying: readonly string[],
  nowMs: number,
): Promise<void> {
  const { write, dialect } = store
  const { builder } = dialect
  for (const table of ['fingerprint', 'feedback', 'alert_due', 'issue_trigger', 'moved_issue'] as const)
    await write.run(builder.updateTable(table).set({ issue_id: targetId }).where('issue_id', 'in', ids))
  await write.run(
    builder
      .updateTable('activity')
      .set({ issue_id: targetId })
      .where('issue_id', 'in', ids)
      .where('type', 'not in', staying),
  )
  // A suffix keeps `origin` unique. A rule still finds the tracker issue that it created for one of the issues.
  await write.run(
    builder
      .updateTable('external_issue')
      .set({ issue_id: targetId, origin: sql<string>`origin || '/' || id` })
      .where('issue_id', 'in', ids),
  )
  await moveAttention(store, ids, targetId)
  await write.run(
    builder
      .insertInto('moved_issue')
      .columns(['id', 'organization_id', 'short_id', 'issue_id', 'moved_ms'])
      .expression(
        builder
          .selectFrom('issue')
          .select(['id', 'organization_id', 'short_id'])
          .select([number(targetId).as('issue_id'), number(nowMs).as('moved_ms')])
          .where('id', 'in', ids),
      ),
  )
  await write.run(builder.deleteFrom('issue').where('id', 'in', ids))
}

/** Decisions of people about an issue also apply to the issue it was merged into, unless that one has its own. */
export const decidedOf = (to: IssueRow, from: IssueRow) => ({
  priority: to.priority ?? from.priority,
  assignee_user_id: to.assignee_user_id ?? from.assignee_user_id,
  comments: to.comments + from.comments,
})

/** Deletes an issue's forecast, because a changed set of events has a different history. The job computes a new forecast. */
export async function deleteForecast({ write, dialect: { builder } }: Store, issueId: number): Promise<void> {
  await write.run(builder.deleteFrom('issue_forecast').where('issue_id', '=', issueId))
}

/**
 * Returns the id of the issue that a hash of this issue belonged to before people merged the two. The id redirects to
 * another issue, or its issue exists again. Ignores notes of deleted issues.
 */
export async function sourceOf(
  { write, dialect: { builder } }: Store,
  { id, project_id }: Pick<IssueRow, 'id' | 'project_id'>,
  hash: string,
): Promise<number | undefined> {
  const noted = builder
    .selectFrom('merged_hash')
    .select('from_id')
    .where('project_id', '=', project_id)
    .where('hash', '=', hash)
    .where('from_id', '!=', id)
    .where((build) =>
      build.or([
        build('from_id', 'in', builder.selectFrom('moved_issue').select('id')),
        build('from_id', 'in', builder.selectFrom('issue').select('id')),
      ]),
    )
  return (await write.get(noted))?.from_id
}
