import { spanKeyOf, spanKeys } from '../../../query/traces/span-keys.ts'
import type { KeyTable } from '../search/complete.ts'

/** The keys of the search box over spans. */
export const spanKeyTable: KeyTable = { offered: spanKeys, keyOf: spanKeyOf, dataset: 'spans', words: 'spans' }
