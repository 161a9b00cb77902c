import type { Scope } from '../events.ts'
import { aheadMs, likePattern, type Values } from '../filter.ts'
import type { SpanCompare, SpanFilter, SpanValue } from '../span-search.ts'
import { asNumber, compilePresence, compileValue } from './columns.ts'

/** SQL operators by comparison. A closed table, because operators cannot be bound. */
export const compares: Record<SpanCompare, string> = { '<': '<', '<=': '<=', '=': '=', '>=': '>=', '>': '>' }

const time = (values: Values, ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`

/** Condition that an id of hex characters is the value's. Ids of another form match nothing. */
function idIs(values: Values, value: Extract<SpanValue, { of: 'id' }>, text: string): string {
  const hex = text.replaceAll('-', '').toLowerCase()
  const digits = value.column === 'trace' ? 32 : 16
  if (!/^[0-9a-f]+$/.test(hex) || hex.length !== digits) return '0'
  return value.column === 'trace'
    ? `trace_id = toFixedString(unhex(${values.add('String', hex)}), 16)`
    : `${compileValue(values, value)} = ${values.add('UInt64', BigInt(`0x${hex}`))}`
}

/** The text of a value that a pattern is compared with. */
function textOf(values: Values, value: SpanValue): string {
  const text = compileValue(values, value.of === 'attribute' ? { ...value, as: 'text' } : value)
  if (value.of === 'id' && value.column !== 'trace') return `lower(leftPad(hex(${text}), 16, '0'))`
  return value.of === 'text' || value.of === 'attribute' ? text : `toString(${text})`
}

/** Condition that a span has the attribute at all, for the index of keys. The pattern `*` matches a missing one, too. */
const hasKey = (values: Values, value: SpanValue, pattern: string): string =>
  value.of === 'attribute' && /[^*]/.test(pattern) ? `mapContains(tags, ${values.add('String', value.key)}) AND ` : ''

function matchCondition(
  values: Values,
  { value, match, text }: Pick<Extract<SpanFilter, { op: 'match' }>, 'value' | 'match' | 'text'>,
): string {
  if (match === 'has') return compilePresence(values, value)
  if (match === 'like')
    return `${hasKey(values, value, text)}ifNull(${textOf(values, value)} ILIKE ${values.add('String', likePattern(text))}, 0)`
  if (value.of === 'id') return idIs(values, value, text)
  return `${textOf(values, value)} = ${values.add('String', text)}`
}

function compareCondition(values: Values, { value, compare, number }: Extract<SpanFilter, { op: 'compare' }>): string {
  const operator = compares[compare]
  if (value.of === 'time') return `start ${operator} ${time(values, number)}`
  // Whole microseconds, so that the column is compared as it is stored.
  if (value.of === 'number' && value.column === 'duration')
    return `duration ${operator} ${values.add('Float64', number * 1000)}`
  // Written so that an index of keys skips what does not have the attribute: NULL of a missing one hides it.
  if (value.of === 'attribute') {
    const key = values.add('String', value.key)
    return `mapContains(numbers, ${key}) AND numbers[${key}] ${operator} ${values.add('Float64', number)}`
  }
  return `ifNull((${compileValue(values, asNumber(value))}) ${operator} ${values.add('Float64', number)}, 0)`
}

/** Compiles a filter to a condition in parentheses. Its values are added to `values`. */
export function compileSpanFilter(values: Values, filter: SpanFilter): string {
  switch (filter.op) {
    case 'and':
    case 'or': {
      if (filter.of.length === 0) return filter.op === 'and' ? '(1)' : '(0)'
      return `(${filter.of.map((part) => compileSpanFilter(values, part)).join(filter.op === 'and' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      return `(NOT ${compileSpanFilter(values, filter.of)})`
    case 'match':
      return `(${matchCondition(values, filter)})`
    case 'compare':
      return `(${compareCondition(values, filter)})`
    case 'projects':
      return `(project_id IN ${values.add('Array(UInt64)', filter.ids)})`
  }
}

/**
 * Condition for the spans of a scope and a filter. `fromMs` is inclusive, `toMs` exclusive. The time of receipt is the
 * key of the partitions: a span is received after it began, unless the sender's clock is ahead.
 */
export function compileSpanScope(values: Values, scope: Scope, filter: SpanFilter | undefined): string {
  const parts = [
    `project_id IN ${values.add('Array(UInt64)', scope.projectIds)}`,
    `start >= ${time(values, scope.fromMs)}`,
    `start < ${time(values, scope.toMs)}`,
    `received >= ${time(values, Math.max(0, scope.fromMs - aheadMs))}`,
  ]
  if (scope.environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', scope.environments)}`)
  if (filter) parts.push(compileSpanFilter(values, filter))
  return parts.join(' AND ')
}
