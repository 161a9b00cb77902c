import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import type { PerformanceStore, StatementKind, StatementStats } from '../performance-store.ts'
import { createValues } from '../reading/filter.ts'
import { hashText } from '../tables/rows.ts'
import { factWeight, isRolled, type Source, statementFacts } from './facts.ts'
import { compileSpanScope, readMs } from './segments.ts'

/** The category of the spans of each page. */
export const categories: Record<StatementKind, string> = { queries: 'db', requests: 'http', assets: 'resource' }

type StoredStatement = {
  project_id: string
  its_statement: string
  hash: string
  samples: string
  c: number
  total_c: number
  p: [number | null, number | null]
  failed_c: number
  callers: string
  all: string
}
type StoredAsset = { project_id: string; name: string; bytes: number | null; blocking: number }

const orderColumns = { total: 'total_c', slow: 'p[2]', count: 'c', failing: 'failed_c / c' } as const

const readStatement = (row: StoredStatement, asset: StoredAsset | undefined): StatementStats => ({
  projectId: Number(row.project_id),
  hash: hashText(row.hash),
  statement: row.its_statement,
  samples: Number(row.samples),
  count: row.c,
  totalMs: row.total_c / 1000,
  p75Ms: readMs(row.p[0]),
  p95Ms: readMs(row.p[1]),
  failed: row.failed_c,
  callers: Number(row.callers),
  bytes: asset?.bytes ?? null,
  blocking: asset?.blocking ?? null,
})

/** Sizes of some assets and the share of loads that blocked the page. These are attributes, which only rows have. */
function createAssets(connection: Connection, table: string) {
  return async (scope: Scope, statements: readonly string[]): Promise<StoredAsset[]> => {
    if (statements.length === 0) return []
    const values = createValues()
    return connection.rows<StoredAsset>(
      `SELECT project_id, toString(statement) AS name,
         avgIf(numbers['http.response.size'], mapContains(numbers, 'http.response.size')) AS bytes,
         countIf(tags['resource.render_blocking_status'] = 'blocking') / count() AS blocking
       FROM ${table} WHERE ${compileSpanScope(values, scope)} AND category = 'resource'
         AND statement IN ${values.add('Array(String)', [...statements])}
       GROUP BY project_id, statement`,
      values.bound,
    )
  }
}

function createStats(
  connection: Connection,
  table: string,
  sourceOf: () => Source,
): PerformanceStore['statementStats'] {
  const assetsOf = createAssets(connection, table)
  return async ({ scope, kind, text, hash, only, order, max, offset }) => {
    if (scope.projectIds.length === 0 || only?.length === 0) return { statements: [], all: 0 }
    const values = createValues()
    const facts = statementFacts(values, sourceOf(), scope, categories[kind], isRolled(scope))
    const named = text === '' ? '1' : `positionCaseInsensitiveUTF8(statement, ${values.add('String', text)}) > 0`
    const one =
      hash === undefined ? '1' : `cityHash64(statement) = ${values.add('UInt64', BigInt(`0x${hash}`).toString())}`
    const some = only ? `statement IN ${values.add('Array(String)', [...only])}` : '1'
    const rows = await connection.rows<StoredStatement>(
      `SELECT project_id, toString(statement) AS its_statement, cityHash64(its_statement) AS hash, sum(n) AS samples,
         sum(weight) AS c, sum(total) AS total_c, quantilesExactWeighted(0.75, 0.95)(value, ${factWeight}) AS p,
         sum(failed) AS failed_c, uniq(route) AS callers, count() OVER () AS all
       FROM ${facts} AS facts WHERE ${named} AND ${one} AND ${some}
       GROUP BY project_id, statement ORDER BY ${orderColumns[order]} DESC, c DESC, project_id, its_statement
       LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
      values.bound,
    )
    const assets =
      kind === 'assets' && !only
        ? await assetsOf(
            scope,
            rows.map((row) => row.its_statement),
          )
        : []
    return {
      all: Number(rows[0]?.all ?? 0),
      statements: rows.map((row) =>
        readStatement(
          row,
          assets.find((asset) => asset.project_id === row.project_id && asset.name === row.its_statement),
        ),
      ),
    }
  }
}

function createCallers(
  connection: Connection,
  table: string,
  sourceOf: () => Source,
): PerformanceStore['statementCallers'] {
  /** A trace in which it was slow, for each route. */
  const slowestOf = async (scope: Scope, statement: string) => {
    const values = createValues()
    type Row = { its_route: string; slowest: [string, string] }
    const rows = await connection.rows<Row>(
      `SELECT toString(route) AS its_route, argMax((lower(hex(trace_id)), toString(span_id)), duration) AS slowest
       FROM ${table} WHERE ${compileSpanScope(values, scope)} AND statement = ${values.add('String', statement)} GROUP BY route`,
      values.bound,
    )
    return new Map(rows.map((row) => [row.its_route, row.slowest]))
  }
  return async ({ scope, kind, statement, max }) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const facts = statementFacts(values, sourceOf(), scope, categories[kind], isRolled(scope))
    type Row = { its_route: string; samples: string; c: number; total_c: number; p95: number | null; failed_c: number }
    const [rows, slowest] = await Promise.all([
      connection.rows<Row>(
        `SELECT toString(route) AS its_route, sum(n) AS samples, sum(weight) AS c, sum(total) AS total_c,
           quantileExactWeighted(0.95)(value, ${factWeight}) AS p95, sum(failed) AS failed_c
         FROM ${facts} AS facts WHERE statement = ${values.add('String', statement)}
         GROUP BY route ORDER BY total_c DESC, its_route LIMIT ${values.add('UInt32', max)}`,
        values.bound,
      ),
      slowestOf(scope, statement),
    ])
    return rows.flatMap((row) => {
      const [traceId, spanId] = slowest.get(row.its_route) ?? []
      return [
        {
          route: row.its_route,
          samples: Number(row.samples),
          count: row.c,
          totalMs: row.total_c / 1000,
          p95Ms: readMs(row.p95),
          failed: row.failed_c,
          slowest: traceId !== undefined && spanId !== undefined ? { traceId, spanId: hashText(spanId) } : null,
        },
      ]
    })
  }
}

/** Creates the queries of database statements, requests and assets. */
export function createStatements(
  connection: Connection,
  table: string,
  sourceOf: () => Source,
): Pick<PerformanceStore, 'statementStats' | 'statementCallers'> {
  return {
    statementStats: createStats(connection, table, sourceOf),
    statementCallers: createCallers(connection, table, sourceOf),
  }
}
