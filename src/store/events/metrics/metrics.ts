import type { MetricType } from '../../../domain/metrics.ts'
import type { Connection } from '../connection.ts'
import type { ListedMetric, MetricStore } from '../metric-store.ts'
import { createValues } from '../reading/filter.ts'
import { bucketStart, compileAggregate, compileKey, compileScope, compileSelection, nameContains } from './sql.ts'

/** Newest points that the attributes of a metric are read from. */
const attributePointsMax = 100_000
const listedAttributes = 20

const orders = { name: 'name', newest: 'last_ms DESC, name', points: 'points DESC, name' } as const

type ListRow = {
  name: string
  type: MetricType
  unit: string
  points: string
  folded: string
  last_ms: string
  last: number
  attributes: string[]
  projects: string[]
}

const listed = (row: ListRow): ListedMetric => ({
  name: row.name,
  type: row.type,
  unit: row.unit,
  points: Number(row.points),
  folded: Number(row.folded),
  lastMs: Number(row.last_ms),
  last: row.last,
  attributes: row.attributes.toSorted(),
  projectIds: row.projects.map(Number),
})

const createList = (connection: Connection, table: string): MetricStore['metricList'] => {
  return async ({ scope, text, order, max, offset, isWhole = false }) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const rows = await connection.rows<ListRow>(
      `SELECT name, argMax(type, time) AS type, argMax(unit, time) AS unit, sum(entries) AS points,
         sumIf(entries, folded > 0) AS folded, toUnixTimestamp64Milli(max(time)) AS last_ms,
         argMax(value, (time, jpos, place)) AS last,
         groupUniqArrayArray(${listedAttributes})(arrayConcat(mapKeys(tags), mapKeys(numbers))) AS attributes,
         groupUniqArray(20)(project_id) AS projects
       FROM ${table} WHERE ${compileScope(values, scope)} AND ${isWhole ? `name = ${values.add('String', text)}` : nameContains(values, text)}
       GROUP BY name ORDER BY ${orders[order]} LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
      values.bound,
    )
    return rows.map(listed)
  }
}

const createTrends = (connection: Connection, table: string): MetricStore['metricTrends'] => {
  return async (scope, names, bucketMs) => {
    if (scope.projectIds.length === 0 || names.length === 0) return []
    const values = createValues()
    const rows = await connection.rows<{ name: string; start: string; value: number }>(
      `SELECT name, ${bucketStart(values, bucketMs)} AS start,
         if(any(type) = 'counter', sum(amount), if(sum(count) = 0, 0, sum(amount) / sum(count))) AS value
       FROM ${table} WHERE ${compileScope(values, scope)} AND name IN ${values.add('Array(String)', names)}
       GROUP BY name, start ORDER BY name, start`,
      values.bound,
    )
    return rows.map(({ name, start, value }) => ({ name, startMs: Number(start), value }))
  }
}

const createGroups = (connection: Connection, table: string): MetricStore['metricGroups'] => {
  return async ({ by, aggregate, max, ...selection }) => {
    if (selection.scope.projectIds.length === 0) return []
    const values = createValues()
    const group = by === undefined ? `''` : compileKey(values, by)
    const { fromMs, toMs } = selection.scope
    const rows = await connection.rows<{ key: string; result: number; points: string }>(
      `SELECT ${group} AS key, ${compileAggregate(values, aggregate, toMs - fromMs)} AS result, sum(entries) AS points
       FROM ${table} WHERE ${compileSelection(values, selection)}
       GROUP BY key ORDER BY points DESC, key LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    return rows.map(({ key, result, points }) => ({ group: key, value: result, points: Number(points) }))
  }
}

const createSeries = (connection: Connection, table: string): MetricStore['metricSeries'] => {
  return async ({ by, only, aggregate, bucketMs, ...selection }) => {
    if (selection.scope.projectIds.length === 0) return []
    const values = createValues()
    const group = by === undefined ? `''` : compileKey(values, by)
    const limited = by === undefined ? '' : `AND ${group} IN ${values.add('Array(String)', only)}`
    const rows = await connection.rows<{ key: string; start: string; result: number; points: string }>(
      `SELECT ${group} AS key, ${bucketStart(values, bucketMs)} AS start,
         ${compileAggregate(values, aggregate, bucketMs)} AS result, sum(entries) AS points
       FROM ${table} WHERE ${compileSelection(values, selection)} ${limited}
       GROUP BY key, start ORDER BY key, start`,
      values.bound,
    )
    return rows.map(({ key, start, result, points }) => ({
      group: key,
      startMs: Number(start),
      value: result,
      points: Number(points),
    }))
  }
}

type SampleRow = {
  project_id: string
  ms: string
  value: number
  count: string
  trace: string
  span: string
  service: string
  environment: string
  release: string
  tags: Record<string, string>
  numbers: Record<string, number>
  folded: number
}

const createSamples = (connection: Connection, table: string): MetricStore['metricSamples'] => {
  return async ({ max, withTrace, ...selection }) => {
    if (selection.scope.projectIds.length === 0) return []
    const values = createValues()
    const rows = await connection.rows<SampleRow>(
      `SELECT project_id, toUnixTimestamp64Milli(time) AS ms, value, count, lower(hex(trace_id)) AS trace,
         lower(leftPad(hex(span_id), 16, '0')) AS span, service, environment, release, tags, numbers, folded
       FROM ${table} WHERE ${compileSelection(values, selection)} AND count > 0
       ORDER BY ${withTrace ? "trace_id != toFixedString('', 16) DESC, " : ''}time DESC, jpos DESC, place
       LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    return rows.map((row) => ({
      projectId: Number(row.project_id),
      timeMs: Number(row.ms),
      value: row.value,
      count: Number(row.count),
      traceId: /^0*$/.test(row.trace) ? '' : row.trace,
      spanId: /^0*$/.test(row.span) ? '' : row.span,
      service: row.service,
      environment: row.environment,
      release: row.release,
      attributes: {
        ...row.tags,
        ...Object.fromEntries(Object.entries(row.numbers).map(([key, value]) => [key, String(value)])),
      },
      folded: row.folded,
    }))
  }
}

const createAttributes = (connection: Connection, table: string): MetricStore['metricAttributes'] => {
  return async ({ keys, max, ...selection }) => {
    if (selection.scope.projectIds.length === 0) return []
    const values = createValues()
    type Row = { key: string; uniques: string; values: [value: string, points: string][] }
    const rows = await connection.rows<Row>(
      `SELECT pair.1 AS key, count() AS uniques,
         arraySlice(arrayReverseSort(entry -> entry.2, groupArray((pair.2, points))), 1, ${values.add('UInt8', max)}) AS values
       FROM (
         SELECT arrayJoin(arrayConcat(
             arrayMap((key, value) -> (toString(key), value), mapKeys(tags), mapValues(tags)),
             arrayMap((key, value) -> (toString(key), toString(value)), mapKeys(numbers), mapValues(numbers)),
             arrayFilter(entry -> entry.2 != '', [('service', toString(service)), ('release', toString(release)), ('environment', toString(environment))])
           )) AS pair, count() AS points
         FROM (
           SELECT tags, numbers, service, release, environment FROM ${table}
           WHERE ${compileSelection(values, selection)} AND entries = 1
           ORDER BY time DESC LIMIT ${attributePointsMax}
         ) GROUP BY pair
       ) GROUP BY key ORDER BY sum(points) DESC, key LIMIT ${values.add('UInt16', keys)}`,
      values.bound,
    )
    return rows.map((row) => ({
      key: row.key,
      unique: Number(row.uniques),
      values: row.values.map(([value, points]) => ({ value, points: Number(points) })),
    }))
  }
}

/** Creates the queries of metrics. */
export function createMetrics(connection: Connection, database: string): MetricStore {
  const table = `${database}.metrics`
  return {
    metricList: createList(connection, table),
    metricTrends: createTrends(connection, table),
    metricGroups: createGroups(connection, table),
    metricSeries: createSeries(connection, table),
    metricSamples: createSamples(connection, table),
    metricAttributes: createAttributes(connection, table),
    foldedMetrics: async (scope) => {
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<{ project_id: string; name: string; points: string; since: string }>(
        `SELECT project_id, name, sum(entries) AS points, toUnixTimestamp64Milli(min(time)) AS since
         FROM ${table} WHERE ${compileScope(values, scope)} AND folded > 0
         GROUP BY project_id, name ORDER BY points DESC, name LIMIT 100`,
        values.bound,
      )
      return rows.map(({ project_id, name, points, since }) => ({
        projectId: Number(project_id),
        name,
        points: Number(points),
        sinceMs: Number(since),
      }))
    },
    recentTotals: async (sinceMs, { from, to }, max) => {
      const values = createValues()
      const since = `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(sinceMs))}, 'UTC')`
      const rows = await connection.rows<{ id: string; ms: string; total: number }>(
        `SELECT lower(leftPad(hex(stream), 16, '0')) AS id, toUnixTimestamp64Milli(time) AS ms, total
         FROM ${table} WHERE received >= ${since} AND jpos >= ${values.add('UInt64', from)} AND jpos < ${values.add('UInt64', to)}
           AND stream != 0
         ORDER BY time DESC, total DESC LIMIT 1 BY stream LIMIT ${values.add('UInt32', max)}`,
        values.bound,
      )
      return rows.map(({ id, ms, total }) => ({ stream: id, timeMs: Number(ms), total }))
    },
  }
}
