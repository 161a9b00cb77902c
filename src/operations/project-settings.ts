import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { ProjectFilters } from '../domain/filters.ts'
import { readOwnership } from '../domain/ownership.ts'
import type { Environment } from '../store/meta/ingest/environments.ts'
import type { MetaStore, Project } from '../store/meta/meta.ts'
import type { Ownership } from '../store/meta/projects/ownership.ts'

/** Faulty lines that an error names. */
const faultsShownMax = 20

/** Changes those inbound filters of a project that are named. Throws VALIDATION (filters), CONFLICT for another revision. */
export function updateFilters(
  { meta }: { meta: Pick<MetaStore, 'updateProject'> },
  actor: Actor,
  projectId: number,
  filters: Partial<ProjectFilters>,
  rev?: number,
): Project {
  return meta.updateProject(projectId, { filters }, { userId: actor.person.id, rev })
}

/** Takes an environment out of the lists to choose from, or puts it back. Throws NOT_FOUND. */
export function hideEnvironment(
  { meta }: { meta: Pick<MetaStore, 'hideEnvironment'> },
  projectId: number,
  name: string,
  isHidden: boolean,
): Environment {
  return meta.hideEnvironment(projectId, name, isHidden)
}

/** Lets an issue that was deleted for good (by its short id) come again. */
export function removeTombstone(
  { meta }: { meta: Pick<MetaStore, 'undiscard'> },
  projectId: number,
  shortId: string,
): void {
  meta.undiscard(projectId, shortId)
}

/** What is wrong with rules of ownership, by line: how they are written, and owners who are no members. */
export function ownershipFaults(
  { meta }: { meta: Pick<MetaStore, 'personByEmail' | 'memberOf'> },
  project: Pick<Project, 'organizationId'>,
  text: string,
): { line: number; sentence: string }[] {
  const { rules, faults } = readOwnership(text)
  const known = new Map<string, boolean>()
  const isMember = (email: string): boolean => {
    const person = meta.personByEmail(email)
    return person !== undefined && meta.memberOf(project.organizationId, person.id) !== undefined
  }
  for (const { line, owners } of rules)
    for (const email of owners) {
      const is = known.get(email) ?? isMember(email)
      known.set(email, is)
      if (!is) faults.push({ line, sentence: `${email} is nobody in this organization.` })
    }
  return faults.sort((a, b) => a.line - b.line)
}

/**
 * Writes rules of ownership, or switches automatic assignment; what is absent stays. Throws VALIDATION (`raw`, a sentence
 * for each faulty line), CONFLICT for another revision.
 */
export function updateOwnership(
  { meta, clock }: { meta: Pick<MetaStore, 'personByEmail' | 'memberOf' | 'setOwnership'>; clock: Pick<Clock, 'now'> },
  actor: Actor,
  project: Pick<Project, 'id' | 'organizationId'>,
  change: { text?: string; autoAssign?: boolean },
  rev?: number,
): Ownership {
  const faults = change.text === undefined ? [] : ownershipFaults({ meta }, project, change.text)
  if (faults.length > 0)
    throw new MishapError('VALIDATION', {
      fields: { raw: faults.slice(0, faultsShownMax).map(({ line, sentence }) => `Line ${line}: ${sentence}`) },
    })
  return meta.setOwnership(project.id, change, { userId: actor.person.id, rev }, clock.now())
}
