import { readableProjects } from '../../../auth/allowed-projects.ts'
import { namedProjects } from '../../../query/named-projects.ts'
import type { PerformanceView } from '../../../query/performance/compared.ts'
import { performanceCounts } from '../../../query/performance/routes.ts'
import { rangeOf } from '../../../query/range.ts'
import { defaultProjects } from '../../../query/self-project.ts'
import { app } from '../../handle.ts'
import { demandOrganization } from '../../server/session.ts'
import { codeOf, unlessAway } from '../../server/unless-away.ts'
import { projectIdsOf } from '../search/list-params.ts'
import { environmentsOf } from '../search/load-environments.ts'
import { performanceParams, type Search, scopeSearch, viewQueryOf } from './params.ts'

/** What a performance page is about: its view, its URL, and what its frame shows. `path` is below the organization's. */
export async function loadPerformance(org: string, rawParams: Search, path: string) {
  const search = new URLSearchParams(
    Object.entries(rawParams).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  )
  const own = `/o/${org}/performance${path}`
  const { actor, organization } = await demandOrganization(org, `${own}${search.size ? `?${search}` : ''}`)
  const { clock, meta } = app()
  const readable = await readableProjects(app(), actor, organization)
  const names = readable.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const params = performanceParams(rawParams)
  const projectIds = projectIdsOf(params.project, names)
  const view: PerformanceView = {
    organization,
    // An unknown project narrows to nothing. To drop its name would widen the view.
    projects: projectIds.length
      ? ((await namedProjects(meta, organization.id, readable, projectIds)) ?? [])
      : await defaultProjects(meta, organization.id, readable),
    environments: params.env.split(',').filter((part) => part !== ''),
    range: rangeOf(viewQueryOf(params, []), clock.now()),
    against: params.against,
    withCut: params.cut,
    readableIds: readable.map(({ id }) => id),
    meUserId: actor.person.id,
  }
  const counts = unlessAway(performanceCounts(app(), view))
  // A page that answers 404 never reads them.
  counts.catch(() => undefined)
  const frame = {
    organization: organization.slug,
    params,
    projects: names,
    environments: await unlessAway(environmentsOf(readable)),
    kept: scopeSearch(search),
    // Not awaited: the tabs show their numbers when they come.
    counts,
  }
  const places: Record<string, number> = Object.fromEntries(names.map(({ slug }, at) => [slug, at]))
  return { view, frame, search: search.toString(), projectIds, places, setupProject: view.projects[0]?.slug }
}
export type LoadedPerformance = Awaited<ReturnType<typeof loadPerformance>>

/** The answer, or the code of the store's error. Everything else is a bug and goes to the error screen. */
export async function orFailed<Answer>(
  query: Promise<Answer>,
): Promise<{ answer: Answer } | { failed: string; message: string }> {
  try {
    return { answer: await query }
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (/^(STORE_UNAVAILABLE|QUERY_[A-Z_]+)$/.test(code))
      return { failed: code, message: error instanceof Error ? error.message : code }
    throw error
  }
}
