import { allowedProjects } from '../../auth/allowed-projects.ts'
import type { Action, Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import type { App } from '../../processes/parts.ts'
import type { Organization, Project } from '../../store/meta/meta.ts'
import { type Found, organizationOf } from '../route.ts'

/** Maximum projects per call. */
const projectsMax = 200

async function projectNamed(app: App, organization: Organization, name: string): Promise<Project> {
  const project =
    (await app.meta.projects.projectBySlug(organization.id, name)) ??
    (await app.meta.projects.projectByOldSlug(organization.id, name))
  if (!project)
    throw new MishapError('VALIDATION', {
      fields: { projects: [`There is no project ${JSON.stringify(name.slice(0, 60))}.`] },
    })
  return project
}

/**
 * Returns the project of the path, else the projects named by slug or id. All must be allowed. Throws VALIDATION for no
 * project, too many projects or an unknown project, and the errors of `demand`.
 */
export async function namedProjects(
  call: { app: App; actor: Actor; found: Found },
  action: Action,
  names: readonly (string | number)[],
): Promise<Project[]> {
  const { app, actor, found } = call
  if (found.project) return [found.project]
  const organization = organizationOf(found)
  if (names.length === 0 || names.length > projectsMax)
    throw new MishapError('VALIDATION', { fields: { projects: [`Name 1 to ${projectsMax} projects.`] } })
  const projects = await Array.fromAsync([...new Set(names.map(String))], async (projectName) =>
    projectNamed(app, organization, projectName),
  )
  for (const project of projects) await app.auth.demand(actor, action, { organization, project })
  return projects
}

/** Returns the project of the path, else the named ones, else all whose releases the caller can see. */
export async function releaseProjects(
  call: { app: App; actor: Actor; found: Found },
  action: Action,
  names: readonly string[] = [],
): Promise<Project[]> {
  const { app, actor, found } = call
  const named = names.filter((name) => name !== '' && name !== '-1')
  if (found.project || named.length > 0) return namedProjects(call, action, named)
  return allowedProjects(app, actor, organizationOf(found), action)
}
