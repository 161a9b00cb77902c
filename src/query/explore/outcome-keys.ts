import { categories, outcomes } from '../../base/outcome.ts'
import type { Value } from '../../store/events/question.ts'
import { keysByName } from '../search/by-name.ts'
import type { KeyType, SearchKey } from '../search/key.ts'
import { projectKeys } from '../search/keys.ts'
import type { KeyLookup } from '../search/lookup.ts'

// The table of keys of searches over outcomes: what became of each sent item, by hour, from the ledger.

type Rest = Pick<SearchKey, 'aliases' | 'words' | 'values'>

const key = (name: string, type: KeyType, value: Value, example: string, rest: Rest = {}): SearchKey => ({
  name,
  type,
  source: { in: 'row', value },
  example: `${name}:${example}`,
  ...rest,
})
const text = (name: string, column: string, example: string, rest: Rest = {}): SearchKey =>
  key(name, 'text', { of: 'text', column }, example, rest)

/** Every key of a search over outcomes. */
export const outcomeKeys: readonly SearchKey[] = [
  text('category', 'category', 'log_item', { words: categories }),
  text('outcome', 'outcome', 'filtered', { words: outcomes }),
  text('reason', 'reason', 'disk_budget'),
  text('item', 'item', 'span', { aliases: ['item_type'] }),
  key('key', 'number', { of: 'number', column: 'key' }, '1', { aliases: ['key_id', 'key.id'] }),
  key('quantity', 'number', { of: 'number', column: 'quantity' }, '>100'),
  key('bytes', 'number', { of: 'number', column: 'bytes' }, '>1000'),
  key('timestamp', 'date', { of: 'time' }, '-1h', { aliases: ['time'] }),
  ...projectKeys(),
  { name: 'has', type: 'has', source: { in: 'presence' }, example: 'has:reason' },
]

const byName = keysByName(outcomeKeys)
/** States are a key of issues. A search over outcomes refuses it. */
const state: SearchKey = { name: 'is', type: 'is', source: { in: 'nothing' }, example: 'is:unresolved' }

/** Returns the entry of a key of outcomes by name or alias. Undefined: there is no such key. */
export const outcomeKeyOf: KeyLookup = (name) => byName.get(name) ?? (name === 'is' ? state : undefined)
