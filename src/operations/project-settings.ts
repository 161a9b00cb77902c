import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { DetectorChange } from '../domain/detectors/detectors.ts'
import type { ProjectFilters } from '../domain/filters.ts'
import { readOwnership } from '../domain/ownership.ts'
import type { Environment } from '../store/meta/ingest/environments.ts'
import type { Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { Ownership } from '../store/meta/projects/ownership.ts'

/** Maximum faulty lines in one error. */
const rejectedShownMax = 20

/** Changes the given inbound filters of a project. Throws VALIDATION (filters), CONFLICT for another revision. */
export async function updateFilters(
  { meta }: { meta: MetaWith<'projects.updateProject'> },
  actor: Actor,
  projectId: number,
  filters: Partial<ProjectFilters>,
  rev?: number,
): Promise<Project> {
  return meta.projects.updateProject(projectId, { filters }, { userId: actor.person.id, rev })
}

/** Changes the given detectors of a project. Throws VALIDATION (thresholds by field), CONFLICT for another revision. */
export async function updateDetectors(
  { meta }: { meta: MetaWith<'projects.updateProject'> },
  actor: Actor,
  projectId: number,
  detectors: DetectorChange,
  rev?: number,
): Promise<Project> {
  return meta.projects.updateProject(projectId, { detectors }, { userId: actor.person.id, rev })
}

/** Hides an environment in the selection lists, or shows it again. Throws NOT_FOUND. */
export async function hideEnvironment(
  { meta }: { meta: MetaWith<'projects.hideEnvironment'> },
  projectId: number,
  name: string,
  isHidden: boolean,
): Promise<Environment> {
  return meta.projects.hideEnvironment(projectId, name, isHidden)
}

/** Removes the tombstone of a discarded issue (by its short id), so that its events create an issue again. */
export async function removeTombstone(
  { meta }: { meta: MetaWith<'retention.undiscard'> },
  projectId: number,
  shortId: string,
): Promise<void> {
  await meta.retention.undiscard(projectId, shortId)
}

/** Returns the faults of ownership rules by line: wrong syntax, and owners who are not members. */
export async function ownershipErrors(
  { meta }: { meta: MetaWith<'people.personByEmail' | 'organizations.memberOf'> },
  project: Pick<Project, 'organizationId'>,
  text: string,
): Promise<{ line: number; sentence: string }[]> {
  const { rules, faults: errors } = readOwnership(text)
  const isMemberByEmail = new Map<string, boolean>()
  const isMember = async (email: string): Promise<boolean> => {
    const person = await meta.people.personByEmail(email)
    return person !== undefined && (await meta.organizations.memberOf(project.organizationId, person.id)) !== undefined
  }
  for (const { line, owners } of rules)
    for (const email of owners) {
      const is = isMemberByEmail.get(email) ?? (await isMember(email))
      isMemberByEmail.set(email, is)
      if (!is) errors.push({ line, sentence: `${email} is not a member of this organization.` })
    }
  return errors.sort((a, b) => a.line - b.line)
}

/**
 * Stores ownership rules or switches automatic assignment; absent fields stay. Throws VALIDATION (`raw`, one sentence
 * per faulty line), CONFLICT for another revision.
 */
export async function updateOwnership(
  {
    meta,
    clock,
  }: {
    meta: MetaWith<'people.personByEmail' | 'organizations.memberOf' | 'projects.setOwnership'>
    clock: Pick<Clock, 'now'>
  },
  actor: Actor,
  project: Pick<Project, 'id' | 'organizationId'>,
  change: { text?: string; autoAssign?: boolean },
  rev?: number,
): Promise<Ownership> {
  const errors = change.text === undefined ? [] : await ownershipErrors({ meta }, project, change.text)
  if (errors.length > 0)
    throw new MishapError('VALIDATION', {
      fields: { raw: errors.slice(0, rejectedShownMax).map(({ line, sentence }) => `Line ${line}: ${sentence}`) },
    })
  return meta.projects.setOwnership(project.id, change, { userId: actor.person.id, rev }, clock.now())
}
