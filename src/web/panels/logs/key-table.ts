import { logKeyOf, logKeys } from '../../../query/logs/keys.ts'
import type { KeyTable } from '../search/complete.ts'

/** The keys of the search box over log lines. */
export const logKeyTable: KeyTable = { offered: logKeys, keyOf: logKeyOf, dataset: 'logs', words: 'logs' }
