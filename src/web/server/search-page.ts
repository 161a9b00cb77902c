import { readableProjects } from '../../auth/allowed-projects.ts'
import { someAsync } from '../../base/sequence.ts'
import type { RestSearch } from '../../contract/search.ts'
import type { ViewScope } from '../../domain/view-scopes.ts'
import { namedProjects } from '../../query/named-projects.ts'
import { rangeOf } from '../../query/range.ts'
import { viewsOf } from '../../query/saved.ts'
import { defaultProjects } from '../../query/self-project.ts'
import type { Organization, Project } from '../../store/meta/meta.ts'
import { dsnOf } from '../../wire/dsn.ts'
import { app } from '../handle.ts'
import { demandOrganization } from './session.ts'

type Range = { kind: 'relative'; period: string } | { kind: 'absolute'; fromMs: number; toMs: number }

/** A page that searches the data of an organization: who reads it, and what they may read. */
type SearchPage = {
  organization: Organization
  search: URLSearchParams
  /** All readable projects. */
  projects: Project[]
  names: { id: string; slug: string; name: string }[]
  views: RestSearch[]
  /** Whether the reader may share a view with the organization. */
  canShare: boolean
}

/** Loads a page that searches. Redirects to the login and answers 404 like every page of an organization. */
export async function searchPage(
  org: string,
  searchParams: Promise<Record<string, string | string[]>>,
  scope: ViewScope,
): Promise<SearchPage> {
  const search = new URLSearchParams(
    Object.entries(await searchParams).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const { actor, organization } = await demandOrganization(org, `/o/${org}/${scope}${search.size ? `?${search}` : ''}`)
  const { auth, meta } = app()
  const projects = await readableProjects(app(), actor, organization)
  const canShare = await someAsync(
    projects,
    async (project) => (await auth.may(actor, 'issue:triage', { organization, project })) === 'yes',
  )
  const views = await viewsOf(meta, organization.id, { userId: actor.person.id, mayShare: canShare }, scope)
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  return { organization, search, projects, names, views, canShare }
}

/** The view of a page's parameters: the named projects or the usual ones, the environments and the range. */
export async function viewOfPage(
  { organization, projects }: SearchPage,
  { projectIds, env, range }: { projectIds: readonly string[]; env: string; range: Range },
) {
  const { meta, clock } = app()
  const chosen = projectIds.length
    ? ((await namedProjects(meta, organization.id, projects, [...projectIds])) ?? [])
    : await defaultProjects(meta, organization.id, projects)
  return {
    projects: chosen,
    environments: env.split(',').filter((part) => part !== ''),
    range: rangeOf(
      range.kind === 'relative'
        ? { statsPeriod: range.period }
        : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() },
      clock.now(),
    ),
  }
}

/** The DSN of a project, for the snippets of an empty screen. */
export async function dsnOfProject(project: Project | undefined): Promise<string | undefined> {
  const [key] = project ? await app().meta.projects.keysOf(project.id) : []
  return key && dsnOf(app().config.url, key)
}
