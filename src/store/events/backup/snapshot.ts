import type { Connection } from '../connection.ts'
import { cutBound, cutWhere } from '../downsample.ts'
import type { EventStore } from '../event-store.ts'
import { differingLogDays } from '../logs/recount.ts'
import { rewriteBound, rewriteWhere } from '../reprocess.ts'
import { projectParts, rollupParts } from '../schema/rollups.ts'
import { hashText } from '../tables/rows.ts'
import { differingSegmentDays } from '../traces/recount-segments.ts'
import { differingSpanDays } from '../traces/recount-spans.ts'

/** Limit for an unresponsive disk. */
const workSecondsMax = 3600
type SnapshotPart = Pick<EventStore, 'check'>

/** Days of projects whose rollup of spans, by its lengths, whose segments, or whose rollup of log lines differ from the rows. */
async function checkDayRollups(
  connection: Connection,
  database: string,
  openDays: readonly string[],
): Promise<Record<string, number>> {
  const differing = async (days: string) => {
    const sql = `SELECT count() AS n FROM (${days}) WHERE NOT has({days:Array(String)}, toString(day))`
    const [found] = await connection.rows<{ n: string }>(sql, { days: openDays }, { seconds: workSecondsMax })
    return Number(found?.n ?? 0)
  }
  return {
    span_hour: await differing(differingSpanDays(database, 0)),
    span_day: await differing(differingSpanDays(database, 1)),
    segments: await differing(differingSegmentDays(database)),
    log_rollup: await differing(differingLogDays(database)),
  }
}

/** See `EventStore.check`. */
async function check(
  connection: Connection,
  database: string,
  ...[open, rewrite, openDays = []]: Parameters<EventStore['check']>
): ReturnType<EventStore['check']> {
  const bound = {
    ...(open ? { ...cutBound(open.cut), step: open.step } : {}),
    ...(rewrite ? rewriteBound(rewrite.rewrite) : {}),
  }
  const without = [
    ...(open?.counted ? [cutWhere] : []),
    ...(rewrite ? [rewriteWhere(rewrite.counted ? 'old' : 'new')] : []),
  ]
  const rowCondition = without.map((item) => `NOT (${item})`).join(' AND ') || '1'
  const rows = `${database}.events WHERE ${rowCondition}`
  const outsideRewrite = rewrite
    ? `WHERE NOT (project_id = {rewriteProject:UInt64} AND (its_group IN {rewrite_from:Array(UInt64)} OR its_group IN {rewrite_to:Array(UInt64)}))`
    : ''
  const downsampledTable =
    open && !open.counted ? `${database}.thinned WHERE step != {step:UInt64}` : `${database}.thinned`
  const groups = await connection.rows<{ project: string; hash: string; n: string; away: string; oldest: string }>(
    `SELECT project_id AS project, group_hash AS hash, sum(there) AS n, sum(thin) AS away, min(since) AS oldest FROM (
       SELECT project_id, group_hash, count() AS there, 0 AS thin, toUnixTimestamp64Milli(min(received)) AS since
       FROM ${rows} GROUP BY project_id, group_hash
       UNION ALL
       SELECT project_id, group_hash, 0 AS there, sum(n) AS thin, toInt64(toUnixTimestamp(toDateTime(min(week), 'UTC'))) * 1000 AS since
       FROM ${downsampledTable} GROUP BY project_id, group_hash
     ) GROUP BY project_id, group_hash`,
    bound,
    { seconds: workSecondsMax },
  )
  const [ends] = await connection.rows<{ twice: string; last: string }>(
    `SELECT count() - uniqExact(project_id, event_id) AS twice, max(jpos) AS last FROM ${rows}`,
    bound,
    { seconds: workSecondsMax },
  )
  const rollups: Record<string, number> = {}
  const compared = [
    ...Object.entries(rollupParts).map(([name, part]) => ({ name, part, key: 'group_hash', where: outsideRewrite })),
    // A rewrite changes no count of a project.
    ...Object.entries(projectParts).map(([name, part]) => ({ name, part, key: 'toUInt64(0)', where: '' })),
  ]
  for (const { name, part, key, where } of compared) {
    const [off] = await connection.rows<{ n: string }>(
      `SELECT count() AS n FROM (
         SELECT project_id, its_group, week, sum(m) AS difference FROM (
           SELECT project_id, ${key} AS its_group, toMonday(received) AS week, toInt64(count()) AS m FROM ${rows} GROUP BY ALL
           UNION ALL
           SELECT project_id, ${key} AS its_group, week, toInt64(sum(n)) AS m FROM ${downsampledTable} GROUP BY ALL
           UNION ALL
           SELECT project_id, ${key} AS its_group, week, -toInt64(sum(n)) AS m FROM ${database}.${part} GROUP BY ALL
         ) ${where} GROUP BY ALL HAVING difference != 0)`,
      bound,
      { seconds: workSecondsMax },
    )
    rollups[name] = Number(off?.n ?? 0)
  }
  return {
    groups: groups.map((group) => ({
      projectId: Number(group.project),
      groupHash: hashText(group.hash),
      rows: Number(group.n),
      thinned: Number(group.away),
      oldestReceivedMs: Number(group.oldest),
    })),
    twice: Number(ends?.twice ?? 0),
    lastJpos: Number(ends?.last ?? 0),
    rollups: { ...rollups, ...(await checkDayRollups(connection, database, openDays)) },
  }
}

/** Creates the queries of `mishap verify`. */
export const createSnapshot = (connection: Connection, database: string): SnapshotPart => ({
  check: (open, rewrite, openDays) => check(connection, database, open, rewrite, openDays),
})
