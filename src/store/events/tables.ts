import type { DataCategory } from '../../base/outcome.ts'
import type { EventRow } from './events.ts'
import type { SessionRow } from './session-store.ts'
import { sessionsTable } from './sessions/table.ts'
import type { SpanRow } from './span-store.ts'
import type { StoredTable } from './table.ts'
import { eventsTable } from './tables/events.ts'
import { spansTable } from './tables/spans.ts'

/** The row of each stored table. */
export type TableRows = { events: EventRow; spans: SpanRow; sessions: SessionRow }
export type TableName = keyof TableRows

/** Every stored table. A new one is an entry here and its row in `TableRows`. */
export const tables: { readonly [Name in TableName]: StoredTable<TableRows[Name]> } = {
  events: eventsTable,
  spans: spansTable,
  sessions: sessionsTable,
}

export const tableNames = Object.keys(tables) as readonly TableName[]

/** A table without its row: what everything needs that only treats tables alike. */
export type AnyTable = Omit<StoredTable<never>, 'encode'>
export const anyTable = (name: TableName): AnyTable => tables[name]

/** A table and those that are made from its rows. */
export const withDerived = (name: TableName): string[] => [name, ...tables[name].derived]

/** Tables whose oldest partitions the disk budget drops whole, in this order. */
export const evictedFirst: readonly TableName[] = tableNames
  .filter((name) => tables[name].dropFirst !== undefined)
  .toSorted((a, b) => (tables[a].dropFirst ?? 0) - (tables[b].dropFirst ?? 0))

/** The table whose rows a category of the ledger counts; undefined for what is stored elsewhere. */
export const tableOfCategory = (category: DataCategory): TableName | undefined =>
  tableNames.find((name) => tables[name].categories.includes(category))

const dayMs = 86_400_000
/** 1970 began on a Thursday: the first Monday was four days later. */
const firstMondayMs = 4 * dayMs

/** The start (UTC, ms) of the partition that `atMs` lies in: a day's midnight, or that of a week's Monday. */
export function partitionStart(name: TableName, atMs: number): number {
  const { days } = tables[name].partition
  const firstMs = days === 7 ? firstMondayMs : 0
  return Math.floor((atMs - firstMs) / (days * dayMs)) * days * dayMs + firstMs
}

/** Rows and bytes on disk of each table; those of the tables that are made from it count with it. */
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

/** Rows of each table, as a backup's manifest names them. */
export const rowsByTable = (sizes: readonly { table: string; rows: number }[]): Record<TableName, number> =>
  Object.fromEntries(tableNames.map((name) => [name, sizes.find((size) => size.table === name)?.rows ?? 0])) as Record<
    TableName,
    number
  >
