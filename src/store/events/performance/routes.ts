import type { Connection } from '../connection.ts'
import type {
  MeasuredRoute,
  Percentiles,
  PerformanceStore,
  RouteBefore,
  RouteKey,
  RouteOrder,
} from '../performance-store.ts'
import { createValues, type Values } from '../reading/filter.ts'
import { factWeight, isRolled, longestOf, type Source, segmentFacts } from './facts.ts'
import { comparedMin, compileRouteFilter, readsBefore, splitRouteFilter } from './route-filter.ts'
import { apdexSum, lostSum, readMs } from './segments.ts'

type StoredRoute = {
  project_id: string
  op: string
  route: string
  n: string
  c: number
  failed_c: number
  total_own: number
  lost_own: number
  p: [number, number, number]
  apdex: number
  measured_c: number
  first_release: string
  all: string
  all_n: string
  all_c: number
}

const orders: Record<RouteOrder, string> = {
  lost: 'lost_own',
  slow: 'p[2]',
  worse: `if(n >= ${comparedMin} AND n_before >= ${comparedMin}, p[2] / p_before[2], -1)`,
  failing: 'failed_c / c',
  volume: 'c',
}

/** The percentiles in ms. Without segments the engine answers 0. */
function percentilesOf(us: readonly [number, number, number], measured: number): Percentiles {
  const [p50Ms, p75Ms, p95Ms] = us.map((value) => (measured > 0 ? readMs(value) : null))
  return { p50Ms: p50Ms ?? null, p75Ms: p75Ms ?? null, p95Ms: p95Ms ?? null }
}

const readRoute = (row: StoredRoute): MeasuredRoute => ({
  projectId: Number(row.project_id),
  op: row.op,
  route: row.route,
  samples: Number(row.n),
  count: row.c,
  failed: row.failed_c,
  totalMs: row.total_own / 1000,
  lostMs: row.lost_own / 1000,
  ...percentilesOf(row.p, row.measured_c),
  apdex: row.measured_c > 0 ? row.apdex / row.measured_c : null,
  firstRelease: row.first_release,
})

type StoredBefore = Pick<StoredRoute, 'project_id' | 'op' | 'route'> & {
  n_before: string
  c_before: number
  failed_before: number
  p_before: [number, number, number]
  apdex_before: number
  measured_before: number
}

/** The range before of routes that have segments in it. */
const readBefore = (rows: readonly StoredBefore[]): RouteBefore[] =>
  rows
    .filter((row) => Number(row.n_before) > 0)
    .map((row) => ({
      projectId: Number(row.project_id),
      op: row.op,
      route: row.route,
      samples: Number(row.n_before),
      count: row.c_before,
      failed: row.failed_before,
      ...percentilesOf(row.p_before, row.measured_before),
      apdex: row.measured_before > 0 ? row.apdex_before / row.measured_before : null,
    }))

/** The figures of a route from facts that `where` holds for. */
const figuresSql = (where: string): string =>
  `sumIf(facts.n, ${where}) AS n, sumIf(weight, ${where}) AS c, sumIf(failed, ${where}) AS failed_c,
   sumIf(facts.total, ${where} AND measured) AS total_own, ${lostSum(`${where} AND measured`)} AS lost_own,
   quantilesExactWeightedIf(0.5, 0.75, 0.95)(value, ${factWeight}, ${where} AND measured) AS p,
   ${apdexSum(`${where} AND measured`)} AS apdex, sumIf(weight, ${where} AND measured) AS measured_c,
   toString(argMinIf(release, at, ${where})) AS first_release`

/**
 * Figures of the range before, for an order or a condition that reads it of all routes. They include those that rows show: a
 * second query for 25 routes took five times as long. Without such an order, `routesBefore` reads them.
 */
const comparedSql = `, sumIf(facts.n, NOT own) AS n_before, sumIf(weight, NOT own) AS c_before, sumIf(failed, NOT own) AS failed_before,
  quantilesExactWeightedIf(0.5, 0.75, 0.95)(value, ${factWeight}, NOT own AND measured) AS p_before,
  ${apdexSum('NOT own AND measured')} AS apdex_before, sumIf(weight, NOT own AND measured) AS measured_before`

function createRouteStats(connection: Connection, sourceOf: () => Source): PerformanceStore['routeStats'] {
  return async ({ scope, beforeMs, withCut, order, filter, key, max, offset }) => {
    if (scope.projectIds.length === 0) return { routes: [], before: undefined, all: 0, samples: 0, count: 0 }
    const values = createValues()
    const { names, metrics } = splitRouteFilter(filter)
    // Both ranges are twice the rows. A list needs the range before of all routes only to compare them by it.
    const isCompared = order === 'worse' || readsBefore(metrics)
    const ranges = { scope, beforeMs: isCompared ? beforeMs : undefined }
    const facts = segmentFacts(values, sourceOf(), ranges, withCut, isRolled(scope))
    const named = compileRouteFilter(values, names, scope)
    const one = key ? `route = ${values.add('String', key.route)} AND op = ${values.add('String', key.op)}` : '1'
    const rows = await connection.rows<StoredRoute & StoredBefore>(
      `SELECT project_id, toString(op) AS op, toString(route) AS route, ${figuresSql('own')}${isCompared ? comparedSql : ''},
         count() OVER () AS all, sum(n) OVER () AS all_n, sum(c) OVER () AS all_c
       FROM (SELECT * FROM ${facts} WHERE ${named} AND ${one}) AS facts
       GROUP BY project_id, op, route HAVING n > 0 AND ${compileRouteFilter(values, metrics, scope)}
       ORDER BY ${orders[order]} DESC, c DESC, project_id, route, op
       LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
      values.bound,
    )
    const [first] = rows
    return {
      routes: rows.map(readRoute),
      before: isCompared ? readBefore(rows) : undefined,
      all: Number(first?.all ?? 0),
      samples: Number(first?.all_n ?? 0),
      count: first?.all_c ?? 0,
    }
  }
}

function createRoutesBefore(connection: Connection, sourceOf: () => Source): PerformanceStore['routesBefore'] {
  return async ({ scope, beforeMs, withCut, keys }) => {
    if (keys.length === 0) return []
    const values = createValues()
    const facts = segmentFacts(values, sourceOf(), { scope, beforeMs, isOnlyBefore: true }, withCut, isRolled(scope))
    const { where, having } = compileKeys(values, keys)
    const rows = await connection.rows<StoredRoute>(
      `SELECT project_id, toString(facts.op) AS op, toString(facts.route) AS route, ${figuresSql('1')}
       FROM (SELECT * FROM ${facts} WHERE ${where}) AS facts GROUP BY project_id, op, route HAVING ${having}`,
      values.bound,
    )
    return rows.map(readRoute)
  }
}

function createProjectsBefore(connection: Connection, sourceOf: () => Source): PerformanceStore['projectsBefore'] {
  return async ({ scope, beforeMs, withCut }) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const facts = segmentFacts(values, sourceOf(), { scope, beforeMs, isOnlyBefore: true }, withCut, isRolled(scope))
    const rows = await connection.rows<{ project_id: string }>(
      `SELECT DISTINCT project_id FROM ${facts} AS facts ORDER BY project_id`,
      values.bound,
    )
    return rows.map((row) => Number(row.project_id))
  }
}

type StoredBucket = {
  project_id: string
  op: string
  route: string
  start_ms: string
  samples: string
  c: number
  failed_c: number
  p: [number, number, number]
  measured_n: string
}

/**
 * Conditions for some routes: `where` for rows, which also lets through other combinations of the same projects, ops and
 * names, and `having` for groups of these three. A subquery for the three took 26 ms of processor time, as long as the rest.
 */
function compileKeys(values: Values, keys: readonly RouteKey[]): { where: string; having: string } {
  const list = (type: string, of: (key: RouteKey) => string | number) => values.add(`Array(${type})`, keys.map(of))
  const [projects, ops, routes] = [
    list('UInt64', ({ projectId }) => projectId),
    list('String', ({ op }) => op),
    list('String', ({ route }) => route),
  ]
  return {
    // The plain lists let the engine find the rows by the order of the table.
    where: `op IN ${ops} AND route IN ${routes}`,
    having: `(project_id, op, route) IN arrayZip(${projects}, ${ops}, ${routes})`,
  }
}

function createRouteSeries(connection: Connection, sourceOf: () => Source): PerformanceStore['routeSeries'] {
  return async ({ scope, keys, bucketMs, withCut }) => {
    if (keys.length === 0) return []
    const values = createValues()
    const bucket = values.add('Int64', bucketMs)
    const isFromRollup = isRolled(scope, bucketMs)
    const ranges = { scope, longest: longestOf(bucketMs) }
    const facts = segmentFacts(values, sourceOf(), ranges, withCut, isFromRollup)
    const { where, having } = compileKeys(values, keys)
    const ms = isFromRollup ? 'toInt64(toUnixTimestamp(at)) * 1000' : 'toUnixTimestamp64Milli(at)'
    const rows = await connection.rows<StoredBucket>(
      `SELECT project_id, toString(facts.op) AS op, toString(facts.route) AS route, intDiv(${ms}, ${bucket}) * ${bucket} AS start_ms,
         sum(n) AS samples, sum(weight) AS c, sum(failed) AS failed_c,
         quantilesExactWeightedIf(0.5, 0.75, 0.95)(value, ${factWeight}, measured) AS p, sumIf(n, measured) AS measured_n
       FROM (SELECT * FROM ${facts} WHERE ${where}) AS facts
       GROUP BY project_id, op, route, start_ms HAVING ${having} ORDER BY start_ms`,
      values.bound,
    )
    return rows.map((row) => ({
      projectId: Number(row.project_id),
      op: row.op,
      route: row.route,
      startMs: Number(row.start_ms),
      samples: Number(row.samples),
      count: row.c,
      failed: row.failed_c,
      ...percentilesOf(row.p, Number(row.measured_n)),
    }))
  }
}

/** Creates the queries over all routes. */
export function createRoutes(
  connection: Connection,
  sourceOf: () => Source,
): Pick<PerformanceStore, 'routeStats' | 'routesBefore' | 'projectsBefore' | 'routeSeries'> {
  return {
    routeStats: createRouteStats(connection, sourceOf),
    routesBefore: createRoutesBefore(connection, sourceOf),
    projectsBefore: createProjectsBefore(connection, sourceOf),
    routeSeries: createRouteSeries(connection, sourceOf),
  }
}
