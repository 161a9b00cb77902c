import type { Connection } from '../connection.ts'
import type { QuestionStore } from '../question.ts'
import { createValues } from '../reading/filter.ts'
import { compileKey, compilePresence } from './columns.ts'
import { compileScope } from './filter.ts'
import { sourceOf } from './sources.ts'

/**
 * See `QuestionStore.uniqueOfWindows`. A value is in the windows from its step on, until it leaves them or comes again:
 * +1 and -1 there, and the sums of these are the numbers. Each row is read once, however many windows there are.
 */
export function createUniqueOfWindows(connection: Connection, database: string): QuestionStore['uniqueOfWindows'] {
  return async ({ from, scope, filter, of, stepMs, windowMs, limits, cost, signal }) => {
    if (scope.projectIds.length === 0) return []
    const source = sourceOf(from)
    const values = createValues()
    const key = compileKey(source, values, of)
    const step = values.add('Int64', stepMs)
    const length = values.add('Int64', windowMs / stepMs)
    const where = `${compileScope(source, values, scope, filter, 'received')} AND ${compilePresence(source, values, of)}`
    const answer = await connection.read<[edge: string, n: string]>(
      `SELECT change.1 AS edge, sum(change.2) AS n FROM (
         SELECT arrayJoin([(m + 1, 1), (least(next, m + ${length}) + 1, -1)]) AS change FROM (
           SELECT m, leadInFrame(m, 1, m + ${length}) OVER (PARTITION BY k ORDER BY m
             ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next FROM (
             SELECT sipHash64(${key}) AS k, intDiv(toUnixTimestamp64Milli(received), ${step}) AS m
             FROM ${database}.${source.table} PREWHERE ${where} GROUP BY k, m)))
       GROUP BY edge HAVING n != 0 ORDER BY edge`,
      values.bound,
      { ...limits, signal },
    )
    if (cost) {
      cost.rows += answer.rowsRead
      cost.bytes += answer.bytesRead
    }
    let count = 0
    return answer.rows.map(([edge, n]) => {
      count += Number(n)
      return { endMs: Number(edge) * stepMs, count }
    })
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
