import type { App } from '../app.ts'
import type { Actor } from '../auth/auth.ts'
import type { RestIssueChange } from '../protocol/rest-triage.ts'
import type { NoticeKind } from '../store/meta/attention.ts'
import type { Issue } from '../store/meta/meta.ts'
import { type IssueChangeBody, readChange, type Wish } from './issue-input.ts'

/** From this many on a change is done in steps, so that nothing else waits for it. */
const manyFrom = 50
/** A change of some thousands is done by then; the answer says how far it is. */
const patienceMs = 4_000

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

/** What is the caller's own: nobody else is told. */
function setOwn({ meta, clock }: App, userId: string, issue: Issue, body: IssueChangeBody): void {
  const nowMs = clock.now()
  if (body.hasSeen !== undefined) meta.setSeen(issue.id, userId, body.hasSeen, nowMs)
  if (body.isBookmarked !== undefined) {
    meta.setBookmark(issue.id, userId, body.isBookmarked, nowMs)
    if (body.isBookmarked) meta.subscribe(issue.id, userId, true, 'bookmarked', nowMs)
  }
  if (body.isSubscribed !== undefined) meta.subscribe(issue.id, userId, body.isSubscribed, 'asked', nowMs)
}

/** Whom an assignment tells: not whoever made it. */
function tellAssigned(app: App, issue: Issue, actor: Actor, activityId: number): void {
  const userId = issue.assigneeUserId
  if (userId === null) return
  const nowMs = app.clock.now()
  app.meta.subscribe(issue.id, userId, true, 'assigned', nowMs)
  const kind: NoticeKind = 'assigned'
  if (userId !== actor.person.id) app.meta.addNotices([{ userId, kind }], issue.id, activityId, nowMs)
}

/** Changes a few issues one by one. With `revision`, only one that still has it: throws CONFLICT otherwise. */
function changeFew(
  app: App,
  actor: Actor,
  issues: Issue[],
  body: IssueChangeBody,
  wish: Wish,
  revision?: number,
): void {
  for (const issue of issues) {
    const change = wish.of(issue)
    const nowMs = app.clock.now()
    const { activityId, issue: made } = app.meta.updateIssue(issue.id, change, actor.person.id, nowMs, revision)
    if (activityId !== null && made.assigneeUserId !== issue.assigneeUserId) tellAssigned(app, made, actor, activityId)
    setOwn(app, actor.person.id, issue, body)
    // What one person has seen is nobody else's business.
    if (activityId !== null) app.live.publish(issue.organizationId, { kind: 'issue', id: String(issue.id) })
  }
}

/**
 * Changes issues of one organization that the caller may triage, tells the listeners, returns what was set. Many of them
 * are changed in the background, and where `asBulk`: `bulk` says how far that is and can be taken back. With `revision` there is one issue.
 * A status set back restores the issue as it was when `substatus` and `statusDetails` are its old ones.
 */
export async function updateIssues(
  app: App,
  actor: Actor,
  issues: Issue[],
  body: IssueChangeBody,
  revision?: number,
  asBulk = issues.length >= manyFrom,
): Promise<RestIssueChange> {
  const organizationId = issues[0]?.organizationId
  if (organizationId === undefined) return { updated: [] }
  const wish = readChange(app, organizationId, body)
  const told = toldOf(wish, issues[0], body)
  if (!asBulk) {
    changeFew(app, actor, issues, body, wish, revision)
    return { ...told, updated: issues.map((one) => String(one.id)) }
  }
  for (const issue of issues) setOwn(app, actor.person.id, issue, body)
  const items = issues.map((issue) => ({ issueId: issue.id, change: wish.of(issue) }))
  const { id } = app.triage.bulks.ask({ organizationId, userId: actor.person.id, items })
  const bulk = await app.triage.bulks.wait(id, patienceMs)
  return { ...told, updated: issues.map((one) => String(one.id)), ...(bulk ? { bulk: toRestBulk(bulk) } : {}) }
}

type Bulk = NonNullable<ReturnType<App['meta']['bulkById']>>

/** A change of many issues in the shape of the API. */
export function toRestBulk(one: Bulk): NonNullable<RestIssueChange['bulk']> {
  return {
    id: String(one.id),
    total: one.total,
    done: one.done,
    changed: one.changed,
    undone: one.undone,
    dateCreated: new Date(one.createdMs).toISOString(),
    dateEnded: one.endedMs === null ? null : new Date(one.endedMs).toISOString(),
  }
}
