import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { type Announces, announceIssues } from './announce.ts'
import { bulkWaitMs, manyFrom, type RunsBulks } from './issue-changes.ts'

/**
 * Merged issues: `parent` remains, `children` no longer exist and redirect to it. `activity`: the entry by which the merge
 * can be undone, or null for a merge in steps.
 */
type Merged = { parent: number; children: number[]; activity: number | null }

/**
 * Merges issues that the caller can triage, and announces it. The issue with most events remains; of equal ones the
 * older. Many issues merge in background steps that continue after a restart. This waits some seconds for the last
 * step. Throws VALIDATION for fewer than two and for issues of several projects, CONFLICT while one is being deleted.
 */
export async function mergeIssues(
  deps: Announces & RunsBulks & { meta: MetaWith<'merges.mergeIssues'>; clock: Pick<Clock, 'now'> },
  actor: Actor,
  issues: readonly Issue[],
): Promise<Merged> {
  const { meta, clock, triage } = deps
  const [parent, ...children] = issues.toSorted((a, b) => b.count - a.count || a.id - b.id)
  if (!parent || children.length === 0)
    throw new MishapError('VALIDATION', { fields: { merge: ['Name at least two issues that you may change.'] } })
  const ids = children.map((child) => child.id)
  const [userId, { organizationId }] = [actor.person.id, parent]
  if (ids.length >= manyFrom) {
    const { id } = await triage.bulks.merge({ organizationId, userId, intoId: parent.id, fromIds: ids })
    await triage.bulks.wait(id, bulkWaitMs)
    return { parent: parent.id, children: ids, activity: null }
  }
  const { merged, activityId } = await meta.merges.mergeIssues(parent.id, ids, userId, clock.now())
  announceIssues(deps, organizationId, [parent.id, ...merged])
  return { parent: parent.id, children: merged, activity: activityId }
}

/** Result of an unmerge. `created`: the issue that now has the hashes, or null when they had no events. */
type Unmerged = { issue: Issue; created: Issue | null; events: number }
export type Unmerge = (issueId: number, hashes: readonly string[], userId: string | null) => Promise<Unmerged>

/** Splits hashes and their events from an issue, and announces both issues. Throws like `unmerge`. */
export async function unmergeIssue(
  deps: Announces & { unmerge: Unmerge },
  actor: Actor,
  issueId: number,
  hashes: readonly string[],
): Promise<Unmerged> {
  const done = await deps.unmerge(issueId, hashes, actor.person.id)
  for (const issue of done.created ? [done.issue, done.created] : [done.issue])
    announceIssues(deps, issue.organizationId, [issue.id])
  return done
}

type UndoMergeDeps = Announces & {
  unmerge: Unmerge
  meta: MetaWith<'merges.mergeNoteOf' | 'merges.issueHashes' | 'merges.restoreMerged' | 'merges.endMergeUndo'>
}

/**
 * Undoes a merge of at most 20 issues: each gets its events, its short id, its state and its comments back. Issues whose
 * events were split off or deleted since are skipped. A failure leaves a merge that can be undone again. `activityId`:
 * the entry of the merge in the issue's activity. Throws NOT_FOUND, CONFLICT for a merge that was undone, VALIDATION for
 * one of more issues, and like `unmerge`.
 */
export async function undoMerge(
  deps: UndoMergeDeps,
  actor: Actor,
  issue: Issue,
  activityId: number,
): Promise<{ issue: Issue; restored: Issue[] }> {
  const { meta } = deps
  const note = await meta.merges.mergeNoteOf(issue.id, activityId)
  if (!note) throw new MishapError('NOT_FOUND')
  if (note.undone) throw new MishapError('CONFLICT', { detail: 'This merge is undone already.' })
  if (note.count > note.issues.length)
    throw new MishapError('VALIDATION', {
      detail: `A merge of more than ${note.issues.length} issues cannot be undone as one. Split its hashes under Grouping.`,
    })
  const restored: Issue[] = []
  let left = issue
  for (const merged of note.issues) {
    const own = (await meta.merges.issueHashes(issue.id)).filter((issueHash) => issueHash.mergedFrom === merged.shortId)
    if (own.length === 0) continue
    const hashes = own.map((issueHash) => issueHash.hash)
    const { issue: rest, created } = await unmergeIssue(deps, actor, issue.id, hashes)
    left = rest
    if (!created) continue
    restored.push((await meta.merges.restoreMerged(activityId, issue, created)) ?? created)
  }
  await meta.merges.endMergeUndo(issue.id, activityId)
  announceIssues(deps, issue.organizationId, [issue.id, ...restored.map(({ id }) => id)])
  return { issue: left, restored }
}
