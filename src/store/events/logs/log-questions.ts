import type { Connection } from '../connection.ts'
import { createLogCounts } from '../log-lines/counts.ts'
import { createLogDetails, createLogLines, createLogTail, createTraceLogs } from '../log-lines/lines.ts'
import type { LogSearchStore } from '../log-search.ts'

/** Creates the reads of log lines that are no questions of every table. */
export function createLogSearch(connection: Connection, database: string): LogSearchStore {
  const table = `${database}.logs`
  return {
    logLines: createLogLines(connection, table),
    logTail: createLogTail(connection, table),
    logDetails: createLogDetails(connection, table),
    logsOfTrace: createTraceLogs(connection, table),
    ...createLogCounts(connection, database),
  }
}
