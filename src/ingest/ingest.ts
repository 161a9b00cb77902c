import type { IncomingMessage, ServerResponse } from 'node:http'
import { MishapError } from '../base/errors.ts'
import { createClientAddress } from '../base/network.ts'
import type { OutcomeCount } from '../base/outcome.ts'
import type { RequestLogEntry } from '../journal/request-log.ts'
import { envelopeBytesMax } from '../wire/item-types.ts'
import { readBoundary } from '../wire/multipart.ts'
import { type OtlpSignal, otlpFormatOf } from '../wire/otlp.ts'
import { answerPreflight, Refusal } from './answer.ts'
import { attachmentsReceiver, isSecurityType, securityReceiver, storeReceiver, takeStore } from './append.ts'
import { createInflater, readEncoding } from './body.ts'
import { dialogTarget, handleDialog, isDialogPath } from './dialog.ts'
import { envelopeReceiver } from './envelope.ts'
import { findKey, readAuth } from './key.ts'
import { createLedger, type KeyUse } from './ledger.ts'
import { createAttachmentQuota } from './lone-attachments.ts'
import { minidumpReceiver } from './minidump.ts'
import { otlpReceiver } from './otlp.ts'
import { createRates } from './rates.ts'
import { type Receiver, receive } from './receive.ts'
import { answerFailure, type Core, drain, fail, type IngestDeps, type IngestRequest, refuse } from './request.ts'
import { createRequestLogBuffer, type RequestLogBuffer } from './request-log.ts'
import { allowOf, createTargets, type Target } from './routes.ts'
import { createShare } from './share.ts'

/** The HTTP ingest: authorizes the sender, appends to the journal and answers. */
export type Ingest = {
  /**
   * Answers a request whose URL belongs to ingest and must never reach the web pages. Returns false for any other URL.
   * Never throws: every failure gets an answer.
   */
  handle(req: IncomingMessage, res: ServerResponse): boolean
  /** Returns and clears the summed refusals (invalid, rate_limited, filtered) since the last call. */
  drainOutcomes(): OutcomeCount[]
  /** Returns keys used since the last call: at most one accepted and one refused use per key, by time. */
  drainUses(): KeyUse[]
  /** Returns and clears entries for the request log: the newest requests of each key since the last call. */
  drainRequestLog(): RequestLogEntry[]
  /** Requests by status and code since the process started. */
  answers(): ReturnType<RequestLogBuffer['answers']>
}

/**
 * Creates the ingest. It answers 200 only after the journal append has resolved. The caller drains `drainOutcomes` and
 * `drainUses` into the journal once a second.
 */
export function createIngest(deps: IngestDeps): Ingest {
  const addressOf = createClientAddress(deps.config.trustedProxies)
  const core: Core = {
    deps,
    ledger: createLedger(),
    requestLog: createRequestLogBuffer(),
    rates: createRates(deps.config.organizationEventsPerMinute),
    attachmentQuota: createAttachmentQuota(deps.config.attachmentBytesPerHour),
    share: createShare(deps.journal, deps.config.journalBytesMax),
    inflater: createInflater(),
    bodyBytesMax: deps.bodyBytesMax ?? envelopeBytesMax,
    afterTurn: createTurnQueue(),
    clientAddress: ({ socket, headers }) => addressOf(socket.remoteAddress, headers['x-forwarded-for']),
  }
  const targetOf = createTargets()
  return {
    handle: (req, res) => {
      const url = req.url ?? ''
      if (!url.startsWith('/api/')) return false
      const target = targetOf(url) ?? (isDialogPath(url) ? dialogTarget(url) : undefined)
      if (target === undefined) return false
      handle(core, target, req, res)
      return true
    },
    drainOutcomes: () => core.ledger.drainOutcomes(),
    drainUses: () => core.ledger.drainUses(),
    drainRequestLog: () => core.requestLog.drain(),
    answers: () => core.requestLog.answers(),
  }
}

const otlpReceivers = { traces: otlpReceiver('traces'), logs: otlpReceiver('logs') } satisfies Record<
  OtlpSignal,
  Receiver
>

/** Makes a queue with one immediate for all calls of a turn. */
function createTurnQueue(): (run: () => void) => void {
  let queue: (() => void)[] = []
  const flush = () => {
    const due = queue
    queue = []
    for (const run of due) run()
  }
  return (run) => {
    if (queue.push(run) === 1) setImmediate(flush)
  }
}

function handle(core: Core, target: Target, req: IncomingMessage, res: ServerResponse) {
  if (req.method === 'OPTIONS') {
    drain(core, req)
    return answerPreflight(res)
  }
  const { headers } = req
  const request: IngestRequest = {
    core,
    req,
    res,
    target,
    receivedMs: core.deps.clock.now(),
    key: undefined,
    client: '',
    origin: headers.origin ?? headers.referer ?? '',
    contentType: headers['content-type'] ?? '',
    encoding: 'identity',
    answered: false,
    wireBytes: 0,
    cancelTimer: undefined,
    dueMs: 0,
    busy: false,
  }
  try {
    if (target.isDialog) handleDialog(request)
    else begin(request)
  } catch (error) {
    fail(request, error)
  }
}

function begin(request: IngestRequest) {
  const { req, target, core } = request
  const { name, projectId } = target.route
  if (name === 'later' || name === 'unknown') return refuseUnknownRoute(request)
  const get = req.method === 'GET' && name === 'store'
  if (req.method !== 'POST' && !get) {
    drain(core, req)
    return answerFailure(request, new MishapError('ACCEPT_METHOD'), ['allow', allowOf(name)])
  }
  const asEnvelope =
    name === 'envelope' || (name === 'store' && request.contentType.startsWith('application/x-sentry-envelope'))
  const auth = readAuth(req.headers, target)
  if (auth !== undefined) {
    request.client = auth.client
    const found = findKey(core.deps.keys(), auth, projectId, request.origin)
    request.key = found.key
    if (found.error) throw found.error
  } else if (!asEnvelope) throw new MishapError('ACCEPT_KEY_MISSING')
  const encoding = readEncoding(req.headers['content-encoding'])
  if (encoding === undefined) throw new MishapError('ACCEPT_ENCODING_UNKNOWN')
  request.encoding = encoding
  if (get) {
    drain(core, req)
    return takeStore(request, Buffer.from(target.query.get('sentry_data') ?? ''), true)
  }
  if (asEnvelope) receive(request, envelopeReceiver)
  else if (name === 'store') receive(request, storeReceiver)
  else if (name === 'security') {
    if (!isSecurityType(request.contentType)) throw new MishapError('ACCEPT_ENCODING_UNKNOWN')
    receive(request, securityReceiver)
  } else if (name === 'minidump') receive(request, minidumpReceiver)
  else if (name === 'otlp') {
    if (otlpFormatOf(request.contentType) === undefined) throw new MishapError('ACCEPT_ENCODING_UNKNOWN')
    receive(request, otlpReceivers[target.route.signal ?? 'traces'])
  } else {
    if (target.route.eventId === '') {
      throw new Refusal('ACCEPT_BODY_MALFORMED', 'bad_event_id', [], 'The event id in the path is not a UUID.')
    }
    if (readBoundary(request.contentType) === undefined) throw new MishapError('ACCEPT_ENCODING_UNKNOWN')
    receive(request, attachmentsReceiver)
  }
}

/** Refuses routes that other servers have. Counts each refusal, with the project if known. */
function refuseUnknownRoute(request: IngestRequest): void {
  const { target, core, req } = request
  const auth = readAuth(req.headers, target)
  if (auth !== undefined) {
    const found = findKey(core.deps.keys(), auth, target.route.projectId, request.origin)
    request.key = found.error ? undefined : found.key
  }
  const later = target.route.name === 'later'
  const detail = later ? 'Mishap does not have this ingest route yet.' : 'There is no such ingest route.'
  const reason = later ? 'not_stored_yet' : 'unknown_item_type'
  refuse(request, new Refusal('NOT_FOUND', reason, ['Send envelopes to /api/{project id}/envelope/.'], detail))
}
