import type { SavedSearch, SearchStore } from '../store/meta/issues/searches.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Saves a view of a list. Throws VALIDATION with fields, CONFLICT for a taken name or too many views. */
export const createSearch = (
  { meta }: { meta: MetaWith<'issues.saveSearch'> },
  value: Parameters<SearchStore['saveSearch']>[0],
): Promise<SavedSearch> => meta.issues.saveSearch(value)

/** Changes the given fields of a saved view. Throws NOT_FOUND, VALIDATION, CONFLICT (other revision or taken name). */
export const updateSearch = (
  { meta }: { meta: MetaWith<'issues.updateSearch'> },
  id: number,
  change: Parameters<SearchStore['updateSearch']>[1],
  rev?: number,
): Promise<SavedSearch> => meta.issues.updateSearch(id, change, rev)

/** Deletes a saved view. Throws CONFLICT for another revision. */
export const deleteSearch = (
  { meta }: { meta: MetaWith<'issues.deleteSearch'> },
  id: number,
  rev?: number,
): Promise<void> => meta.issues.deleteSearch(id, rev)

/** Makes a view the one that the person's list opens with, or ends that. Throws NOT_FOUND for a view deleted meanwhile. */
export const setDefaultSearch = (
  { meta }: { meta: MetaWith<'issues.setDefaultSearch'> },
  search: SavedSearch,
  userId: string,
  isDefault: boolean,
): Promise<void> => meta.issues.setDefaultSearch(search, userId, isDefault)
