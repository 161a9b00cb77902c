import type { Connection } from '../connection.ts'
import { inGroups, isWanted } from '../groups.ts'
import type { QuestionStore, UniqueSeries, Value } from '../question.ts'
import { createValues, type Values } from '../reading/filter.ts'
import { type Answered, compileKey, compileList, compilePresence, readCell } from './columns.ts'
import { compileFilter, compileScope } from './filter.ts'
import { isList } from './json.ts'
import { type Source, sourceOf } from './sources.ts'

type Asked = Parameters<QuestionStore['uniqueOfWindows']>[0]

/** SQL of the hashes of a row's values, as a list: a path into JSON can have several. */
const hashesOf = (source: Source, values: Values, of: Value): string =>
  of.of === 'json' && isList(of)
    ? `arrayMap(e -> sipHash64(e), ${compileList(source, values, of)})`
    : `[assumeNotNull(sipHash64(${compileKey(source, values, of)}))]`

/** SQL of the values that rows have: the group, the part if there are several, the hash of the value, and its step. */
function valuesSql(
  source: Source,
  values: Values,
  table: string,
  { scope, filter, parts, values: wanted, only, stepMs }: Asked,
): string {
  const scoped = compileScope(source, values, scope, filter, 'received')
  const where = only ? `${scoped} AND ${compileFilter(source, values, inGroups(wanted, only))}` : scoped
  const keys = wanted.map((value, at) => `${compileKey(source, values, value)} AS c${at}`)
  const step = `intDiv(toUnixTimestamp64Milli(received), ${values.add('Int64', stepMs)}) AS m`
  const conditionsOf = ({ of, only: own }: Asked['parts'][number]) =>
    [...(own ? [compileFilter(source, values, own)] : []), compilePresence(source, values, of)].join(' AND ')
  const [first] = parts
  // Two equal `arrayJoin` are one to the engine, so lists are unfolded as below.
  if (first && parts.length === 1 && !isList(first.of)) {
    const hash = `sipHash64(${compileKey(source, values, first.of)}) AS k`
    return `SELECT ${[...keys, hash, step].join(', ')} FROM ${table} PREWHERE ${where} AND ${conditionsOf(first)}`
  }
  // Each part that a row belongs to, with its value: the table is read once for all parts.
  const each = parts.map(
    (part, at) =>
      `if(${conditionsOf(part)}, arrayMap(h -> (toUInt16(${at}), h), ${hashesOf(source, values, part.of)}), [])`,
  )
  const names = [...keys.map((_, at) => `c${at}`), ...(parts.length > 1 ? ['pair.1 AS part'] : [])]
  const found = `arrayJoin(arrayConcat(${each.join(', ')})) AS pair`
  return `SELECT ${[...names, 'pair.2 AS k', 'm'].join(', ')}
    FROM (SELECT ${[...keys, found, step].join(', ')} FROM ${table} PREWHERE ${where})`
}

/**
 * See `QuestionStore.uniqueOfWindows`. A value is in the windows from its step on, until it leaves them or comes again:
 * +1 and -1 there, and the sums of these are the numbers. Each row is read once, however many windows there are.
 */
export function createUniqueOfWindows(connection: Connection, database: string): QuestionStore['uniqueOfWindows'] {
  return async (asked) => {
    const { from, scope, parts, values: wanted, only, stepMs, windowMs, limits, cost, signal } = asked
    if (scope.projectIds.length === 0 || parts.length === 0 || only?.length === 0) return []
    const source = sourceOf(from)
    const values = createValues()
    const length = values.add('Int64', windowMs / stepMs)
    const by = [...wanted.map((_, at) => `c${at}`), ...(parts.length > 1 ? ['part'] : [])]
    const answer = await connection.read<Answered[]>(
      `SELECT ${[...by, 'change.1 AS edge', 'sum(change.2) AS n'].join(', ')} FROM (
         SELECT ${[...by, `arrayJoin([(m + 1, 1), (least(next, m + ${length}) + 1, -1)]) AS change`].join(', ')} FROM (
           SELECT ${[...by, 'm'].join(', ')}, leadInFrame(m, 1, m + ${length}) OVER (
             PARTITION BY ${[...by, 'k'].join(', ')} ORDER BY m
             ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next FROM (
             ${valuesSql(source, values, `${database}.${source.table}`, asked)}
             GROUP BY ${[...by, 'k', 'm'].join(', ')})))
       GROUP BY ${[...by, 'edge'].join(', ')} HAVING n != 0 ORDER BY edge`,
      values.bound,
      { ...limits, signal },
    )
    if (cost) {
      cost.rows += answer.rowsRead
      cost.bytes += answer.bytesRead
    }
    const found = new Map<string, UniqueSeries>()
    for (const cells of answer.rows) {
      const key = JSON.stringify(cells.slice(0, by.length))
      const group = wanted.map((value, at) => readCell(source, value, cells[at] ?? null))
      const part = parts.length > 1 ? Number(cells[wanted.length]) : 0
      const series = found.get(key) ?? { part, group, changes: [] }
      found.set(key, series)
      const count = (series.changes.at(-1)?.count ?? 0) + Number(cells[by.length + 1])
      series.changes.push({ endMs: Number(cells[by.length]) * stepMs, count })
    }
    const series = [...found.values()]
    const isOwn = only ? isWanted(wanted, only) : () => true
    return series.filter(({ group }) => isOwn(group))
  }
}

/** See `QuestionStore.removedHours`. */
export function createRemovedHours(connection: Connection, database: string): QuestionStore['removedHours'] {
  return async ({ projectIds, fromMs, toMs }) => {
    if (projectIds.length === 0) return null
    const values = createValues()
    const seconds = (ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`
    const [row] = await connection.rows<{ first: number; last: number; n: string }>(
      `SELECT toUnixTimestamp(min(hour)) AS first, toUnixTimestamp(max(hour)) AS last, count() AS n
       FROM ${database}.thinned WHERE project_id IN ${values.add('Array(UInt64)', projectIds)}
         AND hour >= ${seconds(fromMs)} AND hour < ${seconds(toMs)}`,
      values.bound,
    )
    if (!row || Number(row.n) === 0) return null
    return { fromMs: row.first * 1000, toMs: row.last * 1000 + 3_600_000 }
  }
}
