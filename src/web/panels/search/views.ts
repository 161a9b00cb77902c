import type { RestSearch } from '../../../contract/search.ts'
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
import { isRelativeRange } from './range.ts'

// Converts saved views to URLs of the stream, and back.

type Shown = Pick<RestSearch, 'query' | 'sort' | 'projects' | 'environments' | 'statsPeriod' | 'start' | 'end'>

const sortOf = (name: string): Sort => sorts.find((sort) => apiSort[sort] === name) ?? 'last'

/** The query string of the stream for a view, with `?`. '' for the default stream. */
export function viewSearch(view: Shown, projects: readonly ProjectName[]): string {
  const search = new URLSearchParams()
  if (view.query !== defaultQuery) search.set('q', view.query)
  if (view.projects.length) search.set('project', projectSlugs(view.projects, projects).join(','))
  if (view.environments.length) search.set('env', view.environments.join(','))
  if (view.start && view.end) {
    search.set('from', view.start)
    search.set('to', view.end)
  } else if (view.statsPeriod && isRelativeRange(view.statsPeriod) && view.statsPeriod !== '14d')
    search.set('t', view.statsPeriod)
  const sort = sortOf(view.sort)
  if (sort !== 'last') search.set('sort', sort)
  const text = search.toString()
  return text ? `?${text}` : ''
}

const names = (text: string) => text.split(',').filter((part) => part !== '')

/** The stream's state as a view to save. Stores project ids, because a slug can move to another project. */
export function viewOf(params: ListParams, projects: readonly ProjectName[]): Shown {
  const { range } = params
  const fixed = range.kind === 'absolute'
  return {
    query: params.q.trim(),
    sort: apiSort[params.sort],
    projects: projectIdsOf(params.project, projects),
    environments: names(params.env),
    statsPeriod: fixed || range.period === '14d' ? null : range.period,
    start: fixed ? new Date(range.fromMs).toISOString() : null,
    end: fixed ? new Date(range.toMs).toISOString() : null,
  }
}

/** The content of a view, without its name and owner. */
export const partsOf = ({ query, sort, projects, environments, statsPeriod, start, end }: Shown): Shown => ({
  query,
  sort,
  projects,
  environments,
  statsPeriod,
  start,
  end,
})

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
