import type { Organization, Project } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Action, Actor, Auth } from './auth.ts'

type Parts = { meta: Pick<MetaStore, 'projectsOf'>; auth: Pick<Auth, 'may'> }

/** Returns the projects of an organization in which the caller is allowed to do `action`, by slug. */
export const allowedProjects = (
  { meta, auth }: Parts,
  actor: Actor,
  organization: Organization,
  action: Action,
): Project[] =>
  meta.projectsOf(organization.id).filter((project) => auth.may(actor, action, { organization, project }) === 'yes')

/** Returns the projects of an organization whose issues the caller can read, by slug. */
export const readableProjects = (parts: Parts, actor: Actor, organization: Organization): Project[] =>
  allowedProjects(parts, actor, organization, 'issue:read')

/** Returns the ids of `readableProjects`. */
export const readableIds = (parts: Parts, actor: Actor, organization: Organization): number[] =>
  readableProjects(parts, actor, organization).map((project) => project.id)
