import type { Measured } from './ast.ts'
import { keysByName } from './by-name.ts'
import type { KeyType, Operator, SearchKey } from './key.ts'
import { searchKeys } from './keys.ts'

const comparisons = ['<', '<=', '=', '!=', '>=', '>'] as const

/** The operators for each type. All keys but `is` and `has` also accept a leading `!` and `""` for "not set". */
export const operators: Readonly<Record<KeyType, readonly Operator[]>> = {
  text: ['*', '[]', '""'],
  version: ['<', '<=', '>=', '>', '*', '[]', '""'],
  number: [...comparisons, '[]', '""'],
  duration: [...comparisons, '[]', '""'],
  date: ['<', '<=', '=', '>=', '>', '[]'],
  boolean: ['[]', '""'],
  choice: ['[]', '""'],
  is: ['[]'],
  has: ['[]'],
}

const byName = keysByName(searchKeys)

/** Measurements in milliseconds, by their SDK names. Any other measurement is a plain number. */
const timed =
  /^(?:fp|fcp|lcp|fid|inp|ttfb|ttfb\.requesttime|app_start_(?:cold|warm)|time_to_(?:initial|full)_display|stall_(?:longest|total)_time)$/

/**
 * Returns the entry of a key by name or alias; undefined for a tag. `measurements.*`, `spans.*` and two keys of
 * `span.*` are families, which exist for other kinds of data.
 */
export function searchKeyOf(name: string): SearchKey | undefined {
  const knownKey = byName.get(name)
  if (knownKey) return knownKey
  const found = /^(measurements|spans?)\.(.+)$/.exec(name)
  if (!found) return undefined
  const [, family, fieldName = ''] = found
  const measured = (type: KeyType): SearchKey => ({
    name,
    type,
    source: { in: 'nothing' },
    example: `${name}:>5`,
    measured: true,
  })
  if (family === 'measurements') return measured(timed.test(fieldName) ? 'duration' : 'number')
  return family === 'spans' || /^(?:duration|self_time)$/.test(fieldName) ? measured('duration') : undefined
}

/** Returns whether no error event has the key. The parser accepts it, but a condition on it finds nothing. */
export const findsNothing = (key: SearchKey): boolean => key.source.in === 'nothing'

/** The keys that the box suggests: all that can find something. */
export const offeredKeys: readonly SearchKey[] = searchKeys.filter((key) => !findsNothing(key))

/** Returns the message key of a key's sentence. A dot would be a level of the message catalogue. */
export const messageKeyOf = (key: SearchKey): string => key.name.replaceAll('.', '_')

/** Aggregates that are counts or scores; shares; and aggregates with the unit of their argument. */
const counted =
  /^(?:count|count_unique|count_if|count_miserable|count_web_vitals|failure_count|epm|eps|tpm|tps|apdex|user_misery|performance_score|opportunity_score)$/
const shares = /^(?:failure_rate|percentage|crash_rate|crash_free_rate)$/
const ofArgument = /^(?:avg|p50|p75|p90|p95|p99|p100|percentile|min|max|sum|any)$/

/** Returns the entry of a key by name or alias. Undefined: a tag or an attribute. */
export type KeyLookup = (name: string) => SearchKey | undefined

/** Returns the unit of an aggregate such as `p95(transaction.duration)`; undefined for an unknown aggregate. */
export function aggregateOf(text: string, keyOf: KeyLookup = searchKeyOf): Measured | undefined {
  const found = /^([A-Za-z_]\w*)\(([^,()]*)/.exec(text)
  const [, name = '', argument = ''] = found ?? []
  if (counted.test(name)) return 'number'
  if (shares.test(name)) return 'percent'
  if (!ofArgument.test(name)) return undefined
  if (argument === '') return 'duration'
  const type = keyOf(argument)?.type
  return type === 'duration' || type === 'number' ? type : undefined
}
