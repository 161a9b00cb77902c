import type { Connection } from './connection.ts'
import type { EventRow } from './events.ts'
import { hashNumber } from './reading/filter.ts'
import { recount, recountProjects } from './removal/recount.ts'
import type { Settling } from './settle.ts'
import { readRow, rowSelect, type StoredRow } from './tables/rows.ts'
import type { TableStore } from './tables/table-store.ts'

/**
 * Rows of one project, week and generation to rewrite: rows of generation `gen` in the groups `from` are replaced by
 * rows of `gen + 1` in the groups `to`, at the same positions. The set of rows does not change between calls.
 */
export type Rewrite = {
  projectId: number
  /** The Monday that names the rows' partition, `2026-11-16`. */
  week: string
  gen: number
  positions: number[]
  from: string[]
  to: string[]
  /** Hours of the events' timestamps: seconds since 1970. */
  hours: number[]
  /** Token prefix of the inserts. */
  token: string
}

/** A row that can be rewritten. */
export type RowRef = { jpos: number; gen: number; week: string }

/** First and last event of some groups, and their releases ('' for none). Undefined if there are no events. */
type GroupEdges = { firstMs: number; lastMs: number; firstRelease: string; lastRelease: string; events: number }

export type ReprocessingStore = {
  /**
   * Returns rows of groups with `fromJpos` <= position < `before`, received since `sinceMs`, by position: those of
   * these releases or with one of these debug ids. With neither: all.
   */
  rowRefsOf(request: {
    projectId: number
    hashes: readonly string[]
    releases: readonly string[]
    debugIds: readonly string[]
    fromJpos: number
    before: number
    sinceMs: number
    max: number
  }): Promise<RowRef[]>
  /** Returns the rows at these positions in this generation. Deleted rows are absent. */
  rowsAt(request: {
    projectId: number
    week: string
    gen: number
    hashes: readonly string[]
    positions: readonly number[]
  }): Promise<EventRow[]>
  /** Inserts the new rows of a rewrite, one insert per piece. Durable when it resolves. */
  insertRewritten(rewrite: Rewrite, tsv: readonly Buffer[]): Promise<void>
  /** Deletes the new rows and their counts after all their inserts have ended. Safe to repeat. */
  revert(rewrite: Rewrite): Promise<void>
  /** Deletes the old rows and recounts the rollups of their groups and hours. Safe to repeat. */
  replace(rewrite: Rewrite): Promise<void>
  /** Returns the positions of the old rows that are still stored. */
  presentPositions(rewrite: Rewrite): Promise<number[]>
  edgesOf(projectId: number, hashes: readonly string[]): Promise<GroupEdges | undefined>
}

const workSeconds = 3600
const weekForm = /^\d{4}-\d\d-\d\d$/
/** Limit of needles per search; the engine accepts 255. */
const needlesMax = 250

const hashNumbers = (hashes: readonly string[]) => hashes.map(hashNumber).filter((item) => item !== undefined)

function checkedWeek(week: string): string {
  if (!weekForm.test(week)) throw new Error(`not a week: ${week}`)
  return week
}

const versions = { old: ['from', '='], new: ['to', '>'] } as const

/** Condition for the old or the new rows of a rewrite. */
export function rewriteWhere(version: 'old' | 'new'): string {
  const [groups, comparison] = versions[version]
  return `project_id = {rewriteProject:UInt64} AND group_hash IN {rewrite_${groups}:Array(UInt64)}
    AND toMonday(received) = toDate({rewriteWeek:String}) AND jpos IN {rewritePositions:Array(UInt64)} AND gen ${comparison} {rewriteGen:UInt32}`
}

export const rewriteBound = ({ projectId, week, gen, positions, from, to }: Rewrite): Record<string, unknown> => ({
  rewriteProject: projectId,
  rewriteWeek: week,
  rewriteGen: gen,
  rewritePositions: positions,
  rewrite_from: hashNumbers(from),
  rewrite_to: hashNumbers(to),
})

/** Finds the rows that can be rewritten. */
function createSearch(connection: Connection, table: string): Pick<ReprocessingStore, 'rowRefsOf' | 'edgesOf'> {
  const seconds = workSeconds
  return {
    async rowRefsOf({ projectId, hashes, releases, debugIds, fromJpos, before, sinceMs, max }) {
      const named = [
        ...(releases.length > 0 ? ['release IN {releases:Array(String)}'] : []),
        ...(debugIds.length > 0 ? ['multiSearchAnyCaseInsensitive(payload, {needles:Array(String)})'] : []),
      ]
      const found = await connection.rows<{ jpos: string; gen: number; week: string }>(
        `SELECT jpos, gen, toString(toMonday(received)) AS week FROM ${table}
         WHERE project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)}
           AND jpos >= {from:UInt64} AND jpos < {before:UInt64}
           AND received >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') ${named.length > 0 ? `AND (${named.join(' OR ')})` : ''}
         ORDER BY jpos LIMIT {max:UInt32} SETTINGS max_threads = 1`,
        {
          project: projectId,
          hashes: hashNumbers(hashes),
          from: fromJpos,
          before,
          since: Math.floor(sinceMs),
          max,
          // SDKs can send a debug id without dashes.
          releases,
          needles: debugIds.flatMap((id) => [id, id.replaceAll('-', '')]).slice(0, needlesMax),
        },
        { seconds },
      )
      return found.map((item) => ({ jpos: Number(item.jpos), gen: item.gen, week: item.week }))
    },
    async edgesOf(projectId, hashes) {
      type Edges = { n: string; first_ms: string; last_ms: string; first_release: string; last_release: string }
      const [found] = await connection.rows<Edges>(
        `SELECT count() AS n, toUnixTimestamp64Milli(min(timestamp)) AS first_ms, toUnixTimestamp64Milli(max(timestamp)) AS last_ms,
           argMinIf(release, timestamp, release != '') AS first_release, argMaxIf(release, timestamp, release != '') AS last_release
         FROM ${table} WHERE project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)}`,
        { project: projectId, hashes: hashNumbers(hashes) },
        { seconds },
      )
      const events = Number(found?.n ?? 0)
      if (!found || events === 0) return undefined
      return {
        events,
        firstMs: Number(found.first_ms),
        lastMs: Number(found.last_ms),
        firstRelease: found.first_release,
        lastRelease: found.last_release,
      }
    },
  }
}

/** Reads rows by their positions. */
function createReads(connection: Connection, table: string): Pick<ReprocessingStore, 'rowsAt' | 'presentPositions'> {
  const seconds = workSeconds
  return {
    async rowsAt({ projectId, week, gen, hashes, positions }) {
      if (positions.length === 0) return []
      const found = await connection.rows<StoredRow>(
        `SELECT ${rowSelect} FROM ${table}
         WHERE project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)}
           AND toMonday(received) = toDate({week:String}) AND gen = {gen:UInt32}
           AND jpos >= {from:UInt64} AND jpos <= {to:UInt64} AND jpos IN {positions:Array(UInt64)}
         ORDER BY jpos SETTINGS max_threads = 1`,
        {
          project: projectId,
          hashes: hashNumbers(hashes),
          week,
          gen,
          positions,
          from: Math.min(...positions),
          to: Math.max(...positions),
        },
        { seconds },
      )
      return found.map(readRow)
    },
    async presentPositions(rewrite) {
      const found = await connection.rows<{ jpos: string }>(
        `SELECT jpos FROM ${table} WHERE ${rewriteWhere('old')}`,
        rewriteBound(rewrite),
        { seconds },
      )
      return found.map((item) => Number(item.jpos))
    },
  }
}

type RewriteDeps = Pick<Settling, 'counting' | 'ended'> & Pick<TableStore, 'insert'>

/** Creates the rewriting of rows. Only one rewrite can run at a time: the caller holds the lock. */
export function createReprocessing(
  connection: Connection,
  database: string,
  { insert, counting, ended }: RewriteDeps,
): ReprocessingStore {
  const table = `${database}.events`
  const seconds = workSeconds

  async function drop(rewrite: Rewrite, version: 'old' | 'new'): Promise<void> {
    await connection.command(
      `DELETE FROM ${table} IN PARTITION '${checkedWeek(rewrite.week)}' WHERE ${rewriteWhere(version)}`,
      rewriteBound(rewrite),
      { seconds },
    )
  }

  /**
   * Recounts these groups and hours from the rows: the materialized views only added the new rows. The project's rows
   * differ only if an insert was settled while both versions of the rows were stored.
   */
  async function recounted({ projectId, from, to, hours }: Rewrite): Promise<void> {
    await recount(connection, database, {
      where: 'project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)}',
      bound: { project: projectId, hashes: hashNumbers([...new Set([...from, ...to])]) },
      hours,
      seconds,
    })
    await recountProjects(connection, database, { projectIds: [projectId], hours, seconds })
  }

  return {
    ...createSearch(connection, table),
    ...createReads(connection, table),
    async insertRewritten(rewrite, tsv) {
      for (const [at, chunk] of tsv.entries()) await insert('events', chunk, `${rewrite.token}:${at}`)
    },
    async revert(rewrite) {
      await ended(rewrite.token)
      await drop(rewrite, 'new')
      await counting(() => recounted(rewrite))
    },
    async replace(rewrite) {
      await drop(rewrite, 'old')
      await counting(() => recounted(rewrite))
    },
  }
}
