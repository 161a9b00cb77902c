import type { RestSearch } from '../../../contract/search.ts'
import type { ProjectName } from '../search/list-params.ts'
import { scopeOfView, scopeToView, type ViewParts } from '../search/views.ts'
import { type TraceParams, traceSorts, tracesPeriod } from './params.ts'

// Converts saved views of traces to URLs of the search, and back.

/** Stands before the order of a list of spans. */
const ofSpans = 'spans.'

/** The query string of the search for a view, with `?`. Always with a `q`: without any parameter, the list opens with the default view. */
export function traceViewSearch(view: ViewParts, projects: readonly ProjectName[]): string {
  const search = new URLSearchParams({ q: view.query })
  for (const [name, value] of scopeOfView(view, projects, tracesPeriod)) search.set(name, value)
  const isOfSpans = view.sort.startsWith(ofSpans)
  if (isOfSpans) search.set('mode', 'spans')
  const sort = traceSorts.find((known) => known === view.sort.slice(isOfSpans ? ofSpans.length : 0))
  if (sort && sort !== 'newest') search.set('sort', sort)
  return `?${search}`
}

/** The state of the search as a view to save. */
export const traceViewOf = (params: TraceParams, projects: readonly ProjectName[]): ViewParts => ({
  query: params.q,
  sort: params.mode === 'spans' ? ofSpans + params.sort : params.sort,
  columns: [],
  facets: [],
  ...scopeToView(params, projects, tracesPeriod),
})

/** The query string of the view that the list opens with. Undefined if there is none. */
export function defaultSearch(views: readonly RestSearch[], projects: readonly ProjectName[]): string | undefined {
  const found = views.find(({ isPinned }) => isPinned)
  return found && traceViewSearch(found, projects)
}
