import { anyTable, type TableName } from '../store/events/tables.ts'
import type { MetaStore } from '../store/meta/meta.ts'

/** Notes that rows left by their age or for the disk budget: the ledger counts more of them than are stored from now on. */
export function noteEvicted(meta: Pick<MetaStore, 'getValue' | 'setValue'>, table: TableName): void {
  const { goneName } = anyTable(table)
  if (meta.getValue(goneName) === undefined) meta.setValue(goneName, '1')
}

/** Under which name a job says which partitions of a table it dropped: `dropped` for events, `droppedSpans`. */
export const droppedName = (table: TableName): string =>
  table === 'events' ? 'dropped' : `dropped${table.charAt(0).toUpperCase()}${table.slice(1)}`
