import { filterAsync } from '../base/sequence.ts'
import type { Organization, Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { Action, Actor, Auth } from './auth.ts'

type Parts = { meta: MetaWith<'projects.projectsOf'>; auth: Pick<Auth, 'may'> }

/** Returns the projects of an organization in which the caller is allowed to do `action`, by slug. */
export const allowedProjects = async (
  { meta, auth }: Parts,
  actor: Actor,
  organization: Organization,
  action: Action,
): Promise<Project[]> =>
  filterAsync(
    await meta.projects.projectsOf(organization.id),
    async (project) => (await auth.may(actor, action, { organization, project })) === 'yes',
  )

/** Returns the projects of an organization whose issues the caller can read, by slug. */
export const readableProjects = (parts: Parts, actor: Actor, organization: Organization): Promise<Project[]> =>
  allowedProjects(parts, actor, organization, 'issue:read')

/** Returns the ids of `readableProjects`. */
export const readableIds = async (parts: Parts, actor: Actor, organization: Organization): Promise<number[]> =>
  (await readableProjects(parts, actor, organization)).map((project) => project.id)
