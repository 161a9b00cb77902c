import type { ErrorCode } from '../../base/errors.ts'
import { withBase } from '../base-path.ts'
import { type Failure, readCurrent } from './form.ts'

/** An API call that failed. `code` is NETWORK when no response arrived. */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | 'NETWORK'
  /** Steps that solve the problem, or the values expected per field. */
  readonly causes: string[]
  /** Validation errors by form field. */
  readonly fields: Record<string, string[]>
  /** Who made the newer change, when the call was for an older revision. */
  readonly current: Failure['current']

  constructor(
    status: number,
    code: ErrorCode | 'NETWORK',
    detail: string,
    causes: string[] = [],
    fields: Record<string, string[]> = {},
    current: Failure['current'] = undefined,
  ) {
    super(detail)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.causes = causes
    this.fields = fields
    this.current = current
  }
}

/** Whether a failure is temporary: no network, or a store that does not answer. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 503)

export type ApiRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  body?: unknown
  /** Query parameters. Undefined values are left out; arrays repeat the name. */
  query?: Record<string, string | number | boolean | undefined | readonly string[]>
  signal?: AbortSignal | undefined
}

/** One page of a list: rows, cursor of the next page (null at the end), and the total if the API sends it. */
export type ApiPage<Row> = { rows: Row[]; next: string | null; hits: number | null }

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []

/** Parses the body of a failed call: `{detail, code, causes}`, or `{field: [sentence]}` for form errors. */
export function apiError(status: number, text: string): ApiError {
  let body: Record<string, unknown> = {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (parsed && typeof parsed === 'object' && !Array.isArray(parsed)) body = parsed as Record<string, unknown>
  } catch {
    // The body is a proxy's error page: the status is enough.
  }
  if (typeof body.detail === 'string') {
    const code = (typeof body.code === 'string' ? body.code : 'INTERNAL') as ErrorCode
    const current = body.current && typeof body.current === 'object' ? body.current : undefined
    return new ApiError(
      status,
      code,
      body.detail,
      strings(body.causes),
      {},
      readCurrent(current as Record<string, unknown> | undefined),
    )
  }
  const fields = Object.fromEntries(Object.entries(body).map(([field, sentences]) => [field, strings(sentences)]))
  const first = Object.values(fields).flat()[0]
  return new ApiError(status, status === 400 ? 'VALIDATION' : 'INTERNAL', first ?? `HTTP ${status}`, [], fields)
}

/** The cursor of `rel="next"` in a Link header; null when there are no more results. */
export function nextCursor(link: string | null): string | null {
  for (const part of (link ?? '').split(/,\s*(?=<)/)) {
    if (/rel="next"/.test(part) && /results="true"/.test(part)) return /cursor="([^"]{1,500})"/.exec(part)?.[1] ?? null
  }
  return null
}

/** The URL of a call. `path` is relative to /api/0/ and ends with a slash. */
export function apiUrl(path: string, query: ApiRequest['query'] = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const parameter of Array.isArray(value) ? value : [value]) search.append(name, String(parameter))
  }
  const text = search.toString()
  return withBase(`/api/0/${path}${text ? `?${text}` : ''}`)
}

async function send(path: string, request: ApiRequest): Promise<Response> {
  const { method = 'GET', body, query, signal } = request
  let response: Response
  try {
    response = await fetch(apiUrl(path, query), {
      method,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      credentials: 'same-origin',
    })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new ApiError(0, 'NETWORK', 'No answer.')
  }
  if (!response.ok) throw apiError(response.status, await response.text().catch(() => ''))
  return response
}

/**
 * Calls /api/0/ with the login cookie and returns the parsed JSON, or undefined for an empty body. Example:
 * `apiFetch<RestStatus>('status/')`. Throws ApiError, or the abort reason.
 */
export async function apiFetch<Answer>(path: string, request: ApiRequest = {}): Promise<Answer> {
  const text = await (await send(path, request)).text()
  return (text ? JSON.parse(text) : undefined) as Answer
}

/** Like apiFetch, for lists. Pass `next` of the previous page as `cursor` in `query` to get the next page. */
export async function apiPage<Row>(path: string, request: ApiRequest = {}): Promise<ApiPage<Row>> {
  const response = await send(path, request)
  const hits = response.headers.get('x-hits')
  return {
    rows: (await response.json()) as Row[],
    next: nextCursor(response.headers.get('link')),
    hits: hits === null ? null : Number(hits),
  }
}
