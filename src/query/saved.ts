import type { RestSearch } from '../contract/rest-search.ts'
import type { SavedSearch } from '../store/meta/issues/searches.ts'
import type { MetaStore } from '../store/meta/meta.ts'

/** Who asks: their own views are theirs to change, shared ones when they may triage. */
export type ViewAsker = { userId: string; mayShare: boolean }

/** Whether somebody may change a view. */
export function mayChangeView(one: Pick<SavedSearch, 'shared' | 'userId'>, by: ViewAsker): boolean {
  return one.shared ? by.mayShare : one.userId === by.userId
}

/** A saved view in the shape of the API. */
export function toRestSearch(meta: Pick<MetaStore, 'personById'>, one: SavedSearch, by: ViewAsker): RestSearch {
  const [start, end] = one.span.includes('/') ? one.span.split('/') : []
  const person = meta.personById(one.userId)
  return {
    id: String(one.id),
    type: 0,
    name: one.name,
    query: one.query,
    sort: one.sort,
    visibility: one.shared ? 'organization' : 'owner',
    isGlobal: false,
    isPinned: false,
    projects: one.projects,
    environments: one.environments,
    statsPeriod: one.span === '' || start !== undefined ? null : one.span,
    start: start ?? null,
    end: end ?? null,
    createdBy: person ? { id: person.id, name: person.name, email: person.email } : null,
    dateCreated: new Date(one.createdMs).toISOString(),
    isEditable: mayChangeView(one, by),
    revision: one.rev,
  }
}

/** The views that somebody sees in an organization: the shared ones and their own, by name. */
export function viewsOf(
  meta: Pick<MetaStore, 'personById' | 'savedSearches'>,
  organizationId: number,
  by: ViewAsker,
): RestSearch[] {
  return meta.savedSearches(organizationId, by.userId).map((one) => toRestSearch(meta, one, by))
}
