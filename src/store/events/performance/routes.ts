import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import {
  type MeasuredRoute,
  type Percentiles,
  type PerformanceStore,
  type RouteBefore,
  type RouteKey,
  type RouteOrder,
  textOfRoute,
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
  return async ({ scope, beforeMs, withCut, order, filter, max, offset }) => {
    if (scope.projectIds.length === 0) return { routes: [], before: undefined, all: 0, samples: 0, count: 0 }
    const values = createValues()
    const { names, metrics } = splitRouteFilter(filter)
    // Both ranges are twice the rows. A list needs the range before of all routes only to compare them by it.
    const isCompared = order === 'worse' || readsBefore(metrics)
    const ranges = { scope, beforeMs: isCompared ? beforeMs : undefined }
    const facts = segmentFacts(values, sourceOf(), ranges, withCut, isRolled(scope))
    const named = compileRouteFilter(values, names, scope)
    const rows = await connection.rows<StoredRoute & StoredBefore>(
      `SELECT project_id, toString(op) AS op, toString(route) AS route, ${figuresSql('own')}${isCompared ? comparedSql : ''},
         count() OVER () AS all, sum(n) OVER () AS all_n, sum(c) OVER () AS all_c
       FROM (SELECT * FROM ${facts} WHERE ${named}) AS facts
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

/** To read the rows of one route takes less time than a second statement, so both ranges are read by one. */
function createRouteCompared(connection: Connection, sourceOf: () => Source): PerformanceStore['routeCompared'] {
  return async ({ scope, beforeMs, withCut, key }) => {
    const values = createValues()
    const ranges = { scope: { ...scope, projectIds: [key.projectId] }, beforeMs }
    const facts = segmentFacts(values, sourceOf(), ranges, withCut, isRolled(scope))
    const rows = await connection.rows<StoredRoute & { own: number }>(
      `SELECT own, project_id, toString(facts.op) AS op, toString(facts.route) AS route, ${figuresSql('1')}
       FROM (SELECT * FROM ${facts} WHERE route = ${values.add('String', key.route)} AND op = ${values.add('String', key.op)}) AS facts
       GROUP BY own, project_id, op, route`,
      values.bound,
    )
    const [now, before] = [1, 0].map((own) => rows.find((row) => Number(row.own) === own))
    return { now: now && readRoute(now), before: before && readRoute(before) }
  }
}

function createRoutesBefore(connection: Connection, sourceOf: () => Source): PerformanceStore['routesBefore'] {
  return async ({ scope, beforeMs, withCut, keys }) => {
    const values = createValues()
    const of = createKeys(values, scope, keys)
    if (of.scope.projectIds.length === 0) return []
    const ranges = { scope: of.scope, beforeMs, isOnlyBefore: true }
    const facts = segmentFacts(values, sourceOf(), ranges, withCut, isRolled(scope))
    const rows = await connection.rows<StoredRoute>(
      `SELECT project_id, toString(facts.op) AS op, toString(facts.route) AS route, ${figuresSql('1')}
       FROM (SELECT * FROM ${facts} WHERE ${of.where}) AS facts GROUP BY project_id, op, route`,
      values.bound,
    )
    return rows.map(readRoute).filter(of.isAsked)
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
 * Reads some routes. `where` is by plain lists, with which the engine finds rows by the order of the table, and lets
 * through other combinations of their projects, ops and names: these are left out here. In the statement, a condition on the three
 * together took as long as all the rest, because the engine compared it with each range of the order.
 */
function createKeys(values: Values, scope: Scope, keys: readonly RouteKey[]) {
  const asked = new Set(keys.map(textOfRoute))
  const list = (of: (key: RouteKey) => string) => values.add('Array(String)', [...new Set(keys.map(of))])
  return {
    scope: { ...scope, projectIds: scope.projectIds.filter((id) => keys.some(({ projectId }) => projectId === id)) },
    where: `op IN ${list(({ op }) => op)} AND route IN ${list(({ route }) => route)}`,
    isAsked: (key: RouteKey) => asked.has(textOfRoute(key)),
  }
}

function createRouteSeries(connection: Connection, sourceOf: () => Source): PerformanceStore['routeSeries'] {
  return async ({ scope, keys, bucketMs, withCut }) => {
    const values = createValues()
    const of = createKeys(values, scope, keys)
    if (of.scope.projectIds.length === 0) return []
    const bucket = values.add('Int64', bucketMs)
    const isFromRollup = isRolled(scope, bucketMs)
    const ranges = { scope: of.scope, longest: longestOf(bucketMs) }
    const facts = segmentFacts(values, sourceOf(), ranges, withCut, isFromRollup)
    const ms = isFromRollup ? 'toInt64(toUnixTimestamp(at)) * 1000' : 'toUnixTimestamp64Milli(at)'
    const rows = await connection.rows<StoredBucket>(
      `SELECT project_id, toString(facts.op) AS op, toString(facts.route) AS route, intDiv(${ms}, ${bucket}) * ${bucket} AS start_ms,
         sum(n) AS samples, sum(weight) AS c, sum(failed) AS failed_c,
         quantilesExactWeightedIf(0.5, 0.75, 0.95)(value, ${factWeight}, measured) AS p, sumIf(n, measured) AS measured_n
       FROM (SELECT * FROM ${facts} WHERE ${of.where}) AS facts
       GROUP BY project_id, op, route, start_ms ORDER BY start_ms`,
      values.bound,
    )
    const points = rows.map((row) => ({
      projectId: Number(row.project_id),
      op: row.op,
      route: row.route,
      startMs: Number(row.start_ms),
      samples: Number(row.samples),
      count: row.c,
      failed: row.failed_c,
      ...percentilesOf(row.p, Number(row.measured_n)),
    }))
    return points.filter(of.isAsked)
  }
}

/** Creates the queries over all routes. */
export function createRoutes(
  connection: Connection,
  sourceOf: () => Source,
): Pick<PerformanceStore, 'routeStats' | 'routeCompared' | 'routesBefore' | 'projectsBefore' | 'routeSeries'> {
  return {
    routeStats: createRouteStats(connection, sourceOf),
    routeCompared: createRouteCompared(connection, sourceOf),
    routesBefore: createRoutesBefore(connection, sourceOf),
    projectsBefore: createProjectsBefore(connection, sourceOf),
    routeSeries: createRouteSeries(connection, sourceOf),
  }
}
