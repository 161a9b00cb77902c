import type { Connection } from '../connection.ts'
import type { PerformanceStore, SlowCounts } from '../performance-store.ts'
import { createValues, type Values } from '../reading/filter.ts'
import { compileDurations, compileMeasured } from './route.ts'
import { columnPairs, compileChildren, compileTimes, type Tables } from './segments.ts'

type Request = Parameters<PerformanceStore['slowValues']>[0]
/**
 * Attributes that differ for almost every segment, or say the same as a column. Their values explain nothing. `segments`
 * is without more of them.
 */
const without = ['http.response.status_code', 'http.status_code']
const valueCharactersMax = 200
/** A statement that runs at least so often in a segment is counted for that, too: one query for each row of a list. */
const oftenMin = 5
/** No duration is longer. */
const endlessUs = Number.MAX_SAFE_INTEGER

/**
 * The newest segments on both sides, at most `max` of each. `own`: it has the selected durations and times. A sample
 * bounds the time: 20,000 find a planted value with the same bounds as all.
 */
function compileSides(values: Values, table: string, request: Request, max: number, columns: string): string {
  const { durations, times, ...route } = request
  const side = (own: 0 | 1, condition: string) =>
    `SELECT ${columns}, weight, ${own} AS own FROM ${table} WHERE ${compileMeasured(values, route)} AND ${condition}`
  const within = (fromUs: number, toUs: number) => compileDurations(values, { fromUs, toUs })
  const limit = `ORDER BY start DESC LIMIT ${values.add('UInt32', max)}`
  const isOwn = `${within(durations.fromUs, durations.toUs)}${times ? ` AND ${compileTimes(values, times)}` : ''}`
  const others = times
    ? side(0, `NOT (${isOwn})`)
    : `${side(0, within(0, durations.fromUs))} UNION ALL ${side(0, within(durations.toUs, endlessUs))}`
  return `(SELECT * FROM (${side(1, isOwn)} ${limit})
    UNION ALL SELECT * FROM (SELECT * FROM (${others}) ${limit}))`
}

type StoredValue = { key: string; value: string; own_n: string; own_c: number; others_n: string; others_c: number }

/**
 * Counts each pair of both sides. The empty pair counts the segments themselves, so that one pass counts both.
 */
const compileCounts = (values: Values, pairs: string, max: number): string =>
  `SELECT key, value, countIf(own = 1) AS own_n, sumIf(weight, own = 1) AS own_c, countIf(own = 0) AS others_n,
     sumIf(weight, own = 0) AS others_c
   FROM (${pairs}) GROUP BY key, value HAVING own_n > 0 OR key = ''
   ORDER BY key = '' DESC, own_c DESC, key, value LIMIT ${values.add('UInt32', max + 1)}`

/** What the segments say of themselves: their attributes and some columns. */
function compileAttributes(values: Values, { segments }: Tables, request: Request): string {
  const columns = `start, tags, release, environment, http_status, browser`
  const sides = compileSides(values, segments, request, request.segmentsMax, columns)
  const isShort = `length(pair.2) BETWEEN 1 AND ${valueCharactersMax}`
  return `SELECT own, weight, pair.1 AS key, pair.2 AS value FROM (
    SELECT own, toFloat64(weight) AS weight, arrayJoin(arrayPushBack(arrayFilter(
        pair -> pair.1 NOT IN ${values.add('Array(String)', without)} AND ${isShort} AND pair.2 != '0',
        arrayConcat(arrayMap((key, text) -> (toString(key), text), mapKeys(tags), mapValues(tags)),
          [${columnPairs}])), ('', ''))) AS pair
    FROM ${sides})`
}

/** What the segments did: each statement of their child spans once, and how often it ran if it was often. */
function compileStatements(values: Values, { spans, segments }: Tables, request: Request): string {
  const sides = compileSides(values, segments, request, request.spanSegmentsMax, 'start, span_id')
  // A list is made once. The engine would run a named subquery for each of its four uses.
  const kept = `(SELECT tupleElement(item, 1) AS span_id, tupleElement(item, 2) AS weight, tupleElement(item, 3) AS own,
    tupleElement(item, 4) AS start FROM (SELECT arrayJoin(kept_segments) AS item))`
  const children = `SELECT segment_id, toString(op) AS child_op, toString(if(statement = '', op, statement)) AS shown, count() AS times
    FROM ${spans} WHERE ${compileChildren(values, request, kept)} AND segment_id IN (SELECT span_id FROM ${kept})
    GROUP BY segment_id, child_op, shown`
  const often = `if(times >= ${oftenMin}, [(child_op, shown), (concat('${oftenMin}+ × ', child_op), shown)], [(child_op, shown)])`
  return `WITH (SELECT groupArray((span_id, weight, own, start)) FROM ${sides}) AS kept_segments
    SELECT own, weight, pair.1 AS key, pair.2 AS value FROM (
    SELECT own, toFloat64(weight) AS weight, ('', '') AS pair FROM ${kept}
    UNION ALL SELECT own, toFloat64(weight) AS weight, arrayJoin(${often}) AS pair
      FROM (${children}) AS child INNER JOIN ${kept} AS side ON child.segment_id = side.span_id)`
}

/**
 * Counts by weight, scaled to the segments that were read: the bounds of a lift follow from the number that was seen.
 */
function readCounts(rows: readonly StoredValue[]): SlowCounts {
  const sum = rows.find((row) => row.key === '')
  const [own, others] = [Number(sum?.own_n ?? 0), Number(sum?.others_n ?? 0)]
  const scaled = (weight: number, of: number, samples: number) => (of > 0 ? (weight / of) * samples : 0)
  return {
    own,
    others,
    ownCount: sum?.own_c ?? 0,
    values: rows
      .filter((row) => row.key !== '')
      .map((row) => ({
        key: row.key,
        value: row.value,
        own: scaled(row.own_c, sum?.own_c ?? 0, own),
        others: scaled(row.others_c, sum?.others_c ?? 0, others),
      })),
  }
}

/** See `PerformanceStore.slowValues`. */
export function createSlow(connection: Connection, tables: Tables): Pick<PerformanceStore, 'slowValues'> {
  return {
    async slowValues(request) {
      const read = async (compile: typeof compileAttributes) => {
        const values = createValues()
        const sql = compileCounts(values, compile(values, tables, request), request.max)
        return readCounts(await connection.rows<StoredValue>(sql, values.bound))
      }
      const [attributes, children] = await Promise.all([read(compileAttributes), read(compileStatements)])
      return { attributes, spans: children }
    },
  }
}
