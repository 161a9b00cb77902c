import type { RestSavedQuery } from '../../contract/explore/saved-queries.ts'
import type { SavedQuery } from '../../store/meta/explore/saved-queries.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'

/** The caller. `maySave`: members save queries of their own and shared ones; viewers only read. */
export type QueryReader = { userId: string; maySave: boolean; organization: string; url: string }

/** Returns whether the caller can change a query: members their own and the shared ones. */
export const mayChangeQuery = (query: Pick<SavedQuery, 'shared' | 'userId'>, by: QueryReader): boolean =>
  by.maySave && (query.shared || query.userId === by.userId)

/** Converts a saved query to the API's shape. */
export async function toRestSavedQuery(
  meta: MetaWith<'people.personById'>,
  query: SavedQuery,
  by: QueryReader,
): Promise<RestSavedQuery> {
  const [start, end] = query.span.includes('/') ? query.span.split('/') : []
  const person = await meta.people.personById(query.userId)
  return {
    id: String(query.id),
    name: query.name,
    visibility: query.shared ? 'organization' : 'owner',
    plan: query.plan,
    projects: query.projects,
    environments: query.environments,
    statsPeriod: query.span === '' || start !== undefined ? null : query.span,
    start: start ?? null,
    end: end ?? null,
    createdBy: person ? { id: person.id, name: person.name, email: person.email } : null,
    dateCreated: new Date(query.createdMs).toISOString(),
    dateUpdated: new Date(query.updatedMs).toISOString(),
    isEditable: mayChangeQuery(query, by),
    url: `${by.url}/o/${by.organization}/explore?saved=${query.id}`,
    revision: query.rev,
  }
}

/** Returns the shared queries of an organization and the caller's own, by name. */
export async function savedQueriesOf(
  meta: MetaWith<'people.personById' | 'explore.savedQueriesOf'>,
  organizationId: number,
  by: QueryReader,
): Promise<RestSavedQuery[]> {
  const queries = await meta.explore.savedQueriesOf(organizationId, by.userId)
  return await Array.fromAsync(queries, async (query) => toRestSavedQuery(meta, query, by))
}
