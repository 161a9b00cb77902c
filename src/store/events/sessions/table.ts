import type { SessionRow } from '../session-store.ts'
import type { StoredTable } from '../table.ts'
import { encodeSessionRow, sessionColumns } from './encode.ts'
import { sessionTables } from './schema.ts'

/** Release-health sessions: updates while a day is open, then rollups of a minute. */
export const sessionsTable: StoredTable<SessionRow> = {
  name: 'sessions',
  ddl: sessionTables,
  columns: sessionColumns,
  encode: encodeSessionRow,
  place: 'place',
  token: 'sessions',
  // One insert per batch unless it is very large: the engine keeps a whole insert in memory.
  insertBytesMax: 16 * 1024 * 1024,
  // Rollups are built from completed days, not from inserts.
  hasRollups: false,
  derived: [],
  derivedDay: 'toDate(minute)',
  // By session start: all updates of a session and the rollup that replaces them share a partition.
  partition: { day: 'toDate(minute)', days: 1 },
  // Screens show a release's health next to its errors.
  retentionDays: ({ retentionErrorsDays }) => retentionErrorsDays,
  // A closed day has a few megabytes, so dropping it frees little space.
  dropFirst: undefined,
  hasIssues: false,
  categories: ['session'],
  tally: {
    sentence: 'The session updates that the ledger counts as stored are stored or in a rollup.',
    category: "'session'",
    quantity: 'sum(entries)',
  },
  evictedName: 'sessions-gone',
}
