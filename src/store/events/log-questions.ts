import type { Connection } from './connection.ts'
import { createLogCounts } from './log-lines/counts.ts'
import { createLogDetails, createLogLines, createLogTail, createTraceLogs } from './log-lines/lines.ts'
import type { LogSearchStore } from './log-search.ts'
import { createNewest } from './searching/newest.ts'

/** Creates the reads of log lines. */
export function createLogSearch(connection: Connection, database: string): LogSearchStore {
  const table = `${database}.logs`
  const newest = createNewest(connection, table, 'time')
  return {
    newestLogs: async (scope, max, signal) => {
      const { fromMs, rows } = await newest(scope, max, signal)
      return { fromMs, lines: rows }
    },
    logLines: createLogLines(connection, table),
    logTail: createLogTail(connection, table),
    logDetails: createLogDetails(connection, table),
    logsOfTrace: createTraceLogs(connection, table),
    ...createLogCounts(connection, table),
  }
}
