import { MishapError } from '../base/errors.ts'
import type { Outgoing, OutgoingRequest } from '../base/outgoing.ts'
import { line } from './text.ts'
import { TrackerFailure } from './tracker.ts'

/** Statuses whose answers have no body: `Response` refuses a body for them. */
const bodiless = [204, 205, 304]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const wordsCharactersMax = 300
/** The longest pause that a service may ask for: a wrong clock must not stop a link for years. */
const pauseMsMax = 6 * 3_600_000

/**
 * A `fetch` through the guarded client. Redirects stay on the origin of the connection: another one would get the token.
 * Vendors' clients get it as their transport.
 */
export function guardedFetch(outgoing: Outgoing, base: string): typeof globalThis.fetch {
  const { origin } = new URL(base)
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const method = methods.find((candidate) => candidate === (init?.method ?? 'GET').toUpperCase())
    if (!method) throw new MishapError('OUTGOING_REFUSED', { detail: 'Unknown method.' })
    const request: OutgoingRequest = {
      method,
      url,
      headers: Object.fromEntries(new Headers(init?.headers).entries()),
      allows: (target) => target.origin === origin,
      ...(typeof init?.body === 'string' ? { body: init.body } : {}),
    }
    const answer = await outgoing.send(request)
    // `Response` throws for others, and each of them is something that a broken server can send.
    if (answer.status < 200 || answer.status > 599)
      throw new TrackerFailure('refused', `${answer.status}: this is not a status of HTTP`)
    const { 'content-encoding': _packed, 'content-length': _bytes, ...headers } = answer.headers
    return new Response(bodiless.includes(answer.status) ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers,
    })
  }
}

/** All texts of an error body, whatever its shape. */
function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 4) return []
  const { documentation_url: _link, ...rest } = value as Record<string, unknown>
  return Object.values(rest).flatMap((item) => textsOf(item, depth + 1))
}

/** The service's own words in an answer, as one line. */
export function wordsOf(status: number, body: unknown): string {
  const words = [...new Set(textsOf(body))].join(' · ')
  return line(`${status}${words ? `: ${words}` : ''}`, wordsCharactersMax)
}

/** How long a service asks to wait, in ms; undefined if it does not say. */
function pauseOf(headers: Headers, nowMs: number): number | undefined {
  const after = headers.get('retry-after')
  if (after !== null && /^\d{1,6}$/.test(after)) return Math.min(Number(after) * 1000, pauseMsMax)
  const reset = headers.get('x-ratelimit-reset')
  if (headers.get('x-ratelimit-remaining') === '0' && reset !== null && /^\d{1,13}$/.test(reset)) {
    const atMs = reset.length > 11 ? Number(reset) : Number(reset) * 1000
    return Math.min(Math.max(atMs - nowMs, 1_000), pauseMsMax)
  }
  return undefined
}

/** Redirects. Only those of reads on the same origin are followed, so one that arrives here was that of a write. */
const moved = [301, 302, 303, 307, 308]

/** Converts an answer with any status but 2xx. */
export function failureOf(status: number, headers: Headers, body: unknown, nowMs: number): TrackerFailure {
  const words = wordsOf(status, body)
  if (moved.includes(status))
    return new TrackerFailure('refused', `${words} · The repository or project has moved. Connect its new name.`)
  const pauseMs = pauseOf(headers, nowMs)
  if (status === 429 || (status === 403 && pauseMs !== undefined))
    return new TrackerFailure('limited', words, pauseMs ?? 60_000)
  if (status === 401) return new TrackerFailure('token', words)
  if (status === 404 || status === 410) return new TrackerFailure('missing', words)
  return new TrackerFailure('refused', words, pauseMs)
}

type JsonCall = { method?: string; headers: Record<string, string>; body?: unknown; nowMs: number }

/** Sends JSON and returns the parsed answer. Throws TrackerFailure for error statuses and for answers without JSON. */
export async function callJson(fetch: typeof globalThis.fetch, url: string, call: JsonCall): Promise<unknown> {
  const { method = 'GET', headers, body, nowMs } = call
  const answer = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch {
    // A login page or a proxy answered instead of the API.
    if (answer.ok) throw new TrackerFailure('refused', `${answer.status}: the answer is not JSON`)
    value = {}
  }
  if (!answer.ok) throw failureOf(answer.status, answer.headers, value, nowMs)
  return value
}

type Fields = Record<string, unknown>

/** Reads fields of an answer. A missing one is '', so that hostile or changed answers cannot throw elsewhere. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
/**
 * Returns a field that each good answer has. A login page or a proxy that answers 200 has none, and without it nothing
 * is known to be done. Throws TrackerFailure.
 */
export function demanded(value: unknown, name: string): string {
  const text = textOf(value)
  if (text !== '') return text
  throw new TrackerFailure('refused', `The answer has no ${name}, so it is not from the API. Check the address.`)
}

/** Throws TrackerFailure if reads were led from an old name to a new one: writes are not. */
export function demandName(target: string, current: string): void {
  if (current.toLowerCase() === target.toLowerCase()) return
  throw new TrackerFailure('refused', `${target} has moved and is now ${line(current, 200)}. Connect its new name.`)
}
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
