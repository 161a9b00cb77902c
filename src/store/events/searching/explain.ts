import type { Explained } from '../question.ts'
import { createValues } from '../reading/filter.ts'
import { compileAggregate } from './aggregates.ts'
import { compileKey, compileValue } from './columns.ts'
import { compares, compileScope } from './filter.ts'
import { shownSourceOf } from './sources.ts'

/** Quotes a text as a literal of ClickHouse's SQL. */
const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
/** Quotes a name of a column. */
const quoted = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&').replaceAll('\n', '\\n')}\``

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  return typeof value === 'string' ? literal(value) : String(value)
}

/** Writes bound values and names into a statement. They are not searched for further placeholders. */
const inPlace = (sql: string, bound: Record<string, unknown>): string =>
  sql.replace(/\{(p\d+):([^}]+)\}/g, (_, name: string, type: string) =>
    type === 'Identifier' ? quoted(String(bound[name])) : shown(bound[name]),
  )

/**
 * Returns the SQL of a question for people, with its values in place. It is not what runs: that is bound, and reads
 * tables in the order of their indexes.
 */
export function explain(question: Explained): string {
  const { from, scope, filter, withCut, values: wanted, aggregates, having, order, max, bucketMs } = question
  const source = shownSourceOf(from)
  const values = createValues()
  const names = [...wanted, ...aggregates].map(({ name }) => values.add('Identifier', name))
  const over = {
    lengthMs: bucketMs ?? scope.toMs - scope.fromMs,
    withCut,
    shareOf: bucketMs === undefined ? '' : 'PARTITION BY bucket',
    nameOf: (at: number) => names[at] ?? '',
  }
  const isList = aggregates.length === 0
  const bucket =
    bucketMs === undefined ? [] : [`toStartOfInterval(${source.time}, INTERVAL ${bucketMs} MILLISECOND) AS bucket`]
  const columns = [
    ...bucket,
    ...wanted.map(
      ({ value }, at) => `${(isList ? compileValue : compileKey)(source, values, value)} AS ${names[at] ?? ''}`,
    ),
    ...aggregates.map(
      ({ aggregate }, at) =>
        `${compileAggregate(source, values, aggregate, over, wanted.length)} AS ${names[wanted.length + at] ?? ''}`,
    ),
  ]
  const conditions = having.map(
    ({ aggregate, compare, number }) =>
      `${compileAggregate(source, values, aggregate, over, 0)} ${compares[compare]} ${values.add('Float64', number)}`,
  )
  const keys = [...(bucket.length > 0 ? ['bucket'] : []), ...names.slice(0, wanted.length)]
  const sorts = order.map(({ at, descending }) => `${names[at] ?? ''}${descending ? ' DESC' : ''}`)
  const newest = isList && sorts.length === 0 ? [`${source.time} DESC`] : sorts
  const lines = [
    `SELECT ${columns.join(',\n  ')}`,
    `FROM ${source.table}`,
    `WHERE ${compileScope(source, values, scope, filter).replaceAll(' AND ', '\n  AND ')}`,
    isList || keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`,
    conditions.length > 0 ? `HAVING ${conditions.join(' AND ')}` : '',
    bucket.length > 0 ? 'ORDER BY bucket' : newest.length > 0 ? `ORDER BY ${newest.join(', ')}` : '',
    bucket.length > 0 ? '' : `LIMIT ${max}`,
  ]
  return inPlace(lines.filter((line) => line !== '').join('\n'), values.bound)
}
