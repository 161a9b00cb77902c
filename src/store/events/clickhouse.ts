import type { Clock } from '../../clock.ts'
import type { Observe } from '../../observe.ts'
import { type Connection, connect } from './connection.ts'
import { createCounts } from './counts.ts'
import { eventColumns } from './encode.ts'
import type { EventStore } from './events.ts'
import { createFigures } from './figures.ts'
import { waitingFor } from './gate.ts'
import { createKeep } from './keep.ts'
import { migrate } from './migrate.ts'
import { createNewest } from './newest.ts'
import { createReads } from './reads.ts'
import { createRegroup } from './regroup.ts'
import { createRemove, createRemoveBefore } from './remove.ts'
import { createSettle } from './settle.ts'
import { createSkew } from './skew.ts'
import { createTags } from './tags.ts'
import { createThin, weekTables } from './thin.ts'
import { createUsage } from './usage.ts'

export type EventStoreOptions = {
  /** ClickHouse's HTTP interface; the host says nothing when `socketPath` is given. */
  url: string
  socketPath?: string
  /** Name of the database that is made and used: letters, digits, underscores. */
  database: string
  requestTimeoutMs?: number
  observe: Observe
  clock: Clock
}

const weekMs = 7 * 86_400_000
/** Dropping parts and making tables are no questions on screen, so they may take longer. */
const workSeconds = 120

/** Weeks that go and weeks whose rows are younger than their name says, of those that have events. */
type Weeks = { over: Set<string>; fresh: Set<string> }

/**
 * Which weeks go. By their names those that end up to `beforeMs`, but for those whose rows came after rows of a week that
 * stays: the clock was set far back when they were received. And weeks to come, of a clock that was set far forward,
 * whose rows all came before those of a week that goes. Positions only grow, whatever the clock does.
 */
async function weeksOver(
  connection: Connection,
  database: string,
  { beforeMs, nowMs }: { beforeMs: number; nowMs: number },
): Promise<Weeks> {
  const found = await connection.rows<{ week: string; first: string; last: string }>(
    `SELECT toString(toMonday(received)) AS week, min(jpos) AS first, max(jpos) AS last FROM ${database}.events GROUP BY week`,
    {},
    { seconds: workSeconds },
  )
  const weeks = found.map(({ week, first, last }) => ({
    ...{ week, first: Number(first), last: Number(last) },
    startMs: Date.parse(`${week}T00:00:00Z`),
  }))
  const isOver = (one: (typeof weeks)[number]) => one.startMs + weekMs <= beforeMs
  const isToCome = (one: (typeof weeks)[number]) => one.startMs > nowMs
  const kept = Math.min(...weeks.filter((one) => !isOver(one) && !isToCome(one)).map((one) => one.first))
  const fresh = weeks.filter((one) => isOver(one) && one.first > kept)
  const over = weeks.filter((one) => isOver(one) && one.first <= kept)
  const begun = Math.max(...over.map((one) => one.first))
  const strayed = weeks.filter((one) => isToCome(one) && one.last < begun)
  return { over: new Set([...over, ...strayed].map((one) => one.week)), fresh: new Set(fresh.map((one) => one.week)) }
}

/** The events store over `@clickhouse/client`: the embedded engine, or any ClickHouse server at `url`. */
export function createEventStore(options: EventStoreOptions): EventStore {
  const { database, clock, observe } = options
  if (!/^[a-z_]\w{0,60}$/i.test(database)) throw new Error(`not a database name: ${database}`)
  const connection = connect(options)
  const settling = createSettle(connection, database, clock, observe)

  const insert: EventStore['insert'] = (tsv, token) =>
    settling.inserting(() => connection.insert('events', eventColumns, tsv, token))

  return {
    ...createReads(connection, database),
    ...createCounts(waitingFor(settling, connection), database, clock),
    ...createFigures(waitingFor(settling, connection), database, clock),
    ...createSkew(connection, database),
    ...createNewest(connection, database),
    ...createTags(connection, database),
    ...createKeep(connection, database, clock),
    ...createUsage(connection, database),
    ...createRemove(connection, database),
    ...createRemoveBefore(connection, database),
    ...createThin(connection, database),
    ...createRegroup(connection, database, { ...settling, insert }),
    migrate: () => migrate(connection, database),
    ping: () => connection.ping(),
    insert,
    settle: (token, from, to) => settling.settle(token, from, to),
    async dropBefore(beforeMs, nowMs) {
      type Part = { table: string; partition: string }
      const parts = await connection.rows<Part>(
        'SELECT DISTINCT table, partition FROM system.parts WHERE active AND database = {database:String} AND table IN {tables:Array(String)} ORDER BY partition',
        { database, tables: [...weekTables] },
      )
      const past = (partition: string) =>
        /^\d{4}-\d\d-\d\d$/.test(partition) && Date.parse(`${partition}T00:00:00Z`) + weekMs <= beforeMs
      if (!parts.some((one) => past(one.partition))) return []
      const { over, fresh } = await weeksOver(connection, database, { beforeMs, nowMs })
      if (fresh.size > 0) observe.warn({ weeks: [...fresh] }, 'rows of a clock that was set back are kept')
      const dropped = new Set<string>()
      for (const { table, partition } of parts) {
        if (fresh.has(partition) || !(past(partition) || over.has(partition))) continue
        await connection.command(
          `ALTER TABLE ${database}.${table} DROP PARTITION '${partition}'`,
          {},
          { seconds: workSeconds },
        )
        dropped.add(partition)
      }
      return [...dropped]
    },
    async size() {
      type Size = { table: string; rows: string; on_disk: string; raw: string }
      const sizes = await connection.rows<Size>(
        `SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS on_disk, sum(data_uncompressed_bytes) AS raw
         FROM system.parts WHERE active AND database = {database:String} GROUP BY table ORDER BY table`,
        { database },
      )
      return sizes.map((one) => ({
        table: one.table,
        rows: Number(one.rows),
        bytesOnDisk: Number(one.on_disk),
        bytesRaw: Number(one.raw),
      }))
    },
    close: () => connection.close(),
  }
}
