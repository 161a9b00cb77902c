import type { Connection } from '../connection.ts'
import type { Rows } from '../row-file.ts'
import type { Settling } from '../settle.ts'
import type { Places, TableTally } from '../table.ts'
import { anyTable, type TableName, withDerived } from '../tables.ts'

/** Methods that every stored table has. */
export type TableStore = {
  /**
   * Inserts rows encoded by the table's `encode`. Identical rows with the same token count once. Durable when it
   * resolves. Throws MishapError STORE_UNAVAILABLE if the rows may or may not be stored, and the engine's error if it
   * rejects their content.
   */
  insert(table: TableName, tsv: Rows, token: string): Promise<void>
  /**
   * Kills inserts of this token, waits for their end, and returns the stored rows of records with from <= jpos < to:
   * places by position. Recounts the rollups of these rows.
   */
  settle(table: TableName, token: string, from: number, to: number): Promise<Places>
  /**
   * Drops partitions whose rows were all received before `beforeMs`, by name or by position. Partitions after `nowMs`,
   * from a clock that was set far forward, go with the rows that followed them. Returns their names.
   */
  dropBefore(table: TableName, beforeMs: number, nowMs: number): Promise<string[]>
  /** Drops the oldest partition if it ended before `beforeMs`. Returns its name, or undefined. */
  dropOldest(table: TableName, beforeMs: number): Promise<string | undefined>
  /**
   * Deletes the rows of these projects from the table and its derived tables that are before a partition's start (UTC,
   * ms). Returns the number of deleted rows of the table.
   */
  removeBefore(table: TableName, projectIds: readonly number[], startMs: number): Promise<number>
  /** Returns the number of stored rows of each project that has any. */
  countByProject(table: TableName): Promise<{ projectId: number; rows: number }[]>
  /** Counts all stored rows, for tables with a `tally`. */
  tally(table: TableName): Promise<TableTally[]>
}

/** A tally and a deletion read every row. */
const workSeconds = 3600
/** Limit of projects per statement. */
const listMax = 1000

function* someOf(projectIds: readonly number[]): Generator<readonly number[]> {
  for (let start = 0; start < projectIds.length; start += listMax) yield projectIds.slice(start, start + listMax)
}

/** See `TableStore.tally`. */
async function tallyTable(connection: Connection, database: string, name: TableName): Promise<TableTally[]> {
  const { partition, place, tally } = anyTable(name)
  if (!tally) throw new Error(`the table ${name} has a check of its own`)
  const table = `${database}.${name}`
  const days = await connection.rows<{ day: string }>(
    `SELECT DISTINCT toString(${partition.day}) AS day FROM ${table} ORDER BY day`,
    {},
    { seconds: workSeconds },
  )
  const sums = new Map<number, TableTally>()
  // One partition at a time: both copies of a row are in one partition, and all places do not fit into memory.
  for (const { day } of days) {
    const within = { day }
    const where = `WHERE ${partition.day} = toDate({day:String}) GROUP BY project_id`
    const rows = await connection.rows<{ project: string; n: string; once: string; last: string }>(
      `SELECT project_id AS project, count() AS n, uniqExact(jpos, ${place}) AS once, max(jpos) AS last FROM ${table} ${where}`,
      within,
      { seconds: workSeconds },
    )
    for (const row of rows) {
      const projectId = Number(row.project)
      const sum = sums.get(projectId) ?? { projectId, counts: {}, twice: 0, lastJpos: 0 }
      sum.twice += Number(row.n) - Number(row.once)
      sum.lastJpos = Math.max(sum.lastJpos, Number(row.last))
      sums.set(projectId, sum)
    }
    const counts = await connection.rows<{ project: string; category: keyof TableTally['counts']; n: string }>(
      `SELECT project_id AS project, ${tally.category} AS category, ${tally.quantity} AS n FROM ${table} ${where}, category`,
      within,
      { seconds: workSeconds },
    )
    for (const { project, category, n } of counts) {
      const sum = sums.get(Number(project))
      if (sum) sum.counts[category] = (sum.counts[category] ?? 0) + Number(n)
    }
  }
  return [...sums.values()]
}

/** Creates inserts for all tables, and the operations that read all rows of a table. */
export function createTableStore(
  connection: Connection,
  database: string,
  settling: Pick<Settling, 'inserting' | 'settle' | 'fenceOf'>,
): Omit<TableStore, 'dropBefore' | 'dropOldest'> {
  async function removeRows(table: string, where: string, bound: Record<string, unknown>): Promise<number> {
    const [found] = await connection.rows<{ n: string }>(
      `SELECT count() AS n FROM ${database}.${table} WHERE ${where}`,
      bound,
      { seconds: workSeconds },
    )
    const rows = Number(found?.n ?? 0)
    // Every deletion writes a mask for each part, even if it matches nothing.
    if (rows > 0)
      await connection.command(`DELETE FROM ${database}.${table} WHERE ${where}`, bound, { seconds: workSeconds })
    return rows
  }

  return {
    insert: (name, tsv, token) => {
      const { columns, hasRollups } = anyTable(name)
      const run = async () => connection.insert(name, columns, tsv, token, await settling.fenceOf(name, token))
      return hasRollups ? settling.inserting(run) : run()
    },
    settle: settling.settle,

    async removeBefore(name, projectIds, startMs) {
      // Dates before 1970 are invalid and would be read as future dates.
      if (startMs <= 0) return 0
      const day = new Date(startMs).toISOString().slice(0, 10)
      let removed = 0
      for (const projects of someOf(projectIds))
        for (const table of withDerived(name)) {
          // Derived tables only store the partition, so a week of events is deleted from all tables or from none.
          const { partition, derivedDay } = anyTable(name)
          const start = table === name ? partition.day : derivedDay
          const where = `project_id IN {projects:Array(UInt64)} AND ${start} < toDate({day:String})`
          const rows = await removeRows(table, where, { projects, day })
          if (table === name) removed += rows
        }
      return removed
    },

    async countByProject(name) {
      const rows = await connection.rows<{ project: string; n: string }>(
        `SELECT project_id AS project, count() AS n FROM ${database}.${name} GROUP BY project_id`,
      )
      return rows.map((row) => ({ projectId: Number(row.project), rows: Number(row.n) }))
    },
    tally: (name) => tallyTable(connection, database, name),
  }
}
