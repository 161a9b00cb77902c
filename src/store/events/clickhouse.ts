import type { Clock } from '../../base/clock.ts'
import type { Observe } from '../../base/observe.ts'
import { connect } from './connection.ts'
import { createCounts } from './counts.ts'
import { createDownsampling } from './downsample.ts'
import type { EventStore } from './event-store.ts'
import { waitingFor } from './gate.ts'
import { migrate } from './migrate.ts'
import { createNewest } from './newest.ts'
import { createOverview } from './overview.ts'
import { createReads } from './reads.ts'
import { createRemove } from './remove.ts'
import { createReprocessing } from './reprocess.ts'
import { createRetention } from './retention.ts'
import { createSessions } from './sessions/sessions.ts'
import { createSettle } from './settle.ts'
import { createSkew } from './skew.ts'
import { createSnapshot } from './snapshot.ts'
import { createSpans } from './span-rows.ts'
import { createStats } from './stats.ts'
import { createTableStore } from './table-store.ts'
import { createTags } from './tags.ts'
import { createUsage } from './usage.ts'
import { createVolume } from './volume.ts'

type EventStoreOptions = {
  /** Base URL of ClickHouse's HTTP interface. The host is ignored when `socketPath` is set. */
  url: string
  socketPath?: string
  /** Name of the database to create and use: letters, digits, underscores. */
  database: string
  requestTimeoutMs?: number
  observe: Observe
  clock: Clock
}

/** Creates the events store over `@clickhouse/client`: the embedded engine, or any ClickHouse server at `url`. */
export function createEventStore(options: EventStoreOptions): EventStore {
  const { database, clock, observe } = options
  if (!/^[a-z_]\w{0,60}$/i.test(database)) throw new Error(`not a database name: ${database}`)
  const connection = connect(options)
  const settling = createSettle(connection, database, clock, observe)

  const stored = createTableStore(connection, database, settling)

  return {
    ...createReads(connection, database),
    ...createCounts(waitingFor(settling, connection), database, clock),
    ...createStats(waitingFor(settling, connection), database, clock),
    ...createVolume(waitingFor(settling, connection), database, clock),
    ...createSkew(connection, database),
    ...createNewest(connection, database),
    ...createOverview(waitingFor(settling, connection), database, clock),
    ...createTags(connection, database),
    ...createSnapshot(connection, database, clock),
    ...createUsage(connection, database),
    ...createRemove(connection, database, settling),
    ...createDownsampling(connection, database),
    ...createReprocessing(connection, database, { ...settling, insert: stored.insert }),
    ...createRetention(connection, database, observe),
    ...createSessions(connection, database),
    ...createSpans(connection, database),
    ...stored,
    migrate: () => migrate(connection, database),
    ping: () => connection.ping(),
    async size() {
      type Size = { table: string; rows: string; on_disk: string; raw: string }
      const sizes = await connection.rows<Size>(
        `SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS on_disk, sum(data_uncompressed_bytes) AS raw
         FROM system.parts WHERE active AND database = {database:String} GROUP BY table ORDER BY table`,
        { database },
      )
      return sizes.map((size) => ({
        table: size.table,
        rows: Number(size.rows),
        bytesOnDisk: Number(size.on_disk),
        bytesRaw: Number(size.raw),
      }))
    },
    close: () => connection.close(),
  }
}
