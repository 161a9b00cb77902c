import type { Connection } from './connection.ts'
import type { EventRow, EventStore } from './events.ts'
import { hashNumber } from './filter.ts'
import { recount } from './recount.ts'
import { readRow, rowSelect, type StoredRow } from './rows.ts'
import type { Settling } from './settle.ts'

/**
 * Rows of one project, week and generation that are written again: those of generation `gen` in the groups `from` go,
 * those of `gen + 1` in the groups `to` come, at the same positions. The same rows, whenever it is asked.
 */
export type Rewrite = {
  projectId: number
  /** The Monday that the rows' partition is named after, `2026-11-16`. */
  week: string
  gen: number
  positions: number[]
  from: string[]
  to: string[]
  /** Hours that the events happened in: seconds since 1970. */
  hours: number[]
  /** What the inserts are called. */
  token: string
}

/** A row that may be written again. */
export type RowMark = { jpos: number; gen: number; week: string }

/** First and last event of some groups, and their releases ('' for none). Undefined where nothing stands. */
export type GroupEdges = { firstMs: number; lastMs: number; firstRelease: string; lastRelease: string; events: number }

export type RegroupStore = {
  /**
   * Rows of groups from `fromJpos` up to `before` that were received since, in the order of their positions: those of
   * these releases, and those that name one of these debug ids. With neither: all.
   */
  marksOf(wanted: {
    projectId: number
    hashes: readonly string[]
    releases: readonly string[]
    debugIds: readonly string[]
    fromJpos: number
    before: number
    sinceMs: number
    max: number
  }): Promise<RowMark[]>
  /** The rows at these positions in this generation; those that have gone are absent. */
  rowsAt(wanted: {
    projectId: number
    week: string
    gen: number
    hashes: readonly string[]
    positions: readonly number[]
  }): Promise<EventRow[]>
  /** Writes the new rows of a rewrite, at most some MB at a time. Durable when it resolves. */
  writeAgain(rewrite: Rewrite, tsv: readonly Buffer[]): Promise<void>
  /** Takes the new rows back, once no insert of them runs; with their counts. Safe to repeat. */
  takeBack(rewrite: Rewrite): Promise<void>
  /** Takes the old rows away and counts the rollups of their groups and hours anew. Safe to repeat. */
  replace(rewrite: Rewrite): Promise<void>
  /** Positions of the old rows that stand. */
  standing(rewrite: Rewrite): Promise<number[]>
  edgesOf(projectId: number, hashes: readonly string[]): Promise<GroupEdges | undefined>
}

const workSeconds = 3600
const weekForm = /^\d{4}-\d\d-\d\d$/
/** Needles of one search; the engine takes 255. */
export const needlesMax = 250

const numbers = (hashes: readonly string[]) => hashes.map(hashNumber).filter((item) => item !== undefined)

function checkedWeek(week: string): string {
  if (!weekForm.test(week)) throw new Error(`not a week: ${week}`)
  return week
}

const sides = { old: ['from', '='], new: ['to', '>'] } as const

/** The old or the new rows of a rewrite as a condition. */
export function rewriteWhere(side: 'old' | 'new'): string {
  const [groups, sign] = sides[side]
  return `project_id = {rewriteProject:UInt64} AND group_hash IN {rewrite_${groups}:Array(UInt64)}
    AND toMonday(received) = toDate({rewriteWeek:String}) AND jpos IN {rewritePositions:Array(UInt64)} AND gen ${sign} {rewriteGen:UInt32}`
}

export const rewriteBound = ({ projectId, week, gen, positions, from, to }: Rewrite): Record<string, unknown> => ({
  rewriteProject: projectId,
  rewriteWeek: week,
  rewriteGen: gen,
  rewritePositions: positions,
  rewrite_from: numbers(from),
  rewrite_to: numbers(to),
})

/** Looks for the rows that may be written again. */
function createSearch(connection: Connection, table: string): Pick<RegroupStore, 'marksOf' | 'edgesOf'> {
  const seconds = workSeconds
  return {
    async marksOf({ projectId, hashes, releases, debugIds, fromJpos, before, sinceMs, max }) {
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
          hashes: numbers(hashes),
          from: fromJpos,
          before,
          since: Math.floor(sinceMs),
          max,
          // An SDK may have sent it without dashes.
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
        { project: projectId, hashes: numbers(hashes) },
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
function createReads(connection: Connection, table: string): Pick<RegroupStore, 'rowsAt' | 'standing'> {
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
          hashes: numbers(hashes),
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
    async standing(rewrite) {
      const found = await connection.rows<{ jpos: string }>(
        `SELECT jpos FROM ${table} WHERE ${rewriteWhere('old')}`,
        rewriteBound(rewrite),
        { seconds },
      )
      return found.map((item) => Number(item.jpos))
    },
  }
}

type Rooms = Pick<Settling, 'counting' | 'ended'> & Pick<EventStore, 'insert'>

/** Rows that are written again. Only one at a time may do so: the caller has the turn. */
export function createRegroup(
  connection: Connection,
  database: string,
  { insert, counting, ended }: Rooms,
): RegroupStore {
  const table = `${database}.events`
  const seconds = workSeconds

  async function drop(rewrite: Rewrite, side: 'old' | 'new'): Promise<void> {
    await connection.command(
      `DELETE FROM ${table} IN PARTITION '${checkedWeek(rewrite.week)}' WHERE ${rewriteWhere(side)}`,
      rewriteBound(rewrite),
      { seconds },
    )
  }

  /** The rollups of these groups in these hours from what stands: the feeding views have counted the new rows only. */
  const recounted = ({ projectId, from, to, hours }: Rewrite): Promise<void> =>
    recount(connection, database, {
      where: 'project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)}',
      bound: { project: projectId, hashes: numbers([...new Set([...from, ...to])]) },
      hours,
      seconds,
    })

  return {
    ...createSearch(connection, table),
    ...createReads(connection, table),
    async writeAgain(rewrite, tsv) {
      for (const [at, piece] of tsv.entries()) await insert('events', piece, `${rewrite.token}:${at}`)
    },
    async takeBack(rewrite) {
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
