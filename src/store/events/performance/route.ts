import type { Connection } from '../connection.ts'
import { createValues, type Values } from '../filter.ts'
import type { BreakdownKind, DurationRange, PerformanceStore, RouteRequest } from '../performance-store.ts'
import { hashText } from '../rows.ts'
import { compileRoute, compileSpanScope, isMeasured, readMs, weighed } from './segments.ts'

/** Buckets of the distribution for each power of ten. */
const perDecade = 20

/** The browser and the class of device, by attributes or else by the user agent. Order matters: Edge also says Chrome. */
const agent = "tags['user_agent.original']"
export const browserSql = `multiIf(tags['browser.name'] != '', tags['browser.name'], ${agent} = '', '',
  position(${agent}, 'Edg/') > 0, 'Edge', position(${agent}, 'OPR/') > 0, 'Opera', position(${agent}, 'SamsungBrowser') > 0,
  'Samsung Internet', position(${agent}, 'Firefox/') > 0, 'Firefox', position(${agent}, 'Chrome/') > 0, 'Chrome',
  position(${agent}, 'Safari/') > 0, 'Safari', 'other')`
const deviceSql = `multiIf(${agent} = '', '', position(${agent}, 'iPad') > 0 OR position(${agent}, 'Tablet') > 0, 'tablet',
  position(${agent}, 'Mobi') > 0 OR position(${agent}, 'iPhone') > 0, 'mobile',
  position(${agent}, 'Android') > 0, 'tablet', 'desktop')`

const breakdownSql: Record<BreakdownKind, string> = {
  release: 'toString(release)',
  environment: 'toString(environment)',
  browser: browserSql,
  device: deviceSql,
}

/** Condition for segments of a route that count for percentiles, with durations in a range. */
export function compileMeasured(
  values: Values,
  { key, scope, withCut }: RouteRequest,
  durations?: DurationRange,
): string {
  const within = durations
    ? `duration >= ${values.add('UInt64', durations.fromUs)} AND duration < ${values.add('UInt64', durations.toUs)}`
    : '1'
  return `${compileRoute(values, key, scope)} AND ${isMeasured(withCut)} AND ${within}`
}

function createDurations(connection: Connection, table: string): PerformanceStore['routeDurations'] {
  return async (request) => {
    const values = createValues()
    const rows = await connection.rows<{ at: number; n: string; c: number }>(
      `SELECT toInt32(floor(log10(greatest(duration, 1)) * ${perDecade} + 1e-9)) AS at, count() AS n, sum(toFloat64(weight)) AS c
       FROM ${table} WHERE ${compileMeasured(values, request)} GROUP BY at ORDER BY at`,
      values.bound,
    )
    const edge = (at: number) => Math.round(10 ** (at / perDecade))
    return rows.map(({ at, n, c }) => ({ fromUs: edge(at), toUs: edge(at + 1), samples: Number(n), count: c }))
  }
}

type StoredSegment = {
  trace_hex: string
  span_id: string
  start_ms: string
  duration: string
  failed: number
  release: string
}

function createTraces(connection: Connection, table: string): PerformanceStore['routeTraces'] {
  return async ({ durations, order, max, ...request }) => {
    const values = createValues()
    const rows = await connection.rows<StoredSegment>(
      `SELECT lower(hex(trace_id)) AS trace_hex, span_id, toUnixTimestamp64Milli(start) AS start_ms, duration, failed, release
       FROM ${table} WHERE ${compileMeasured(values, request, durations)}
       ORDER BY ${order === 'slowest' ? 'duration DESC' : 'start DESC'}, span_id LIMIT 1 BY trace_id LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    return rows.map((row) => ({
      traceId: row.trace_hex,
      spanId: hashText(row.span_id),
      startMs: Number(row.start_ms),
      durationMs: Number(row.duration) / 1000,
      failed: row.failed === 1,
      release: row.release,
    }))
  }
}

type StoredPart = {
  category: string
  op: string
  statement: string
  spans: string
  segments: string
  self: number
  total: number
  after: number
}

/**
 * The parts are of the newest segments only: to join all children of a busy route took 1.9 s for ten million spans. Time
 * outside of a span's children is counted, so that nested spans do not count twice.
 */
function createParts(connection: Connection, table: string): PerformanceStore['routeParts'] {
  return async ({ durations, segmentsMax, max, ...request }) => {
    const values = createValues()
    const { key, scope } = request
    const newest = `SELECT span_id, start, duration FROM ${table} WHERE ${compileMeasured(values, request, durations)}
      ORDER BY start DESC LIMIT ${values.add('UInt32', segmentsMax)}`
    const [[sum], parts] = await Promise.all([
      connection.rows<{ n: string; total: number }>(
        `SELECT count() AS n, sum(toFloat64(duration)) AS total FROM (${newest})`,
        values.bound,
      ),
      connection.rows<StoredPart>(
        `WITH newest AS (${newest})
         SELECT toString(category) AS category, anyHeavy(toString(op)) AS op, toString(shown) AS statement, count() AS spans,
           uniq(segment_id) AS segments, sum(own) AS self, sum(toFloat64(duration)) AS total, avg(after) AS after
         FROM (SELECT category, op, if(statement = '', op, statement) AS shown, segment_id, spans.duration AS duration,
             toFloat64(if(self_time >= 0, self_time, spans.duration)) AS own,
             toFloat64(toUnixTimestamp64Micro(spans.start) - toUnixTimestamp64Micro(segment.start)) AS after
           FROM ${table} AS spans INNER JOIN newest AS segment ON spans.segment_id = segment.span_id
           WHERE ${compileSpanScope(values, { ...scope, projectIds: [key.projectId] })} AND is_segment = 0
             AND route = ${values.add('String', key.route)})
         GROUP BY category, statement ORDER BY self DESC, statement LIMIT ${values.add('UInt32', max)}`,
        values.bound,
      ),
    ])
    return {
      segments: Number(sum?.n ?? 0),
      totalMs: (sum?.total ?? 0) / 1000,
      parts: parts.map((part) => ({
        category: part.category,
        op: part.op,
        statement: part.statement,
        spans: Number(part.spans),
        segments: Number(part.segments),
        selfMs: part.self / 1000,
        totalMs: part.total / 1000,
        offsetMs: part.after / 1000,
      })),
    }
  }
}

function createBreakdown(connection: Connection, table: string): PerformanceStore['routeBreakdown'] {
  return async ({ kind, max, ...request }) => {
    const values = createValues()
    const rows = await connection.rows<{ value: string; n: string; c: number; failed: number; p75: number | null }>(
      `SELECT ${breakdownSql[kind]} AS value, count() AS n, sum(toFloat64(weight)) AS c, sum(toFloat64(weight) * failed) AS failed,
         quantileTDigestWeighted(0.75)(duration, ${weighed}) AS p75
       FROM ${table} WHERE ${compileMeasured(values, request)} GROUP BY value ORDER BY c DESC, value LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    return rows.map((row) => ({
      value: row.value,
      samples: Number(row.n),
      count: row.c,
      failed: row.failed,
      p75Ms: readMs(row.p75),
    }))
  }
}

/** Creates the queries over one route. */
export function createRoute(
  connection: Connection,
  table: string,
): Pick<PerformanceStore, 'routeDurations' | 'routeTraces' | 'routeParts' | 'routeBreakdown' | 'routeNames'> {
  return {
    routeDurations: createDurations(connection, table),
    routeTraces: createTraces(connection, table),
    routeParts: createParts(connection, table),
    routeBreakdown: createBreakdown(connection, table),
    async routeNames({ max, key, scope }) {
      const values = createValues()
      const rows = await connection.rows<{ name: string }>(
        `SELECT toString(transaction) AS name FROM ${table} WHERE ${compileRoute(values, key, scope)}
         GROUP BY name ORDER BY count() DESC, name LIMIT ${values.add('UInt32', max)}`,
        values.bound,
      )
      return rows.map((row) => row.name)
    },
  }
}
