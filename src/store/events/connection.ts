import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseError, createClient } from '@clickhouse/client'
import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'

type ConnectionOptions = {
  url: string
  socketPath?: string
  database: string
  /** How long an insert may take until it counts as unclear. */
  requestTimeoutMs?: number
  clock: Clock
}

/** Values that go beside a statement, never within it. */
type Bound = Record<string, unknown>

export type Connection = {
  /**
   * Rows of a SELECT. 64-bit numbers are strings. `signal` is of who asks: once they are gone the engine stops, and what is
   * thrown nobody reads. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  rows<T>(sql: string, bound?: Bound, options?: { seconds?: number; signal?: AbortSignal | undefined }): Promise<T[]>
  /** A statement without answer. `seconds` bounds its run. */
  command(sql: string, bound?: Bound, options?: { seconds?: number; database?: string }): Promise<void>
  /** One block of tab-separated rows; the token is its query's comment too, so that it can be killed. */
  insert(table: string, columns: readonly string[], tsv: Buffer, token: string): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** Limits of a query on screen (docs/limits.md); other statements say their own. */
const querySeconds = 20
/** The engine ends a statement at its limit itself and says why; an engine that hangs is given up this much later. */
const graceMs = 300
const insertMs = 30_000
const pingSeconds = 5
/** Free bytes of the engine's disk that an insert leaves alone; under them it is refused (243) and tried again later. */
const freeBytesMin = String(16 * 1024 * 1024)
/** Over every limit of a statement: each is given up at its own. */
const socketTimeoutMs = 600_000

/** The engine's state, not the rows, is at fault (60 and 81: its tables are not made yet): the insert may go through later. */
const passing = new Set([
  '60',
  '81',
  '159',
  '160',
  '202',
  '203',
  '209',
  '210',
  '216',
  '236',
  '241',
  '242',
  '243',
  '252',
  '394',
  '499',
  '74',
  '75',
  '76',
  '1000',
  '1001',
  '735',
])

/** How a failure of a read is told: an outage as STORE_UNAVAILABLE, a limit as QUERY_TIMEOUT, a fault of ours as it is. */
function readFailure(error: unknown): unknown {
  if (!(error instanceof ClickHouseError))
    return new MishapError('STORE_UNAVAILABLE', { causes: [String(error).slice(0, 200)] })
  if (error.code === '159') return new MishapError('QUERY_TIMEOUT')
  if (error.code === '241')
    return new MishapError('QUERY_TIMEOUT', { detail: 'The query needs more memory than the events store may use.' })
  if (['60', '81', '236', '394', '735'].includes(error.code)) return new MishapError('STORE_UNAVAILABLE')
  return error
}

function insertFailure(error: unknown): unknown {
  if (error instanceof ClickHouseError && !passing.has(error.code)) return error
  return new MishapError('STORE_UNAVAILABLE', { causes: [String(error).slice(0, 200)] })
}

const sizeOf = (bound: Bound): number =>
  Object.values(bound).reduce<number>(
    (sum, item) => sum + (Array.isArray(item) ? item.length * 24 : String(item).length),
    0,
  )

/** See `Connection.insert`; the table's name holds its database. */
async function insertRows(
  client: ClickHouseClient,
  table: string,
  columns: readonly string[],
  tsv: Buffer,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const [first, ...rest] = columns
  if (first === undefined || tsv.length === 0) return
  try {
    await client.insert({
      table,
      columns: [first, ...rest],
      format: 'TabSeparated',
      values: Readable.from([tsv], { objectMode: false }),
      query_id: token,
      abort_signal: signal,
      clickhouse_settings: {
        insert_deduplication_token: token,
        // A retried block must not count twice in the rollups either.
        deduplicate_blocks_in_dependent_materialized_views: 1,
        max_partitions_per_insert_block: '0',
        // A skip index is files of its own, each synced: 42 syncs an insert instead of 66. The first merge builds them.
        materialize_skip_indexes_on_insert: 0,
        // On a disk that takes its last bytes a part may be cut off without an error and be missing after the next start.
        min_free_disk_bytes_to_perform_insert: freeBytesMin,
        log_comment: token,
      },
    })
  } catch (error) {
    throw insertFailure(error)
  }
}

/** Runs a statement with a limit; at its end, or when who asked is gone, the engine has not answered, whatever it does. */
async function within<T>(
  clock: Clock,
  seconds: number,
  run: (signal: AbortSignal) => Promise<T>,
  asker?: AbortSignal,
): Promise<T> {
  // The client hears of what happens to a signal, not of what has happened to it.
  if (asker?.aborted) throw new MishapError('QUERY_TIMEOUT')
  const control = new AbortController()
  const cancel = clock.after(seconds * 1000 + graceMs, () => control.abort())
  const signal = asker ? AbortSignal.any([control.signal, asker]) : control.signal
  try {
    return await run(signal)
  } catch (error) {
    throw signal.aborted ? new MishapError('QUERY_TIMEOUT') : readFailure(error)
  } finally {
    cancel()
  }
}

/** The one place that speaks to ClickHouse's HTTP interface, over TCP or a Unix socket. */
export function connect(options: ConnectionOptions): Connection {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 16,
    ...(options.socketPath ? { socketPath: options.socketPath } : {}),
  })
  const client = createClient({
    url: options.url,
    http_agent: agent,
    request_timeout: socketTimeoutMs,
    compression: { request: false, response: false },
    // OFF: failures are answered to the caller, who knows whether they matter.
    log: { level: 127 },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
  return {
    rows: <T>(
      sql: string,
      bound: Bound = {},
      { seconds = querySeconds, signal: asker }: { seconds?: number; signal?: AbortSignal | undefined } = {},
    ) =>
      within(
        options.clock,
        seconds,
        async (signal) => {
          const result = await client.query({
            query: sql,
            format: 'JSONEachRow',
            query_params: bound,
            query_id: randomUUID(),
            abort_signal: signal,
            // Long lists of hashes do not fit into a URL.
            use_multipart_params: sizeOf(bound) > 4096,
            clickhouse_settings: { max_execution_time: seconds },
          })
          return (await result.json()) as T[]
        },
        asker,
      ),
    command: (sql, bound = {}, { seconds = querySeconds } = {}) =>
      within(options.clock, seconds, async (signal) => {
        await client.command({
          query: sql,
          query_params: bound,
          query_id: randomUUID(),
          abort_signal: signal,
          clickhouse_settings: { max_execution_time: seconds },
        })
      }),
    insert: async (table, columns, tsv, token) => {
      const control = new AbortController()
      const cancel = options.clock.after(options.requestTimeoutMs ?? insertMs, () => control.abort())
      try {
        await insertRows(client, `${options.database}.${table}`, columns, tsv, token, control.signal)
      } finally {
        cancel()
      }
    },
    async ping() {
      const answered = await within(options.clock, pingSeconds, (signal) =>
        client.ping({ select: true, abort_signal: signal }),
      ).catch(() => undefined)
      return answered?.success === true
    },
    close: () => client.close(),
  }
}
