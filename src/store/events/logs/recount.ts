import type { Connection } from '../connection.ts'
import {
  logRollupColumns,
  logRollupFeed,
  logRollupName,
  logRollupSelect,
  logRollupView,
  patternField,
} from '../schema/log-rollup.ts'

const workSeconds = 3600
/** Without insert_deduplicate = 0 the engine drops identical sums as a duplicate insert. */
const withoutDedup = 'SETTINGS insert_deduplicate = 0'

/**
 * Counts the slots of the lines of these records again, as after an insert with an unknown result. The caller prevents
 * inserts and queries meanwhile.
 */
export async function recountLogsBetween(
  connection: Connection,
  database: string,
  from: number,
  to: number,
): Promise<void> {
  const [rollup, logs] = [`${database}.${logRollupName}`, `${database}.logs`]
  const found = await connection.rows<{ day: string; project: string; slot: number }>(
    `SELECT DISTINCT toString(toDate(received)) AS day, project_id AS project, toUnixTimestamp(toStartOfFiveMinutes(time)) AS slot
     FROM ${logs} WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64}`,
    { from, to },
    { seconds: workSeconds },
  )
  for (const [day, rows] of Map.groupBy(found, (row) => row.day)) {
    const slots = [...new Set(rows.map(({ slot }) => slot))]
    const bound = {
      day,
      projects: [...new Set(rows.map(({ project }) => Number(project)))],
      slots,
      from: slots.reduce((a, b) => Math.min(a, b)),
      to: slots.reduce((a, b) => Math.max(a, b)) + 300,
    }
    const run = (sql: string) => connection.command(sql, bound, { seconds: workSeconds })
    const own = 'project_id IN {projects:Array(UInt64)}'
    await run(`DELETE FROM ${rollup} WHERE day = toDate({day:String}) AND ${own}
      AND has({slots:Array(UInt32)}, toUnixTimestamp(slot))`)
    const where = `toDate(received) = toDate({day:String}) AND ${own}
      AND time >= toDateTime64({from:UInt32}, 6, 'UTC') AND time < toDateTime64({to:UInt32}, 6, 'UTC')
      AND has({slots:Array(UInt32)}, toUnixTimestamp(toStartOfFiveMinutes(time)))`
    await run(`INSERT INTO ${rollup} (${logRollupColumns})
      SELECT ${logRollupColumns} FROM (${logRollupSelect(logs, where)}) ${withoutDedup}`)
  }
}

/** Days of projects whose rollup differs from their lines, by the lines themselves or by those with a pattern. */
export const differingLogDays = (database: string): string =>
  `SELECT day, project_id FROM (
     SELECT toDate(received) AS day, project_id, toInt64(count()) AS lines, toInt64(countIf(pattern != 0)) AS shaped
     FROM ${database}.logs GROUP BY day, project_id
     UNION ALL
     SELECT day, project_id, -toInt64(sumIf(n, field = '')) AS lines, -toInt64(sumIf(n, field = '${patternField}')) AS shaped
     FROM ${database}.${logRollupName} GROUP BY day, project_id
   ) GROUP BY day, project_id HAVING sum(lines) != 0 OR sum(shaped) != 0`

/**
 * Creates the view of the rollup if it is missing: in a store of an older version, and after a restore or a move. Before
 * that, days whose counts differ from their lines are built again. Nothing is inserted meanwhile. The view comes last, so
 * an interrupted start repeats the work.
 */
export async function addLogRollup(connection: Connection, database: string): Promise<void> {
  const run = (sql: string) => connection.command(sql, {}, { seconds: workSeconds })
  const found = await connection.rows(
    `SELECT 1 FROM system.tables WHERE database = {database:String} AND name = '${logRollupFeed}'`,
    { database },
  )
  if (found.length > 0) return
  const days = await connection.rows<{ day: string }>(
    `SELECT DISTINCT toString(day) AS day FROM (${differingLogDays(database)}) ORDER BY day`,
    {},
    { seconds: workSeconds },
  )
  for (const { day } of days) {
    await run(`ALTER TABLE ${database}.${logRollupName} DROP PARTITION '${day}'`)
    // Hour by hour: with a pattern in each line, the groups of a day do not fit into memory.
    const hours = await connection.rows<{ hour: number }>(
      `SELECT DISTINCT toUnixTimestamp(toStartOfHour(received)) AS hour FROM ${database}.logs
       WHERE toDate(received) = toDate('${day}') ORDER BY hour`,
      {},
      { seconds: workSeconds },
    )
    for (const { hour } of hours) {
      const where = `received >= toDateTime64(${hour}, 3, 'UTC') AND received < toDateTime64(${hour + 3600}, 3, 'UTC')`
      await run(`INSERT INTO ${database}.${logRollupName} (${logRollupColumns}) SELECT ${logRollupColumns}
        FROM (${logRollupSelect(`${database}.logs`, where)}) ${withoutDedup}`)
    }
  }
  await run(logRollupView(database))
}
