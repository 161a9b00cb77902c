import type { LogRow } from '../log-store.ts'
import { logRollupName, logRollupTable } from '../schema/log-rollup.ts'
import type { StoredTable } from '../table.ts'
import { encodeLogRow, logColumns } from './encode.ts'
import { logsTable as logsDdl } from './schema.ts'

/** Log lines from SDKs, OpenTelemetry and log drains. */
export const logsTable: StoredTable<LogRow> = {
  name: 'logs',
  ddl: (database, kind) => [logsDdl(database, kind), logRollupTable(database, kind)],
  columns: logColumns,
  encode: encodeLogRow,
  place: 'place',
  token: 'logs',
  // One insert per batch unless it is very large: the engine keeps a whole insert in memory.
  insertBytesMax: 16 * 1024 * 1024,
  hasRollups: true,
  derived: [logRollupName],
  derivedDay: 'day',
  partition: { day: 'toDate(received)', days: 1 },
  retentionDays: ({ retentionLogsDays }) => retentionLogsDays,
  // Before spans: logs are the largest part and have the shortest retention, and nothing is computed from them.
  dropFirst: 0,
  hasIssues: false,
  categories: ['log_item'],
  tally: {
    sentence: 'The log lines that the ledger counts as stored are stored.',
    category: "'log_item'",
    quantity: 'count()',
  },
  evictedName: 'logs-gone',
}
