import type { Clock } from '../../base/clock.ts'
import type { Observe } from '../../base/observe.ts'
import { createSnapshot } from './backup/snapshot.ts'
import { type Connection, connect } from './connection.ts'
import { createCopies } from './copies.ts'
import { createDownsampling } from './downsample.ts'
import { createTraceDownsampling } from './downsample-traces.ts'
import type { EventStore } from './event-store.ts'
import { waitingFor } from './gate.ts'
import type { EventsKind } from './kind.ts'
import { createLogSearch } from './logs/log-questions.ts'
import { createMetrics } from './metrics/metrics.ts'
import { migrate } from './migrate.ts'
import { createMoves } from './moves.ts'
import { createNewest } from './newest.ts'
import { createOverview } from './overview.ts'
import { createPerformance } from './performance/performance.ts'
import { createQuestions } from './questions.ts'
import { createCounts } from './reading/counts.ts'
import { createReads } from './reading/reads.ts'
import { createSkew } from './reading/skew.ts'
import { createStats } from './reading/stats.ts'
import { createTags } from './reading/tags.ts'
import { createUsage } from './reading/usage.ts'
import { createVolume } from './reading/volume.ts'
import { createRemove } from './removal/remove.ts'
import { createRetention } from './removal/retention.ts'
import { createReprocessing } from './reprocess.ts'
import { createSessions } from './sessions/sessions.ts'
import { createSettle } from './settle.ts'
import { createOwnerSql } from './sql/owner-sql.ts'
import { createTableStore } from './tables/table-store.ts'
import { createDetectorRows } from './traces/detector-rows.ts'
import { createSpans } from './traces/span-rows.ts'
import { createTraces } from './traces/trace-rows.ts'

type EventStoreOptions = {
  /** Base URL of ClickHouse's HTTP interface. The host is ignored when `socketPath` is set. */
  url: string
  socketPath?: string
  /** Name of the database to create and use: letters, digits, underscores. */
  database: string
  requestTimeoutMs?: number
  /** Default: the embedded engine. */
  kind?: EventsKind
  /** Credentials of a server. */
  user?: string
  password?: string
  /** Host and port of a server, for messages. */
  host?: string
  /** Where a server writes backups: a destination of its BACKUP statement. Empty: rows are streamed. */
  backupTarget?: string
  /** Identifies this installation in the database of a server. Only `migrate` uses it. */
  installation?: string
  observe: Observe
  clock: Clock
}

/** An object storage says that it has almost 2^64 bytes. */
const diskBytesMax = 1e18

/** See `EventStore.serverDisk`. */
async function serverDisk(connection: Connection, database: string): ReturnType<EventStore['serverDisk']> {
  if (!connection.kind.isRemote) return undefined
  const [found] = await connection.rows<{ total: string; free: string }>(
    `SELECT sum(total_space) AS total, sum(free_space) AS free FROM system.disks
     WHERE name IN (SELECT disk_name FROM system.parts WHERE active AND database = {database:String})`,
    { database },
  )
  const [total, free] = [Number(found?.total ?? 0), Number(found?.free ?? 0)]
  return total > 0 && total < diskBytesMax ? { total, used: total - free } : undefined
}

/** Creates the events store over `@clickhouse/client`: the embedded engine, or any ClickHouse server at `url`. */
export function createEventStore(options: EventStoreOptions): EventStore {
  const { database, clock, observe } = options
  if (!/^[a-z_]\w{0,60}$/i.test(database)) throw new Error(`not a database name: ${database}`)
  const connection = connect(options)
  const migrated = () => migrate(connection, database, options.installation ?? '')
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
    ...createPerformance(waitingFor(settling, connection), database, clock),
    ...createTags(connection, database),
    ...createCopies(connection, { database, clock, target: options.backupTarget ?? '', migrate: migrated }),
    ...createMoves(connection, { database, migrate: migrated }),
    ...createSnapshot(connection, database),
    ...createUsage(connection, database),
    ...createRemove(connection, database, settling),
    ...createDownsampling(connection, database),
    ...createTraceDownsampling(connection, database),
    ...createReprocessing(connection, database, { ...settling, insert: stored.insert }),
    ...createRetention(connection, database, observe),
    ...createSessions(connection, database),
    ...createMetrics(connection, database),
    ...createSpans(connection, database),
    ...createTraces(connection, database),
    ...createDetectorRows(connection, database),
    ...createQuestions(waitingFor(settling, connection), database),
    ...createLogSearch(waitingFor(settling, connection), database),
    ...createOwnerSql(connection, database),
    ...stored,
    migrate: migrated,
    ping: () => connection.ping(),
    async version() {
      const [found] = await connection.rows<{ version: string }>('SELECT version() AS version')
      return found?.version ?? ''
    },
    serverDisk: () => serverDisk(connection, database),
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
