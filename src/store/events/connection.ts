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
  /** Time limit of an insert. After it the result of the insert is unknown. */
  requestTimeoutMs?: number
  clock: Clock
}

/** Values bound to a statement. They are never part of its text. */
type QueryParameters = Record<string, unknown>

export type Connection = {
  /**
   * Returns the rows of a SELECT. 64-bit numbers are strings. An abort of `signal` (the caller disconnected) stops the
   * query. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  rows<T>(
    sql: string,
    bound?: QueryParameters,
    options?: { seconds?: number; signal?: AbortSignal | undefined },
  ): Promise<T[]>
  /** Runs a statement that returns no rows. `seconds` limits its run time. */
  command(sql: string, bound?: QueryParameters, options?: { seconds?: number; database?: string }): Promise<void>
  /** Inserts one block of tab-separated rows. The token is also the query's comment, so KILL can find it. */
  insert(table: string, columns: readonly string[], tsv: Buffer, token: string): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** Time limit of a query for a screen (docs/limits.md). Other statements pass their own limit. */
const querySeconds = 20
/** The engine enforces its limit and reports why. An unresponsive engine is abandoned this much later. */
const graceMs = 300
const insertMs = 30_000
const pingSeconds = 5
/** Free bytes on the engine's disk that inserts must not use. Below it inserts fail (243) and are retried. */
const freeBytesMin = String(16 * 1024 * 1024)
/** Longer than the limit of any statement, so that each statement is aborted by its own limit. */
const socketTimeoutMs = 600_000

/** Errors of the engine's state, not of the rows, so a retry can succeed (60 and 81: the tables do not exist yet). */
const transientCodes = new Set([
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

/** Maps a read error: outages become STORE_UNAVAILABLE, limits QUERY_TIMEOUT, our own faults stay as they are. */
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
  if (error instanceof ClickHouseError && !transientCodes.has(error.code)) return error
  return new MishapError('STORE_UNAVAILABLE', { causes: [String(error).slice(0, 200)] })
}

const sizeOf = (bound: QueryParameters): number =>
  Object.values(bound).reduce<number>(
    (sum, item) => sum + (Array.isArray(item) ? item.length * 24 : String(item).length),
    0,
  )

/** See `Connection.insert`. The table name includes the database. */
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
        // A retried block must not count twice in the rollups.
        deduplicate_blocks_in_dependent_materialized_views: 1,
        max_partitions_per_insert_block: '0',
        // Each skip index adds files to sync: 42 syncs per insert instead of 66. The first merge builds the indexes.
        materialize_skip_indexes_on_insert: 0,
        // A nearly full disk can truncate a part without an error. The part is then missing after a restart.
        min_free_disk_bytes_to_perform_insert: freeBytesMin,
        log_comment: token,
      },
    })
  } catch (error) {
    throw insertFailure(error)
  }
}

/** Runs a statement with a time limit. Throws QUERY_TIMEOUT after the limit or when the caller disconnects. */
async function within<T>(
  clock: Clock,
  seconds: number,
  run: (signal: AbortSignal) => Promise<T>,
  callerSignal?: AbortSignal,
): Promise<T> {
  // The client listens for an abort event and does not see a signal that is already aborted.
  if (callerSignal?.aborted) throw new MishapError('QUERY_TIMEOUT')
  const control = new AbortController()
  const cancel = clock.after(seconds * 1000 + graceMs, () => control.abort())
  const signal = callerSignal ? AbortSignal.any([control.signal, callerSignal]) : control.signal
  try {
    return await run(signal)
  } catch (error) {
    throw signal.aborted ? new MishapError('QUERY_TIMEOUT') : readFailure(error)
  } finally {
    cancel()
  }
}

/** The only code that uses ClickHouse's HTTP interface, over TCP or a Unix socket. */
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
    // Logging is off: the caller gets each error and knows whether it matters.
    log: { level: 127 },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
  return {
    rows: <T>(
      sql: string,
      bound: QueryParameters = {},
      { seconds = querySeconds, signal: callerSignal }: { seconds?: number; signal?: AbortSignal | undefined } = {},
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
        callerSignal,
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
