import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type ClickHouseClient, ClickHouseError, createClient } from '@clickhouse/client'
import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import { type EventsKind, embeddedKind } from './kind.ts'
import { isRowFile, linesOf, type Rows, rowFileName, rowFileParameter } from './row-file.ts'
import { createStatements } from './server/statements.ts'

type ConnectionOptions = {
  url: string
  socketPath?: string
  database: string
  /** Time limit of an insert. After it the result of the insert is unknown. */
  requestTimeoutMs?: number
  /** Default: the embedded engine. */
  kind?: EventsKind
  /** Host and port of a server, for messages, and the credentials there. */
  host?: string
  user?: string
  password?: string
  clock: Clock
}

/**
 * Lets a remote insert store nothing once its token is fenced (`control.ts`). `structure` are the columns with their
 * types, `condition` is SQL that throws for a fenced token, with its bound values.
 */
export type InsertFence = { structure: string; condition: string; bound: QueryParameters }

/** Values bound to a statement. They are never part of its text. */
type QueryParameters = Record<string, unknown>

/** The answer to `Connection.readOnly`. 64-bit numbers are strings. */
type ReadTable = {
  meta: { name: string; type: string }[]
  data: unknown[][]
  statistics: { elapsed: number; rows_read: number; bytes_read: number }
}

type ReadOptions = {
  seconds?: number | undefined
  memoryBytes?: number | undefined
  signal?: AbortSignal | undefined
}

export type Connection = {
  kind: EventsKind
  /** Returns the comment of an insert's query, by which `system.processes` and KILL find it. */
  commentOf(token: string): string
  /**
   * Returns the rows of a SELECT. 64-bit numbers are strings. An abort of `signal` (the caller disconnected) stops the
   * query. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  rows<T>(
    sql: string,
    bound?: QueryParameters,
    options?: { seconds?: number; signal?: AbortSignal | undefined },
  ): Promise<T[]>
  /**
   * Runs a SELECT that can change nothing, under these settings as well, and returns its columns and cells. Throws like
   * `rows`.
   */
  readOnly(sql: string, settings: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ReadTable>
  /**
   * Returns the rows of a SELECT as lists of cells, and what the engine read for them. `memoryBytes` limits its memory.
   * Throws like `rows`.
   */
  read<Row>(
    sql: string,
    bound?: QueryParameters,
    options?: ReadOptions,
  ): Promise<{ rows: Row[]; rowsRead: number; bytesRead: number }>
  /** Runs a statement that returns no rows. `seconds` limits its run time. */
  command(sql: string, bound?: QueryParameters, options?: { seconds?: number; database?: string }): Promise<void>
  /**
   * Inserts one block of tab-separated rows, in one or more chunks or in a file that the embedded engine reads. Throws STORE_UNAVAILABLE if they may or may not be stored, the engine's
   * error if it rejects their content.
   */
  insert(
    table: string,
    columns: readonly string[],
    rows: Rows | readonly Buffer[],
    token: string,
    fence?: InsertFence,
  ): Promise<void>
  /**
   * Returns the result of a SELECT as a stream of tab-separated lines, followed by `endLine`. Without it, the stream was
   * cut off: an error in the middle has no other sign.
   */
  stream(sql: string, endLine: string): Promise<Readable>
  /** Ends statements of earlier processes that still run on a server. Resolves when they are gone. */
  endEarlier(): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** Time limit of a query for a screen (docs/limits.md). Other statements pass their own limit. */
const querySeconds = 20
/** Largest answer of a statement with a limit of memory: this process holds it as text and as rows at once. */
const limitedBytesMax = 32 * 1024 * 1024
/**
 * Largest text of a table that a person's statement answers. The engine counts a constant column as one value, and texts
 * without their escapes: a constant of 900 kB in 10,000 rows is within its own limit.
 */
const tableBytesMax = 64 * 1024 * 1024
/** The engine enforces its limit and reports why. An unresponsive engine is abandoned this much later. */
const graceMs = 300
const insertMs = 30_000
const pingSeconds = 5
/** Free bytes on the engine's disk that inserts must not use. Below it inserts fail (243) and are retried. */
const freeBytesMin = String(16 * 1024 * 1024)
/** Longer than the limit of any statement, so that each statement is aborted by its own limit. */
const socketTimeoutMs = 600_000
const connectionsMax = 16
/** A server closes a connection after 3 s (older ones) or 10 s without a request. */
const idleMs = 2500
/** Progress headers of a statement that runs for hours. */
const headerBytesMax = 256 * 1024
/** Time limit of a stream: the export of a partition. */
const streamSeconds = 3600
/** CustomSeparated like TabSeparated, because only it can write something after the last row. */
const lineFormat = {
  format_custom_escaping_rule: 'Escaped',
  format_custom_field_delimiter: '\t',
  format_custom_row_before_delimiter: '',
  format_custom_row_after_delimiter: '\n',
  format_custom_row_between_delimiter: '',
  format_custom_result_before_delimiter: '',
} as const

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

/**
 * Faults of a server, its user or the way to it: read errors (32, 33), quota and limits (201, 290), credentials (192 to
 * 194, 516), grants (497), read-only mode (164), settings that a profile forbids (452), an ended insert (395: fenced).
 */
const remoteCodes = new Set([
  '32',
  '33',
  '164',
  '192',
  '193',
  '194',
  '201',
  '290',
  '395',
  '425',
  '439',
  '452',
  '497',
  '516',
])

/** What an error message names: the embedded store, or a server. */
type Store = { kind: EventsKind; host?: string | undefined }

/** Returns the error of an outage. Screens and API show its sentence. */
const unavailable = ({ kind, host }: Store, error?: unknown): MishapError =>
  new MishapError('STORE_UNAVAILABLE', {
    ...(kind.isRemote ? { detail: `The ClickHouse server at ${host} does not answer. Ingest continues.` } : {}),
    ...(error === undefined ? {} : { causes: [String(error).slice(0, 200)] }),
  })

/** Maps a read error: outages become STORE_UNAVAILABLE, limits QUERY_TIMEOUT, our own faults stay as they are. */
function readFailure(error: unknown, store: Store): unknown {
  if (error instanceof MishapError) return error
  if (!(error instanceof ClickHouseError)) return unavailable(store, error)
  if (error.code === '159') return new MishapError('QUERY_TIMEOUT')
  // An answer over its size, too, was more than this process may hold.
  if (error.code === '241' || error.code === '396')
    return new MishapError('QUERY_TIMEOUT', {
      detail: 'The query needs more memory than the events store may use.',
      causes: ['memory'],
    })
  if (['60', '81', '236', '394', '735'].includes(error.code)) return unavailable(store)
  return store.kind.isRemote && remoteCodes.has(error.code) ? unavailable(store, error) : error
}

function insertFailure(error: unknown, store: Store): unknown {
  if (error instanceof ClickHouseError && !transientCodes.has(error.code))
    if (!store.kind.isRemote || !remoteCodes.has(error.code)) return error
  return unavailable(store, error)
}

const sizeOf = (bound: QueryParameters): number =>
  Object.values(bound).reduce<number>(
    (sum, item) => sum + (Array.isArray(item) ? item.length * 24 : String(item).length),
    0,
  )

/** One insert. The table name includes the database. `comment` finds it in the list of running queries. */
type Insert = {
  table: string
  columns: readonly string[]
  rows: Rows | readonly Buffer[]
  token: string
  comment: string
  fence: InsertFence | undefined
}

/** See `Connection.insert`. */
async function insertRows(
  client: ClickHouseClient,
  store: Store,
  { table, columns, rows, token, comment, fence }: Insert,
  signal: AbortSignal,
): Promise<void> {
  const [first, ...rest] = columns
  if (first === undefined || (isRowFile(rows) ? rows.bytes : rows.length) === 0) return
  // The embedded engine opens the file itself. A server gets its lines.
  const file = isRowFile(rows) && !store.kind.isRemote ? rows : undefined
  const parts = file ? [] : isRowFile(rows) || rows instanceof Uint8Array ? [linesOf(rows)] : rows
  const values = Readable.from(parts, { objectMode: false })
  const options = {
    // A server refuses an id that still runs. A repeat of an insert waits there instead, and then stores nothing.
    query_id: store.kind.isRemote ? randomUUID() : comment,
    abort_signal: signal,
    clickhouse_settings: {
      insert_deduplication_token: token,
      // A retried block must not count twice in the rollups.
      deduplicate_blocks_in_dependent_materialized_views: 1,
      max_partitions_per_insert_block: '0',
      // Each skip index adds files to sync: 42 syncs per insert instead of 66. The first merge builds the indexes.
      materialize_skip_indexes_on_insert: 0,
      // No column takes nulls. Looking for one in each field took a tenth of the time to parse a row.
      input_format_null_as_default: 0,
      input_format_defaults_for_omitted_fields: 0,
      // A nearly full disk can truncate a part without an error. The part is then missing after a restart.
      min_free_disk_bytes_to_perform_insert: freeBytesMin,
      log_comment: comment,
      ...store.kind.settings.insert,
      ...(file ? { [rowFileParameter]: rowFileName(file) } : {}),
    },
  } as const
  try {
    if (!fence) {
      await client.insert({ ...options, table, columns: [first, ...rest], format: 'TabSeparated', values })
      return
    }
    const names = columns.join(', ')
    const { stream } = await client.exec({
      ...options,
      query: `INSERT INTO ${table} (${names}) SELECT ${names} FROM input(${quoted(fence.structure)}) WHERE ${fence.condition} FORMAT TabSeparated`,
      query_params: fence.bound,
      values,
    })
    await text(stream)
  } catch (error) {
    throw insertFailure(error, store)
  }
}

/** Quotes a text that this program made itself as a literal of SQL. */
const quoted = (literal: string): string => `'${literal.replace(/[\\']/g, '\\$&')}'`

type TimeLimit = { clock: Clock; store: Store; seconds: number; callerSignal?: AbortSignal | undefined }

/** Runs a statement with a time limit. Throws QUERY_TIMEOUT after the limit or when the caller disconnects. */
async function within<T>(
  { clock, store, seconds, callerSignal }: TimeLimit,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // The client listens for an abort event and does not see a signal that is already aborted.
  if (callerSignal?.aborted) throw new MishapError('QUERY_TIMEOUT')
  const control = new AbortController()
  const cancel = clock.after(seconds * 1000 + graceMs, () => control.abort())
  const signal = callerSignal ? AbortSignal.any([control.signal, callerSignal]) : control.signal
  try {
    return await run(signal)
  } catch (error) {
    throw signal.aborted ? new MishapError('QUERY_TIMEOUT') : readFailure(error, store)
  } finally {
    cancel()
  }
}

/** Opens the client. The embedded engine is behind a Unix socket; a server closes idle connections after some seconds. */
function openClient({ url, socketPath, kind = embeddedKind, user, password }: ConnectionOptions): ClickHouseClient {
  return createClient({
    url,
    ...(kind.isRemote
      ? {
          username: user ?? 'default',
          password: password ?? '',
          max_open_connections: connectionsMax,
          keep_alive: { enabled: true, idle_socket_ttl: idleMs },
          max_response_headers_size: headerBytesMax,
        }
      : {
          http_agent: new Agent({
            keepAlive: true,
            maxSockets: connectionsMax,
            ...(socketPath ? { socketPath } : {}),
          }),
        }),
    request_timeout: socketTimeoutMs,
    compression: { request: false, response: false },
    // Logging is off: the caller gets each error and knows whether it matters.
    log: { level: 127 },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
}

/** Inserts and streams of rows. */
function createTransfers(
  client: ClickHouseClient,
  options: ConnectionOptions,
): Pick<Connection, 'commentOf' | 'insert' | 'stream'> {
  const { clock, database, kind = embeddedKind } = options
  const store = { kind, host: options.host }
  const commentOf = (token: string) => (kind.isRemote ? `${database}/insert/${token}` : token)
  return {
    commentOf,
    insert: async (table, columns, rows, token, fence) => {
      const control = new AbortController()
      const cancel = clock.after(options.requestTimeoutMs ?? insertMs, () => control.abort())
      const insert = { table: `${database}.${table}`, columns, rows, token, comment: commentOf(token), fence }
      try {
        await insertRows(client, store, insert, control.signal)
      } finally {
        cancel()
      }
    },
    async stream(sql, endLine) {
      const settings = { ...kind.settings.read, ...lineFormat, format_custom_result_after_delimiter: endLine }
      const { stream } = await client
        .exec({
          query: `${sql} FORMAT CustomSeparated`,
          clickhouse_settings: { ...settings, max_execution_time: streamSeconds },
        })
        .catch((error: unknown) => {
          throw readFailure(error, store)
        })
      return stream
    },
  }
}

/** See `Connection.readOnly`. The engine checks `readonly` after it has taken the other settings. */
async function readTable(
  client: ClickHouseClient,
  query: string,
  settings: Readonly<Record<string, string | number>>,
  id: string,
  signal: AbortSignal,
): Promise<ReadTable> {
  const { stream } = await client.exec({
    query: `${query} FORMAT JSONCompact`,
    query_id: id,
    abort_signal: signal,
    clickhouse_settings: { max_execution_time: querySeconds, ...settings, readonly: '1' },
  })
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > tableBytesMax)
      throw new MishapError('QUERY_TIMEOUT', {
        detail: `The answer is over ${tableBytesMax / 2 ** 20} MiB as text.`,
        causes: ['memory'],
      })
    parts.push(part)
  }
  return JSON.parse(Buffer.concat(parts).toString()) as ReadTable
}

/** See `Connection.read`. */
function createRead(
  client: ClickHouseClient,
  store: Store,
  { clock, kind = embeddedKind }: ConnectionOptions,
  statements: ReturnType<typeof createStatements>,
): Connection['read'] {
  return <Row>(
    sql: string,
    bound: QueryParameters = {},
    { seconds = querySeconds, memoryBytes, signal: callerSignal }: ReadOptions = {},
  ) =>
    within({ clock, store, seconds, callerSignal }, (signal) =>
      statements.read(async (tags) => {
        const result = await client.query({
          query: sql,
          format: 'JSONCompact',
          query_params: bound,
          query_id: tags.id,
          abort_signal: signal,
          use_multipart_params: sizeOf(bound) > 4096,
          clickhouse_settings: {
            max_execution_time: seconds,
            ...kind.settings.read,
            ...(memoryBytes === undefined
              ? {}
              : {
                  max_memory_usage: String(memoryBytes),
                  max_result_bytes: String(limitedBytesMax),
                  result_overflow_mode: 'throw' as const,
                }),
            ...tags.settings,
          },
        })
        const { data, statistics } = await result.json<Row>()
        return { rows: data, rowsRead: statistics?.rows_read ?? 0, bytesRead: statistics?.bytes_read ?? 0 }
      }),
    )
}

/** The only code that uses ClickHouse's HTTP interface, over TCP or a Unix socket. */
export function connect(options: ConnectionOptions): Connection {
  const { clock, database, kind = embeddedKind } = options
  const client = openClient(options)
  const store = { kind, host: options.host }
  const statements = createStatements(client, { clock, kind, database })
  const { read, command } = kind.settings
  return {
    kind,
    rows: <T>(
      sql: string,
      bound: QueryParameters = {},
      { seconds = querySeconds, signal: callerSignal }: { seconds?: number; signal?: AbortSignal | undefined } = {},
    ) =>
      within({ clock, store, seconds, callerSignal }, (signal) =>
        statements.read(async (tags) => {
          const result = await client.query({
            query: sql,
            format: 'JSONEachRow',
            query_params: bound,
            query_id: tags.id,
            abort_signal: signal,
            // Long lists of hashes do not fit into a URL.
            use_multipart_params: sizeOf(bound) > 4096,
            clickhouse_settings: { max_execution_time: seconds, ...read, ...tags.settings },
          })
          return (await result.json()) as T[]
        }),
      ),
    readOnly: (sql, settings, callerSignal) =>
      within({ clock, store, seconds: querySeconds, callerSignal }, (signal) =>
        statements.read((tags) => readTable(client, sql, { ...read, ...tags.settings, ...settings }, tags.id, signal)),
      ),
    read: createRead(client, store, options, statements),
    command: (sql, bound = {}, { seconds = querySeconds } = {}) =>
      within({ clock, store, seconds }, (signal) =>
        statements.change(async (tags) => {
          await client.command({
            query: sql,
            query_params: bound,
            query_id: tags.id,
            abort_signal: signal,
            clickhouse_settings: { max_execution_time: seconds, ...command, ...tags.settings },
          })
        }),
      ),
    ...createTransfers(client, options),
    endEarlier: statements.endEarlier,
    async ping() {
      const answered = await within({ clock, store, seconds: pingSeconds }, (signal) =>
        client.ping({ select: true, abort_signal: signal }),
      ).catch(() => undefined)
      return answered?.success === true
    },
    close: () => client.close(),
  }
}
