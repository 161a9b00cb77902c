import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import type { Actor } from '../../auth/auth.ts'
import type { Organization, Project, Role } from '../../store/meta/meta.ts'
import { renamedOrganizationPath, renamedProjectPath } from '../client/renamed-path.ts'
import { app } from '../handle.ts'

export type OrganizationHere = { actor: Actor; organization: Organization; role: Role | undefined }
export type ProjectHere = OrganizationHere & { project: Project }

/**
 * The actor of this request, cached per request. Undefined without a login, for unknown bearer tokens, and for
 * organization tokens: with such a token, a build could act on the screens as the person who created the token.
 */
export const actorHere = cache(async (): Promise<Actor | undefined> => {
  try {
    const actor = await app().auth.actorOf(await headers())
    return actor?.kind === 'token' && actor.ofOrganization ? undefined : actor
  } catch {
    return undefined
  }
})

/** Like actorHere, but redirects to the sign-in page without a login. Sign-in returns to `path` (path and query). */
export async function demandActor(path: string): Promise<Actor> {
  const actor = await actorHere()
  if (!actor) redirect(`/login?next=${encodeURIComponent(path)}`)
  return actor
}

/** The organization with this slug. Undefined when it does not exist or `actor` may not read it. */
export async function organizationFor(actor: Actor, slug: string): Promise<OrganizationHere | undefined> {
  const { meta, auth } = app()
  const organization = await meta.organizations.organizationBySlug(slug)
  if (!organization || (await auth.may(actor, 'organization:read', { organization })) !== 'yes') return undefined
  return { actor, organization, role: (await meta.organizations.memberOf(organization.id, actor.person.id))?.role }
}

/** For pages under /o/[org]: redirects to sign-in or from an old slug, or answers 404, before anything renders. */
export async function demandOrganization(slug: string, path: string): Promise<OrganizationHere> {
  const actor = await demandActor(path)
  const requestedSlug = decodeURIComponent(slug)
  const found = await organizationFor(actor, requestedSlug)
  if (found) return found
  const renamed = await app().meta.organizations.organizationByOldSlug(requestedSlug)
  if (!renamed || !(await organizationFor(actor, renamed.slug))) notFound()
  redirect(renamedOrganizationPath(path, renamed.slug))
}

/**
 * Like demandOrganization for a page of one project (by slug or id). An old slug redirects to the page of the new
 * slug.
 */
export async function demandProject(slug: string, projectSlug: string, path: string): Promise<ProjectHere> {
  const here = await demandOrganization(slug, path)
  const { meta, auth } = app()
  const { organization, actor } = here
  const requestedSlug = decodeURIComponent(projectSlug)
  const project = await meta.projects.projectBySlug(organization.id, requestedSlug)
  const found = project ?? (await meta.projects.projectByOldSlug(organization.id, requestedSlug))
  if (!found || (await auth.may(actor, 'issue:read', { organization, project: found })) !== 'yes') notFound()
  if (!project) redirect(renamedProjectPath(path, found.slug))
  return { ...here, project: found }
}
