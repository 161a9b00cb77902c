import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { IssueFilter } from './meta.ts'
import type { Tables } from './tables.ts'

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

/** Text for `like … escape '\\'` that stands for itself. */
export const escaped = (text: string) => text.replace(/[\\%_]/g, (one) => `\\${one}`)

/** Whether a column contains what a person typed, whatever its case (of ASCII). */
export const containing = (column: Expression<unknown>, text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${column} like ${`%${escaped(text)}%`} escape '\\'`

/** `*` stands for any run of characters, `\*` and `\\` for the sign itself; everything else for itself. */
const likePattern = (value: string) =>
  value.replace(/\\\*|\\\\|[\\%_*]/g, (one) => (one === '*' ? '%' : one === '\\*' ? '*' : `\\${one.at(-1)}`))

/** Turns a filter into a condition on the issue table; values become parameters, never text of the statement. */
export function condition(build: Build, filter: IssueFilter): Expression<SqlBool> {
  switch (filter.op) {
    case 'and':
      return build.and(filter.of.map((one) => condition(build, one)))
    case 'or':
      return build.or(filter.of.map((one) => condition(build, one)))
    case 'not':
      return build.not(condition(build, filter.of))
    case 'status':
      return build('status', '=', filter.value)
    case 'substatus':
      // A missing substatus is a value like any other, so that `not` works on it.
      return build(sql<string>`coalesce(substatus, '')`, '=', filter.value)
    case 'assigned':
      if (filter.userId === 'any') return build('assignee_user_id', 'is not', null)
      return filter.userId === null
        ? build('assignee_user_id', 'is', null)
        : build(sql<string>`coalesce(assignee_user_id, '')`, '=', filter.userId)
    case 'field': {
      const column = build.ref(fieldColumns[filter.field])
      const value = filter.field === 'shortId' ? filter.value.toUpperCase() : filter.value
      if (filter.match === 'is') return sql<SqlBool>`${column} = ${value}`
      return sql<SqlBool>`lower(${column}) like lower(${likePattern(value)}) escape '\\'`
    }
    case 'number':
      return build(numberColumns[filter.field], filter.compare, filter.value)
    case 'unhandled':
      return build('unhandled', '=', Number(filter.value))
    case 'text':
      return sql<SqlBool>`${build.ref('search_text')} like ${`%${escaped(filter.value.toLowerCase())}%`} escape '\\'`
  }
}
