import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { NoticeKind, OwnMarks } from '../store/meta/issues/attention.ts'
import type { AskedBulk, Bulk } from '../store/meta/issues/bulk.ts'
import type { Merge } from '../store/meta/issues/merge-steps.ts'
import type { IssueChange } from '../store/meta/issues/triage.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type Announces, announceIssues } from './announce.ts'

/** From this many on a change is done in steps, so that nothing else waits for it. */
export const manyFrom = 50
/** Issues whose own marks are set in one transaction: a few milliseconds, as one by one each waits for the disk. */
const ownMax = 500
/** A change of some thousands is done by then; the answer says how far it is. */
export const patienceMs = 4_000

/** Changes and merges of many issues in the background. */
export type BulkRequests = {
  /** Stores the changes and starts them. */
  ask(value: { organizationId: number; userId: string | null; items: AskedBulk['items'] }): Promise<Bulk>
  /** Throws as `askMerge` of the store does. */
  merge(value: Merge): Bulk
  /** Takes back what was not changed since; undefined when it was taken back before. */
  undo(id: number): Bulk | undefined
  /** The bulk once it has ended or `ms` have passed. */
  wait(id: number, ms: number): Promise<Bulk | undefined>
}
export type RunsBulks = { triage: { bulks: BulkRequests } }

type Notifies = { meta: Pick<MetaStore, 'subscribe' | 'addNotices'>; clock: Pick<Clock, 'now'> }

/**
 * An assignee follows the issue from now on and gets a notice, unless they assigned it themselves. `activityId` is the
 * entry of the assignment, null where nothing changed. `byUserId` is null for a rule.
 */
export function notifyAssignee(
  { meta, clock }: Notifies,
  issueId: number,
  userId: string,
  activityId: number | null,
  byUserId: string | null,
): void {
  const nowMs = clock.now()
  meta.subscribe(issueId, userId, true, 'assigned', nowMs)
  const kind: NoticeKind = 'assigned'
  if (activityId !== null && userId !== byUserId) meta.addNotices([{ userId, kind }], issueId, activityId, nowMs)
}

type Parts = Announces & {
  meta: Pick<MetaStore, 'updateIssue' | 'setOwn' | 'subscribe' | 'addNotices'>
  clock: Pick<Clock, 'now' | 'sleep'>
}

/** What is asked of some issues of one organization. */
export type IssuesChange = {
  /** What becomes of one issue; asked of all before anything is written. Throws VALIDATION. */
  changeOf(issue: Issue): IssueChange
  /** Marks of the caller's own. */
  own: OwnMarks
  /** Nothing but marks is asked for. */
  isOwnOnly: boolean
  /** With a revision there is one issue, and it must still have it. */
  rev?: number | undefined
  /** In the background as one change that can be taken back; without a word that follows from the number of issues. */
  asBulk?: boolean | undefined
}

/** Marks are the caller's own: nobody else is told. Of many issues others get their turn in between. */
async function setOwn({ meta, clock }: Parts, userId: string, ids: readonly number[], own: OwnMarks): Promise<void> {
  const { hasSeen, isBookmarked, isSubscribed } = own
  if ([hasSeen, isBookmarked, isSubscribed].every((mark) => mark === undefined)) return
  for (let start = 0; start < ids.length; start += ownMax) {
    if (start > 0) await clock.sleep(0)
    meta.setOwn(ids.slice(start, start + ownMax), userId, { hasSeen, isBookmarked, isSubscribed }, clock.now())
  }
}

/** Changes each of a few issues. With `rev`, only an issue that still has this revision: throws CONFLICT otherwise. */
function changeFew(parts: Parts, actor: Actor, issues: readonly Issue[], { changeOf, rev }: IssuesChange): void {
  const { id: userId } = actor.person
  // All of them first: one that is refused must not leave others changed.
  const changes = issues.map((issue) => ({ issue, change: changeOf(issue) }))
  for (const { issue, change } of changes) {
    const { activityId, issue: made } = parts.meta.updateIssue(issue.id, change, userId, parts.clock.now(), rev)
    // What one person has seen is nobody else's business.
    if (activityId === null) continue
    const { assigneeUserId } = made
    if (assigneeUserId !== null && assigneeUserId !== issue.assigneeUserId)
      notifyAssignee(parts, made.id, assigneeUserId, activityId, userId)
    announceIssues(parts, issue.organizationId, [issue.id])
  }
}

/**
 * Changes issues of one organization on which the caller may do that. Returns the bulk where they are changed in the
 * background: from 50 issues on, and where that is asked for. Marks of the caller's own are set when this resolves.
 * Throws VALIDATION, CONFLICT for another revision.
 */
export async function updateIssues(
  parts: Parts & RunsBulks,
  actor: Actor,
  issues: readonly Issue[],
  asked: IssuesChange,
): Promise<Bulk | undefined> {
  const organizationId = issues[0]?.organizationId
  if (organizationId === undefined) return undefined
  const { changeOf, own, isOwnOnly, rev, asBulk = issues.length >= manyFrom } = asked
  const { id: userId } = actor.person
  const ids = issues.map((issue) => issue.id)
  // There is nothing to do in the background, and nothing to take back.
  if (!asBulk || isOwnOnly) {
    if (!isOwnOnly || rev !== undefined) changeFew(parts, actor, issues, asked)
    await setOwn(parts, userId, ids, own)
    return undefined
  }
  const items = issues.map((issue) => ({ issueId: issue.id, change: changeOf(issue) }))
  await setOwn(parts, userId, ids, own)
  const { id } = await parts.triage.bulks.ask({ organizationId, userId, items })
  return parts.triage.bulks.wait(id, patienceMs)
}

/** Takes a change of many issues back, but for those that anybody has changed since. Throws CONFLICT when it was taken back. */
export async function undoBulk({ triage: { bulks } }: RunsBulks, bulk: Bulk): Promise<Bulk> {
  if (!bulks.undo(bulk.id)) throw new MishapError('CONFLICT', { detail: 'This was taken back already.' })
  return (await bulks.wait(bulk.id, patienceMs)) ?? bulk
}

/** Throws CONFLICT when an issue has another revision than the caller has seen. Writes nothing. */
export function demandIssueRevision(
  { meta, clock }: { meta: Pick<MetaStore, 'updateIssue'>; clock: Pick<Clock, 'now'> },
  actor: Actor,
  issueId: number,
  rev: number | undefined,
): void {
  // A change of nothing: the store compares the revision and leaves the row as it is.
  meta.updateIssue(issueId, {}, actor.person.id, clock.now(), rev)
}
