import type { DataCategory } from '../../base/outcome.ts'
import type { EventRow } from './events.ts'
import type { LogRow } from './log-store.ts'
import { logsTable } from './logs/table.ts'
import type { SessionRow } from './session-store.ts'
import { sessionsTable } from './sessions/table.ts'
import type { SpanRow } from './span-store.ts'
import type { StoredTable } from './table.ts'
import { eventsTable } from './tables/events.ts'
import { spansTable } from './tables/spans.ts'

/** The row type of each stored table. */
export type TableRows = { events: EventRow; spans: SpanRow; sessions: SessionRow; logs: LogRow }
export type TableName = keyof TableRows

/** Every stored table. A new one needs an entry here and its row in `TableRows`. */
export const tables: { readonly [Name in TableName]: StoredTable<TableRows[Name]> } = {
  events: eventsTable,
  spans: spansTable,
  sessions: sessionsTable,
  logs: logsTable,
}

export const tableNames = Object.keys(tables) as readonly TableName[]

/** A table without its row type, for code that treats all tables alike. */
export type AnyTable = Omit<StoredTable<never>, 'encode'>
export const anyTable = (name: TableName): AnyTable => tables[name]

/** Returns a table and its derived tables. */
export const withDerived = (name: TableName): string[] => [name, ...tables[name].derived]

/** Tables whose oldest partitions the disk budget drops whole, in this order. */
export const evictedFirst: readonly TableName[] = tableNames
  .filter((name) => tables[name].dropFirst !== undefined)
  .toSorted((a, b) => (tables[a].dropFirst ?? 0) - (tables[b].dropFirst ?? 0))

/** Returns the table of a ledger category; undefined if its data is stored elsewhere. */
export const tableOfCategory = (category: DataCategory): TableName | undefined =>
  tableNames.find((name) => tables[name].categories.includes(category))

const dayMs = 86_400_000
/** 1970 began on a Thursday: the first Monday was four days later. */
const firstMondayMs = 4 * dayMs

/** Returns the start (UTC, ms) of the partition of `atMs`: midnight of a day, or of a week's Monday. */
export function partitionStart(name: TableName, atMs: number): number {
  const { days } = tables[name].partition
  const firstMs = days === 7 ? firstMondayMs : 0
  return Math.floor((atMs - firstMs) / (days * dayMs)) * days * dayMs + firstMs
}

/** Returns rows and bytes on disk of each table. The bytes include its derived tables. */
export function sizesByTable(
  sizes: readonly { table: string; rows: number; bytesOnDisk: number }[],
): Record<TableName, { rows: number; bytes: number }> {
  const sizeOf = (name: TableName) => ({
    rows: sizes.find((size) => size.table === name)?.rows ?? 0,
    bytes: sizes
      .filter((size) => withDerived(name).includes(size.table))
      .reduce((sum, size) => sum + size.bytesOnDisk, 0),
  })
  return Object.fromEntries(tableNames.map((name) => [name, sizeOf(name)])) as Record<
    TableName,
    { rows: number; bytes: number }
  >
}

/** Returns the rows of each table, for a backup's manifest. */
export const rowsByTable = (sizes: readonly { table: string; rows: number }[]): Record<TableName, number> =>
  Object.fromEntries(tableNames.map((name) => [name, sizes.find((size) => size.table === name)?.rows ?? 0])) as Record<
    TableName,
    number
  >
