import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { IssueFilter } from '../meta.ts'

type Build = ExpressionBuilder<Tables, 'issue'>

const fieldColumns = {
  title: 'title',
  culprit: 'culprit',
  level: 'level',
  platform: 'platform',
  logger: 'logger',
  kind: 'kind',
  shortId: 'short_id',
  firstRelease: 'first_release',
  lastRelease: 'last_release',
  errorType: 'error_type',
  errorValue: 'error_value',
} as const

const numberColumns = { firstSeen: 'first_seen_ms', lastSeen: 'last_seen_ms', count: 'count', id: 'id' } as const

type Column =
  | (typeof fieldColumns)[keyof typeof fieldColumns]
  | (typeof numberColumns)[keyof typeof numberColumns]
  | 'assignee_user_id'

/** Same as `priorityOf` in query/issue.ts: set by a person, else high while escalating, else by the level. */
const priority = sql<string>`coalesce(priority, case when substatus = 'escalating' then 'high' when level = 'warning' then 'medium' when level in ('info', 'debug') then 'low' else 'high' end)`

/** Escapes text for `like … escape '\\'`. */
export const escaped = (text: string) => text.replace(/[\\%_]/g, (match) => `\\${match}`)

/** Lower case of ASCII letters only, like SQLite's `lower`, and PostgreSQL's for a column in byte order. */
const asciiLower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Condition that a column matches a pattern, ignoring the case of ASCII letters. Only SQLite's own `like` does so. */
export const isLike = (column: Expression<unknown>, pattern: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`lower(${column}) like ${asciiLower(pattern)} escape '\\'`

/** Condition that a column contains a text, ignoring the case of ASCII letters. */
export const containing = (column: Expression<unknown>, text: string): RawBuilder<SqlBool> =>
  isLike(column, `%${escaped(text)}%`)

/** `*` matches any characters, `\*` and `\\` match the character itself. */
const likePattern = (value: string) =>
  value.replace(/\\\*|\\\\|[\\%_*]/g, (match) => (match === '*' ? '%' : match === '\\*' ? '*' : `\\${match.at(-1)}`))

/** The column and value of an equality filter; undefined for other filters. */
function equalOf(filter: IssueFilter): [column: Column, value: string | number] | undefined {
  if (filter.op === 'field' && filter.match === 'is')
    return [fieldColumns[filter.field], filter.field === 'shortId' ? filter.value.toUpperCase() : filter.value]
  if (filter.op === 'number' && filter.compare === '=') return [numberColumns[filter.field], filter.value]
  return filter.op === 'assigned' && filter.userId !== null && filter.userId !== 'any'
    ? ['assignee_user_id', filter.userId]
    : undefined
}

/** Condition that a column has one of the values. The short id of a merged issue matches its target issue, too. */
function isAmong(build: Build, column: Column, values: (string | number)[]): Expression<SqlBool> {
  // An absent assignee is a value like any other, so that `not` works on it.
  if (column === 'assignee_user_id') return build(sql<string>`coalesce(assignee_user_id, '')`, 'in', values.map(String))
  const own = build(column, 'in', values)
  if (column !== 'short_id') return own
  const moved = build
    .selectFrom('moved_issue')
    .select('moved_issue.issue_id')
    .where('moved_issue.short_id', 'in', values.map(String))
  return build.or([own, build('id', 'in', moved)])
}

/** Joins by halves: SQLite nests a row of `or`s as deep as it is long, and rejects a depth above 1,000. */
function joined(build: Build, op: 'and' | 'or', of: readonly Expression<SqlBool>[]): Expression<SqlBool> {
  if (of.length <= 2) return build[op]([...of])
  const half = of.length >> 1
  return build[op]([joined(build, op, of.slice(0, half)), joined(build, op, of.slice(half))])
}

/** Any of the filters. Values of a column form one list: separately, 500 take 5 s for 50,000 issues (0.2 µs each). */
function anyOf(build: Build, of: readonly IssueFilter[]): Expression<SqlBool> {
  const lists = new Map<Column, (string | number)[]>()
  const rest: Expression<SqlBool>[] = []
  for (const item of of) {
    const [column, value] = equalOf(item) ?? []
    if (column === undefined || value === undefined) {
      rest.push(condition(build, item))
      continue
    }
    const list = lists.get(column)
    if (list) list.push(value)
    else lists.set(column, [value])
  }
  return joined(build, 'or', [...[...lists].map(([column, values]) => isAmong(build, column, values)), ...rest])
}

/** Converts a filter into a condition on the issue table. Values become parameters, never statement text. */
export function condition(build: Build, filter: IssueFilter): Expression<SqlBool> {
  const [column, value] = equalOf(filter) ?? []
  if (column !== undefined && value !== undefined) return isAmong(build, column, [value])
  switch (filter.op) {
    case 'and':
      return joined(
        build,
        'and',
        filter.of.map((item) => condition(build, item)),
      )
    case 'or':
      return anyOf(build, filter.of)
    case 'not':
      return build.not(condition(build, filter.of))
    case 'status':
      return build('status', '=', filter.value)
    case 'substatus':
      // A missing substatus is a value like any other, so that `not` works on it.
      return build(sql<string>`coalesce(substatus, '')`, '=', filter.value)
    case 'assigned':
      return build('assignee_user_id', filter.userId === null ? 'is' : 'is not', null)
    case 'suggested': {
      const named = build
        .selectFrom('issue_suggestion')
        .select('issue_suggestion.place')
        .whereRef('issue_suggestion.issue_id', '=', 'issue.id')
      return build.exists(filter.userId === 'any' ? named : named.where('issue_suggestion.user_id', '=', filter.userId))
    }
    case 'priority':
      return build(priority, '=', filter.value)
    case 'bookmarked':
      return build.exists(
        build
          .selectFrom('issue_bookmark')
          .select('issue_bookmark.at_ms')
          .whereRef('issue_bookmark.issue_id', '=', 'issue.id')
          .where('issue_bookmark.user_id', '=', filter.userId),
      )
    case 'subscribed':
      return build.exists(
        build
          .selectFrom('issue_subscription')
          .select('issue_subscription.at_ms')
          .whereRef('issue_subscription.issue_id', '=', 'issue.id')
          .where('issue_subscription.user_id', '=', filter.userId)
          .where('issue_subscription.active', '=', 1),
      )
    case 'field':
      return isLike(build.ref(fieldColumns[filter.field]), likePattern(filter.value))
    case 'number':
      return build(numberColumns[filter.field], filter.compare, filter.value)
    case 'unhandled':
      return build('unhandled', '=', Number(filter.value))
    case 'noise':
      return build('noise', '!=', '')
    case 'feedback':
      return build.exists(
        build
          .selectFrom('feedback')
          .select('feedback.id')
          .whereRef('feedback.issue_id', '=', 'issue.id')
          .where('feedback.state', '!=', 'spam'),
      )
    case 'text':
      return sql<SqlBool>`${build.ref('search_text')} like ${`%${escaped(filter.value.toLowerCase())}%`} escape '\\'`
  }
}
