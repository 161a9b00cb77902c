import { encodeEventRow, eventColumns } from '../encode.ts'
import type { EventRow } from '../events.ts'
import { thinnedTable } from '../schema/downsampled.ts'
import { eventsTable as eventsDdl } from '../schema/events.ts'
import { rollupNames, rollupTables } from '../schema/rollups.ts'
import type { StoredTable } from '../table.ts'

/** Error events, security reports and crashes. Each has a position of its own. */
export const eventsTable: StoredTable<EventRow> = {
  name: 'events',
  ddl: (database) => [eventsDdl(database), ...rollupTables(database), thinnedTable(database)],
  columns: eventColumns,
  encode: encodeEventRow,
  place: '0',
  token: 'journal',
  // one insert of a batch is one part in each of three tables: a second one would double what the engine has to merge
  insertBytesMax: Number.POSITIVE_INFINITY,
  hasRollups: true,
  derived: [...rollupNames, 'thinned'],
  partition: { day: 'toMonday(received)', days: 7 },
  retentionDays: ({ retentionErrorsDays }) => retentionErrorsDays,
  dropFirst: undefined,
  hasIssues: true,
  categories: ['error', 'default', 'security'],
  tally: undefined,
  goneName: 'events-gone',
}
