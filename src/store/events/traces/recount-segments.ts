import type { Connection } from '../connection.ts'
import {
  isInSegments,
  segmentColumns,
  segmentsFeed,
  segmentsName,
  segmentsSelect,
  segmentsView,
} from '../schema/segments.ts'

const workSeconds = 3600
/** Without insert_deduplicate = 0 the engine drops identical rows as a duplicate insert. */
const withoutDedup = 'SETTINGS insert_deduplicate = 0'

/** Days of projects whose segments differ from their spans: by number, or by the positions of the rows. */
export const differingSegmentDays = (database: string): string => {
  const sums = (sign: string) =>
    `${sign}toInt64(count()) AS n, ${sign}reinterpretAsInt64(sum(cityHash64(jpos, place))) AS places`
  return `SELECT its_day AS day, project_id FROM (
     SELECT toDate(received) AS its_day, project_id, ${sums('')} FROM ${database}.spans WHERE ${isInSegments} GROUP BY ALL
     UNION ALL
     SELECT day AS its_day, project_id, ${sums('-')} FROM ${database}.${segmentsName} GROUP BY ALL
   ) GROUP BY day, project_id HAVING sum(n) != 0 OR sum(places) != 0`
}

/**
 * Copies the segments of these records again, as after an insert with an unknown result. The caller prevents inserts and
 * queries meanwhile.
 */
export async function recopySegments(
  connection: Connection,
  database: string,
  from: number,
  to: number,
): Promise<void> {
  const ofRecords = 'jpos >= {from:UInt64} AND jpos < {to:UInt64}'
  const run = (sql: string) => connection.command(sql, { from, to }, { seconds: workSeconds })
  await run(`DELETE FROM ${database}.${segmentsName} WHERE ${ofRecords}`)
  await run(`INSERT INTO ${database}.${segmentsName} (${segmentColumns})
    ${segmentsSelect(`${database}.spans`, ofRecords)} ${withoutDedup}`)
}

/**
 * Creates the view of the segments if it is missing: in a store of an older version, and after a restore or a move. Before
 * that, days that differ from their spans are copied again. Nothing is inserted meanwhile. The view comes last, so an
 * interrupted start repeats the work.
 */
export async function addSegments(connection: Connection, database: string): Promise<void> {
  const run = (sql: string) => connection.command(sql, {}, { seconds: workSeconds })
  const found = await connection.rows(
    `SELECT 1 FROM system.tables WHERE database = {database:String} AND name = '${segmentsFeed}'`,
    { database },
  )
  if (found.length > 0) return
  const days = await connection.rows<{ day: string }>(
    `SELECT DISTINCT toString(day) AS day FROM (${differingSegmentDays(database)}) ORDER BY day`,
    {},
    { seconds: workSeconds },
  )
  for (const { day } of days) {
    await run(`ALTER TABLE ${database}.${segmentsName} DROP PARTITION '${day}'`)
    await run(`INSERT INTO ${database}.${segmentsName} (${segmentColumns})
      ${segmentsSelect(`${database}.spans`, `toDate(received) = toDate('${day}')`)} ${withoutDedup}`)
  }
  await run(segmentsView(database))
}
