import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Issue, MetaStore } from '../store/meta/meta.ts'
import { type Announces, announceIssues } from './announce.ts'
import { manyFrom, patienceMs, type RunsBulks } from './issue-changes.ts'

/** Issues that became one: `parent` stays, `children` are gone and lead there. */
export type Merged = { parent: number; children: number[] }

/**
 * Makes issues that the caller may triage one and tells the open screens. The one with most events stays, of equal ones the
 * older. Many are merged in steps in the background, which a restart goes on with; this waits some seconds for their end.
 * Throws VALIDATION for fewer than two and for issues of several projects, CONFLICT while one is being deleted.
 */
export async function mergeIssues(
  parts: Announces & RunsBulks & { meta: Pick<MetaStore, 'mergeIssues'>; clock: Pick<Clock, 'now'> },
  actor: Actor,
  issues: readonly Issue[],
): Promise<Merged> {
  const { meta, clock, triage } = parts
  const [parent, ...children] = issues.toSorted((a, b) => b.count - a.count || a.id - b.id)
  if (!parent || children.length === 0)
    throw new MishapError('VALIDATION', { fields: { merge: ['At least two issues that you may change.'] } })
  const ids = children.map((child) => child.id)
  const [userId, { organizationId }] = [actor.person.id, parent]
  if (ids.length >= manyFrom) {
    const { id } = triage.bulks.merge({ organizationId, userId, intoId: parent.id, fromIds: ids })
    await triage.bulks.wait(id, patienceMs)
    return { parent: parent.id, children: ids }
  }
  const { merged } = meta.mergeIssues(parent.id, ids, userId, clock.now())
  announceIssues(parts, organizationId, [parent.id, ...merged])
  return { parent: parent.id, children: merged }
}

/** What became of hashes that were taken out. `made`: the issue that they have now; none where they had no events. */
type Unmerged = { issue: Issue; made: Issue | null; events: number }
export type Unmerge = (issueId: number, hashes: readonly string[], userId: string | null) => Promise<Unmerged>

/** Takes hashes out of an issue, with their events, and tells the open screens. Throws as `unmerge` does. */
export async function unmergeIssue(
  parts: Announces & { unmerge: Unmerge },
  actor: Actor,
  issueId: number,
  hashes: readonly string[],
): Promise<Unmerged> {
  const done = await parts.unmerge(issueId, hashes, actor.person.id)
  for (const issue of done.made ? [done.issue, done.made] : [done.issue])
    announceIssues(parts, issue.organizationId, [issue.id])
  return done
}
