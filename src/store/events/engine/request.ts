import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isRowFileName, rowFileParameter } from '../row-file.ts'
import type { RowSource, Spooled } from './spool.ts'
import { isInsert } from './statement.ts'

/** One parsed request of ClickHouse's HTTP interface. */
export type EngineRequest = {
  queryId: string
  sql: string
  /** Rows of an insert; the caller closes them. Undefined for any other request. */
  rows: RowSource | undefined
  /** The body if the URL has a statement that is no insert. Undefined if the body was the statement or a form. */
  body: Buffer | undefined
  database: string
  /** Output format if the statement names none. */
  format: string
  settings: [name: string, value: string][]
  /** Bound values. The names keep their prefix `param_`. */
  params: [name: string, value: string][]
}

/** An error in ClickHouse's format: the client parses `Code: N. DB::Exception: … (TYPE)` into a ClickHouseError. */
export class EngineError extends Error {
  readonly status: number

  constructor(status: number, code: number, type: string, sentence: string) {
    super(`Code: ${code}. DB::Exception: ${sentence}. (${type})`)
    this.name = 'EngineError'
    this.status = status
  }
}

/** Limit of a body in bytes. An insert must be one block, so that its token covers all rows. */
export const bodyBytesMax = 64 * 1024 * 1024

/** Parameters that the HTTP interface itself reads. Every other name in the query string is a setting. */
const ownNames = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'session_id',
  'role',
  'user',
  'password',
  'quota_key',
  'compress',
  'decompress',
  'enable_http_compression',
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'cancel_http_readonly_queries_on_client_close',
  'buffer_size',
  rowFileParameter,
])

/** Passes the parts of a body to `take` as they arrive. Throws EngineError for a body over the limit. */
async function readParts(request: AsyncIterable<Buffer>, take: (part: Buffer) => void): Promise<void> {
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > bodyBytesMax)
      throw new EngineError(413, 307, 'TOO_MANY_BYTES', `Request body over ${bodyBytesMax} bytes`)
    take(part)
  }
}

async function readBody(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  await readParts(request, (part) => parts.push(part))
  const [only] = parts
  return only && parts.length === 1 ? only : Buffer.concat(parts)
}

/** Where rows of inserts come from: `spool` takes those of a body, `open` opens a file by its name. */
export type RowFiles = { spool(): Spooled; open(name: string): RowSource }

/** Opens the file of rows that an insert names. */
function openNamed(name: string, sql: string, files: RowFiles): RowSource {
  if (!isRowFileName(name) || !isInsert(sql))
    throw new EngineError(400, 36, 'BAD_ARGUMENTS', 'A file of rows without an insert, or with a strange name')
  try {
    return files.open(name)
  } catch (error) {
    throw new EngineError(500, 107, 'FILE_DOESNT_EXIST', `The file of rows cannot be opened: ${String(error)}`)
  }
}

async function readRows(request: AsyncIterable<Buffer>, spool: () => Spooled): Promise<Spooled> {
  const rows = spool()
  try {
    await readParts(request, (part) => rows.write(part))
    return rows
  } catch (error) {
    rows.close()
    throw error
  }
}

/** Parses a multipart form. The client sends one when its bound values are too long for a URL. */
function readForm(body: Buffer, contentType: string): [name: string, value: string][] {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1]
  if (!boundary) throw new EngineError(400, 36, 'BAD_ARGUMENTS', 'A multipart body without boundary')
  const fields: [string, string][] = []
  for (const part of `\r\n${body.toString('utf8')}`.split(`\r\n--${boundary}`).slice(1, -1)) {
    const at = part.indexOf('\r\n\r\n')
    const name = /name="([^"]+)"/.exec(part.slice(0, at))?.[1]
    if (at >= 0 && name) fields.push([name, part.slice(at + 4)])
  }
  return fields
}

/**
 * Parses a request. Rows of an insert come from the body or from a file. Throws EngineError for a body over 64 MB, an
 * invalid form or an invalid setting name.
 */
export async function readRequest(request: IncomingMessage, files: RowFiles): Promise<EngineRequest> {
  const url = new URL(request.url ?? '/', 'http://engine')
  const type = request.headers['content-type'] ?? ''
  const isForm = type.startsWith('multipart/form-data')
  const inUrl = url.searchParams.get('query') ?? undefined
  const given = url.searchParams
  for (const name of given.keys())
    if (!/^\w+$/.test(name) && !ownNames.has(name))
      throw new EngineError(404, 115, 'UNKNOWN_SETTING', 'A setting with a strange name')
  const file = given.get(rowFileParameter) ?? undefined
  const hasRows = inUrl !== undefined && !isForm && isInsert(inUrl) && file === undefined
  const spooled = hasRows ? await readRows(request, files.spool) : undefined
  const body = spooled ? undefined : await readBody(request)
  const named = new Map([...given, ...(isForm && body ? readForm(body, type) : [])])
  const sql = inUrl ?? named.get('query') ?? body?.toString('utf8') ?? ''
  const result: EngineRequest = {
    queryId: named.get('query_id') || randomUUID(),
    sql,
    rows: file === undefined ? spooled : openNamed(file, sql, files),
    body: inUrl !== undefined && !isForm ? body : undefined,
    database: named.get('database') || 'default',
    format: named.get('default_format') || 'TabSeparated',
    settings: [],
    params: [],
  }
  for (const [name, value] of named) {
    if (ownNames.has(name)) continue
    if (!/^\w+$/.test(name)) throw new EngineError(404, 115, 'UNKNOWN_SETTING', 'A setting with a strange name')
    if (name.startsWith('param_')) result.params.push([name, value])
    else result.settings.push([name, value])
  }
  return result
}
