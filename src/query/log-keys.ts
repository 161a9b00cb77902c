import type { SearchKey } from './search/key.ts'
import type { KeyLookup } from './search/lookup.ts'

export const logKeys: readonly SearchKey[] = []
export const logKeyOf: KeyLookup = () => undefined
