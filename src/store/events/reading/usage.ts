import type { Connection } from '../connection.ts'
import type { EventStore } from '../event-store.ts'

/** Counts each project's rows from its weeks, which include downsampled rows; these are subtracted. */
export function createUsage(connection: Connection, database: string): Pick<EventStore, 'rowsByProject'> {
  return {
    async rowsByProject() {
      const rows = await connection.rows<{ project: string; n: string; thinned: string }>(
        `SELECT project, sum(there) AS n, sum(thin) AS thinned FROM (
           SELECT project_id AS project, toInt64(sum(n)) AS there, toInt64(0) AS thin FROM ${database}.issue_time WHERE span = 5 GROUP BY project_id
           UNION ALL
           SELECT project_id AS project, -toInt64(sum(n)) AS there, toInt64(sum(n)) AS thin FROM ${database}.thinned GROUP BY project_id
         ) GROUP BY project`,
      )
      return rows.map((row) => ({ projectId: Number(row.project), rows: Number(row.n), thinned: Number(row.thinned) }))
    },
  }
}
