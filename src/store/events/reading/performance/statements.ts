import type { Connection } from '../../connection.ts'
import { createValues, type Values } from '../../filter.ts'
import { hashText } from '../../rows.ts'
import type { PerformanceStore, StatementKind } from './performance-store.ts'
import { compileSpanScope, readMs, weighed } from './segments.ts'

/** The spans of each page. Requests are those that a service sends: the ones that it answers are routes. */
const kinds: Record<StatementKind, string> = {
  queries: "category = 'db'",
  requests: "category = 'http' AND is_segment = 0",
  assets: "category = 'resource'",
}

const orders = {
  total: 'total',
  slow: 'p[2]',
  count: 'c',
  failing: 'failed / c',
} as const

type StoredStatement = {
  project_id: string
  statement: string
  hash: string
  op: string
  n: string
  c: number
  total: number
  p: [number | null, number | null]
  failed: number
  callers: string
  bytes: number | null
  blocking: number | null
  all: string
}

const ofHash = (values: Values, hash: string): string =>
  `statement_hash = ${values.add('UInt64', BigInt(`0x${hash}`).toString())}`

/** Size and blocking are attributes of assets. To read attributes of queries would take three times as long. */
const assetColumns = (kind: StatementKind): string =>
  kind === 'assets'
    ? `avgIf(numbers['http.response.size'], mapContains(numbers, 'http.response.size')) AS bytes,
       countIf(tags['resource.render_blocking_status'] = 'blocking') / n AS blocking`
    : 'NULL AS bytes, NULL AS blocking'

/** Creates the queries of database statements, requests and assets. */
export function createStatements(
  connection: Connection,
  table: string,
): Pick<PerformanceStore, 'statementStats' | 'statementCallers'> {
  return {
    async statementStats({ scope, kind, text, hash, order, max, offset }) {
      if (scope.projectIds.length === 0) return { statements: [], all: 0 }
      const values = createValues()
      const named = text === '' ? '1' : `positionCaseInsensitiveUTF8(statement, ${values.add('String', text)}) > 0`
      const rows = await connection.rows<StoredStatement>(
        `SELECT project_id, toString(statement) AS statement, cityHash64(statement) AS hash, any(toString(op)) AS op,
           count() AS n, sum(toFloat64(weight)) AS c, sum(toFloat64(weight) * duration) AS total,
           quantilesTDigestWeighted(0.75, 0.95)(duration, ${weighed}) AS p, sum(toFloat64(weight) * failed) AS failed,
           uniq(route) AS callers, ${assetColumns(kind)}, count() OVER () AS all
         FROM ${table} WHERE ${compileSpanScope(values, scope)} AND ${kinds[kind]} AND statement != '' AND ${named}
           AND ${hash === undefined ? '1' : ofHash(values, hash)}
         GROUP BY project_id, statement ORDER BY ${orders[order]} DESC, c DESC, project_id, statement
         LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
        values.bound,
      )
      return {
        all: Number(rows[0]?.all ?? 0),
        statements: rows.map((row) => ({
          projectId: Number(row.project_id),
          hash: hashText(row.hash),
          statement: row.statement,
          op: row.op,
          samples: Number(row.n),
          count: row.c,
          totalMs: row.total / 1000,
          p75Ms: readMs(row.p[0]),
          p95Ms: readMs(row.p[1]),
          failed: row.failed,
          callers: Number(row.callers),
          bytes: row.bytes,
          blocking: row.blocking,
        })),
      }
    },

    async statementCallers({ scope, kind, hash, max }) {
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      type Row = {
        project_id: string
        route: string
        n: string
        c: number
        total: number
        p95: number | null
        failed: number
        slowest: [string, string]
      }
      const rows = await connection.rows<Row>(
        `SELECT project_id, toString(route) AS route, count() AS n, sum(toFloat64(weight)) AS c,
           sum(toFloat64(weight) * duration) AS total, quantileTDigestWeighted(0.95)(duration, ${weighed}) AS p95,
           sum(toFloat64(weight) * failed) AS failed,
           argMax((lower(hex(trace_id)), toString(span_id)), duration) AS slowest
         FROM ${table} WHERE ${compileSpanScope(values, scope)} AND ${kinds[kind]} AND ${ofHash(values, hash)}
         GROUP BY project_id, route ORDER BY total DESC, route LIMIT ${values.add('UInt32', max)}`,
        values.bound,
      )
      return rows.map((row) => ({
        projectId: Number(row.project_id),
        route: row.route,
        samples: Number(row.n),
        count: row.c,
        totalMs: row.total / 1000,
        p95Ms: readMs(row.p95),
        failed: row.failed,
        traceId: row.slowest[0],
        spanId: hashText(row.slowest[1]),
      }))
    },
  }
}
