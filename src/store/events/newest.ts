import type { Connection } from './connection.ts'
import type { SeenEvent } from './events.ts'
import { createValues, hashList, hashNumber } from './reading/filter.ts'
import { hashText, normalSelect, readSeen, type StoredSeen } from './tables/rows.ts'

/** Place of an event: enough to choose events and read them later. */
export type EventPlace = { groupHash: string; jpos: number; timestampUs: number }

/**
 * Places come from narrow columns: a payload is some hundred times wider. Payloads have only the normalized JSON, not
 * the JSON as received.
 */
export type NewestStore = {
  /** Returns the events of a project that were received last, newest first. */
  lastPlaces(projectId: number, max: number): Promise<EventPlace[]>
  /** Returns the newest event of each of these groups that has any. */
  newestPlaces(projectId: number, hashes: readonly string[]): Promise<EventPlace[]>
  /** Returns the events at these places, at most 1,000, last received first. */
  eventsAt(projectId: number, places: readonly EventPlace[]): Promise<SeenEvent[]>
}

/** Limit of positions per query. A position is unique within a generation, so few complete rows are read. */
const positionsMax = 1000

type StoredPlace = { group_hash: string; jpos: string; timestamp_us: string }

const readPlace = (row: StoredPlace): EventPlace => ({
  groupHash: hashText(row.group_hash),
  jpos: Number(row.jpos),
  timestampUs: Number(row.timestamp_us),
})

export function createNewest(connection: Connection, database: string): NewestStore {
  const table = `${database}.events`

  return {
    async lastPlaces(projectId, max) {
      const found = await connection.rows<StoredPlace>(
        `SELECT group_hash, jpos, toUnixTimestamp64Micro(timestamp) AS timestamp_us FROM ${table}
         WHERE project_id = {project:UInt64} ORDER BY jpos DESC LIMIT {max:UInt32}`,
        { project: projectId, max: Math.min(max, positionsMax) },
      )
      return found.map(readPlace)
    },
    async newestPlaces(projectId: number, hashes: readonly string[]): Promise<EventPlace[]> {
      if (hashes.length === 0) return []
      const found = await connection.rows<StoredPlace>(
        `SELECT group_hash, argMax(jpos, (timestamp, event_id)) AS jpos, toUnixTimestamp64Micro(max(timestamp)) AS timestamp_us
         FROM ${table} WHERE project_id = {project:UInt64} AND group_hash IN {hashes:Array(UInt64)} GROUP BY group_hash`,
        { project: projectId, hashes: hashes.map(hashNumber).filter((item) => item !== undefined) },
      )
      return found.map(readPlace)
    },
    async eventsAt(projectId: number, places: readonly EventPlace[]): Promise<SeenEvent[]> {
      const asked = places.slice(0, positionsMax)
      if (asked.length === 0) return []
      const values = createValues()
      const positions = asked.map((item) => item.jpos)
      const groups = hashList(
        values,
        asked.map((item) => item.groupHash),
      )
      const rows = await connection.rows<StoredSeen>(
        `SELECT ${normalSelect} FROM ${table} WHERE project_id = ${values.add('UInt64', projectId)} AND group_hash IN ${groups}
           AND jpos >= ${values.add('UInt64', Math.min(...positions))} AND jpos <= ${values.add('UInt64', Math.max(...positions))}
           AND jpos IN ${values.add('Array(UInt64)', positions)}
         ORDER BY jpos DESC LIMIT ${positionsMax}`,
        values.bound,
      )
      return rows.map(readSeen)
    },
  }
}
