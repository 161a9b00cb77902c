import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { PartKind, Removal } from '../store/meta/retention/removals.ts'
import type { PublishesKeys } from './keys.ts'

/** Deletion across the stores, in the background. */
export type RemovalRequests = {
  /** Stores a removal and starts it. Throws NOT_FOUND. */
  ask(value: { kind: PartKind; projectId: number; issueId: number | null; userId: string | null }): Removal
  /** Stores the removal of an organization with its projects and starts it. Throws NOT_FOUND. */
  askOrganization(value: { organizationId: number; userId: string | null }): Removal
  /** Resolves with the removal once it has finished or `ms` have passed. */
  wait(id: number, ms: number): Promise<Removal | undefined>
}
type Parts = { removals: RemovalRequests }

/**
 * Deletes issues with their events, files and feedback. With `discard`, later events of their fingerprints are
 * filtered. Waits for at most `patienceMs` in total and returns the progress of each removal. Throws NOT_FOUND.
 */
export async function deleteIssues(
  { removals, clock }: Parts & { clock: Pick<Clock, 'now'> },
  actor: Actor,
  issues: readonly Pick<Issue, 'id' | 'projectId'>[],
  kind: 'issue' | 'discard',
  patienceMs: number,
): Promise<Removal[]> {
  const userId = actor.person.id
  const asked = issues.map(({ id, projectId }) => removals.ask({ kind, projectId, issueId: id, userId }))
  const endMs = clock.now() + patienceMs
  const ended: Removal[] = []
  for (const { id } of asked) {
    const removal = await removals.wait(id, Math.max(0, endMs - clock.now()))
    if (removal) ended.push(removal)
  }
  return ended
}

/** Deletes a project with all its data. Revokes its keys at once. Returns the progress after at most `patienceMs`. */
export async function deleteProject(
  { removals, publishKeys }: Parts & PublishesKeys,
  actor: Actor,
  projectId: number,
  patienceMs: number,
): Promise<Removal | undefined> {
  const { id } = removals.ask({ kind: 'project', projectId, issueId: null, userId: actor.person.id })
  await publishKeys()
  return removals.wait(id, patienceMs)
}

/** Deletes an organization and its data. Revokes its keys at once. Returns the progress after at most `patienceMs`. */
export async function deleteOrganization(
  { removals, publishKeys }: Parts & PublishesKeys,
  actor: Actor,
  organizationId: number,
  patienceMs: number,
): Promise<Removal | undefined> {
  const { id } = removals.askOrganization({ organizationId, userId: actor.person.id })
  await publishKeys()
  return removals.wait(id, patienceMs)
}
