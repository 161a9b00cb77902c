import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { faultOf, type Observe, requestIdOf } from '../base/observe.ts'
import type { OutcomeReason } from '../base/outcome.ts'
import type { BodyReservation, JournalWriter, RecordHead, RecordKind } from '../journal/journal.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { IngestKey, KeySnapshot } from '../store/meta/meta.ts'
import type { EnvelopeWalk } from '../wire/envelope.ts'
import { claimedCount, itemKind } from '../wire/item-types.ts'
import { answerError, answerStatus, Refusal } from './answer.ts'
import type { Encoding, Inflater } from './body.ts'
import type { Ledger } from './ledger.ts'
import { slowBytesPerS, slowMs, unpackMs } from './limits.ts'
import type { AttachmentQuota } from './lone-attachments.ts'
import { type Limited, type Rates, rateLimitHeader } from './rates.ts'
import type { RequestLogBuffer } from './request-log.ts'
import type { Target } from './routes.ts'
import type { Share } from './share.ts'

export type IngestDeps = {
  config: Config
  clock: Clock
  observe: Observe
  journal: JournalWriter
  blobs: BlobStore
  keys: () => KeySnapshot
  /** Maximum inflated bytes of one body; default 200 MiB. Tests lower it. */
  bodyBytesMax?: number
}

/** State that all requests of one ingest share. */
export type Core = {
  deps: IngestDeps
  ledger: Ledger
  requestLog: RequestLogBuffer
  rates: Rates
  attachmentQuota: AttachmentQuota
  share: Share
  inflater: Inflater
  bodyBytesMax: number
  clientAddress: (req: IncomingMessage) => string
  /** Calls `run` at the end of this turn of the event loop. It must not throw. */
  afterTurn(run: () => void): void
}

/** One request in progress. */
export type IngestRequest = {
  core: Core
  req: IncomingMessage
  res: ServerResponse
  target: Target
  receivedMs: number
  /** Set once the request is authorized. An envelope can carry its own key. */
  key: IngestKey | undefined
  /** `name/version` of the SDK from its auth, or ''. */
  client: string
  /** Origin, else Referer, else ''. */
  origin: string
  contentType: string
  encoding: Encoding
  answered: boolean
  /** Bytes received on the wire so far. */
  wireBytes: number
  cancelTimer: (() => void) | undefined
  /** Deadline of the sender. Each received byte extends it. */
  dueMs: number
  /** The server is unpacking and writing received bytes, so the sender has to wait. */
  busy: boolean
  /** Room reserved for the body until a journal record names it. */
  budget?: BodyReservation
}

/** A key that must wait, detected before the body is read. */
export class Overloaded extends MishapError {
  readonly limited: Limited

  constructor(limited: Limited) {
    super('ACCEPT_RATE_LIMITED', { retryAfterS: limited.retryAfterS })
    this.limited = limited
  }
}

/** Starts the time-out of a sender: 30 s, extended while it sends fast enough. */
export function watchSlow(request: IngestRequest, waitMs = slowMs): void {
  const { clock } = request.core.deps
  request.cancelTimer = clock.after(waitMs, () => {
    const remainingMs = request.dueMs - clock.now()
    if (request.busy) watchSlow(request)
    else if (remainingMs > 1) watchSlow(request, Math.min(remainingMs, slowMs))
    else refuse(request, new MishapError('ACCEPT_TIMEOUT'))
  })
}

/** Counts received bytes and extends the deadline of the sender. */
export function arrived(request: IngestRequest, bytes: number): void {
  request.wireBytes += bytes
  const aheadMs = request.core.deps.clock.now() + slowMs
  request.dueMs = Math.min(aheadMs, request.dueMs + (bytes / slowBytesPerS) * 1000)
}

/** Replaces the sender's time-out with `unpackMs`: the body has arrived, and the server unpacks and writes it. */
export function watchUnpacking(request: IngestRequest): void {
  stopWatching(request)
  if (request.answered) return
  request.cancelTimer = request.core.deps.clock.after(unpackMs, () =>
    refuse(request, new MishapError('ACCEPT_OVERLOADED', { retryAfterS: 10 })),
  )
}

export function stopWatching(request: IngestRequest): void {
  request.cancelTimer?.()
  request.cancelTimer = undefined
}

const reasonOf: Partial<Record<MishapError['code'], OutcomeReason>> = {
  ACCEPT_KEY_MISSING: 'no_key',
  ACCEPT_AUTH_TWICE: 'no_key',
  ACCEPT_AUTH_VERSION: 'no_key',
  ACCEPT_KEY_MALFORMED: 'unknown_key',
  ACCEPT_KEY_UNKNOWN: 'unknown_key',
  ACCEPT_KEY_DISABLED: 'disabled_key',
  ACCEPT_PROJECT_MISMATCH: 'project_mismatch',
  ACCEPT_ORIGIN_REFUSED: 'origin',
  ACCEPT_ENCODING_UNKNOWN: 'bad_encoding',
  ACCEPT_ENCODING_BROKEN: 'bad_encoding',
  ACCEPT_TOO_LARGE: 'too_large',
  ACCEPT_BOMB: 'too_large',
  ACCEPT_ENVELOPE_MALFORMED: 'bad_envelope',
  ACCEPT_BODY_MALFORMED: 'bad_json',
  ACCEPT_MINIDUMP: 'bad_item',
  ACCEPT_TIMEOUT: 'bad_envelope',
  ACCEPT_OVERLOADED: 'overloaded',
  ACCEPT_RATE_LIMITED: 'overloaded',
  ACCEPT_DISK_FULL: 'disk_full',
  NOT_FOUND: 'not_stored_yet',
  INTERNAL: 'failed',
}

/** A refused body is read and discarded up to this limit, so that the client sees the answer and not a reset. */
const drainBytesMax = 8 * 1024 * 1024

/**
 * Answers a request with an error once and counts it. If the envelope was read, each item of `walk` counts. Otherwise
 * the request counts as one item of the route's category.
 */
export function refuse(request: IngestRequest, error: MishapError, walk?: EnvelopeWalk): void {
  if (request.answered) return
  request.answered = true
  stopWatching(request)
  const { core, req, res, key, target } = request
  const reason = error instanceof Refusal ? error.reason : (reasonOf[error.code] ?? 'failed')
  // 503 and 429 both mean refused for load, not for content: the sender can retry.
  const outcome =
    error.status === 503 || error.status === 429 ? 'rate_limited' : reason === 'not_stored_yet' ? 'filtered' : 'invalid'
  if (walk === undefined || walk.items.length === 0) {
    core.ledger.count(key, target.route.category, outcome, reason, '', request.wireBytes)
  } else {
    for (const item of walk.items)
      core.ledger.count(key, itemKind(item.type).category, outcome, reason, item.type, item.bytes, claimedCount(item))
  }
  if (key) core.ledger.use(key, request.receivedMs, error.code)
  core.requestLog.add(request, { status: error.status, code: error.code, reason, outcome, items: walk?.items ?? [] })
  const more = error.status === 503 && error.retryAfterS === undefined ? ['retry-after', '30'] : []
  if (error instanceof Overloaded) more.push('x-sentry-rate-limits', rateLimitHeader(error.limited))
  if (error.code === 'ACCEPT_TIMEOUT') {
    res.shouldKeepAlive = false
    res.once('finish', () => req.destroy())
  } else drain(core, req)
  if (!res.headersSent && !res.destroyed) answerFailure(request, error, more)
}

/** Answers an error in the form that the clients of the route expect. `more` lists further headers. */
export function answerFailure({ res, target, contentType }: IngestRequest, error: MishapError, more: string[]): void {
  if (target.route.name === 'otlp') answerStatus(res, contentType, error, more)
  else answerError(res, error, more)
}

export function drain(core: Core, req: IncomingMessage): void {
  if (req.complete || req.destroyed) return
  let bytes = 0
  // The listener has no time-out, so a refused client that stalls is disconnected here.
  const cancel = core.deps.clock.after(slowMs, () => req.destroy())
  req.once('close', cancel)
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > drainBytesMax) req.destroy()
  })
  req.resume()
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Answers a failed request. Unexpected errors are logged without body content and answered as INTERNAL. */
export function fail(request: IngestRequest, error: unknown, walk?: EnvelopeWalk) {
  if (request.req.destroyed && !request.req.complete) {
    // The client disconnected before the end: nothing was stored and there is nobody to answer.
    request.answered = true
    return stopWatching(request)
  }
  if (error instanceof MishapError) return refuse(request, error, walk)
  // Bodies over 1 MiB go to the blob store. Its disk can fill up before that of the journal.
  if (fullCodes.has(String((error as NodeJS.ErrnoException | undefined)?.code)))
    return refuse(request, new MishapError('ACCEPT_DISK_FULL', { retryAfterS: 60 }), walk)
  const requestId = requestIdOf(request.req.headers)
  const { observe } = request.core.deps
  const fields = { requestId, route: request.target.route.name, error: faultOf(error) }
  observe.error(fields, 'A request failed in ingest.')
  refuse(request, new MishapError('INTERNAL', { causes: [`request ${requestId}`] }), walk)
}

/** Deletes a spooled body that no record names. A failure is logged and leaves one orphan. */
export async function dropSpool(request: IngestRequest, key: string): Promise<void> {
  const { blobs, observe } = request.core.deps
  request.budget?.free()
  await blobs.delete(key).catch((error: unknown) => {
    observe.warn(
      { key, error: error instanceof Error ? error.message : 'unknown' },
      'A spooled body could not be deleted.',
    )
  })
}

const hintNames = [
  'sec-ch-ua',
  'sec-ch-ua-arch',
  'sec-ch-ua-bitness',
  'sec-ch-ua-form-factors',
  'sec-ch-ua-full-version',
  'sec-ch-ua-full-version-list',
  'sec-ch-ua-mobile',
  'sec-ch-ua-model',
  'sec-ch-ua-platform',
  'sec-ch-ua-platform-version',
  'sec-ch-ua-wow64',
]

/** Builds the head of the journal record for a request. */
export function headOf(request: IngestRequest, key: IngestKey, kind: RecordKind): RecordHead {
  const { req, core } = request
  const { headers } = req
  const head: RecordHead = {
    kind,
    // Now, not when the request began: a slow body would come into the journal behind records that are marked as later, and
    // alert rules have judged their minute by then.
    receivedMs: core.deps.clock.now(),
    projectId: key.projectId,
    organizationId: key.organizationId,
    keyId: key.keyId,
    clientAddress: core.clientAddress(req),
    userAgent: headers['user-agent'] ?? '',
    origin: request.origin,
    contentType: request.contentType,
  }
  if (headers['sec-ch-ua'] !== undefined || headers['sec-ch-ua-platform'] !== undefined) {
    const hints: Record<string, string> = {}
    for (const name of hintNames) {
      const value = headers[name]
      if (typeof value === 'string') hints[name] = value
    }
    head.clientHints = hints
  }
  return head
}
