import type { Connection } from './connection.ts'
import { hashNumber } from './reading/filter.ts'
import { rollupKeys, rollupSelect } from './schema/rollups.ts'
import { bucketsOf, retainedMax, type SpreadBucket, type SpreadEvent, spreadOf } from './spread.ts'
import { hashText } from './tables/rows.ts'

/** Number of rows of one group in one week. */
export type GroupWeek = { week: string; projectId: number; groupHash: string; rows: number }

/** A group with more rows than an issue always keeps. `weight`: excess rows × (age of its oldest in weeks + 1). */
export type LargeGroup = { projectId: number; groupHash: string; rows: number; weight: number }

/**
 * The rows that one step deletes: rows of these groups of one project and week (its Monday, `2026-11-16`) before a
 * position, except the kept events. The set of rows does not change between calls.
 */
export type Cut = { week: string; before: number; projectId: number; hashes: string[]; keep: string[] }

export type DownsampleStore = {
  /** Returns the weeks that have events, oldest first. */
  weeks(): Promise<string[]>
  /**
   * Groups with more rows before a position than an issue always keeps, heaviest first, after `after`. Ages count back
   * from the week `newest`. Concurrent deletions only make groups lighter, so paging skips none.
   */
  largeGroups(request: { before: number; newest: string; max: number; after?: LargeGroup }): Promise<LargeGroup[]>
  /** Counts the rows of these groups before a position, by week. */
  rowsByWeekOf(projectId: number, hashes: readonly string[], before: number): Promise<GroupWeek[]>
  /** Ids of an issue's first, latest and 20 spread events before a position, and the number of rows there. */
  retainedEventsOf(
    projectId: number,
    hashes: readonly string[],
    before: number,
  ): Promise<{ rows: number; keep: string[] }>
  /** Counts the stored rows of a cut by group. */
  rowsOfCut(cut: Cut): Promise<{ groupHash: string; rows: number }[]>
  /** Returns the position below which about this share (0 to 1) of a cut's rows lie. A sample estimates it. */
  quantileOfCut(cut: Cut, part: number): Promise<number>
  /** Returns the ids of events that the cut deletes. */
  eventsInCut(cut: Cut, eventIds: readonly string[]): Promise<string[]>
  /** Durably adds the counts of a cut's rows to `thinned`. A repeated call before the deletion replaces the counts. */
  countCutRows(step: number, cut: Cut): Promise<void>
  /** Deletes the rows. The rollups do not change. Safe to repeat. */
  deleteCut(cut: Cut): Promise<void>
  /** Rewrites the parts of these weeks to free the disk space of deleted rows. */
  rewriteWeeks(weeks: readonly string[]): Promise<void>
  /** Returns the bytes of replaced parts. The engine deletes them within minutes. */
  replacedBytes(): Promise<number>
}

/** Masking rows among ten million takes seconds. Rewriting a week takes longer, but nothing waits for it. */
const workSeconds = 3600
const idsMax = 1000
const weekForm = /^\d{4}-\d\d-\d\d$/

/** Throws for an invalid week, because the week becomes part of a statement's text. */
function checkedWeek(week: string): string {
  if (!weekForm.test(week)) throw new Error(`not a week: ${week}`)
  return week
}

const hashNumbers = (hashes: readonly string[]) => hashes.map(hashNumber).filter((item) => item !== undefined)

/** Condition for the rows of a cut. The ids are looked up in a set: 2,000 kept ids cost no more than a single id. */
export const cutWhere = `project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)}
  AND toMonday(received) = toDate({week:String}) AND jpos < {before:UInt64}
  AND lower(hex(event_id)) NOT IN {keep:Array(String)}`

export const cutBound = ({ week, before, projectId, hashes, keep }: Cut): Record<string, unknown> => ({
  week,
  before,
  project: projectId,
  hashes: hashNumbers(hashes),
  // The engine does not accept an empty list as a set.
  keep: keep.length > 0 ? keep : [''],
})

/** Queries the spread of an issue: its ends, then a few events from each hundredth of the time between them. */
function createRetainedEvents(connection: Connection, table: string): DownsampleStore['retainedEventsOf'] {
  return async (projectId, hashes, before) => {
    const bound = { project: projectId, hashes: hashNumbers(hashes), before }
    const where = `project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)} AND jpos < {before:UInt64}`
    if (bound.hashes.length === 0) return { rows: 0, keep: [] }
    type Ends = { n: string; from: string; to: string; last: string }
    const at = 'toUnixTimestamp64Micro(timestamp)'
    const [ends] = await connection.rows<Ends>(
      `SELECT count() AS n, min(${at}) AS from, max(${at}) AS to, lower(hex(max((timestamp, event_id)).2)) AS last
       FROM ${table} WHERE ${where}`,
      bound,
      { seconds: workSeconds },
    )
    const rows = Number(ends?.n ?? 0)
    if (!ends || rows === 0) return { rows, keep: [] }
    const found = await connection.rows<{ bucket: string; n: string; events: [string, string][] }>(
      `SELECT intDiv((${at} - {from:Int64}) * ${bucketsOf.count}, {span:Int64}) AS bucket, count() AS n,
         arrayMap(pair -> (toString(pair.1), lower(hex(pair.2))), groupArraySorted(${bucketsOf.eachMax})((${at}, event_id))) AS events
       FROM ${table} WHERE ${where} GROUP BY bucket ORDER BY bucket`,
      { ...bound, from: ends.from, span: String(Number(ends.to) - Number(ends.from) + 1) },
      { seconds: workSeconds },
    )
    const buckets = found.map(
      (item): SpreadBucket => ({
        bucket: Number(item.bucket),
        events: item.events.map(([us, id]): SpreadEvent => ({ us: Number(us), id })),
      }),
    )
    return { rows, keep: spreadOf(buckets, ends.last) }
  }
}

/** Number of weeks from a group's oldest row to the newest week. */
const weeksOld = "intDiv(greatest(0, dateDiff('day', toMonday(min(received)), toDate({newest:String}))), 7)"
const afterCondition = `weight < {weight:UInt64}
  OR (weight = {weight:UInt64} AND (project_id, group_hash) > ({project:UInt64}, {hash:UInt64}))`

/** Finds the groups that have more rows than are kept, and the weeks of their rows. */
function createGroups(connection: Connection, table: string): Pick<DownsampleStore, 'largeGroups' | 'rowsByWeekOf'> {
  return {
    async largeGroups({ before, newest, max, after }) {
      const found = await connection.rows<{ project: string; hash: string; n: string; weight: string }>(
        // Key order, two plain sums and small blocks: a million groups in 52 parts fit into 400 MB (3 s for 10 million
        // rows). Counting them by week took over 1 GB.
        `SELECT project_id AS project, group_hash AS hash, n, weight FROM (
           SELECT project_id, group_hash, count() AS n, (n - ${retainedMax}) * toUInt64(${weeksOld} + 1) AS weight
           FROM ${table} WHERE jpos < {before:UInt64} GROUP BY project_id, group_hash HAVING n > ${retainedMax})
         WHERE ${after ? afterCondition : '1'}
         ORDER BY weight DESC, project_id, group_hash LIMIT {max:UInt32}
         SETTINGS optimize_aggregation_in_order = 1, max_block_size = 4096, aggregation_in_order_max_block_bytes = 1000000,
           max_threads = 2`,
        {
          before,
          max,
          newest: checkedWeek(newest),
          ...(after ? { weight: after.weight, project: after.projectId, hash: hashNumber(after.groupHash) } : {}),
        },
        { seconds: workSeconds },
      )
      return found.map(({ project, hash, n, weight }) => ({
        projectId: Number(project),
        groupHash: hashText(hash),
        rows: Number(n),
        weight: Number(weight),
      }))
    },
    async rowsByWeekOf(projectId, hashes, before) {
      const found = await connection.rows<{ week: string; hash: string; n: string }>(
        `SELECT toString(toMonday(received)) AS week, group_hash AS hash, count() AS n FROM ${table}
         WHERE project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)} AND jpos < {before:UInt64}
         GROUP BY week, hash ORDER BY week, hash`,
        { project: projectId, hashes: hashNumbers(hashes), before },
        { seconds: workSeconds },
      )
      return found.map(({ week, hash, n }) => ({ week, projectId, groupHash: hashText(hash), rows: Number(n) }))
    },
  }
}

/** Queries that help to choose the rows to downsample. */
function createCutReads(
  connection: Connection,
  database: string,
): Pick<DownsampleStore, 'weeks' | 'rowsOfCut' | 'quantileOfCut' | 'eventsInCut' | 'replacedBytes'> {
  const table = `${database}.events`
  return {
    async weeks() {
      const found = await connection.rows<{ partition: string }>(
        `SELECT DISTINCT partition FROM system.parts
         WHERE active AND rows > 0 AND database = {database:String} AND table = 'events' ORDER BY partition`,
        { database },
      )
      return found.map((item) => item.partition).filter((partition) => weekForm.test(partition))
    },
    async rowsOfCut(cut) {
      const found = await connection.rows<{ hash: string; n: string }>(
        `SELECT group_hash AS hash, count() AS n FROM ${table} WHERE ${cutWhere} GROUP BY group_hash`,
        cutBound(cut),
        { seconds: workSeconds },
      )
      return found.map((item) => ({ groupHash: hashText(item.hash), rows: Number(item.n) }))
    },
    async quantileOfCut(cut, part) {
      const [found] = await connection.rows<{ at: number }>(
        `SELECT quantile(${Math.min(1, Math.max(0, part)).toFixed(6)})(jpos) AS at FROM ${table} WHERE ${cutWhere}`,
        cutBound(cut),
        { seconds: workSeconds },
      )
      return Math.floor(Number(found?.at ?? 0)) + 1
    },
    async eventsInCut(cut, eventIds) {
      const found: string[] = []
      for (let start = 0; start < eventIds.length; start += idsMax) {
        const rows = await connection.rows<{ id: string }>(
          `SELECT DISTINCT lower(hex(event_id)) AS id FROM ${table}
           WHERE ${cutWhere} AND lower(hex(event_id)) IN {ids:Array(String)}`,
          { ...cutBound(cut), ids: eventIds.slice(start, start + idsMax) },
          { seconds: workSeconds },
        )
        found.push(...rows.map((row) => row.id))
      }
      return found
    },
    async replacedBytes() {
      const [found] = await connection.rows<{ n: string }>(
        'SELECT sum(bytes_on_disk) AS n FROM system.parts WHERE NOT active AND database = {database:String}',
        { database },
      )
      return Number(found?.n ?? 0)
    },
  }
}

/** Creates the downsampling of events: finds large groups, selects the events to keep and deletes the rest. */
export function createDownsampling(connection: Connection, database: string): DownsampleStore {
  const table = `${database}.events`
  const seconds = workSeconds
  return {
    ...createCutReads(connection, database),
    ...createGroups(connection, table),
    retainedEventsOf: createRetainedEvents(connection, table),
    async countCutRows(step, cut) {
      const [before] = await connection.rows<{ n: string }>(
        `SELECT count() AS n FROM ${database}.thinned WHERE step = {step:UInt64}`,
        { step },
        { seconds },
      )
      if (Number(before?.n ?? 0) > 0)
        await connection.command(`DELETE FROM ${database}.thinned WHERE step = {step:UInt64}`, { step }, { seconds })
      // Without insert_deduplicate = 0 the engine drops these rows as a duplicate insert, although they were deleted.
      await connection.command(
        `INSERT INTO ${database}.thinned (${rollupKeys}, n, first_at, last_at, users, step)
         SELECT ${rollupKeys}, n, first_at, last_at, users, {step:UInt64} FROM (
           ${rollupSelect} FROM ${table} WHERE ${cutWhere} GROUP BY ${rollupKeys})
         SETTINGS insert_deduplicate = 0`,
        { ...cutBound(cut), step },
        { seconds },
      )
    },
    async deleteCut(cut) {
      await connection.command(
        `DELETE FROM ${table} IN PARTITION '${checkedWeek(cut.week)}' WHERE ${cutWhere}`,
        cutBound(cut),
        { seconds },
      )
    },
    async rewriteWeeks(weeks) {
      for (const week of weeks)
        await connection.command(
          `ALTER TABLE ${table} APPLY DELETED MASK IN PARTITION '${checkedWeek(week)}' SETTINGS mutations_sync = 1`,
          {},
          { seconds },
        )
    },
  }
}
