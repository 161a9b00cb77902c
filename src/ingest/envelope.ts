import { randomBytes } from 'node:crypto'
import { MishapError } from '../base/errors.ts'
import type { Lane } from '../base/lane.ts'
import { releaseBytes } from '../base/release.ts'
import type { BodyReservation, RecordHead, RecordKind } from '../journal/journal.ts'
import type { IngestKey } from '../store/meta/meta.ts'
import { EnvelopeWalk } from '../wire/envelope.ts'
import { claimedCount, isBulk, itemKind, itemsMax, needsEventId } from '../wire/item-types.ts'
import { answerId, Refusal } from './answer.ts'
import { dsnAgrees, findKeyByDsn } from './key.ts'
import { envelopeHeadersBytesMax, LimitCheck, spoolBytesMin } from './limits.ts'
import { unlinkedAttachments } from './lone-attachments.ts'
import { type Limited, rateLimitHeader } from './rates.ts'
import type { Receiver } from './receive.ts'
import { answerFailure, dropSpool, fail, headOf, type IngestRequest, Overloaded } from './request.ts'

/** Receives the envelope route, and any body with the content type of an envelope. */
export const envelopeReceiver: Receiver = {
  small: (request, body) => {
    const walk = new EnvelopeWalk(itemsMax, envelopeHeadersBytesMax)
    try {
      walk.push(body)
      walk.end()
      const key = checkWalk(request, walk, new LimitCheck(), true)
      void accepted(request, key, walk, body)
    } catch (error) {
      fail(request, error, walk)
    }
  },
  large: async (request, chunks) => {
    const walk = new EnvelopeWalk(itemsMax, envelopeHeadersBytesMax)
    const limits = new LimitCheck()
    async function* watched() {
      for await (const chunk of chunks) {
        walk.push(chunk)
        checkWalk(request, walk, limits, false)
        yield chunk
      }
      walk.end()
      checkWalk(request, walk, limits, true)
    }
    try {
      const spool = await spoolOf(request, watched(), arrivingLane(walk))
      if (request.key) await accepted(request, request.key, walk, Buffer.alloc(0), spool)
    } catch (error) {
      fail(request, error, walk)
    }
  },
}

/**
 * Returns the lane of an envelope by the items that have arrived. It is bulk data only after its first MiB: an error behind
 * a few spans, with its large attachment, is then known to be one.
 */
function arrivingLane(walk: EnvelopeWalk): () => Lane {
  let seen = 0
  let lane: Lane = 'bulk'
  return () => {
    for (; lane === 'bulk' && seen < walk.items.length; seen++)
      if (!isBulk(walk.items[seen]?.type ?? '')) lane = 'events'
    return seen === 0 || walk.bytes <= spoolBytesMin ? 'events' : lane
  }
}

/**
 * Writes pieces to the blob store under a new key and leaves nothing behind on failure. Throws before reading if the
 * key must wait, and once more when the body turns out to be bulk data, which has no room beside a flood. Throws
 * ACCEPT_OVERLOADED or ACCEPT_DISK_FULL as soon as there is no more room for its lane, which is asked again after each
 * piece.
 */
export async function spoolOf(
  request: IngestRequest,
  chunks: AsyncIterable<Buffer>,
  lane: () => Lane = () => 'events',
): Promise<{ key: string; bytes: number }> {
  const day = new Date(request.receivedMs).toISOString().slice(0, 10).replaceAll('-', '')
  const key = `spool/${day}/${randomBytes(16).toString('hex')}`
  const { deps, share, bodyBytesMax } = request.core
  let checked: Lane | undefined
  const demandTurn = () => {
    if (checked === lane()) return
    checked = lane()
    const limited = request.key && share.waits(request.key, checked)
    if (limited) throw new Overloaded(limited)
  }
  demandTurn()
  const budget = reserveBudget(request, lane())
  async function* metered() {
    for await (const chunk of chunks) {
      if (lane() === 'bulk') demandTurn()
      budget.grow(chunk.length, lane())
      yield chunk
    }
  }
  try {
    const { bytes } = await deps.blobs.putStream(key, metered(), bodyBytesMax)
    request.budget = budget
    return { key, bytes }
  } catch (error) {
    budget.free()
    throw error
  }
}

/**
 * Reserves room in the journal and in the share of the key. Content-Length is reserved first, so that a refusal comes
 * before the body is read. An envelope that carries its own key reserves from that share with its first piece.
 */
function reserveBudget(request: IngestRequest, lane: Lane): BodyReservation {
  const { deps, share } = request.core
  const declared = Number(request.req.headers['content-length'] ?? 0)
  let key: IngestKey | undefined
  let reservedBytes = 0
  let receivedBytes = 0
  const reserve = () => {
    key ??= request.key
    const bytes = Math.max(declared, receivedBytes) - reservedBytes
    if (key === undefined || bytes <= 0) return
    const limited = share.reserve(key, bytes, deps.clock.now())
    if (limited) throw new Overloaded(limited)
    reservedBytes += bytes
  }
  const releaseShare = () => {
    if (key && reservedBytes > 0) share.release(key, reservedBytes)
    reservedBytes = 0
  }
  reserve()
  let budget: BodyReservation
  try {
    budget = deps.journal.reserve(declared, lane)
  } catch (error) {
    releaseShare()
    throw error
  }
  return {
    grow: (bytes, known) => {
      receivedBytes += bytes
      reserve()
      budget.grow(bytes, known)
    },
    free: () => {
      releaseShare()
      budget.free()
    },
  }
}

/**
 * Checks the parsed part of the envelope against all rules and throws a refusal. Authorizes by the `dsn` header as soon
 * as it is read. Returns the key at the end.
 */
function checkWalk(request: IngestRequest, walk: EnvelopeWalk, limits: LimitCheck, isLast: boolean): IngestKey {
  const { error, header } = walk
  if (error !== undefined) {
    if (error.kind === 'too_many_items') throw new Refusal('ACCEPT_TOO_LARGE', error.kind, [error.what])
    throw new Refusal('ACCEPT_ENVELOPE_MALFORMED', error.kind, [`byte ${error.at}: ${error.what}`])
  }
  const dsn = header?.dsn
  const snapshot = request.core.deps.keys()
  if (header !== undefined && request.key === undefined) {
    const found = findKeyByDsn(snapshot, dsn, request.target.route.projectId, request.origin)
    request.key = found.key
    if (found.error) throw found.error
  } else if (request.key && dsn !== undefined && !dsnAgrees(snapshot, dsn, request.key)) {
    throw new MishapError('ACCEPT_PROJECT_MISMATCH')
  }
  const over = limits.check(walk, isLast)
  if (over) throw new Refusal(over.code, over.reason, [over.what])
  if (request.key === undefined) {
    if (isLast) throw new MishapError('ACCEPT_KEY_MISSING')
    return noKey
  }
  return request.key
}

/** Placeholder while the envelope header is incomplete. Never leaves the caller of checkWalk. */
const noKey: IngestKey = { keyId: 0, projectId: 0, organizationId: 0, active: false, allowedOrigins: [] }

/** Applies the rate limits, appends to the journal, then answers. */
function accepted(
  request: IngestRequest,
  key: IngestKey,
  walk: EnvelopeWalk,
  body: Buffer,
  spool?: { key: string; bytes: number },
): Promise<void> | undefined {
  const head = headOf(request, key, 'envelope')
  const eventId = eventIdOf(walk, head)
  const { skip, limited } = limitItems(request, key, walk, spool?.bytes ?? body.length)
  if (skip) head.skip = skip
  if (spool) head.spool = spool
  if (walk.items.every(({ type }) => isBulk(type))) head.lane = 'bulk'
  // Nothing left to append: the envelope has no items, or all are rate limited.
  if (walk.items.length === (skip?.length ?? 0)) {
    request.answered = true
    const { items } = walk
    if (limited) {
      request.core.requestLog.add(request, { ...limitedAnswer(limited), items })
      answerLimited(request, key, limited)
    } else {
      request.core.requestLog.add(request, { status: 200, code: 'OK', eventId, items })
      request.core.ledger.use(key, request.receivedMs, null)
      answerId(request.res, eventId)
    }
    return spool ? dropSpool(request, spool.key) : undefined
  }
  return append(request, key, head, body, eventId, limited, walk)
}

/** Returns the id to answer. Creates one if an item needs it, and stores it in the head for refine. */
function eventIdOf(walk: EnvelopeWalk, head: RecordHead): string {
  const headerId = walk.header?.eventId
  if (headerId !== undefined) return headerId
  for (const item of walk.items) {
    if (!needsEventId(item.type, item.headers)) continue
    head.eventId = newEventId()
    return head.eventId
  }
  return ''
}

/** Returns a random UUID (version 4) as 32 lower-case hex digits. */
export function newEventId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

function limitItems(
  request: IngestRequest,
  key: IngestKey,
  walk: EnvelopeWalk,
  bodyBytes: number,
): { skip?: number[]; limited?: Limited } {
  const { core } = request
  // Check the journal share first: it applies to the whole envelope, before any budget is used.
  const lane = walk.items.every(({ type }) => isBulk(type)) ? 'bulk' : 'events'
  let limited = core.share.take(key, bodyBytes, core.deps.clock.now(), lane)
  const unlinked = unlinkedAttachments(walk.items)
  const isFree = key.rateLimit === undefined && core.deps.config.organizationEventsPerMinute === 0
  if (!limited && isFree && unlinked.size === 0) return {}
  const skip: number[] = []
  let quotaLimit: Limited | undefined
  for (let i = 0; i < walk.items.length; i++) {
    const item = walk.items[i]
    if (item === undefined) break
    const { category } = itemKind(item.type)
    // Client reports count lost items, so limiting them would hide the loss.
    if (category === 'internal') continue
    // Once the budget is used up, skip all further items: an attachment without its event is useless.
    limited ??= core.rates.take(key, request.receivedMs)
    if (!limited && unlinked.has(i))
      quotaLimit ??= core.attachmentQuota.take(key.projectId, item.bytes, request.receivedMs)
    const why = limited ?? (unlinked.has(i) ? quotaLimit : undefined)
    if (why === undefined) continue
    skip.push(i)
    core.ledger.count(key, category, 'rate_limited', why.reason, item.type, item.bytes, claimedCount(item))
  }
  const why = limited ?? quotaLimit
  return why ? { skip, limited: why } : {}
}

const limitedAnswer = ({ reason }: Limited) =>
  ({ status: 429, code: 'ACCEPT_RATE_LIMITED', reason, outcome: 'rate_limited' }) as const

/** Answers 429 with both headers. The items are already counted. */
function answerLimited(request: IngestRequest, key: IngestKey, limited: Limited): void {
  request.core.ledger.use(key, request.receivedMs, 'ACCEPT_RATE_LIMITED')
  const error = new MishapError('ACCEPT_RATE_LIMITED', { retryAfterS: limited.retryAfterS })
  answerFailure(request, error, ['x-sentry-rate-limits', rateLimitHeader(limited)])
}

async function append(
  request: IngestRequest,
  key: IngestKey,
  head: RecordHead,
  body: Buffer,
  eventId: string,
  limited: Limited | undefined,
  walk: EnvelopeWalk,
): Promise<void> {
  const { core } = request
  let jpos: number
  // From here on the record counts towards the lag instead.
  request.budget?.free()
  try {
    jpos = await core.deps.journal.append(head, body)
  } catch (error) {
    fail(request, error, walk)
    if (head.spool) await dropSpool(request, head.spool.key)
    return
  } finally {
    releaseBytes(body)
  }
  request.answered = true
  const { items } = walk
  const answer = limited ? limitedAnswer(limited) : { status: 200, code: 'OK' as const }
  core.requestLog.add(request, { ...answer, eventId, jpos, items, skip: head.skip })
  if (limited) return answerLimited(request, key, limited)
  core.ledger.use(key, request.receivedMs, null)
  answerId(request.res, eventId)
}

/**
 * Takes one item from the rate budget, for routes whose body is one item. If the budget is used up, answers and returns
 * false. `entries` is the number of parts in an attachment form, of items in an OTLP body, or of lines of a drain.
 */
export function takeRate(
  request: IngestRequest,
  key: IngestKey,
  kind: RecordKind,
  bytes: number,
  entries = 1,
): boolean {
  const { core, receivedMs } = request
  const limited =
    core.share.take(key, bytes, core.deps.clock.now(), isBulk(itemTypeOf[kind]) ? 'bulk' : 'events') ??
    core.rates.take(key, receivedMs) ??
    (kind === 'attachments' ? core.attachmentQuota.take(key.projectId, bytes, receivedMs, entries) : undefined)
  if (limited === undefined) return true
  const { category } = request.target.route
  // The parts of an attachment form are counted as one attachment.
  const quantity = kind === 'attachments' ? 1 : entries
  core.ledger.count(key, category, 'rate_limited', limited.reason, itemTypeOf[kind], bytes, quantity)
  core.requestLog.add(request, { ...limitedAnswer(limited), items: [{ type: itemTypeOf[kind], bytes }] })
  request.answered = true
  answerLimited(request, key, limited)
  return false
}

/** The item type of a record whose body is a single item, else ''. */
export const itemTypeOf: Record<RecordKind, string> = {
  envelope: '',
  store: 'event',
  security: 'raw_security',
  attachments: 'attachment',
  minidump: 'event',
  otlp: 'otlp',
  otlp_logs: 'otlp_logs',
  vercel_logs: 'vercel_logs',
  heroku_logs: 'heroku_logs',
  otlp_metrics: 'otlp_metrics',
  detection: 'detection',
  outcomes: '',
}
