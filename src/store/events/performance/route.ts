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

const bucketSql = `toInt32(floor(log10(greatest(duration, 1)) * ${perDecade} + 1e-9))`
const edgeOf = (at: number) => Math.round(10 ** (at / perDecade))
const readBucket = (at: number, n: string, count: number) => ({
  fromUs: edgeOf(at),
  toUs: edgeOf(at + 1),
  samples: Number(n),
  count,
})

function createDurations(connection: Connection, table: string): PerformanceStore['routeDurations'] {
  return async (request) => {
    const values = createValues()
    const rows = await connection.rows<{ at: number; n: string; c: number }>(
      `SELECT ${bucketSql} AS at, count() AS n, sum(toFloat64(weight)) AS c
       FROM ${table} WHERE ${compileMeasured(values, request)} GROUP BY at ORDER BY at`,
      values.bound,
    )
    return rows.map(({ at, n, c }) => readBucket(at, n, c))
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
  n: string
  all: number
}

/**
 * The parts are of the newest segments only: to join all children of a busy route took 1.9 s for ten million spans. Time
 * outside of a span's children is counted, so that nested spans do not count twice. The segments are read
 * once, as a list, and each row has their sums. Without children there is no row, so the sums are read by themselves.
 */
function createParts(connection: Connection, { spans, segments }: Tables): PerformanceStore['routeParts'] {
  return async ({ durations, segmentsMax, max, ...request }) => {
    const values = createValues()
    const { key, scope } = request
    const newest = `SELECT span_id, start, duration FROM ${segments} WHERE ${compileMeasured(values, request, durations)}
      ORDER BY start DESC LIMIT ${values.add('UInt32', segmentsMax)}`
    const segment = `(SELECT tupleElement(item, 1) AS span_id, tupleElement(item, 2) AS start FROM (SELECT arrayJoin(newest) AS item))`
    const parts = await connection.rows<StoredPart>(
      `WITH (SELECT groupArray((span_id, start, duration)) FROM (${newest})) AS newest
       SELECT toString(category) AS category, anyHeavy(toString(op)) AS op, toString(shown) AS statement, count() AS spans,
         uniq(segment_id) AS segments, sum(own) AS self, sum(toFloat64(duration)) AS total, avg(after) AS after,
         length(newest) AS n, arraySum(item -> toFloat64(item.3), newest) AS all
       FROM (SELECT category, op, if(statement = '', op, statement) AS shown, segment_id, spans.duration AS duration,
           toFloat64(if(self_time >= 0, self_time, spans.duration)) AS own,
           toFloat64(toUnixTimestamp64Micro(spans.start) - toUnixTimestamp64Micro(segment.start)) AS after
         FROM ${spans} AS spans INNER JOIN ${segment} AS segment ON spans.segment_id = segment.span_id
         WHERE ${compileChildren(values, { key, scope }, segment)})
       GROUP BY category, statement ORDER BY self DESC, statement LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    const [sum] =
      parts.length > 0
        ? parts
        : await connection.rows<Pick<StoredPart, 'n' | 'all'>>(
            `SELECT count() AS n, sum(toFloat64(duration)) AS all FROM (${newest})`,
            values.bound,
          )
    return {
      segments: Number(sum?.n ?? 0),
      totalMs: (sum?.all ?? 0) / 1000,
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

/** At most so many buckets: 64 bits have 20 powers of ten. */
const bucketsMax = 20 * perDecade

type StoredGroup = { place: number; value: string; n: string; c: number; failed: number; p75: number | null }

/**
 * Everything that groups the segments of a route, in one pass over them: each statement opens all parts of the range, which took
 * longer than to read the segments. Cut segments have names, too.
 */
function createSummary(connection: Connection, table: string): PerformanceStore['routeSummary'] {
  return async ({ kinds, max, namesMax, key, scope, withCut }) => {
    const values = createValues()
    const columns = [...kinds.map((kind) => breakdownSql[kind]), `toString(${bucketSql})`, 'toString(transaction)']
    const keys = columns.map((_, at) => `k${at}`)
    const [ofDurations, ofNames] = [kinds.length, kinds.length + 1]
    const grouped = (then: (key: string, at: number) => string, last: string) =>
      `${keys.map((name, at) => `if(grouping(${name}) = 1, ${then(name, at)}, `).join('')}${last}${')'.repeat(keys.length)}`
    const rows = await connection.rows<StoredGroup>(
      `SELECT toUInt8(${grouped((_, at) => `${at}`, '255')}) AS place, ${grouped((name) => name, "''")} AS value,
         countIf(measured) AS n, sumIf(toFloat64(weight), measured) AS c,
         sumIf(toFloat64(weight) * has_failed, measured) AS failed,
         quantileTDigestWeightedIf(0.75)(duration, ${weighed}, measured) AS p75
       FROM (SELECT ${columns.map((column, at) => `${column} AS ${keys[at]}`).join(', ')}, weight, duration, failed AS has_failed,
           ${isMeasured(withCut)} AS measured
         FROM ${table} WHERE ${compileRoute(values, key, scope)})
       GROUP BY GROUPING SETS (${keys.map((name) => `(${name})`).join(', ')})
       HAVING n > 0 OR place = ${ofNames}
       ORDER BY place, if(place = ${ofNames}, toFloat64(count()), c) DESC, value
       LIMIT ${values.add('UInt32', Math.max(max, namesMax, bucketsMax))} BY place
       SETTINGS force_grouping_standard_compatibility = 0`,
      values.bound,
    )
    const of = (place: number) => rows.filter((row) => row.place === place)
    return {
      durations: of(ofDurations)
        .toSorted((a, b) => Number(a.value) - Number(b.value))
        .map(({ value, n, c }) => readBucket(Number(value), n, c)),
      names: of(ofNames)
        .slice(0, namesMax)
        .map(({ value }) => value),
      breakdowns: kinds.map((kind, at) => ({
        kind,
        rows: of(at)
          .slice(0, max)
          .map(({ value, n, c, failed, p75 }) => ({ value, samples: Number(n), count: c, failed, p75Ms: readMs(p75) })),
      })),
    }
  }
}

/** Creates the queries over one route. */
export function createRoute(
  connection: Connection,
  tables: Tables,
): Pick<PerformanceStore, 'routeDurations' | 'routeTraces' | 'routeParts' | 'routeSummary'> {
  return {
    routeDurations: createDurations(connection, tables.segments),
    routeTraces: createTraces(connection, tables.segments),
    routeParts: createParts(connection, tables),
    routeSummary: createSummary(connection, tables.segments),
  }
}
