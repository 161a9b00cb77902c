import { randomBytes } from 'node:crypto'
import { MishapError } from '../base/errors.ts'
import type { RecordHead, RecordKind, Room } from '../journal/journal.ts'
import type { IngestKey } from '../store/meta/meta.ts'
import { EnvelopeWalk } from '../wire/envelope.ts'
import { claimedCount, itemKind, itemsMax, needsEventId } from '../wire/item-types.ts'
import { answerError, answerId, Refusal } from './answer.ts'
import { dsnAgrees, findKeyByDsn } from './key.ts'
import { envelopeHeadersBytesMax, LimitCheck } from './limits.ts'
import { loneAttachments } from './lone-attachments.ts'
import { type Limited, rateLimitHeader } from './rates.ts'
import type { Receiver } from './receive.ts'
import { dropSpool, fail, headOf, type IngestRequest, Overloaded } from './request.ts'

/** Receives the envelope route, and any body with the content type of an envelope. */
export const envelopeReceiver: Receiver = {
  small: (intake, body) => {
    const walk = new EnvelopeWalk(itemsMax, envelopeHeadersBytesMax)
    try {
      walk.push(body)
      walk.end()
      const key = checkWalk(intake, walk, new LimitCheck(), true)
      void accepted(intake, key, walk, body)
    } catch (error) {
      fail(intake, error, walk)
    }
  },
  large: async (intake, pieces) => {
    const walk = new EnvelopeWalk(itemsMax, envelopeHeadersBytesMax)
    const limits = new LimitCheck()
    async function* watched() {
      for await (const piece of pieces) {
        walk.push(piece)
        checkWalk(intake, walk, limits, false)
        yield piece
      }
      walk.end()
      checkWalk(intake, walk, limits, true)
    }
    try {
      const spool = await spoolOf(intake, watched())
      if (intake.key) await accepted(intake, intake.key, walk, Buffer.alloc(0), spool)
    } catch (error) {
      fail(intake, error, walk)
    }
  },
}

/**
 * Writes pieces to the blob store under a new key and leaves nothing behind on failure. Throws before reading if the
 * key must wait. Throws ACCEPT_OVERLOADED or ACCEPT_DISK_FULL as soon as there is no more room.
 */
export async function spoolOf(
  intake: IngestRequest,
  pieces: AsyncIterable<Buffer>,
): Promise<{ key: string; bytes: number }> {
  const day = new Date(intake.receivedMs).toISOString().slice(0, 10).replaceAll('-', '')
  const key = `spool/${day}/${randomBytes(16).toString('hex')}`
  const { deps, share, bodyBytesMax } = intake.core
  const limited = intake.key && share.waits(intake.key)
  if (limited) throw new Overloaded(limited)
  const room = roomOf(intake)
  async function* taken() {
    for await (const piece of pieces) {
      room.grow(piece.length)
      yield piece
    }
  }
  try {
    const { bytes } = await deps.blobs.putStream(key, taken(), bodyBytesMax)
    intake.room = room
    return { key, bytes }
  } catch (error) {
    room.free()
    throw error
  }
}

/**
 * Reserves room in the journal and in the share of the key. Content-Length is reserved first, so that a refusal comes
 * before the body is read. An envelope that carries its own key reserves from that share with its first piece.
 */
function roomOf(intake: IngestRequest): Room {
  const { deps, share } = intake.core
  const declared = Number(intake.req.headers['content-length'] ?? 0)
  let key: IngestKey | undefined
  let held = 0
  let own = 0
  const hold = () => {
    key ??= intake.key
    const bytes = Math.max(declared, own) - held
    if (key === undefined || bytes <= 0) return
    const limited = share.hold(key, bytes, deps.clock.now())
    if (limited) throw new Overloaded(limited)
    held += bytes
  }
  const giveBack = () => {
    if (key && held > 0) share.release(key, held)
    held = 0
  }
  hold()
  let room: Room
  try {
    room = deps.journal.room(declared)
  } catch (error) {
    giveBack()
    throw error
  }
  return {
    grow: (bytes) => {
      own += bytes
      hold()
      room.grow(bytes)
    },
    free: () => {
      giveBack()
      room.free()
    },
  }
}

/**
 * Checks the parsed part of the envelope against all rules and throws a refusal. Authorizes by the `dsn` header as soon
 * as it is read. Returns the key at the end.
 */
function checkWalk(intake: IngestRequest, walk: EnvelopeWalk, limits: LimitCheck, end: boolean): IngestKey {
  const { error, header } = walk
  if (error !== undefined) {
    if (error.kind === 'too_many_items') throw new Refusal('ACCEPT_TOO_LARGE', error.kind, [error.what])
    throw new Refusal('ACCEPT_ENVELOPE_MALFORMED', error.kind, [`byte ${error.at}: ${error.what}`])
  }
  const dsn = header?.dsn
  const snapshot = intake.core.deps.keys()
  if (header !== undefined && intake.key === undefined) {
    const found = findKeyByDsn(snapshot, dsn, intake.target.route.projectId, intake.origin)
    intake.key = found.key
    if (found.error) throw found.error
  } else if (intake.key && dsn !== undefined && !dsnAgrees(snapshot, dsn, intake.key)) {
    throw new MishapError('ACCEPT_PROJECT_MISMATCH')
  }
  const over = limits.check(walk, end)
  if (over) throw new Refusal(over.code, over.reason, [over.what])
  if (intake.key === undefined) {
    if (end) throw new MishapError('ACCEPT_KEY_MISSING')
    return noKey
  }
  return intake.key
}

/** Placeholder while the envelope header is incomplete. Never leaves the caller of checkWalk. */
const noKey: IngestKey = { keyId: 0, projectId: 0, organizationId: 0, active: false, allowedOrigins: [] }

/** Applies the rate limits, appends to the journal, then answers. */
function accepted(
  intake: IngestRequest,
  key: IngestKey,
  walk: EnvelopeWalk,
  body: Buffer,
  spool?: { key: string; bytes: number },
): Promise<void> | undefined {
  const head = headOf(intake, key, 'envelope')
  const eventId = eventIdOf(walk, head)
  const { skip, limited } = takeRates(intake, key, walk, spool?.bytes ?? body.length)
  if (skip) head.skip = skip
  if (spool) head.spool = spool
  // Nothing left to append: the envelope has no items, or all are rate limited.
  if (walk.items.length === (skip?.length ?? 0)) {
    intake.answered = true
    const { items } = walk
    if (limited) {
      intake.core.notes.add(intake, { ...limitedEnd(limited), items })
      answerLimited(intake, key, limited)
    } else {
      intake.core.notes.add(intake, { status: 200, code: 'OK', eventId, items })
      intake.core.ledger.use(key, intake.receivedMs, null)
      answerId(intake.res, eventId)
    }
    return spool ? dropSpool(intake, spool.key) : undefined
  }
  return append(intake, key, head, body, eventId, limited, walk)
}

/** Returns the id to answer. Creates one if an item needs it, and stores it in the head for refine. */
function eventIdOf(walk: EnvelopeWalk, head: RecordHead): string {
  const given = walk.header?.eventId
  if (given !== undefined) return given
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

function takeRates(
  intake: IngestRequest,
  key: IngestKey,
  walk: EnvelopeWalk,
  bodyBytes: number,
): { skip?: number[]; limited?: Limited } {
  const { core } = intake
  // Check the journal share first: it applies to the whole envelope, before any budget is used.
  let limited = core.share.take(key, bodyBytes, intake.receivedMs)
  const lone = loneAttachments(walk.items)
  const isFree = key.rateLimit === undefined && core.deps.config.organizationEventsPerMinute === 0
  if (!limited && isFree && lone.size === 0) return {}
  const skip: number[] = []
  let ofLone: Limited | undefined
  for (let i = 0; i < walk.items.length; i++) {
    const item = walk.items[i]
    if (item === undefined) break
    const { category } = itemKind(item.type)
    // Client reports count lost items, so limiting them would hide the loss.
    if (category === 'internal') continue
    // Once the budget is used up, skip all further items: an attachment without its event is useless.
    limited ??= core.rates.take(key, intake.receivedMs)
    if (!limited && lone.has(i)) ofLone ??= core.lone.take(key.projectId, item.bytes, intake.receivedMs)
    const why = limited ?? (lone.has(i) ? ofLone : undefined)
    if (why === undefined) continue
    skip.push(i)
    core.ledger.count(key, category, 'rate_limited', why.reason, item.type, item.bytes, claimedCount(item))
  }
  const why = limited ?? ofLone
  return why ? { skip, limited: why } : {}
}

const limitedEnd = ({ reason }: Limited) =>
  ({ status: 429, code: 'ACCEPT_RATE_LIMITED', reason, outcome: 'rate_limited' }) as const

/** Answers 429 with both headers. The items are already counted. */
function answerLimited(intake: IngestRequest, key: IngestKey, limited: Limited): void {
  intake.core.ledger.use(key, intake.receivedMs, 'ACCEPT_RATE_LIMITED')
  const error = new MishapError('ACCEPT_RATE_LIMITED', { retryAfterS: limited.retryAfterS })
  answerError(intake.res, error, ['x-sentry-rate-limits', rateLimitHeader(limited)])
}

async function append(
  intake: IngestRequest,
  key: IngestKey,
  head: RecordHead,
  body: Buffer,
  eventId: string,
  limited: Limited | undefined,
  walk: EnvelopeWalk,
): Promise<void> {
  const { core } = intake
  let jpos: number
  // From here on the record counts towards the lag instead.
  intake.room?.free()
  try {
    jpos = await core.deps.journal.append(head, body)
  } catch (error) {
    fail(intake, error, walk)
    if (head.spool) await dropSpool(intake, head.spool.key)
    return
  }
  intake.answered = true
  const { items } = walk
  const end = limited ? limitedEnd(limited) : { status: 200, code: 'OK' as const }
  core.notes.add(intake, { ...end, eventId, jpos, items, skip: head.skip })
  if (limited) return answerLimited(intake, key, limited)
  core.ledger.use(key, intake.receivedMs, null)
  answerId(intake.res, eventId)
}

/**
 * Takes one item from the rate budget, for routes whose body is one item. If the budget is used up, answers and returns
 * false. `files` is the number of parts in an attachment form.
 */
export function takeOne(intake: IngestRequest, key: IngestKey, kind: RecordKind, bytes: number, files = 1): boolean {
  const { core, receivedMs } = intake
  const limited =
    core.share.take(key, bytes, receivedMs) ??
    core.rates.take(key, receivedMs) ??
    (kind === 'attachments' ? core.lone.take(key.projectId, bytes, receivedMs, files) : undefined)
  if (limited === undefined) return true
  core.ledger.count(key, intake.target.route.category, 'rate_limited', limited.reason, itemTypeOf[kind], bytes)
  core.notes.add(intake, { ...limitedEnd(limited), items: [{ type: itemTypeOf[kind], bytes }] })
  intake.answered = true
  answerLimited(intake, key, limited)
  return false
}

/** The item type of a record whose body is a single item, else ''. */
export const itemTypeOf: Record<RecordKind, string> = {
  envelope: '',
  store: 'event',
  security: 'raw_security',
  attachments: 'attachment',
  minidump: 'event',
  outcomes: '',
}
