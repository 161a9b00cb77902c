import type { Connection } from '../connection.ts'
import type { BreakdownKind, DurationRange, PerformanceStore, RouteRequest } from '../performance-store.ts'
import { createValues, type Values } from '../reading/filter.ts'
import { hashText } from '../tables/rows.ts'
import { compileChildren, compilePair, compileRoute, isMeasured, readMs, type Tables, weighed } from './segments.ts'

/** Buckets of the distribution for each power of ten. */
const perDecade = 20

const breakdownSql: Record<BreakdownKind, string> = {
  release: 'toString(release)',
  environment: 'toString(environment)',
  browser: 'toString(browser)',
  device: 'toString(device)',
}

/** Condition for durations in a range. */
export const compileDurations = (values: Values, { fromUs, toUs }: DurationRange): string =>
  `duration >= ${values.add('UInt64', fromUs)} AND duration < ${values.add('UInt64', toUs)}`

/** Condition for segments of a route that count for percentiles, with durations in a range. */
export function compileMeasured(
  values: Values,
  { key, scope, withCut }: RouteRequest,
  durations?: DurationRange,
): string {
  const within = durations ? compileDurations(values, durations) : '1'
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
  return async ({ durations, having, order, max, ...request }) => {
    const values = createValues()
    const pair = having ? ` AND ${compilePair(values, having)}` : ''
    const rows = await connection.rows<StoredSegment>(
      `SELECT lower(hex(trace_id)) AS trace_hex, span_id, toUnixTimestamp64Milli(start) AS start_ms, duration, failed, release
       FROM ${table} WHERE ${compileMeasured(values, request, durations)}${pair}
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
function createParts(connection: Connection, { spans, segments }: Tables): PerformanceStore['routeParts'] {
  return async ({ durations, segmentsMax, max, ...request }) => {
    const values = createValues()
    const { key, scope } = request
    const newest = `SELECT span_id, start, duration FROM ${segments} WHERE ${compileMeasured(values, request, durations)}
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
           FROM ${spans} AS spans INNER JOIN newest AS segment ON spans.segment_id = segment.span_id
           WHERE ${compileChildren(values, { key, scope }, 'newest')})
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

/** All kinds in one pass over the segments. */
function createBreakdowns(connection: Connection, table: string): PerformanceStore['routeBreakdowns'] {
  return async ({ kinds, max, ...request }) => {
    if (kinds.length === 0) return []
    const values = createValues()
    const keys = kinds.map((_, at) => `k${at}`)
    const place = `${keys.map((key, at) => `if(grouping(${key}) = 1, ${at}, `).join('')}${kinds.length}${')'.repeat(kinds.length)}`
    const value = `${keys.map((key) => `if(grouping(${key}) = 1, ${key}, `).join('')}''${')'.repeat(kinds.length)}`
    type Row = { place: number; value: string; n: string; c: number; failed: number; p75: number | null }
    const rows = await connection.rows<Row>(
      `SELECT toUInt8(${place}) AS place, ${value} AS value, count() AS n, sum(toFloat64(weight)) AS c,
         sum(toFloat64(weight) * has_failed) AS failed, quantileTDigestWeighted(0.75)(duration, ${weighed}) AS p75
       FROM (SELECT ${kinds.map((kind, at) => `${breakdownSql[kind]} AS k${at}`).join(', ')}, weight, duration, failed AS has_failed
         FROM ${table} WHERE ${compileMeasured(values, request)})
       GROUP BY GROUPING SETS (${keys.map((key) => `(${key})`).join(', ')})
       ORDER BY place, c DESC, value LIMIT ${values.add('UInt32', max)} BY place
       SETTINGS force_grouping_standard_compatibility = 0`,
      values.bound,
    )
    return kinds.map((kind, at) => ({
      kind,
      rows: rows
        .filter((row) => row.place === at)
        .map((row) => ({
          value: row.value,
          samples: Number(row.n),
          count: row.c,
          failed: row.failed,
          p75Ms: readMs(row.p75),
        })),
    }))
  }
}

/** Creates the queries over one route. */
export function createRoute(
  connection: Connection,
  tables: Tables,
): Pick<PerformanceStore, 'routeDurations' | 'routeTraces' | 'routeParts' | 'routeBreakdowns' | 'routeNames'> {
  const table = tables.segments
  return {
    routeDurations: createDurations(connection, table),
    routeTraces: createTraces(connection, table),
    routeParts: createParts(connection, tables),
    routeBreakdowns: createBreakdowns(connection, table),
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
