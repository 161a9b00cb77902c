import type { RestSearch } from '../contract/search.ts'
import type { ViewScope } from '../domain/view-scopes.ts'
import type { SavedSearch } from '../store/meta/issues/searches.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { splitColumns } from './logs/condition.ts'

/** The caller: users can change their own views, and shared views if they can triage. */
export type Viewer = { userId: string; mayShare: boolean }

/** Returns whether the caller can change a view. */
function mayChangeView(view: Pick<SavedSearch, 'shared' | 'userId'>, by: Viewer): boolean {
  return view.shared ? by.mayShare : view.userId === by.userId
}

/** Converts a saved view to the API's shape. Columns and facets that no line has are apart, so that lists leave them out. */
export async function toRestSearch(
  meta: MetaWith<'people.personById'>,
  savedSearch: SavedSearch,
  by: Viewer,
  isDefault: boolean,
): Promise<RestSearch> {
  const [start, end] = savedSearch.span.includes('/') ? savedSearch.span.split('/') : []
  const person = await meta.people.personById(savedSearch.userId)
  const columns = splitColumns(savedSearch.columns)
  const facets = splitColumns(savedSearch.facets)
  return {
    id: String(savedSearch.id),
    type: savedSearch.scope === 'issues' ? 0 : 5,
    scope: savedSearch.scope,
    name: savedSearch.name,
    query: savedSearch.query,
    sort: savedSearch.sort,
    visibility: savedSearch.shared ? 'organization' : 'owner',
    isGlobal: false,
    isPinned: isDefault,
    projects: savedSearch.projects,
    environments: savedSearch.environments,
    columns: columns.known,
    facets: facets.known,
    unknownColumns: [...new Set([...columns.unknown, ...facets.unknown])],
    statsPeriod: savedSearch.span === '' || start !== undefined ? null : savedSearch.span,
    start: start ?? null,
    end: end ?? null,
    createdBy: person ? { id: person.id, name: person.name, email: person.email } : null,
    dateCreated: new Date(savedSearch.createdMs).toISOString(),
    isEditable: mayChangeView(savedSearch, by),
    revision: savedSearch.rev,
  }
}

/** Returns the shared views of an organization's list and the caller's own, by name. */
export async function viewsOf(
  meta: MetaWith<'people.personById' | 'issues.savedSearches' | 'issues.defaultSearchesOf'>,
  organizationId: number,
  by: Viewer,
  scope: ViewScope = 'issues',
): Promise<RestSearch[]> {
  const defaults = await meta.issues.defaultSearchesOf(organizationId, by.userId)
  const views = await meta.issues.savedSearches(organizationId, by.userId, scope)
  return await Array.fromAsync(views, async (savedSearch) =>
    toRestSearch(meta, savedSearch, by, defaults.includes(savedSearch.id)),
  )
}
