import type { SessionRow } from '../session-store.ts'
import type { StoredTable } from '../table.ts'
import { encodeSessionRow, sessionColumns } from './encode.ts'
import { sessionTables } from './schema.ts'

/** Release-health sessions: updates for the days that updates are taken for, then rollups of a minute. */
export const sessionsTable: StoredTable<SessionRow> = {
  name: 'sessions',
  ddl: sessionTables,
  columns: sessionColumns,
  encode: encodeSessionRow,
  place: 'place',
  token: 'sessions',
  // one insert of a batch, unless somebody sends very many: the engine holds a whole insert in memory
  insertBytesMax: 16 * 1024 * 1024,
  // rollups are made of whole days that are over, not of inserts
  hasRollups: false,
  derived: [],
  // by the start: all updates of a session are in one partition, and so is the rollup that takes their place
  partition: { day: 'toDate(minute)', days: 1 },
  // a release's health is shown beside its errors
  retentionDays: ({ retentionErrorsDays }) => retentionErrorsDays,
  // a closed day is a few megabytes: to drop it makes no room
  dropFirst: undefined,
  hasIssues: false,
  categories: ['session'],
  tally: {
    sentence: 'The ledger’s session updates are those that are stored, or that a rollup was made of.',
    category: "'session'",
    quantity: 'sum(entries)',
  },
  goneName: 'sessions-gone',
}
