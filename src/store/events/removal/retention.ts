import type { Observe } from '../../../base/observe.ts'
import type { Connection } from '../connection.ts'
import type { TableStore } from '../tables/table-store.ts'
import { anyTable, type TableName, withDerived } from '../tables.ts'

const dayMs = 86_400_000
/** Dropping parts is not a query for a screen, so it can take longer. */
const workSeconds = 120

/** Non-empty partitions to drop, and partitions whose rows are newer than their name. */
type Classified = { over: Set<string>; fresh: Set<string> }

/**
 * Selects the partitions to drop. By name these end at or before `beforeMs`. A partition stays if its rows came after
 * rows of a kept one: the clock was set far back when they arrived. A future partition (the clock was set far forward)
 * is dropped if its rows all came before those of a dropped partition. Positions only grow, whatever the clock does.
 */
async function classify(
  connection: Connection,
  database: string,
  table: TableName,
  { beforeMs, nowMs }: { beforeMs: number; nowMs: number },
): Promise<Classified> {
  const { day, days } = anyTable(table).partition
  const found = await connection.rows<{ name: string; first: string; last: string }>(
    `SELECT toString(${day}) AS name, min(jpos) AS first, max(jpos) AS last FROM ${database}.${table} GROUP BY name`,
    {},
    { seconds: workSeconds },
  )
  const all = found.map(({ name, first, last }) => ({
    name,
    first: Number(first),
    last: Number(last),
    startMs: Date.parse(`${name}T00:00:00Z`),
  }))
  const isOver = (item: (typeof all)[number]) => item.startMs + days * dayMs <= beforeMs
  const isFuture = (item: (typeof all)[number]) => item.startMs > nowMs
  const oldestKept = Math.min(...all.filter((item) => !isOver(item) && !isFuture(item)).map((item) => item.first))
  const fresh = all.filter((item) => isOver(item) && item.first > oldestKept)
  const over = all.filter((item) => isOver(item) && item.first <= oldestKept)
  const newestExpired = Math.max(...over.map((item) => item.first))
  const futureExpired = all.filter((item) => isFuture(item) && item.last < newestExpired)
  return {
    over: new Set([...over, ...futureExpired].map((item) => item.name)),
    fresh: new Set(fresh.map((item) => item.name)),
  }
}

type PartitionRow = { table: string; partition: string }
type Retention = Pick<TableStore, 'dropBefore' | 'dropOldest'>

/** Creates the retention, which drops whole partitions. */
export function createRetention(connection: Connection, database: string, observe: Observe): Retention {
  const partsOf = (tables: readonly string[]) =>
    connection.rows<PartitionRow>(
      'SELECT DISTINCT table, partition FROM system.parts WHERE active AND database = {database:String} AND table IN {tables:Array(String)} ORDER BY partition',
      { database, tables: [...tables] },
    )
  const drop = ({ table, partition }: PartitionRow) =>
    connection.command(`ALTER TABLE ${database}.${table} DROP PARTITION '${partition}'`, {}, { seconds: workSeconds })
  const isDay = (partition: string) => /^\d{4}-\d\d-\d\d$/.test(partition)

  const endOf = (table: TableName, partition: string) =>
    Date.parse(`${partition}T00:00:00Z`) + anyTable(table).partition.days * dayMs

  return {
    async dropBefore(table, beforeMs, nowMs) {
      const parts = await partsOf(withDerived(table))
      const past = (partition: string) => isDay(partition) && endOf(table, partition) <= beforeMs
      if (!parts.some((part) => past(part.partition))) return []
      const { over, fresh } = await classify(connection, database, table, { beforeMs, nowMs })
      if (fresh.size > 0)
        observe.warn({ table, partitions: [...fresh] }, 'rows from before the clock was set back are kept')
      const dropped = new Set<string>()
      for (const part of parts) {
        const { partition } = part
        if (fresh.has(partition) || !(past(partition) || over.has(partition))) continue
        await drop(part)
        dropped.add(partition)
      }
      return [...dropped]
    },
    async dropOldest(table, beforeMs) {
      const [oldest] = (await partsOf([table])).filter((part) => isDay(part.partition))
      if (!oldest || endOf(table, oldest.partition) > beforeMs) return undefined
      for (const name of withDerived(table)) await drop({ table: name, partition: oldest.partition })
      return oldest.partition
    },
  }
}
