import type { Connection } from './connection.ts'
import type { SeenEvent } from './events.ts'
import { createValues, hashList, hashNumber } from './filter.ts'
import { readSeen, type StoredSeen, seenSelect } from './rows.ts'

export type NewestStore = {
  /** Events of a project that were received last, newest first. */
  newestOf(projectId: number, max: number): Promise<SeenEvent[]>
  /** The newest event of each of these groups that has any. */
  newestOfGroups(projectId: number, hashes: readonly string[]): Promise<SeenEvent[]>
}

/** Positions in one question: a position is unique within a generation, so few rows are read whole. */
const positionsMax = 1000

/** Newest rows: found by light columns first, as a payload is some hundred times wider. */
export function createNewest(connection: Connection, database: string): NewestStore {
  const table = `${database}.events`

  async function rowsAt(
    projectId: number,
    found: { jpos: string }[],
    hashes?: readonly string[],
  ): Promise<SeenEvent[]> {
    if (found.length === 0) return []
    const values = createValues()
    const positions = found.map((one) => Number(one.jpos))
    const within = hashes ? `AND group_hash IN ${hashList(values, [...hashes])}` : ''
    const rows = await connection.rows<StoredSeen>(
      `SELECT ${seenSelect} FROM ${table} WHERE project_id = ${values.add('UInt64', projectId)} ${within}
         AND jpos >= ${values.add('UInt64', Math.min(...positions))} AND jpos <= ${values.add('UInt64', Math.max(...positions))}
         AND jpos IN ${values.add('Array(UInt64)', positions)}
       ORDER BY jpos DESC LIMIT ${positionsMax}`,
      values.bound,
    )
    return rows.map(readSeen)
  }

  return {
    async newestOf(projectId, max) {
      const found = await connection.rows<{ jpos: string }>(
        `SELECT jpos FROM ${table} WHERE project_id = {project:UInt64} ORDER BY jpos DESC LIMIT {max:UInt32}`,
        { project: projectId, max: Math.min(max, positionsMax) },
      )
      return rowsAt(projectId, found)
    },
    async newestOfGroups(projectId, hashes) {
      const asked = hashes.slice(0, positionsMax)
      if (asked.length === 0) return []
      const found = await connection.rows<{ jpos: string }>(
        `SELECT argMax(jpos, (timestamp, event_id)) AS jpos FROM ${table}
         WHERE project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)} GROUP BY group_hash`,
        { project: projectId, hashes: asked.map(hashNumber).filter((one) => one !== undefined) },
      )
      return rowsAt(projectId, found, asked)
    },
  }
}
