import type { RetentionDays } from './table.ts'
import { type TableName, tableNames } from './tables.ts'

// For tests that need a value for each table: a new table does not change them.

const filled = <Value>(empty: Value, known: Partial<Record<TableName, Value>>): Record<TableName, Value> =>
  Object.fromEntries(tableNames.map((name) => [name, known[name] ?? empty])) as Record<TableName, Value>

/** Rows and bytes of each table; 0 for those that are not named. */
export const tableSizes = (known: Partial<Record<TableName, { rows: number; bytes: number }>>) =>
  filled({ rows: 0, bytes: 0 }, known)

/** Rows of each table; 0 for those that are not named. */
export const tableRows = (known: Partial<Record<TableName, number>>) => filled(0, known)

/** The default retentions, with changes. */
export const retentions = (changes: Partial<RetentionDays> = {}): RetentionDays => ({
  retentionErrorsDays: 90,
  retentionSpansDays: 30,
  retentionLogsDays: 14,
  ...changes,
})
