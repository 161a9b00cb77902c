import { encodeEventRow, eventColumns } from '../encode.ts'
import type { EventRow } from '../events.ts'
import { downsampledTable } from '../schema/downsampled.ts'
import { eventsTable as eventsDdl } from '../schema/events.ts'
import { rollupNames, rollupTables } from '../schema/rollups.ts'
import type { StoredTable } from '../table.ts'

/** Error events, security reports and crashes. Each has its own position. */
export const eventsTable: StoredTable<EventRow> = {
  name: 'events',
  ddl: (database, kind) => [
    eventsDdl(database, kind),
    ...rollupTables(database, kind),
    downsampledTable(database, kind),
  ],
  columns: eventColumns,
  encode: encodeEventRow,
  place: '0',
  token: 'journal',
  // One insert per batch: it creates one part in each of three tables, and a second insert would double the merges.
  insertBytesMax: Number.POSITIVE_INFINITY,
  hasRollups: true,
  derived: [...rollupNames, 'thinned'],
  derivedDay: 'week',
  partition: { day: 'toMonday(received)', days: 7 },
  retentionDays: ({ retentionErrorsDays }) => retentionErrorsDays,
  dropFirst: undefined,
  hasIssues: true,
  categories: ['error', 'default', 'security', 'performance_issue'],
  tally: undefined,
  evictedName: 'events-gone',
}
