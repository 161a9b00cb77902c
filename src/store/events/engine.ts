import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { drainPending } from 'chdb'
import type { Observe } from '../../base/observe.ts'
import { removeTornMutations } from './engine/mutations.ts'
import { createSyncNames, type SyncNames } from './engine/names.ts'
import { createPartCheck, type PartCheck } from './engine/parts.ts'
import { bodyBytesMax, EngineError, type EngineRequest, type RowFiles, readRequest } from './engine/request.ts'
import { createSessionPool, type SessionPool, sessionOpener } from './engine/sessions.ts'
import { openRows, openSpool } from './engine/spool.ts'
import { formatOf, insertFrom, isMany, isSilent, isUrgent, literal } from './engine/statement.ts'
import { rowsFolder } from './row-file.ts'

type EngineOptions = {
  /** Folder of the engine's data. Created if missing. */
  folder: string
  socketPath: string
  memoryBytes: number
  observe: Observe
}

type Engine = {
  /** See `PartCheck.torn`. */
  tornParts: PartCheck['torn']
  stop(): Promise<void>
}

type Pools = { readers: SessionPool; writers: SessionPool; urgent: SessionPool; syncNames: SyncNames }

/** A larger result is an error. Results are held in memory, because chDB's streams cannot report a late error. */
const resultBytesMax = 256 * 1024 * 1024
/** Time limit of a query that sets none. */
const runSecondsMax = 60
const readersMax = 6
const writersMax = 2
const statusOf: Record<string, number> = { '60': 404, '81': 404, '159': 408, '241': 500, '202': 503 }

function summary(rows: number, bytes: number, written: number, seconds: number): string {
  return JSON.stringify({
    read_rows: String(rows),
    read_bytes: String(bytes),
    written_rows: String(written),
    written_bytes: '0',
    total_rows_to_read: '0',
    result_rows: '0',
    result_bytes: '0',
    elapsed_ns: String(Math.round(seconds * 1e9)),
  })
}

/** Sends SETs and statement in one call. With one session per query this runs concurrently; bound queries do not. */
function withSettings(request: EngineRequest): string {
  const settings = new Map<string, string>([
    // No limit for inserts: after a time-out the caller would have to find out which rows are stored.
    ...(request.rows ? [] : ([['max_execution_time', String(runSecondsMax)]] as const)),
    ...request.settings,
    ['log_comment', request.queryId],
  ])
  const sets = [...settings, ...request.params].map(([name, value]) => `${name}=${literal(value)}`).join(', ')
  const use = request.database === 'default' ? '' : `USE \`${request.database.replace(/[`\\]/g, '')}\`;`
  // Inline rows would go through the SQL parser byte by byte: 240 ms instead of 120 for 11 MB.
  const statement = request.rows ? insertFrom(request.sql, request.rows.path) : request.sql
  return `${use}SET ${sets};${statement}`
}

async function runQuery(
  pool: SessionPool,
  syncNames: SyncNames,
  request: EngineRequest,
  response: ServerResponse,
): Promise<void> {
  if (isMany(request.sql)) throw new EngineError(400, 62, 'SYNTAX_ERROR', 'Multi-statements are not allowed')
  const { sql, format } = request
  const result = await pool.use(
    () => response.destroyed,
    (session) => session.queryAsync(withSettings(request), { format }),
  )
  if (!result) return
  await syncNames(sql, request.rows !== undefined)
  const bytes = isSilent(sql) ? Buffer.alloc(0) : result.bytes()
  if (bytes.length > resultBytesMax) throw new EngineError(500, 396, 'TOO_MANY_ROWS_OR_BYTES', 'Result over the limit')
  response.setHeader('X-ClickHouse-Format', formatOf(sql) ?? format)
  response.setHeader('X-ClickHouse-Summary', summary(result.rowsRead, result.bytesRead, 0, result.elapsed))
  response.end(bytes)
}

async function answer(
  pools: Pools,
  files: RowFiles,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (incoming.url === '/ping') return void response.end('Ok.\n')
  const request = await readRequest(incoming, files)
  response.setHeader('X-ClickHouse-Query-Id', request.queryId)
  response.on('close', () => {
    if (response.writableFinished) return
    // The caller disconnected. chDB runs the query until it is killed, and finds it only by its comment.
    void kill(pools, `Settings['log_comment']=${literal(request.queryId)}`)
  })
  if (request.rows) return runQuery(pools.writers, pools.syncNames, request, response).finally(request.rows.close)
  if (request.body?.length) request.sql += `\n${request.body.toString('utf8')}`
  return runQuery(isUrgent(request.sql) ? pools.urgent : pools.readers, pools.syncNames, request, response)
}

async function kill(pools: Pools, condition: string): Promise<void> {
  await pools.urgent
    .use(
      () => false,
      (session) => session.queryAsync(`KILL QUERY WHERE ${condition} ASYNC`),
    )
    .catch(() => undefined)
}

function refuse(error: unknown, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const text = error instanceof Error ? error.message : String(error)
  const at = text.indexOf('Code: ')
  const code = /Code: (\d+)/.exec(text)?.[1] ?? '1001'
  response.statusCode = error instanceof EngineError ? error.status : (statusOf[code] ?? 500)
  response.setHeader('X-ClickHouse-Exception-Code', code)
  // The unread rest of a refused body would be read as the next request.
  if (response.statusCode === 413) response.setHeader('Connection', 'close')
  response.end(at >= 0 ? text.slice(at) : `Code: 1001. DB::Exception: ${text}. (STD_EXCEPTION)`)
}

/**
 * Starts chDB behind the part of ClickHouse's HTTP interface that `@clickhouse/client` uses, on a Unix socket (mode
 * 0600). One engine per process. Throws chDB's error when another process has locked the folder, and an error while a
 * full disk prevents the repair of parts that it cut off.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  mkdirSync(dirname(options.socketPath), { recursive: true, mode: 0o700 })
  const torn = await removeTornMutations(options.folder)
  if (torn.length > 0) options.observe.warn({ torn }, 'deletions that a full disk interrupted are dropped')
  const partCheck = createPartCheck(options.folder)
  const { repaired, left } = await partCheck.repair()
  if (repaired.length > 0) options.observe.warn({ repaired }, 'parts that a full disk cut off are repaired')
  if (left.length > 0) options.observe.warn({ left }, 'parts that a full disk cut off are replaced by their sources')
  const files: RowFiles = {
    spool: openSpool(join(options.folder, 'incoming')),
    open: (name) => openRows(rowsFolder(options.folder), name),
  }
  const open = sessionOpener(options.folder, options.memoryBytes)
  // Stays open until the stop: the engine stops with its last session, and a start takes 150 ms.
  const anchor = open()
  const pools: Pools = {
    readers: createSessionPool(readersMax, open),
    writers: createSessionPool(writersMax, open),
    urgent: createSessionPool(2, open),
    syncNames: createSyncNames(options.folder),
  }
  const server = createServer((incoming, response) => {
    answer(pools, files, incoming, response).catch((error) => refuse(error, response))
  })
  server.keepAliveTimeout = 60_000
  server.requestTimeout = 120_000
  rmSync(options.socketPath, { force: true })
  const mask = process.umask(0o177)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.socketPath, resolve)
  })
  process.umask(mask)
  chmodSync(options.socketPath, 0o600)
  options.observe.debug({ bodyBytesMax, resultBytesMax }, 'the engine listens')
  return {
    tornParts: partCheck.torn,
    async stop() {
      server.close()
      server.closeAllConnections()
      await kill(pools, "query NOT ILIKE 'KILL%' AND query NOT ILIKE 'INSERT%'")
      // Closing a connection while a query runs aborts chDB, so all queries must finish first.
      await drainPending()
      anchor.close()
      await drainPending()
    },
  }
}
