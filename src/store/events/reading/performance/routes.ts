import type { Connection } from '../../connection.ts'
import { createValues, type Values } from '../../filter.ts'
import type { Compared, PerformanceStore, RouteKey, RouteOrder, RouteStats } from './performance-store.ts'
import { apdexSum, compileSpanScope, isMeasured, percentilesIf, readMs, timeOf, weighed } from './segments.ts'

/** Fewer segments in one of the periods give no stable change of a percentile. */
const comparedMin = 50

type StoredRoute = {
  project_id: string
  op: string
  route: string
  n: string
  c: number
  failed_c: number
  total: number
  p: [number | null, number | null, number | null]
  apdex: number
  measured: number
  n_before: string
  c_before: number
  failed_c_before: number
  p_before: number | null
  first_release: string
  all: string
}

/** Both periods as one condition. They do not overlap. */
function compileBoth(values: Values, { scope, beforeMs }: Compared) {
  const whole = compileSpanScope(values, {
    ...scope,
    fromMs: Math.min(scope.fromMs, beforeMs.fromMs),
    toMs: Math.max(scope.toMs, beforeMs.toMs),
  })
  const own = `start >= ${timeOf(values, scope.fromMs)}`
  const before = `(start >= ${timeOf(values, beforeMs.fromMs)} AND start < ${timeOf(values, beforeMs.toMs)})`
  return { where: `${whole} AND is_segment = 1 AND (${own} OR ${before})`, own }
}

const orders: Record<RouteOrder, string> = {
  lost: 'total',
  slow: 'p[2]',
  worse: `if(n >= ${comparedMin} AND n_before >= ${comparedMin}, p[2] / p_before, -1)`,
  failing: 'failed_c / c',
  volume: 'c',
}

function readRoute(row: StoredRoute): RouteStats {
  const [p50, p75, p95] = row.p
  return {
    projectId: Number(row.project_id),
    op: row.op,
    route: row.route,
    now: {
      samples: Number(row.n),
      count: row.c,
      failed: row.failed_c,
      totalMs: row.total / 1000,
      p50Ms: readMs(p50),
      p75Ms: readMs(p75),
      p95Ms: readMs(p95),
      apdex: row.measured > 0 ? row.apdex / row.measured : null,
    },
    before: {
      samples: Number(row.n_before),
      count: row.c_before,
      failed: row.failed_c_before,
      p75Ms: readMs(row.p_before),
    },
    firstRelease: row.first_release,
  }
}

function createRouteStats(connection: Connection, table: string): PerformanceStore['routeStats'] {
  return async (request) => {
    const { scope, withCut, order, text, key, max, offset } = request
    if (scope.projectIds.length === 0) return { routes: [], all: 0 }
    const values = createValues()
    const { where, own } = compileBoth(values, request)
    const named = text === '' ? '1' : `positionCaseInsensitiveUTF8(route, ${values.add('String', text)}) > 0`
    const one = key ? `route = ${values.add('String', key.route)} AND op = ${values.add('String', key.op)}` : '1'
    const rows = await connection.rows<StoredRoute>(
      `SELECT project_id, toString(op) AS op, toString(route) AS route, countIf(own) AS n, sumIf(toFloat64(weight), own) AS c,
         sumIf(toFloat64(weight) * failed, own) AS failed_c, sumIf(toFloat64(weight) * duration, own AND measured_one) AS total,
         ${percentilesIf('own AND measured_one')} AS p, ${apdexSum('own AND measured_one')} AS apdex,
         sumIf(toFloat64(weight), own AND measured_one) AS measured, countIf(NOT own) AS n_before,
         sumIf(toFloat64(weight), NOT own) AS c_before, sumIf(toFloat64(weight) * failed, NOT own) AS failed_c_before,
         quantileTDigestWeightedIf(0.75)(duration, ${weighed}, NOT own AND measured_one) AS p_before,
         argMin(release, start) AS first_release, count() OVER () AS all
       FROM (SELECT project_id, op, route, start, weight, failed, duration, release, ${own} AS own, ${isMeasured(withCut)} AS measured_one
         FROM ${table} WHERE ${where} AND ${named} AND ${one})
       GROUP BY project_id, op, route HAVING n > 0
       ORDER BY ${orders[order]} DESC, c DESC, project_id, route, op
       LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
      values.bound,
    )
    return { routes: rows.map(readRoute), all: Number(rows[0]?.all ?? 0) }
  }
}

function createSegmentTotals(connection: Connection, table: string): PerformanceStore['segmentTotals'] {
  return async (request) => {
    if (request.scope.projectIds.length === 0) return []
    const values = createValues()
    const { where, own } = compileBoth(values, request)
    const rows = await connection.rows<{ project_id: string; n: string; c: number; n_before: string }>(
      `SELECT project_id, countIf(${own}) AS n, sumIf(toFloat64(weight), ${own}) AS c, countIf(NOT (${own})) AS n_before
       FROM ${table} WHERE ${where} GROUP BY project_id ORDER BY project_id`,
      values.bound,
    )
    return rows.map((row) => ({
      projectId: Number(row.project_id),
      samples: Number(row.n),
      count: row.c,
      samplesBefore: Number(row.n_before),
    }))
  }
}

type StoredBucket = {
  project_id: string
  op: string
  route: string
  start_ms: string
  n: string
  c: number
  failed_c: number
  p: [number | null, number | null, number | null]
}

/** Condition for some routes. */
const compileKeys = (values: Values, keys: readonly RouteKey[]): string => {
  const list = (type: string, of: (key: RouteKey) => string | number) => values.add(`Array(${type})`, keys.map(of))
  const [projects, ops, routes] = [
    list('UInt64', ({ projectId }) => projectId),
    list('String', ({ op }) => op),
    list('String', ({ route }) => route),
  ]
  return `(project_id, toString(op), toString(route)) IN (SELECT arrayJoin(arrayZip(${projects}, ${ops}, ${routes})))`
}

function createRouteSeries(connection: Connection, table: string): PerformanceStore['routeSeries'] {
  return async ({ scope, keys, bucketMs, withCut }) => {
    if (keys.length === 0) return []
    const values = createValues()
    const bucket = values.add('Int64', bucketMs)
    const measured = isMeasured(withCut)
    const rows = await connection.rows<StoredBucket>(
      `SELECT project_id, toString(op) AS op, toString(route) AS route,
         intDiv(toUnixTimestamp64Milli(start), ${bucket}) * ${bucket} AS start_ms, count() AS n,
         sum(toFloat64(weight)) AS c, sum(toFloat64(weight) * failed) AS failed_c, ${percentilesIf(measured)} AS p
       FROM ${table} AS spans
       WHERE ${compileSpanScope(values, scope)} AND is_segment = 1 AND ${compileKeys(values, keys)}
       GROUP BY project_id, op, route, start_ms ORDER BY start_ms`,
      values.bound,
    )
    return rows.map((row) => ({
      projectId: Number(row.project_id),
      op: row.op,
      route: row.route,
      startMs: Number(row.start_ms),
      samples: Number(row.n),
      count: row.c,
      failed: row.failed_c,
      p50Ms: readMs(row.p[0]),
      p75Ms: readMs(row.p[1]),
      p95Ms: readMs(row.p[2]),
    }))
  }
}

/** Creates the queries over all routes. */
export function createRoutes(
  connection: Connection,
  table: string,
): Pick<PerformanceStore, 'routeStats' | 'segmentTotals' | 'routeSeries'> {
  return {
    routeStats: createRouteStats(connection, table),
    segmentTotals: createSegmentTotals(connection, table),
    routeSeries: createRouteSeries(connection, table),
  }
}
