import type { Connection } from '../connection.ts'
import type { Percentiles, PerformanceStore, RouteKey, RouteOrder, RouteStats } from '../performance-store.ts'
import { createValues, type Values } from '../reading/filter.ts'
import { factWeight, isRolled, longestOf, type Source, segmentFacts } from './facts.ts'
import { comparedMin, compileRouteFilter, splitRouteFilter } from './route-filter.ts'
import { apdexSum, readMs } from './segments.ts'

type StoredRoute = {
  project_id: string
  op: string
  route: string
  n: string
  c: number
  failed_c: number
  total_own: number
  p: [number, number, number]
  apdex: number
  measured_c: number
  n_before: string
  c_before: number
  failed_c_before: number
  p_before: [number, number, number]
  apdex_before: number
  measured_before: number
  first_release: string
  all: string
  all_n: string
  all_c: number
}

const orders: Record<RouteOrder, string> = {
  lost: 'total_own',
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

function readRoute(row: StoredRoute): RouteStats {
  return {
    projectId: Number(row.project_id),
    op: row.op,
    route: row.route,
    now: {
      samples: Number(row.n),
      count: row.c,
      failed: row.failed_c,
      totalMs: row.total_own / 1000,
      ...percentilesOf(row.p, row.measured_c),
      apdex: row.measured_c > 0 ? row.apdex / row.measured_c : null,
    },
    before: {
      samples: Number(row.n_before),
      count: row.c_before,
      failed: row.failed_c_before,
      ...percentilesOf(row.p_before, row.measured_before),
      apdex: row.measured_before > 0 ? row.apdex_before / row.measured_before : null,
    },
    firstRelease: row.first_release,
  }
}

function createRouteStats(connection: Connection, sourceOf: () => Source): PerformanceStore['routeStats'] {
  return async ({ scope, beforeMs, withCut, order, filter, key, max, offset }) => {
    if (scope.projectIds.length === 0) return { routes: [], all: 0, samples: 0, count: 0 }
    const values = createValues()
    const facts = segmentFacts(values, sourceOf(), { scope, beforeMs }, withCut, isRolled(scope))
    const { names, metrics } = splitRouteFilter(filter)
    const named = compileRouteFilter(values, names, scope)
    const one = key ? `route = ${values.add('String', key.route)} AND op = ${values.add('String', key.op)}` : '1'
    const rows = await connection.rows<StoredRoute>(
      `SELECT project_id, toString(op) AS op, toString(route) AS route, sumIf(facts.n, own) AS n, sumIf(weight, own) AS c,
         sumIf(failed, own) AS failed_c, sumIf(facts.total, own AND measured) AS total_own,
         quantilesExactWeightedIf(0.5, 0.75, 0.95)(value, ${factWeight}, own AND measured) AS p,
         ${apdexSum('own AND measured')} AS apdex, sumIf(weight, own AND measured) AS measured_c,
         sumIf(facts.n, NOT own) AS n_before, sumIf(weight, NOT own) AS c_before, sumIf(failed, NOT own) AS failed_c_before,
         quantilesExactWeightedIf(0.5, 0.75, 0.95)(value, ${factWeight}, NOT own AND measured) AS p_before,
         ${apdexSum('NOT own AND measured')} AS apdex_before,
         sumIf(weight, NOT own AND measured) AS measured_before,
         toString(argMin(release, at)) AS first_release, count() OVER () AS all,
         sum(n) OVER () AS all_n, sum(c) OVER () AS all_c
       FROM (SELECT * FROM ${facts} WHERE ${named} AND ${one}) AS facts
       GROUP BY project_id, op, route HAVING n > 0 AND ${compileRouteFilter(values, metrics, scope)}
       ORDER BY ${orders[order]} DESC, c DESC, project_id, route, op
       LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
      values.bound,
    )
    const [first] = rows
    return {
      routes: rows.map(readRoute),
      all: Number(first?.all ?? 0),
      samples: Number(first?.all_n ?? 0),
      count: first?.all_c ?? 0,
    }
  }
}

function createSegmentTotals(connection: Connection, sourceOf: () => Source): PerformanceStore['segmentTotals'] {
  return async ({ scope, beforeMs, withCut }) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const facts = segmentFacts(values, sourceOf(), { scope, beforeMs }, withCut, isRolled(scope))
    const rows = await connection.rows<{ project_id: string; samples: string; c: number; samples_before: string }>(
      `SELECT project_id, sumIf(n, own) AS samples, sumIf(weight, own) AS c, sumIf(n, NOT own) AS samples_before
       FROM ${facts} AS facts GROUP BY project_id ORDER BY project_id`,
      values.bound,
    )
    return rows.map((row) => ({
      projectId: Number(row.project_id),
      samples: Number(row.samples),
      count: row.c,
      samplesBefore: Number(row.samples_before),
    }))
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

/** Condition for some routes. */
const compileKeys = (values: Values, keys: readonly RouteKey[]): string => {
  const list = (type: string, of: (key: RouteKey) => string | number) => values.add(`Array(${type})`, keys.map(of))
  const [projects, ops, routes] = [
    list('UInt64', ({ projectId }) => projectId),
    list('String', ({ op }) => op),
    list('String', ({ route }) => route),
  ]
  // The plain lists let the engine find the rows by the order of the table.
  return `op IN ${ops} AND route IN ${routes}
    AND (project_id, toString(op), toString(route)) IN (SELECT arrayJoin(arrayZip(${projects}, ${ops}, ${routes})))`
}

function createRouteSeries(connection: Connection, sourceOf: () => Source): PerformanceStore['routeSeries'] {
  return async ({ scope, keys, bucketMs, withCut }) => {
    if (keys.length === 0) return []
    const values = createValues()
    const bucket = values.add('Int64', bucketMs)
    const isFromRollup = isRolled(scope, bucketMs)
    const ranges = { scope, longest: longestOf(bucketMs) }
    const facts = segmentFacts(values, sourceOf(), ranges, withCut, isFromRollup)
    const ms = isFromRollup ? 'toInt64(toUnixTimestamp(at)) * 1000' : 'toUnixTimestamp64Milli(at)'
    const rows = await connection.rows<StoredBucket>(
      `SELECT project_id, toString(facts.op) AS op, toString(facts.route) AS route, intDiv(${ms}, ${bucket}) * ${bucket} AS start_ms,
         sum(n) AS samples, sum(weight) AS c, sum(failed) AS failed_c,
         quantilesExactWeightedIf(0.5, 0.75, 0.95)(value, ${factWeight}, measured) AS p, sumIf(n, measured) AS measured_n
       FROM (SELECT * FROM ${facts} WHERE ${compileKeys(values, keys)}) AS facts
       GROUP BY project_id, op, route, start_ms ORDER BY start_ms`,
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
): Pick<PerformanceStore, 'routeStats' | 'segmentTotals' | 'routeSeries'> {
  return {
    routeStats: createRouteStats(connection, sourceOf),
    segmentTotals: createSegmentTotals(connection, sourceOf),
    routeSeries: createRouteSeries(connection, sourceOf),
  }
}
