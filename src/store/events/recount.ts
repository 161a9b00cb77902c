import type { Connection } from './connection.ts'
import { longer, longerRows, rollupKeys, rollupNames, rollupSelect } from './schema/rollups.ts'
import { lengths, rounded } from './spans.ts'

/** The rollup rows to recount: a condition on projects and groups with its values, and hours (seconds since 1970). */
type RecountRequest = { where: string; bound: Record<string, unknown>; hours: readonly number[]; seconds: number }

const values = 'n, first_at, last_at, users'
/** Without insert_deduplicate = 0 the engine drops identical counts as a duplicate insert. */
const withoutDedup = 'SETTINGS insert_deduplicate = 0'

/**
 * Recounts hours of the rollups from stored and downsampled rows, then their days from the hours and their weeks from
 * the days. The caller prevents inserts and queries meanwhile (gate.ts).
 */
export async function recount(
  connection: Connection,
  database: string,
  { where, bound, hours, seconds }: RecountRequest,
): Promise<void> {
  if (hours.length === 0) return
  const all = {
    ...bound,
    hours: [...new Set(hours)],
    from: hours.reduce((a, b) => Math.min(a, b)),
    to: hours.reduce((a, b) => Math.max(a, b)) + 3600,
  }
  const run = (sql: string) => connection.command(sql, all, { seconds })
  for (const name of rollupNames) {
    const span = name === 'issue_time' ? 'AND span = 0' : ''
    await run(
      `DELETE FROM ${database}.${name} WHERE ${where} ${span} AND has({hours:Array(UInt32)}, toUnixTimestamp(hour))`,
    )
    await run(
      `INSERT INTO ${database}.${name} (${rollupKeys}, ${values})
       SELECT ${rollupKeys}, ${values} FROM (${rollupSelect} FROM ${database}.events
         WHERE ${where} AND timestamp >= toDateTime64({from:UInt32}, 6, 'UTC') AND timestamp < toDateTime64({to:UInt32}, 6, 'UTC')
           AND has({hours:Array(UInt32)}, toUnixTimestamp(toStartOfHour(timestamp)))
         GROUP BY ${rollupKeys} UNION ALL
         SELECT ${rollupKeys}, ${values} FROM ${database}.thinned
         WHERE ${where} AND has({hours:Array(UInt32)}, toUnixTimestamp(hour)))
       ${withoutDedup}`,
    )
  }
  const table = `${database}.issue_time`
  for (const item of longer) {
    const starts = hours.map((hour) => rounded(Math.floor, hour * 1000, lengths[item.span]) / 1000)
    const own = { ...all, starts: [...new Set(starts)] }
    const within = (start: string) => `${where} AND has({starts:Array(UInt32)}, toUnixTimestamp(${start}))`
    await connection.command(`DELETE FROM ${table} WHERE span = ${item.span} AND ${within('hour')}`, own, { seconds })
    await connection.command(`${longerRows(table, item, within(item.start('hour')))} ${withoutDedup}`, own, { seconds })
  }
}
