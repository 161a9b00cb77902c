import type { ServerResponse } from 'node:http'
import type { ErrorCode, MishapError } from '../base/errors.ts'
import { errorBody, MishapError as Failure } from '../base/errors.ts'
import type { OutcomeReason } from '../base/outcome.ts'
import { encodeStatus, otlpContentType, otlpFormatOf, rpcCodeOf } from '../wire/otlp.ts'

/** A refusal with its own outcome reason, for errors whose code alone does not determine the reason. */
export class Refusal extends Failure {
  readonly reason: OutcomeReason
  constructor(code: ErrorCode, reason: OutcomeReason, causes: string[] = [], detail?: string) {
    super(code, detail === undefined ? { causes } : { causes, detail })
    this.reason = reason
  }
}

/** Browsers see rate limits only when these headers are exposed. */
const cors = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'x-sentry-error, x-sentry-rate-limits, retry-after',
  'cross-origin-resource-policy',
  'cross-origin',
]
const json = [...cors, 'content-type', 'application/json']
const idHeaders = [...json, 'content-length', '41']
const noIdHeaders = [...json, 'content-length', '2']
const emptyHeaders = [...cors, 'content-length', '0']
const preflightHeaders = [
  ...cors,
  'access-control-allow-methods',
  'GET, POST, OPTIONS',
  'access-control-allow-headers',
  'x-sentry-auth, x-requested-with, x-forwarded-for, origin, referer, accept, content-type, authentication, authorization, content-encoding, transfer-encoding, sentry-trace, baggage, traceparent',
  'access-control-max-age',
  '3600',
]
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const gifHeaders = [
  ...cors,
  'content-type',
  'image/gif',
  'cache-control',
  'no-store',
  'content-length',
  String(gif.length),
]

/** 200 `{"id":"<32 hex>"}`, or `{}` when `eventId` is ''. Head and body leave in one write. */
export function answerId(res: ServerResponse, eventId: string): void {
  if (eventId === '') {
    res.writeHead(200, noIdHeaders)
    res.end('{}', 'latin1')
  } else {
    res.writeHead(200, idHeaders)
    res.end(`{"id":"${eventId}"}`, 'latin1')
  }
}

/** Answers 200 with one line of plain text. Mishap chooses the text: the id that crash reporters display. */
export function answerText(res: ServerResponse, text: string): void {
  res.writeHead(200, [...cors, 'content-type', 'text/plain', 'content-length', String(Buffer.byteLength(text))])
  res.end(text)
}

/** Answers with bytes of a content type. `more` lists further headers as name, value, name, value. */
export function answerBytes(
  res: ServerResponse,
  status: number,
  contentType: string,
  body: Buffer,
  more: readonly string[] = [],
): void {
  res.writeHead(status, [...cors, 'content-type', contentType, 'content-length', String(body.length), ...more])
  res.end(body)
}

/** Answers without a body: 200 for security reports, 201 for attachments. */
export function answerEmpty(res: ServerResponse, status: number): void {
  res.writeHead(status, emptyHeaders)
  res.end()
}

/** Answers with a GIF of one transparent pixel. GET /store/ has always returned this image. */
export function answerGif(res: ServerResponse): void {
  res.writeHead(200, gifHeaders)
  res.end(gif)
}

/** Answers an OPTIONS request. Preflights get this answer before any authorization. */
export function answerPreflight(res: ServerResponse): void {
  res.writeHead(204, preflightHeaders)
  res.end()
}

/**
 * Answers with `{detail, code, causes}` and the status of the error. Sets X-Sentry-Error, and Retry-After in seconds if
 * the error has it. `more` lists further headers as name, value, name, value.
 */
export function answerError(res: ServerResponse, error: MishapError, more: string[] = []): void {
  const body = Buffer.from(JSON.stringify(errorBody(error)))
  const headers = [...json, 'content-length', String(body.length), 'x-sentry-error', headerText(error.message), ...more]
  if (error.retryAfterS !== undefined) headers.push('retry-after', String(error.retryAfterS))
  res.writeHead(error.status, headers)
  res.end(body)
}

/**
 * Answers an OTLP request with an error as google.rpc.Status, in the encoding of its content type or else in JSON. The
 * message begins with our stable code. The headers are those of `answerError`.
 */
export function answerStatus(res: ServerResponse, contentType: string, error: MishapError, more: string[] = []): void {
  const format = otlpFormatOf(contentType) ?? 'json'
  const { detail, code, causes } = errorBody(error)
  const body = encodeStatus(format, rpcCodeOf(error.status), `${code}: ${[detail, ...causes].join(' ')}`)
  const headers = ['x-sentry-error', headerText(error.message), ...more]
  if (error.retryAfterS !== undefined) headers.push('retry-after', String(error.retryAfterS))
  answerBytes(res, error.status, otlpContentType[format], body, headers)
}

/** Header values are printable ASCII. Any other character could end the header. */
function headerText(text: string): string {
  return text.slice(0, 500).replace(/[^\x20-\x7e]/g, '?')
}
