import { MishapError } from '../../base/errors.ts'
import type { RestSearch } from '../../contract/search.ts'
import type { Organization, Project } from '../../store/meta/meta.ts'
import { namedProjects } from '../named-projects.ts'
import { rangeOf } from '../range.ts'
import type { QueryDeps } from './issue.ts'
import { type issueSorts, listIssues } from './issues.ts'

/** Numbers of issues beside projects and saved views. `count`: null if the view cannot be counted now. */
export type IssueCounts = {
  projects: { id: string; unresolved: number }[]
  views: { id: string; count: number | null }[]
}

/** How many results are shared, and for how long. A view with conditions on events can take half a second. */
export const issueCountsAge = { max: 1000, maxAgeMs: 20_000 } as const

/** Views that are counted; the rest has no number. */
const viewsMax = 30
const unresolved = { op: 'status', value: 'unresolved' } as const

type Request = {
  organization: Organization
  projects: readonly Project[]
  views: readonly RestSearch[]
  meUserId: string
}

/** The codes of queries that the stream would refuse as well, and of an events store that is down. */
const isUncountable = (error: unknown) =>
  error instanceof MishapError && /^(QUERY_\w+|VALIDATION|STORE_UNAVAILABLE)$/.test(error.code)

async function countView(deps: QueryDeps, request: Request, view: RestSearch): Promise<number | null> {
  const { organization, projects, meUserId } = request
  const selected = view.projects.length
    ? await namedProjects(deps.meta, organization.id, projects, view.projects)
    : [...projects]
  if (!selected) return null
  const { start, end, statsPeriod } = view
  try {
    const range = rangeOf(start && end ? { start, end } : { statsPeriod: statsPeriod ?? undefined }, deps.clock.now())
    const page = await listIssues(deps, {
      organization,
      projects: selected,
      environments: view.environments,
      range,
      meUserId,
      query: view.query,
      sort: view.sort as (typeof issueSorts)[number],
      limit: 1,
    })
    return page.hits ?? null
  } catch (error) {
    if (isUncountable(error)) return null
    throw error
  }
}

/**
 * Counts the unresolved issues of each project over the stream's default range, and the issues of each saved view, one
 * view after the other. Views that the stream would refuse, and views over events while their store is down, have null.
 */
export async function issueCountsOf(deps: QueryDeps, request: Request): Promise<IssueCounts> {
  const { fromMs } = rangeOf({}, deps.clock.now())
  const projects = await Array.fromAsync(request.projects, async ({ id }) => ({
    id: String(id),
    unresolved: await deps.meta.issues.countIssues({ projectIds: [id], filter: unresolved, fromMs }),
  }))
  const views: IssueCounts['views'] = []
  for (const view of request.views.slice(0, viewsMax))
    views.push({ id: view.id, count: await countView(deps, request, view) })
  return { projects, views }
}
