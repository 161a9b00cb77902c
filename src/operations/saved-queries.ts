import type { SavedQuery, SavedQueryStore } from '../store/meta/explore/saved-queries.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Saves a query. Throws VALIDATION with fields, CONFLICT for a taken name or too many queries. */
export const createSavedQuery = (
  { meta }: { meta: MetaWith<'explore.saveQuery'> },
  value: Parameters<SavedQueryStore['saveQuery']>[0],
): Promise<SavedQuery> => meta.explore.saveQuery(value)

/** Changes the given fields of a saved query. Throws NOT_FOUND, VALIDATION, CONFLICT (other revision or taken name). */
export const updateSavedQuery = (
  { meta }: { meta: MetaWith<'explore.updateQuery'> },
  id: number,
  change: Parameters<SavedQueryStore['updateQuery']>[1],
  rev?: number,
): Promise<SavedQuery> => meta.explore.updateQuery(id, change, rev)

/** Deletes a saved query. Throws CONFLICT for another revision. */
export const deleteSavedQuery = (
  { meta }: { meta: MetaWith<'explore.deleteQuery'> },
  id: number,
  rev?: number,
): Promise<void> => meta.explore.deleteQuery(id, rev)
