import type { Connection } from './connection.ts'
import type { EventStore } from './events.ts'

/** How many rows each project has, from the smaller of the rollups' orders. */
export function createUsage(connection: Connection, database: string): Pick<EventStore, 'rowsByProject'> {
  return {
    async rowsByProject() {
      const rows = await connection.rows<{ project: string; n: string }>(
        `SELECT project_id AS project, sum(n) AS n FROM ${database}.hour_issue GROUP BY project_id`,
      )
      return rows.map((row) => ({ projectId: Number(row.project), rows: Number(row.n) }))
    },
  }
}
