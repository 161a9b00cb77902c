import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Spooled } from './spool.ts'
import { isInsert } from './statement.ts'

/** One request of ClickHouse's HTTP interface, taken apart. */
export type EngineRequest = {
  queryId: string
  sql: string
  /** Rows of an insert, which the caller closes; undefined for any other request. */
  rows: Spooled | undefined
  /** What came beside a statement in the URL that is no such insert; undefined when the body was the statement or a form. */
  body: Buffer | undefined
  database: string
  /** Format where the statement names none. */
  format: string
  settings: [name: string, value: string][]
  /** Bound values, names with their prefix `param_`. */
  params: [name: string, value: string][]
}

/** A failure in ClickHouse's own words: the client makes a ClickHouseError of `Code: N. DB::Exception: … (TYPE)`. */
export class EngineError extends Error {
  readonly status: number

  constructor(status: number, code: number, type: string, sentence: string) {
    super(`Code: ${code}. DB::Exception: ${sentence}. (${type})`)
    this.name = 'EngineError'
    this.status = status
  }
}

/** One insert is one block, so that its token stands for all of it: a body is bounded. */
export const bodyBytesMax = 64 * 1024 * 1024

/** What the HTTP interface reads itself; every other name in the query string is a setting. */
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
])

/** Hands over the parts of a body as they come. */
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

/** The fields of a multipart form, which the client sends when its bound values are too long for a URL. */
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
 * Takes a request apart; rows of an insert go through `spool`. Throws EngineError for a body over 64 MB, a broken form or
 * a setting with a strange name.
 */
export async function readRequest(request: IncomingMessage, spool: () => Spooled): Promise<EngineRequest> {
  const url = new URL(request.url ?? '/', 'http://engine')
  const type = request.headers['content-type'] ?? ''
  const isForm = type.startsWith('multipart/form-data')
  const inUrl = url.searchParams.get('query') ?? undefined
  const given = url.searchParams
  for (const name of given.keys())
    if (!/^\w+$/.test(name) && !ownNames.has(name))
      throw new EngineError(404, 115, 'UNKNOWN_SETTING', 'A setting with a strange name')
  const hasRows = inUrl !== undefined && !isForm && isInsert(inUrl)
  const rows = hasRows ? await readRows(request, spool) : undefined
  const body = rows ? undefined : await readBody(request)
  const named = new Map([...given, ...(isForm && body ? readForm(body, type) : [])])
  const result: EngineRequest = {
    queryId: named.get('query_id') || randomUUID(),
    sql: inUrl ?? named.get('query') ?? body?.toString('utf8') ?? '',
    rows,
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
