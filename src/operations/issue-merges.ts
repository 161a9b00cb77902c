import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type Announces, announceIssues } from './announce.ts'
import { bulkWaitMs, manyFrom, type RunsBulks } from './issue-changes.ts'

/** Merged issues: `parent` remains, `children` no longer exist and redirect to it. */
type Merged = { parent: number; children: number[] }

/**
 * Merges issues that the caller can triage, and announces it. The issue with most events remains; of equal ones the
 * older. Many issues merge in background steps that continue after a restart. This waits some seconds for the last
 * step. Throws VALIDATION for fewer than two and for issues of several projects, CONFLICT while one is being deleted.
 */
export async function mergeIssues(
  deps: Announces & RunsBulks & { meta: Pick<MetaStore, 'mergeIssues'>; clock: Pick<Clock, 'now'> },
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
    const { id } = triage.bulks.merge({ organizationId, userId, intoId: parent.id, fromIds: ids })
    await triage.bulks.wait(id, bulkWaitMs)
    return { parent: parent.id, children: ids }
  }
  const { merged } = meta.mergeIssues(parent.id, ids, userId, clock.now())
  announceIssues(deps, organizationId, [parent.id, ...merged])
  return { parent: parent.id, children: merged }
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
