import type { Scope } from '../events.ts'
import type { Compare, Filter, Question, Value } from '../question.ts'
import { aheadMs, compileFilter as compileEventFilter, likePattern, type Values } from '../reading/filter.ts'
import { compileList, compileNumber, compilePresence, compileValue, jsonText } from './columns.ts'
import { compileMention, isList } from './json.ts'
import { columnOf, type Source } from './sources.ts'
import { isPart, keyConditions, partCondition, shortCondition, valueConditions, wordConditions } from './words.ts'

/** SQL operators by comparison. A closed table, because operators cannot be bound. */
export const compares: Record<Compare, string> = { '<': '<', '<=': '<=', '=': '=', '>=': '>=', '>': '>' }

const time = (values: Values, ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`

/** Condition that an id of hex characters is the value's. Ids of another form match nothing. */
function idIs(source: Source, values: Values, value: Extract<Value, { of: 'id' }>, text: string): string {
  const hex = text.replaceAll('-', '').toLowerCase()
  const { sql, bytes } = columnOf(source.ids, value.column)
  if (!/^[0-9a-f]+$/.test(hex) || hex.length !== (bytes ? 32 : 16)) return '0'
  return bytes
    ? `${sql} = toFixedString(unhex(${values.add('String', hex)}), 16)`
    : `${sql} = ${values.add('UInt64', BigInt(`0x${hex}`))}`
}

/** The text of a value that a pattern is compared with. */
function textOf(source: Source, values: Values, value: Value): string {
  const text = compileValue(source, values, value.of === 'attribute' ? { ...value, as: 'text' } : value)
  if (value.of === 'id' && !columnOf(source.ids, value.column).bytes) return `lower(leftPad(hex(${text}), 16, '0'))`
  return value.of === 'text' || value.of === 'attribute' || value.of === 'json' ? text : `toString(${text})`
}

/** Whether a row can lack the value. Missing texts are empty. */
const isNullable = ({ of }: Value): boolean => of === 'number' || of === 'measurement' || of === 'score'

/** Condition that a row has the attribute at all, for the index of keys. The pattern `*` matches a missing attribute, too. */
const hasKey = (values: Values, value: Value, pattern: string): string =>
  value.of === 'attribute' && /[^*]/.test(pattern) ? `mapContains(tags, ${values.add('String', value.key)}) AND ` : ''

/** Conditions that the index of words of a column answers, before the pattern itself. */
const indexed = (source: Source, values: Values, column: string, pattern: string): string =>
  source.words?.text === column
    ? wordConditions(values, source.words, pattern)
        .map((condition) => `${condition} AND `)
        .join('')
    : ''

/**
 * Condition that a text contains words, whatever their case. A single word is answered by the index alone: a histogram
 * of a frequent one then reads no texts (90 instead of 820 ms of processor time for ten million lines).
 */
function wordsCondition(source: Source, values: Values, value: Value, text: string): string {
  const whole = text.trim()
  const column = textOf(source, values, value)
  if (source.words?.text === column && isPart(whole)) return partCondition(values, source.words, whole)
  if (source.words?.text === column && /^[a-z0-9]{1,2}$/i.test(whole))
    return shortCondition(values, source.words, whole)
  return `${indexed(source, values, column, `*${whole}*`)}ifNull(positionCaseInsensitiveUTF8(${column}, ${values.add('String', whole)}) > 0, 0)`
}

/** Condition that a text matches a pattern. */
function likeCondition(source: Source, values: Values, value: Value, text: string): string {
  const column = textOf(source, values, value)
  return `${hasKey(values, value, text)}${indexed(source, values, column, text)}ifNull(${column} ILIKE ${values.add('String', likePattern(text))}, 0)`
}

type Match = Extract<Filter, { op: 'match' }>

/** A row with several values of a path matches if one of them does. */
function listCondition(source: Source, values: Values, { value, match, text }: Match): string {
  if (value.of !== 'json') return '0'
  const list = compileList(source, values, value)
  if (match === 'has') return `notEmpty(${list})`
  if (match === 'is') return `has(${list}, ${values.add('String', text)})`
  return `arrayExists(x -> x ILIKE ${values.add('String', likePattern(match === 'words' ? `*${text}*` : text))}, ${list})`
}

function matchCondition(source: Source, values: Values, filter: Match): string {
  const { value, match, text } = filter
  if (isList(value)) return listCondition(source, values, filter)
  if (match === 'has') return compilePresence(source, values, value)
  if (match === 'words') return wordsCondition(source, values, value, text)
  if (match === 'like') return likeCondition(source, values, value, text)
  if (value.of === 'id') return idIs(source, values, value, text)
  const same = `${textOf(source, values, value)} = ${values.add('String', text)}`
  // Of a missing number the comparison is NULL, and so is its opposite: neither would find the row.
  return isNullable(value) ? `ifNull(${same}, 0)` : same
}

function compareCondition(
  source: Source,
  values: Values,
  { value, compare, number }: Extract<Filter, { op: 'compare' }>,
): string {
  const operator = compares[compare]
  if (value.of === 'time') return `${source.time} ${operator} ${time(values, number)}`
  // Whole microseconds, so that the column is compared as it is stored.
  if (value.of === 'number' && value.column === 'duration' && source.duration)
    return `${source.duration} ${operator} ${values.add('Float64', number * 1000)}`
  // Written so that an index of keys skips what does not have the attribute: NULL of a missing one hides it.
  if (value.of === 'attribute' && source.hasNumbers) {
    const key = values.add('String', value.key)
    return `mapContains(numbers, ${key}) AND numbers[${key}] ${operator} ${values.add('Float64', number)}`
  }
  const compared = values.add('Float64', number)
  if (value.of === 'json' && isList(value))
    return `${compileMention(values, value, jsonText(source, values, value))} AND arrayExists(x -> x ${operator} ${compared}, ${compileNumber(source, values, value)})`
  return `ifNull((${compileNumber(source, values, value)}) ${operator} ${compared}, 0)`
}

/** Conditions for the index of words, if only rows that have the value match. An empty text matches a missing value. */
function neededWords(source: Source, values: Values, filter: Extract<Filter, { op: 'match' | 'compare' }>): string[] {
  if (filter.op === 'compare' || filter.match === 'has') return keyConditions(source, values, filter.value)
  if (!/[^*\s]/.test(filter.text)) return []
  return [...keyConditions(source, values, filter.value), ...valueConditions(source, values, filter)]
}

/** Compiles a filter to a condition in parentheses. Its values are added to `values`. */
export function compileFilter(source: Source, values: Values, filter: Filter): string {
  switch (filter.op) {
    case 'and':
    case 'or': {
      if (filter.of.length === 0) return filter.op === 'and' ? '(1)' : '(0)'
      return `(${filter.of.map((part) => compileFilter(source, values, part)).join(filter.op === 'and' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      return `(NOT ${compileFilter(source, values, filter.of)})`
    case 'match':
      return `(${[...neededWords(source, values, filter), matchCondition(source, values, filter)].join(' AND ')})`
    case 'compare':
      return `(${[...neededWords(source, values, filter), compareCondition(source, values, filter)].join(' AND ')})`
    case 'projects':
      return `(project_id IN ${values.add('Array(UInt64)', filter.ids)})`
    case 'event':
      if (source.table !== 'events') throw new Error('a condition of errors')
      return compileEventFilter(values, filter.of)
  }
}

/** Rows whose own time is so much before their receipt are no news (`Question.by`). */
const lateDays = 7

/**
 * Conditions of the range of a scope. Ingest makes sure that spans and log lines are received at most `aheadMs` before
 * their time, so there the time of receipt only leaves out parts of the table. Its values are not read: 30 of 70 ms of a
 * count of 2.5 million lines.
 */
const rangeOf = (source: Source, values: Values, { fromMs, toMs }: Scope, by: Question['by']): string[] =>
  by === undefined
    ? [
        `${source.time} >= ${time(values, fromMs)}`,
        `${source.time} < ${time(values, toMs)}`,
        source.isByTime
          ? `indexHint(received >= ${time(values, Math.max(0, fromMs - aheadMs))})`
          : `received >= ${time(values, Math.max(0, fromMs - aheadMs))}`,
      ]
    : [
        `received >= ${time(values, fromMs)}`,
        `received < ${time(values, toMs)}`,
        `${source.time} ${by === 'late' ? '<' : '>='} received - INTERVAL ${lateDays} DAY`,
      ]

/**
 * Condition for the rows of a scope and a filter, by their own time. `fromMs` is inclusive, `toMs` exclusive. The time of receipt is the
 * key of the partitions: a row is received after its time, unless the sender's clock is ahead.
 */
export function compileScope(
  source: Source,
  values: Values,
  scope: Scope,
  filter: Filter | undefined,
  by?: Question['by'],
): string {
  const parts = [
    `project_id IN ${values.add('Array(UInt64)', scope.projectIds)}`,
    ...rangeOf(source, values, scope, by),
  ]
  if (source.always) parts.push(source.always)
  if (scope.environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', scope.environments)}`)
  if (filter) parts.push(compileFilter(source, values, filter))
  return parts.join(' AND ')
}
