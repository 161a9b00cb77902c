import type { Actor } from '../../auth/auth.ts'
import type { IssueChangeBody, RestIssueChange } from '../../contract/issue-changes.ts'
import { updateIssues } from '../../operations/issue-changes.ts'
import type { App } from '../../processes/app.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { actionOf, readChange, type Wish } from './issue-input.ts'

/** What an answer says was set, of the first issue where releases differ by project. */
function toldOf(wish: Wish, first: Issue | undefined, body: IssueChangeBody): Omit<RestIssueChange, 'updated'> {
  const { assignee } = wish
  const { status, substatus, statusDetails } = first ? wish.of(first) : {}
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
 * Changes issues of one organization on which the caller may do `actionOf(body)`, tells the listeners, returns what was set.
 * Many of them are changed in the background, and where `asBulk`: `bulk` says how far that is and can be taken back; what
 * is the caller's own is set before this returns. With `revision` there is one issue.
 * A status set back restores the issue as it was when `substatus` and `statusDetails` are its old ones.
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
  const wish = readChange(app, organizationId, body)
  const ids = issues.map((issue) => issue.id)
  const answer = { ...toldOf(wish, issues[0], body), updated: ids.map(String) }
  const isOwnOnly = actionOf(body) === 'issue:own'
  const asked = { changeOf: wish.of, own: body, isOwnOnly, rev: revision, asBulk }
  const bulk = await updateIssues(app, actor, issues, asked)
  return { ...answer, ...(bulk ? { bulk: toRestBulk(bulk) } : {}) }
}

type Bulk = NonNullable<ReturnType<App['meta']['bulkById']>>

/** A change of many issues in the shape of the API. */
export function toRestBulk(item: Bulk): NonNullable<RestIssueChange['bulk']> {
  return {
    id: String(item.id),
    total: item.total,
    done: item.done,
    changed: item.changed,
    undone: item.undone,
    dateCreated: new Date(item.createdMs).toISOString(),
    dateEnded: item.endedMs === null ? null : new Date(item.endedMs).toISOString(),
  }
}
