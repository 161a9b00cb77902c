import type { SearchKey } from './key.ts'

/** A table of keys by their names and other spellings. */
export const keysByName = (keys: readonly SearchKey[]): ReadonlyMap<string, SearchKey> =>
  new Map(keys.flatMap((key) => [key.name, ...(key.aliases ?? [])].map((name) => [name, key] as const)))
