import type { EventFilter, Scope } from '../events.ts'
import { frameText } from '../frames.ts'

/** Collects the values of a statement. Each becomes `{pN:Type}` in its text. */
export type Values = { bound: Record<string, unknown>; add(type: string, value: unknown): string }

/** Creates an empty collection. */
export function createValues(): Values {
  const bound: Record<string, unknown> = {}
  let count = 0
  return {
    bound,
    add(type, value) {
      const name = `p${count++}`
      bound[name] = value
      return `{${name}:${type}}`
    },
  }
}

const hexHash = /^[0-9a-f]{1,16}$/i

/** Converts a hash of 16 hex characters to the stored number; undefined for an invalid hash. */
export function hashNumber(hex: string): bigint | undefined {
  return hexHash.test(hex) ? BigInt(`0x${hex}`) : undefined
}

/** Binds hashes as an array. Invalid hashes are left out, so they match nothing. */
export function hashList(values: Values, hashes: readonly string[]): string {
  return values.add(
    'Array(UInt64)',
    [...new Set(hashes)].map(hashNumber).filter((item) => item !== undefined),
  )
}

/** Converts to a LIKE pattern: `*` matches any text, `\*` and `\\` the character. Other LIKE syntax is escaped. */
export function likePattern(value: string): string {
  return value.replace(/\\\*|\\\\|[\\%_*]/g, (match) =>
    match === '*' ? '%' : match === '\\*' ? '*' : `\\${match.at(-1)}`,
  )
}

/** Splits a text like the index of `message_lower`: runs of ASCII letters and digits, and of non-ASCII characters. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[a-z0-9\u0080-\u{10ffff}]+/gu) ?? [])]
}

/** Condition that a column equals an id of 32 hex characters (dashes allowed). Invalid ids match nothing. */
function idCondition(values: Values, column: string, value: string): string {
  const hex = value.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(hex)) return '0'
  return `${column} = toFixedString(unhex(${values.add('String', hex)}), 16)`
}

function textCondition(values: Values, text: string): string {
  const words = wordsOf(text).map((word) => `hasToken(message_lower, ${values.add('String', word)})`)
  const whole = text.trim()
  // Single words use the index. The text between words has to be searched itself.
  if (words.length !== 1 || whole.toLowerCase() !== wordsOf(whole)[0]) {
    words.push(`position(message_lower, lowerUTF8(${values.add('String', whole)})) > 0`)
  }
  return words.join(' AND ')
}

type FieldFilter = Extract<EventFilter, { op: 'field' }>

/** Column names by field. A closed table, because names cannot be bound. */
const columns: Record<FieldFilter['field'], string> = {
  level: 'level',
  environment: 'environment',
  release: 'release',
  transaction: 'transaction',
  type: 'type',
  platform: 'platform',
  trace_id: 'trace_id',
  digest: 'digest',
  event_id: 'event_id',
  message: 'message',
}

function fieldCondition(values: Values, filter: FieldFilter): string {
  const column = columns[filter.field]
  const isId = filter.field === 'trace_id' || filter.field === 'event_id'
  if (filter.match === 'has') return isId ? `${column} != toFixedString('', 16)` : `${column} != ''`
  if (filter.match === 'like') {
    const text = isId ? `lower(hex(${column}))` : column
    return `${text} ILIKE ${values.add('String', likePattern(filter.value))}`
  }
  return isId ? idCondition(values, column, filter.value) : `${column} = ${values.add('String', filter.value)}`
}

function tagCondition(values: Values, filter: Extract<EventFilter, { op: 'tag' }>): string {
  const key = values.add('String', filter.key)
  if (filter.match === 'has') return `mapContains(tags, ${key})`
  if (filter.match === 'like') {
    const { pairs } = filter
    const found = pairs && (pairs.length === 0 ? '0' : `hasAny(tagkv, ${values.add('Array(String)', pairs)})`)
    // Of `a=b=c` the key can be `a=b`, so the tag is checked as well.
    if (found && pairs.every((pair) => pair.indexOf('=', filter.key.length + 1) < 0)) return found
    const matches = `tags[${key}] ILIKE ${values.add('String', likePattern(filter.value))}`
    return found ? `${found} AND ${matches}` : matches
  }
  const pair = values.add('String', `${filter.key}=${filter.value}`)
  // The pair uses the index, so no tags are read. Only with a further `=` is the tag checked: `a=b=c` is ambiguous.
  if (!`${filter.key}${filter.value}`.includes('=')) return `has(tagkv, ${pair})`
  return `has(tagkv, ${pair}) AND tags[${key}] = ${values.add('String', filter.value)}`
}

/** An exact text uses the index. Patterns and `has` scan the texts of each event. */
function frameCondition(values: Values, { key, match, value }: Extract<EventFilter, { op: 'frame' }>): string {
  if (match === 'is') return `has(frames, ${values.add('String', frameText(key, value))})`
  if (match === 'has') return `arrayExists(frame -> startsWith(frame, ${values.add('String', `${key}=`)}), frames)`
  const pattern = `${key.replaceAll('_', '\\_')}=${likePattern(value)}`
  return `arrayExists(one -> one ILIKE ${values.add('String', pattern)}, frames)`
}

/** SQL operators by comparison. A closed table, because operators cannot be bound. */
const compares = { '<': '<', '<=': '<=', '=': '=', '>=': '>=', '>': '>' } as const

/** Compiles a filter to a condition in parentheses. Its values are added to `values`. */
export function compileFilter(values: Values, filter: EventFilter): string {
  switch (filter.op) {
    case 'and':
    case 'or': {
      if (filter.of.length === 0) return filter.op === 'and' ? '(1)' : '(0)'
      return `(${filter.of.map((item) => compileFilter(values, item)).join(filter.op === 'and' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      return `(NOT ${compileFilter(values, filter.of)})`
    case 'tag':
      return `(${tagCondition(values, filter)})`
    case 'field':
      return `(${fieldCondition(values, filter)})`
    case 'text':
      return `(${textCondition(values, filter.value)})`
    case 'tagNumber': {
      const tag = `toFloat64OrNull(tags[${values.add('String', filter.key)}])`
      return `(ifNull(${tag} ${compares[filter.compare]} ${values.add('Float64', filter.value)}, 0))`
    }
    case 'frame':
      return `(${frameCondition(values, filter)})`
    case 'releases':
      return `(release IN ${values.add('Array(String)', filter.values)})`
    case 'projects':
      return `(project_id IN ${values.add('Array(UInt64)', filter.ids)})`
    case 'groups':
      return `(group_hash IN ${hashList(values, filter.hashes)})`
    case 'time':
      return `(${[
        filter.fromMs === undefined ? '1' : `timestamp >= ${time(values, filter.fromMs)}`,
        filter.toMs === undefined ? '1' : `timestamp < ${time(values, filter.toMs)}`,
      ].join(' AND ')})`
  }
}

/** Clients' clocks can be ahead: an event's timestamp can be up to a minute later than its receipt. */
export const aheadMs = 60_000

const time = (values: Values, ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`

/** Condition for the projects of a row. The engine finds one project faster than a set of one. */
export function compileProjects(values: Values, projectIds: readonly number[]): string {
  const distinct = [...new Set(projectIds)]
  return distinct.length === 1
    ? `project_id = ${values.add('UInt64', distinct[0])}`
    : `project_id IN ${values.add('Array(UInt64)', distinct)}`
}

/**
 * Compiles a scope to a condition on rows of events. `fromMs` is inclusive, `toMs` exclusive. The time of receipt only
 * leaves out parts of the table: its values are not read, a third of the time of a search by two tags.
 */
export function compileScope(values: Values, scope: Scope): string {
  const parts = [
    compileProjects(values, scope.projectIds),
    `timestamp >= ${time(values, scope.fromMs)}`,
    `timestamp < ${time(values, scope.toMs)}`,
    `indexHint(received >= ${time(values, scope.fromMs - aheadMs)})`,
  ]
  if (scope.environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', scope.environments)}`)
  return parts.join(' AND ')
}
