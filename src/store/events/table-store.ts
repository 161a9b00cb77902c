import type { Connection } from './connection.ts'
import type { Settling } from './settle.ts'
import type { Places, TableTally } from './table.ts'
import { anyTable, type TableName, withDerived } from './tables.ts'

/** What every stored table can do. */
export type TableStore = {
  /**
   * Inserts rows encoded by the table's `encode`; the same token with identical rows counts once. Durable when it
   * resolves. Throws MishapError STORE_UNAVAILABLE where the rows may or may not be stored, the engine's error where it
   * refuses them for their content.
   */
  insert(table: TableName, tsv: Buffer, token: string): Promise<void>
  /**
   * Waits until no insert of this token runs any more (KILL first), then returns what is stored of the records with
   * from <= jpos < to: their rows' places by position. Rollups of these rows are counted anew.
   */
  settle(table: TableName, token: string, from: number, to: number): Promise<Places>
  /**
   * Drops partitions whose rows were all received before `beforeMs`, by their names or by their places: rows of a clock
   * that was set far forward, from `nowMs` on, go with those that came right after them. Returns their names.
   */
  dropBefore(table: TableName, beforeMs: number, nowMs: number): Promise<string[]>
  /** Drops the oldest partition whose time ended before `beforeMs`; undefined: there is none. */
  dropOldest(table: TableName, beforeMs: number): Promise<string | undefined>
  /**
   * Takes what was received before a partition's start (UTC, ms) out of the table and those made from it, for these
   * projects. Returns how many of its rows went.
   */
  removeBefore(table: TableName, projectIds: readonly number[], startMs: number): Promise<number>
  /** Rows that are stored of each project that has any. */
  countByProject(table: TableName): Promise<{ projectId: number; rows: number }[]>
  /** Counts what is stored, of all times; for tables with a `tally`. */
  tally(table: TableName): Promise<TableTally[]>
}

/** A tally and a deletion go through every row. */
const workSeconds = 3600
/** Projects of one statement. */
const listMax = 1000

function* someOf(projectIds: readonly number[]): Generator<readonly number[]> {
  for (let start = 0; start < projectIds.length; start += listMax) yield projectIds.slice(start, start + listMax)
}

/** See `TableStore.tally`. */
async function tallyOf(connection: Connection, database: string, name: TableName): Promise<TableTally[]> {
  const { partition, place, tally } = anyTable(name)
  if (!tally) throw new Error(`the table ${name} has a check of its own`)
  const table = `${database}.${name}`
  const days = await connection.rows<{ day: string }>(
    `SELECT DISTINCT toString(${partition.day}) AS day FROM ${table} ORDER BY day`,
    {},
    { seconds: workSeconds },
  )
  const sums = new Map<number, TableTally>()
  // One partition at a time: both copies of a row are in one partition, and all places would not fit into memory.
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

/** Inserting into any table, and the work that goes through all rows of a table. */
export function createTableStore(
  connection: Connection,
  database: string,
  settling: Pick<Settling, 'inserting' | 'settle'>,
): Omit<TableStore, 'dropBefore' | 'dropOldest'> {
  async function removeRows(table: string, where: string, bound: Record<string, unknown>): Promise<number> {
    const [found] = await connection.rows<{ n: string }>(
      `SELECT count() AS n FROM ${database}.${table} WHERE ${where}`,
      bound,
      { seconds: workSeconds },
    )
    const rows = Number(found?.n ?? 0)
    // Every deletion writes a mark for each part, also where there is nothing to delete.
    if (rows > 0)
      await connection.command(`DELETE FROM ${database}.${table} WHERE ${where}`, bound, { seconds: workSeconds })
    return rows
  }

  return {
    insert: (name, tsv, token) => {
      const { columns, hasRollups } = anyTable(name)
      const run = () => connection.insert(name, columns, tsv, token)
      return hasRollups ? settling.inserting(run) : run()
    },
    settle: settling.settle,

    async removeBefore(name, projectIds, startMs) {
      // A date before 1970 is none, and would be read as one to come.
      if (startMs <= 0) return 0
      const day = new Date(startMs).toISOString().slice(0, 10)
      let gone = 0
      for (const projects of someOf(projectIds))
        for (const table of withDerived(name)) {
          // Rows of the tables made from it are told apart by their week alone, so that a week goes from all or from none.
          const start = table === name ? anyTable(name).partition.day : 'week'
          const where = `project_id IN {projects:Array(UInt64)} AND ${start} < toDate({day:String})`
          const rows = await removeRows(table, where, { projects, day })
          if (table === name) gone += rows
        }
      return gone
    },

    async countByProject(name) {
      const rows = await connection.rows<{ project: string; n: string }>(
        `SELECT project_id AS project, count() AS n FROM ${database}.${name} GROUP BY project_id`,
      )
      return rows.map((row) => ({ projectId: Number(row.project), rows: Number(row.n) }))
    },
    tally: (name) => tallyOf(connection, database, name),
  }
}
