import type { RestSearch } from '../../../contract/search.ts'
import { isRelativeRange } from '../../../domain/time-ranges.ts'
import type { ViewScope } from '../../../domain/view-scopes.ts'
import {
  apiSort,
  defaultQuery,
  type ListParams,
  type ProjectName,
  projectIdsOf,
  projectSlugs,
  type Sort,
  sorts,
} from './list-params.ts'
import type { Range } from './range.ts'

// Converts saved views to URLs of the stream, and back.

/** What a view keeps of its list. */
export type ViewParts = Pick<
  RestSearch,
  'query' | 'sort' | 'projects' | 'environments' | 'columns' | 'facets' | 'statsPeriod' | 'start' | 'end'
>

/** The part that views of all lists and saved queries have. */
type ScopeParts = Omit<ViewParts, 'query' | 'sort' | 'columns' | 'facets'>

const names = (text: string) => text.split(',').filter((part) => part !== '')

const sortOf = (name: string): Sort => sorts.find((sort) => apiSort[sort] === name) ?? 'last'

/** The scope of a view as parameters of its list: projects, environments and range. `period` is the list's own range. */
export function scopeOfView(view: ScopeParts, projects: readonly ProjectName[], period: string): URLSearchParams {
  const search = new URLSearchParams()
  if (view.projects.length) search.set('project', projectSlugs(view.projects, projects).join(','))
  if (view.environments.length) search.set('env', view.environments.join(','))
  if (view.start && view.end) {
    search.set('from', view.start)
    search.set('to', view.end)
  } else if (view.statsPeriod && isRelativeRange(view.statsPeriod) && view.statsPeriod !== period)
    search.set('t', view.statsPeriod)
  return search
}

/** The scope of a list's state as parts of a view. Stores project ids, because a slug can move to another project. */
export function scopeToView(
  { project, env, range }: { project: string; env: string; range: Range },
  projects: readonly ProjectName[],
  period: string,
): ScopeParts {
  const fixed = range.kind === 'absolute'
  return {
    projects: projectIdsOf(project, projects),
    environments: names(env),
    statsPeriod: fixed || range.period === period ? null : range.period,
    start: fixed ? new Date(range.fromMs).toISOString() : null,
    end: fixed ? new Date(range.toMs).toISOString() : null,
  }
}

const streamPeriod = '14d'

/** The query string of the stream for a view, with `?`. '' for the default stream. */
export function viewSearch(view: ViewParts, projects: readonly ProjectName[]): string {
  const search = new URLSearchParams(view.query === defaultQuery ? {} : { q: view.query })
  for (const [name, value] of scopeOfView(view, projects, streamPeriod)) search.set(name, value)
  const sort = sortOf(view.sort)
  if (sort !== 'last') search.set('sort', sort)
  const text = search.toString()
  return text ? `?${text}` : ''
}

/** The stream's state as a view to save. */
export const viewOf = (params: ListParams, projects: readonly ProjectName[]): ViewParts => ({
  query: params.q.trim(),
  sort: apiSort[params.sort],
  columns: [],
  facets: [],
  ...scopeToView(params, projects, streamPeriod),
})

/** The content of a view, without its name and owner. */
export const partsOf = (view: ViewParts): ViewParts => {
  const { query, sort, projects, environments, columns, facets, statsPeriod, start, end } = view
  return { query, sort, projects, environments, columns, facets, statsPeriod, start, end }
}

/** The view that matches the stream's state. Undefined after a change of any parameter. */
export function shownView(
  views: readonly RestSearch[],
  params: ListParams,
  projects: readonly ProjectName[],
): RestSearch | undefined {
  const now = viewSearch(viewOf(params, projects), projects)
  return views.find((view) => viewSearch(view, projects) === now)
}

/** The other URL parameters by name, for the form of the search box. */
export function viewParams(params: ListParams): Record<string, string> {
  const search = new URLSearchParams(viewSearch({ ...viewOf(params, []), query: defaultQuery }, []))
  return Object.fromEntries(search)
}

/** The projects and environments that limit a list's completions. */
export function completionScope(params: Pick<ListParams, 'env'>, projectIds: readonly string[]) {
  const environment = names(params.env)
  return {
    project: projectIds.length ? projectIds : undefined,
    environment: environment.length ? environment : undefined,
  }
}

/** The key of the cached views of a list. */
export const viewsKey = (organization: string, scope: ViewScope): string[] => ['searches', organization, scope]

/** The hash that opens the panel of saved views. */
export const viewsHash = '#save-view'

/** Opens the panel of saved views, with the focus on its button. Returns false on a page without the panel. */
export function openViews(): boolean {
  const details = document.querySelector<HTMLDetailsElement>('details.views')
  if (!details) return false
  details.open = true
  details.querySelector('summary')?.focus()
  return true
}
