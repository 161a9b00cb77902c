import type { Observe } from '../../base/observe.ts'
import type { Connection } from './connection.ts'
import { weekTables } from './downsample.ts'
import type { EventStore } from './event-store.ts'

const dayMs = 86_400_000
/** Dropping parts is no question on screen, so it may take longer. */
const workSeconds = 120

/** By what a table is parted: the first day of each partition is its name. */
type Parting = { table: string; day: string; ms: number }
const weeksOfEvents: Parting = { table: 'events', day: 'toMonday(received)', ms: 7 * dayMs }
const daysOfSpans: Parting = { table: 'spans', day: 'toDate(received)', ms: dayMs }

/** Partitions that go and partitions whose rows are younger than their name says, of those that have rows. */
type Judged = { over: Set<string>; fresh: Set<string> }

/**
 * Which partitions go. By their names those that end up to `beforeMs`, but for those whose rows came after rows of one that
 * stays: the clock was set far back when they were received. And such as are to come, of a clock that was set far forward,
 * whose rows all came before those of one that goes. Positions only grow, whatever the clock does.
 */
async function judge(
  connection: Connection,
  database: string,
  { table, day, ms }: Parting,
  { beforeMs, nowMs }: { beforeMs: number; nowMs: number },
): Promise<Judged> {
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
  const isOver = (item: (typeof all)[number]) => item.startMs + ms <= beforeMs
  const isToCome = (item: (typeof all)[number]) => item.startMs > nowMs
  const kept = Math.min(...all.filter((item) => !isOver(item) && !isToCome(item)).map((item) => item.first))
  const fresh = all.filter((item) => isOver(item) && item.first > kept)
  const over = all.filter((item) => isOver(item) && item.first <= kept)
  const begun = Math.max(...over.map((item) => item.first))
  const strayed = all.filter((item) => isToCome(item) && item.last < begun)
  return {
    over: new Set([...over, ...strayed].map((item) => item.name)),
    fresh: new Set(fresh.map((item) => item.name)),
  }
}

type Part = { table: string; partition: string }
type Retention = Pick<EventStore, 'dropBefore' | 'dropSpansBefore' | 'dropOldestSpans'>

/** What goes by whole partitions. */
export function createRetention(connection: Connection, database: string, observe: Observe): Retention {
  const partsOf = (tables: readonly string[]) =>
    connection.rows<Part>(
      'SELECT DISTINCT table, partition FROM system.parts WHERE active AND database = {database:String} AND table IN {tables:Array(String)} ORDER BY partition',
      { database, tables: [...tables] },
    )
  const drop = ({ table, partition }: Part) =>
    connection.command(`ALTER TABLE ${database}.${table} DROP PARTITION '${partition}'`, {}, { seconds: workSeconds })
  const isDay = (partition: string) => /^\d{4}-\d\d-\d\d$/.test(partition)

  async function dropPast(
    tables: readonly string[],
    parting: Parting,
    beforeMs: number,
    nowMs: number,
  ): Promise<string[]> {
    const parts = await partsOf(tables)
    const past = (partition: string) =>
      isDay(partition) && Date.parse(`${partition}T00:00:00Z`) + parting.ms <= beforeMs
    if (!parts.some((part) => past(part.partition))) return []
    const { over, fresh } = await judge(connection, database, parting, { beforeMs, nowMs })
    if (fresh.size > 0)
      observe.warn({ table: parting.table, partitions: [...fresh] }, 'rows of a clock that was set back are kept')
    const dropped = new Set<string>()
    for (const part of parts) {
      const { partition } = part
      if (fresh.has(partition) || !(past(partition) || over.has(partition))) continue
      await drop(part)
      dropped.add(partition)
    }
    return [...dropped]
  }

  return {
    dropBefore: (beforeMs, nowMs) => dropPast(weekTables, weeksOfEvents, beforeMs, nowMs),
    dropSpansBefore: (beforeMs, nowMs) => dropPast(['spans'], daysOfSpans, beforeMs, nowMs),
    async dropOldestSpans(beforeMs) {
      const [oldest] = (await partsOf(['spans'])).filter((part) => isDay(part.partition))
      if (!oldest || Date.parse(`${oldest.partition}T00:00:00Z`) + dayMs > beforeMs) return undefined
      await drop(oldest)
      return oldest.partition
    },
  }
}
