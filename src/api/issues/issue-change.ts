import type { Actor } from '../../auth/auth.ts'
import type { IssueChangeBody, RestIssueChange } from '../../contract/issue-changes.ts'
import type { App } from '../../processes/app.ts'
import type { NoticeKind } from '../../store/meta/issues/attention.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { actionOf, ownFields, readChange, type Wish } from './issue-input.ts'

/** From this many on a change is done in steps, so that nothing else waits for it. */
export const manyFrom = 50
/** Issues whose own marks are set in one transaction: a few milliseconds, as one by one each waits for the disk. */
const ownMax = 500
/** A change of some thousands is done by then; the answer says how far it is. */
export const patienceMs = 4_000

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

/** What is the caller's own: nobody else is told. Of many issues others get their turn in between. */
async function setOwn({ meta, clock }: App, userId: string, ids: readonly number[], body: IssueChangeBody) {
  if (ownFields.every((name) => body[name] === undefined)) return
  for (let start = 0; start < ids.length; start += ownMax) {
    if (start > 0) await clock.sleep(0)
    meta.setOwn(ids.slice(start, start + ownMax), userId, body, clock.now())
  }
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
function changeFew(app: App, actor: Actor, issues: readonly Issue[], wish: Wish, revision?: number): void {
  // All of them first: one that is refused must not leave others changed.
  const changes = issues.map((issue) => ({ issue, change: wish.of(issue) }))
  for (const { issue, change } of changes) {
    const nowMs = app.clock.now()
    const { activityId, issue: made } = app.meta.updateIssue(issue.id, change, actor.person.id, nowMs, revision)
    if (activityId !== null && made.assigneeUserId !== issue.assigneeUserId) tellAssigned(app, made, actor, activityId)
    // What one person has seen is nobody else's business.
    if (activityId !== null) app.live.publish(issue.organizationId, { kind: 'issue', id: String(issue.id) })
  }
}

/**
 * Changes issues of one organization on which the caller may do `actionOf(body)`, tells the listeners, returns what was set.
 * Many of them are changed in the background, and where `asBulk`: `bulk` says how far that is and can be taken back; what
 * is the caller's own is set before this returns. With `revision` there is one issue.
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
  const ids = issues.map((issue) => issue.id)
  const answer = { ...toldOf(wish, issues[0], body), updated: ids.map(String) }
  // There is nothing to do in the background, and nothing to take back.
  const isOwn = actionOf(body) === 'issue:own'
  if (!asBulk || isOwn) {
    if (!isOwn || revision !== undefined) changeFew(app, actor, issues, wish, revision)
    await setOwn(app, actor.person.id, ids, body)
    return answer
  }
  const items = issues.map((issue) => ({ issueId: issue.id, change: wish.of(issue) }))
  await setOwn(app, actor.person.id, ids, body)
  const { id } = await app.triage.bulks.ask({ organizationId, userId: actor.person.id, items })
  const bulk = await app.triage.bulks.wait(id, patienceMs)
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
