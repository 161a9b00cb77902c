import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { ProjectRemovalKind, Removal } from '../store/meta/retention/removals.ts'
import type { PublishesKeys } from './keys.ts'

/** Deletion across the stores, in the background. */
export type RemovalRequests = {
  /** Stores a removal and starts it. Throws NOT_FOUND. */
  request(value: {
    kind: ProjectRemovalKind
    projectId: number
    issueId: number | null
    userId: string | null
  }): Promise<Removal>
  /** Stores the removal of an organization with its projects and starts it. Throws NOT_FOUND. */
  requestOrganization(value: { organizationId: number; userId: string | null }): Promise<Removal>
  /** Resolves with the removal once it has finished or `ms` have passed. */
  wait(id: number, ms: number): Promise<Removal | undefined>
}
type Deps = { removals: RemovalRequests }

/**
 * Deletes issues with their events, files and feedback. With `discard`, later events of their fingerprints are
 * filtered. Waits for at most `waitMs` in total and returns the progress of each removal. Throws NOT_FOUND.
 */
export async function deleteIssues(
  { removals, clock }: Deps & { clock: Pick<Clock, 'now'> },
  actor: Actor,
  issues: readonly Pick<Issue, 'id' | 'projectId'>[],
  kind: 'issue' | 'discard',
  waitMs: number,
): Promise<Removal[]> {
  const userId = actor.person.id
  const requested = await Array.fromAsync(issues, async ({ id, projectId }) =>
    removals.request({ kind, projectId, issueId: id, userId }),
  )
  const endMs = clock.now() + waitMs
  const ended: Removal[] = []
  for (const { id } of requested) {
    const removal = await removals.wait(id, Math.max(0, endMs - clock.now()))
    if (removal) ended.push(removal)
  }
  return ended
}

/** Deletes a project with all its data. Revokes its keys at once. Returns the progress after at most `waitMs`. */
export async function deleteProject(
  { removals, publishKeys }: Deps & PublishesKeys,
  actor: Actor,
  projectId: number,
  waitMs: number,
): Promise<Removal | undefined> {
  const { id } = await removals.request({ kind: 'project', projectId, issueId: null, userId: actor.person.id })
  await publishKeys()
  return removals.wait(id, waitMs)
}

/** Deletes an organization and its data. Revokes its keys at once. Returns the progress after at most `waitMs`. */
export async function deleteOrganization(
  { removals, publishKeys }: Deps & PublishesKeys,
  actor: Actor,
  organizationId: number,
  waitMs: number,
): Promise<Removal | undefined> {
  const { id } = await removals.requestOrganization({ organizationId, userId: actor.person.id })
  await publishKeys()
  return removals.wait(id, waitMs)
}
