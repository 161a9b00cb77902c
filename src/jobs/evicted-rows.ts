import { anyTable, type TableName } from '../store/events/tables.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Records that rows were evicted by age or disk budget. From now on the ledger counts more than are stored. */
export async function recordEvicted(
  meta: MetaWith<'values.getValue' | 'values.setValue'>,
  table: TableName,
): Promise<void> {
  const { evictedName } = anyTable(table)
  if ((await meta.values.getValue(evictedName)) === undefined) await meta.values.setValue(evictedName, '1')
}

/** Returns the job result field for dropped partitions of a table: `dropped` for events, else e.g. `droppedSpans`. */
export const droppedName = (table: TableName): string =>
  table === 'events' ? 'dropped' : `dropped${table.charAt(0).toUpperCase()}${table.slice(1)}`
