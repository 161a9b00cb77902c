import type { RestSearch } from '../../../contract/search.ts'
import type { ProjectName } from '../search/list-params.ts'
import { scopeOfView, scopeToView, type ViewParts } from '../search/views.ts'
import { type LogParams, logModes, logsPeriod } from './params.ts'

// Converts saved views of logs to URLs of the screen, and back. A view keeps what is shown in place of an order, columns, and added facets.

/** The query string of the screen for a view, with `?`. Always with a `q`, so that it is never the default view. */
export function logViewSearch(view: ViewParts, projects: readonly ProjectName[]): string {
  const search = new URLSearchParams({ q: view.query })
  for (const [name, value] of scopeOfView(view, projects, logsPeriod)) search.set(name, value)
  const mode = logModes.find((known) => known === view.sort)
  if (mode && mode !== 'lines') search.set('mode', mode)
  if (view.columns.length > 0) search.set('columns', view.columns.join(','))
  if (view.facets.length > 0) search.set('fields', view.facets.join(','))
  return `?${search}`
}

/** The state of the screen as a view to save. */
export const logViewOf = (params: LogParams, projects: readonly ProjectName[]): ViewParts => ({
  query: params.q,
  sort: params.mode,
  columns: params.columns,
  facets: params.fields,
  ...scopeToView(params, projects, logsPeriod),
})

/** The query string of the view that the screen opens with. Undefined if there is none. */
export function defaultLogSearch(views: readonly RestSearch[], projects: readonly ProjectName[]): string | undefined {
  const found = views.find(({ isPinned }) => isPinned)
  return found && logViewSearch(found, projects)
}
