import type { Dataset } from '../../../domain/datasets.ts'
import { spanKeyOf, spanKeys } from '../../../query/span-keys.ts'
import { issueKeys, type KeyTable } from '../search/complete.ts'

const spans: KeyTable = { offered: spanKeys, keyOf: spanKeyOf, dataset: 'spans', words: 'spans' }
/** A box that takes every name: the server says what is wrong. */
const open: KeyTable = { offered: [], keyOf: () => undefined, words: 'search' }

/** The keys of the search box over a dataset. */
export const exploreKeyTable = (dataset: Dataset): KeyTable =>
  dataset === 'errors' ? issueKeys : dataset === 'spans' ? spans : open
