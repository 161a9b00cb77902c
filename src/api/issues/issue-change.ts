import type { Actor } from '../../auth/auth.ts'
import type { IssueChangeBody, RestIssueChange } from '../../contract/issue-changes.ts'
import { updateIssues } from '../../operations/issue-changes.ts'
import type { App } from '../../processes/parts.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { actionOf, type IssueChangePlan, readChange } from './issue-input.ts'

/** Returns the applied values for the answer. Where releases differ by project, those of the first issue. */
async function changeAnswer(
  change: IssueChangePlan,
  first: Issue | undefined,
  body: IssueChangeBody,
): Promise<Omit<RestIssueChange, 'updated'>> {
  const { assignee } = change
  const { status, substatus, statusDetails } = first ? await change.of(first) : {}
  return {
    ...(status === undefined ? {} : { status, substatus: substatus ?? null, statusDetails: statusDetails ?? {} }),
    ...(assignee === undefined
      ? {}
      : { assignedTo: assignee && { type: 'user', id: assignee.id, name: assignee.name, email: assignee.email } }),
    ...(body.priority === undefined ? {} : { priority: body.priority }),
    ...(body.hasSeen === undefined ? {} : { hasSeen: body.hasSeen }),
    ...(body.isBookmarked === undefined ? {} : { isBookmarked: body.isBookmarked }),
    ...(body.isSubscribed === undefined ? {} : { isSubscribed: body.isSubscribed }),
  }
}

/**
 * Changes issues of an organization on which the caller can do `actionOf(body)`, notifies listeners, returns the new
 * values. Many issues, or any with `asBulk`, are changed in the background: `bulk` has the progress and can be undone.
 * The caller's own fields are set before this returns. `revision` requires a single issue. Setting a status back
 * restores the issue if `substatus` and `statusDetails` are the old ones.
 */
export async function applyChange(
  app: App,
  actor: Actor,
  issues: Issue[],
  body: IssueChangeBody,
  revision?: number,
  asBulk?: boolean,
): Promise<RestIssueChange> {
  const organizationId = issues[0]?.organizationId
  if (organizationId === undefined) return { updated: [] }
  const change = await readChange(app, organizationId, body)
  const ids = issues.map((issue) => issue.id)
  const answer = { ...(await changeAnswer(change, issues[0], body)), updated: ids.map(String) }
  const isOwnOnly = actionOf(body) === 'issue:own'
  const asked = { changeOf: change.of, own: body, isOwnOnly, rev: revision, asBulk }
  const bulk = await updateIssues(app, actor, issues, asked)
  return { ...answer, ...(bulk ? { bulk: toRestBulk(bulk) } : {}) }
}

type Bulk = NonNullable<Awaited<ReturnType<App['meta']['issues']['bulkById']>>>

/** Returns the API form of a bulk change. */
export function toRestBulk(bulk: Bulk): NonNullable<RestIssueChange['bulk']> {
  return {
    id: String(bulk.id),
    total: bulk.total,
    done: bulk.done,
    changed: bulk.changed,
    undone: bulk.undone,
    dateCreated: new Date(bulk.createdMs).toISOString(),
    dateEnded: bulk.endedMs === null ? null : new Date(bulk.endedMs).toISOString(),
  }
}
