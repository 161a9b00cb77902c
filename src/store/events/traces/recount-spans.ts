import type { Connection } from '../connection.ts'
import { removedSpansName } from '../schema/downsampled-spans.ts'
import {
  factCount,
  spanRollupColumns,
  spanRollupFeed,
  spanRollupKeys,
  spanRollupName,
  spanRollupOrder,
  spanRollupSelect,
  spanRollupTable,
  spanRollupView,
} from '../schema/span-rollup.ts'
import { recopySegments } from './recount-segments.ts'

const workSeconds = 3600
/** Without insert_deduplicate = 0 the engine drops identical sums as a duplicate insert. */
const withoutDedup = 'SETTINGS insert_deduplicate = 0'

/** Rows of the rollup to build again: hours (seconds since 1970) of projects within one partition. */
type Hours = { day: string; projects: number[]; hours: number[] }

/** Builds these hours from their spans, then their days from the hours. */
async function recountHours(connection: Connection, database: string, { day, projects, hours }: Hours): Promise<void> {
  const [rollup, spans] = [`${database}.${spanRollupName}`, `${database}.spans`]
  const bound = {
    day,
    projects,
    hours,
    from: hours.reduce((a, b) => Math.min(a, b)),
    to: hours.reduce((a, b) => Math.max(a, b)) + 3600,
    days: [...new Set(hours.map((hour) => hour - (hour % 86_400)))],
  }
  const run = (sql: string) => connection.command(sql, bound, { seconds: workSeconds })
  const own = 'day = toDate({day:String}) AND project_id IN {projects:Array(UInt64)}'
  const ofSpans = `toDate(received) = toDate({day:String}) AND project_id IN {projects:Array(UInt64)}
    AND start >= toDateTime64({from:UInt32}, 6, 'UTC') AND start < toDateTime64({to:UInt32}, 6, 'UTC')
    AND has({hours:Array(UInt32)}, toUnixTimestamp(toStartOfHour(start)))`
  await run(`DELETE FROM ${rollup} WHERE ${own} AND length = 0 AND has({hours:Array(UInt32)}, toUnixTimestamp(hour))`)
  await run(`INSERT INTO ${rollup} (${spanRollupColumns}) SELECT ${spanRollupColumns}
    FROM (${spanRollupSelect(spans, ofSpans)}) WHERE length = 0 ${withoutDedup}`)
  await run(`DELETE FROM ${rollup} WHERE ${own} AND length = 1 AND has({days:Array(UInt32)}, toUnixTimestamp(hour))`)
  await run(`INSERT INTO ${rollup} (${spanRollupColumns})
    SELECT day, project_id, 1, metric, toStartOfDay(hour) AS begin, route, op, statement, environment, release, rating, bucket,
      sum(n), sum(weight), sum(failed), sum(total)
    FROM ${rollup} WHERE ${own} AND length = 0 AND has({days:Array(UInt32)}, toUnixTimestamp(toStartOfDay(hour)))
    GROUP BY ${spanRollupKeys.replace(' length, ', ' ').replace('hour', 'begin')} ${withoutDedup}`)
}

/**
 * Recounts the hours of the spans of these records and copies their segments again, as after an insert with an unknown
 * result. The caller prevents
 * inserts and queries meanwhile.
 */
export async function recountSpansBetween(
  connection: Connection,
  database: string,
  from: number,
  to: number,
): Promise<void> {
  const found = await connection.rows<{ day: string; project: string; hour: number }>(
    `SELECT DISTINCT toString(toDate(received)) AS day, project_id AS project, toUnixTimestamp(toStartOfHour(start)) AS hour
     FROM ${database}.spans WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64}`,
    { from, to },
    { seconds: workSeconds },
  )
  for (const [day, rows] of Map.groupBy(found, (row) => row.day))
    await recountHours(connection, database, {
      day,
      projects: [...new Set(rows.map(({ project }) => Number(project)))],
      hours: [...new Set(rows.map(({ hour }) => hour))],
    })
  await recopySegments(connection, database, from, to)
}

/**
 * Counts of each partition, project and length whose rollup differs from its spans: what `length` selects. Downsampled
 * spans are still counted in the rollup.
 */
export const differingSpanDays = (database: string, length: 0 | 1): string =>
  `SELECT day, project_id FROM (
     SELECT toDate(received) AS day, project_id, toInt64(sum(${factCount})) AS m FROM ${database}.spans GROUP BY ALL
     UNION ALL
     SELECT day, project_id, toInt64(sum(n)) AS m FROM ${database}.${removedSpansName} GROUP BY ALL
     UNION ALL
     SELECT day, project_id, -toInt64(sum(n)) AS m FROM ${database}.${spanRollupName} WHERE length = ${length} GROUP BY ALL
   ) GROUP BY day, project_id HAVING sum(m) != 0`

/**
 * Creates the rollup anew if an older version created it with another order. Creates its view if it is missing: in a store
 * of an older version, and after a restore or a move. Before
 * that, days whose sums differ from their spans are built again. Nothing is inserted meanwhile. The view comes last, so an
 * interrupted start repeats the work.
 */
export async function addSpanRollup(connection: Connection, database: string): Promise<void> {
  const run = (sql: string) => connection.command(sql, {}, { seconds: workSeconds })
  const [table] = await connection.rows<{ sorting_key: string }>(
    `SELECT sorting_key FROM system.tables WHERE database = {database:String} AND name = '${spanRollupName}'`,
    { database },
  )
  if (table?.sorting_key !== spanRollupOrder) {
    // The order of a table cannot change, and its rows are made from spans. The view first: without its table every insert fails.
    await run(`DROP VIEW IF EXISTS ${database}.${spanRollupFeed}`)
    await run(`DROP TABLE ${database}.${spanRollupName}`)
    await run(spanRollupTable(database, connection.kind))
  }
  const found = await connection.rows(
    `SELECT 1 FROM system.tables WHERE database = {database:String} AND name = '${spanRollupFeed}'`,
    { database },
  )
  if (found.length > 0) return
  const days = await connection.rows<{ day: string }>(
    `SELECT DISTINCT toString(day) AS day FROM (${differingSpanDays(database, 0)} UNION ALL ${differingSpanDays(database, 1)})
     ORDER BY day`,
    {},
    { seconds: workSeconds },
  )
  for (const { day } of days) {
    await run(`ALTER TABLE ${database}.${spanRollupName} DROP PARTITION '${day}'`)
    // The spans that are left stand for the downsampled ones by their weights.
    await run(`ALTER TABLE ${database}.${removedSpansName} DROP PARTITION '${day}'`)
    await run(`INSERT INTO ${database}.${spanRollupName} (${spanRollupColumns})
      ${spanRollupSelect(`${database}.spans`, `toDate(received) = toDate('${day}')`)} ${withoutDedup}`)
  }
  await run(spanRollupView(database))
}
