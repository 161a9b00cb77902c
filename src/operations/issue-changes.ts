import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { NoticeKind, UserFlags } from '../store/meta/issues/attention.ts'
import type { Bulk, BulkRequest } from '../store/meta/issues/bulk.ts'
import type { Merge } from '../store/meta/issues/merge-steps.ts'
import type { IssueChange } from '../store/meta/issues/triage.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { type Announces, announceIssues } from './announce.ts'

/** Changes of this many issues or more run in steps in the background, so that they do not block other writes. */
export const manyFrom = 50
/** Issues per transaction for the caller's annotations: takes a few ms. In transactions of their own, each would wait for the disk. */
const flagsMax = 500
/** How long to wait for a bulk. Some thousand issues are done by then; the response reports the progress. */
export const bulkWaitMs = 4_000

/** Changes and merges of many issues in the background. */
export type BulkRequests = {
  /** Stores the changes and starts them. */
  request(value: { organizationId: number; userId: string | null; items: BulkRequest['items'] }): Promise<Bulk>
  /** Throws like `requestMerge` of the store. */
  merge(value: Merge): Promise<Bulk>
  /** Undoes a bulk for the issues that did not change since. Returns undefined when it was already undone. */
  undo(id: number): Promise<Bulk | undefined>
  /** Resolves with the bulk once it has finished or `ms` have passed. */
  wait(id: number, ms: number): Promise<Bulk | undefined>
}
export type RunsBulks = { triage: { bulks: BulkRequests } }

type Notifies = { meta: MetaWith<'issues.subscribe' | 'issues.addNotices'>; clock: Pick<Clock, 'now'> }

/**
 * Subscribes an assignee to the issue and notifies them, unless they assigned it themselves. `activityId`: the activity
 * entry of the assignment, null when nothing changed. `byUserId`: null for a rule.
 */
export async function notifyAssignee(
  { meta, clock }: Notifies,
  issueId: number,
  userId: string,
  activityId: number | null,
  byUserId: string | null,
): Promise<void> {
  const nowMs = clock.now()
  await meta.issues.subscribe(issueId, userId, true, 'assigned', nowMs)
  const kind: NoticeKind = 'assigned'
  if (activityId !== null && userId !== byUserId)
    await meta.issues.addNotices([{ userId, kind }], issueId, activityId, nowMs)
}

type Deps = Announces & {
  meta: MetaWith<'issues.updateIssue' | 'issues.setUserFlags' | 'issues.subscribe' | 'issues.addNotices'>
  clock: Pick<Clock, 'now' | 'sleep'>
}

/** A requested change of issues of one organization. */
export type IssuesChange = {
  /** Returns the change of one issue. Called for all issues before anything is written. Throws VALIDATION. */
  changeOf(issue: Issue): Promise<IssueChange>
  /** The caller's personal annotations. */
  own: UserFlags
  /** The request changes only annotations. */
  isOwnOnly: boolean
  /** Expected revision. It requires exactly one issue. */
  rev?: number | undefined
  /** Whether to run in the background as one change that can be undone. Default: depends on the number of issues. */
  asBulk?: boolean | undefined
}

/** Sets the caller's annotations without announcing them. Yields between batches so that other work can run. */
async function setUserFlags(
  { meta, clock }: Deps,
  userId: string,
  ids: readonly number[],
  flags: UserFlags,
): Promise<void> {
  const { hasSeen, isBookmarked, isSubscribed } = flags
  if ([hasSeen, isBookmarked, isSubscribed].every((flag) => flag === undefined)) return
  for (let start = 0; start < ids.length; start += flagsMax) {
    if (start > 0) await clock.sleep(0)
    await meta.issues.setUserFlags(
      ids.slice(start, start + flagsMax),
      userId,
      { hasSeen, isBookmarked, isSubscribed },
      clock.now(),
    )
  }
}

/** Changes a few issues. Throws CONFLICT when `rev` is set and the issue has another revision. */
async function changeFew(
  deps: Deps,
  actor: Actor,
  issues: readonly Issue[],
  { changeOf, rev }: IssuesChange,
): Promise<void> {
  const { id: userId } = actor.person
  // Compute all changes first: a refused one must not leave others changed.
  const changes = await Array.fromAsync(issues, async (issue) => ({ issue, change: await changeOf(issue) }))
  for (const { issue, change } of changes) {
    const { activityId, issue: updated } = await deps.meta.issues.updateIssue(
      issue.id,
      change,
      userId,
      deps.clock.now(),
      rev,
    )
    // Do not announce unless the shared state changed.
    if (activityId === null) continue
    const { assigneeUserId } = updated
    if (assigneeUserId !== null && assigneeUserId !== issue.assigneeUserId)
      await notifyAssignee(deps, updated.id, assigneeUserId, activityId, userId)
    announceIssues(deps, issue.organizationId, [issue.id])
  }
}

/**
 * Changes issues of one organization that the caller is allowed to change. Returns the bulk when they change in the
 * background: from 50 issues on, or on request. The caller's annotations are set when this resolves. Throws VALIDATION,
 * CONFLICT for another revision.
 */
export async function updateIssues(
  deps: Deps & RunsBulks,
  actor: Actor,
  issues: readonly Issue[],
  request: IssuesChange,
): Promise<Bulk | undefined> {
  const organizationId = issues[0]?.organizationId
  if (organizationId === undefined) return undefined
  const { changeOf, own, isOwnOnly, rev, asBulk = issues.length >= manyFrom } = request
  const { id: userId } = actor.person
  const ids = issues.map((issue) => issue.id)
  // A change of annotations needs no background work and cannot be undone.
  if (!asBulk || isOwnOnly) {
    if (!isOwnOnly || rev !== undefined) await changeFew(deps, actor, issues, request)
    await setUserFlags(deps, userId, ids, own)
    return undefined
  }
  const items = await Array.fromAsync(issues, async (issue) => ({ issueId: issue.id, change: await changeOf(issue) }))
  await setUserFlags(deps, userId, ids, own)
  const { id } = await deps.triage.bulks.request({ organizationId, userId, items })
  return deps.triage.bulks.wait(id, bulkWaitMs)
}

/** Undoes a bulk, except for issues that somebody changed since. Throws CONFLICT when it was already undone. */
export async function undoBulk({ triage: { bulks } }: RunsBulks, bulk: Bulk): Promise<Bulk> {
  if (!(await bulks.undo(bulk.id))) throw new MishapError('CONFLICT', { detail: 'This change was already undone.' })
  return (await bulks.wait(bulk.id, bulkWaitMs)) ?? bulk
}

/** Throws CONFLICT when an issue has another revision than the caller expects. Writes nothing. */
export async function demandIssueRevision(
  { meta, clock }: { meta: MetaWith<'issues.updateIssue'>; clock: Pick<Clock, 'now'> },
  actor: Actor,
  issueId: number,
  rev: number | undefined,
): Promise<void> {
  // An empty change: the store compares the revision and does not write the row.
  await meta.issues.updateIssue(issueId, {}, actor.person.id, clock.now(), rev)
}
