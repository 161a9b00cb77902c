import { inflateSync } from 'node:zlib'
import type { AcceptKey } from '../auth/keys.ts'
import { MishapError } from '../base/errors.ts'
import type { RecordHead } from '../journal/journal.ts'
import { normalizeId } from '../wire/ids.ts'
import { attachmentsMax, eventBytesMax } from '../wire/item-types.ts'
import { MultipartScan, parseMultipart, readBoundary } from '../wire/multipart.ts'
import { answerEmpty, answerGif, answerId, Refusal } from './answer.ts'
import { itemTypeOf, newEventId, spoolOf, takeOne } from './envelope.ts'
import { storeBytesMax } from './limits.ts'
import type { Receiver } from './receive.ts'
import { dropSpool, fail, headOf, type Intake } from './request.ts'

/** Appends one record and answers once it is on disk. */
export async function keep(
  intake: Intake,
  key: AcceptKey,
  head: RecordHead,
  body: Buffer,
  answer: () => void,
): Promise<void> {
  const { core } = intake
  let jpos: number
  intake.room?.free()
  try {
    jpos = await core.deps.journal.append(head, body)
  } catch (error) {
    fail(intake, error)
    if (head.spool) await dropSpool(intake, head.spool.key)
    return
  }
  intake.answered = true
  core.ledger.use(key, intake.receivedMs, null)
  const items = [{ type: itemTypeOf[head.kind], bytes: head.spool?.bytes ?? body.length }]
  const status = head.kind === 'attachments' ? 201 : 200
  core.notes.add(intake, { status, code: 'OK', eventId: head.eventId ?? '', jpos, items })
  answer()
}

/** POST /store/: one event as JSON, as base64 of it, or as base64 of its zlib form. */
export const storeReceiver: Receiver = {
  bytesMax: storeBytesMax,
  small: (intake, body) => {
    try {
      takeStore(intake, body, false)
    } catch (error) {
      fail(intake, error)
    }
  },
}

/**
 * Decodes an event as /store/ takes it, finds or makes its id, keeps and answers it; a GET is answered by a picture.
 * Throws ACCEPT_BODY_MALFORMED and ACCEPT_TOO_LARGE.
 */
export function takeStore(intake: Intake, body: Buffer, picture: boolean): void {
  const { key } = intake
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  const json = decodeStore(body, intake.contentType)
  if (json.length > eventBytesMax)
    throw new Refusal('ACCEPT_TOO_LARGE', 'too_large', [`the event is over ${eventBytesMax} bytes`])
  const eventId = readEventId(json)
  if (!takeOne(intake, key, 'store', json.length)) return
  const head = headOf(intake, key, 'store')
  head.eventId = eventId
  void keep(intake, key, head, json, () => (picture ? answerGif(intake.res) : answerId(intake.res, eventId)))
}

const openBrace = 0x7b

function decodeStore(body: Buffer, contentType: string): Buffer {
  const at = firstOf(body)
  if (at === body.length) throw new MishapError('ACCEPT_BODY_MALFORMED')
  if (body[at] === openBrace) return body
  let text = body.toString('latin1', at).trim()
  // An old client's form body.
  if (contentType.startsWith('application/x-www-form-urlencoded') && text.startsWith('sentry_data=')) {
    text = new URLSearchParams(text).get('sentry_data') ?? ''
    if (text.startsWith('{')) return Buffer.from(text)
  }
  // A plus that went through a query came out as a blank.
  const decoded = Buffer.from(text.replaceAll(' ', '+'), 'base64')
  if (decoded[firstOf(decoded)] === openBrace) return decoded
  try {
    return inflateSync(decoded, { maxOutputLength: eventBytesMax })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw new MishapError('ACCEPT_BOMB')
    throw new MishapError('ACCEPT_BODY_MALFORMED')
  }
}

/** Position of the first byte that is no JSON blank; the length when there is none. */
function firstOf(body: Buffer): number {
  let i = 0
  while (i < body.length) {
    const c = body[i]
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) break
    i++
  }
  return i
}

function readEventId(json: Buffer): string {
  let value: unknown
  try {
    value = JSON.parse(json.toString())
  } catch {
    throw new MishapError('ACCEPT_BODY_MALFORMED')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MishapError('ACCEPT_BODY_MALFORMED')
  return ('event_id' in value ? normalizeId(value.event_id) : undefined) ?? newEventId()
}

const securityTypes = new Set([
  '',
  'application/csp-report',
  'application/json',
  'application/reports+json',
  'application/expect-ct-report',
  'application/expect-ct-report+json',
  'application/expect-staple-report',
])

/** Whether the security route takes this content type (parameters aside). */
export function isSecurityType(contentType: string): boolean {
  const semicolon = contentType.indexOf(';')
  return securityTypes.has((semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase())
}

/** A browser's own report: CSP, HPKP, Expect-CT, Expect-Staple, or an array of Reporting API. Refine reads it. */
export const securityReceiver: Receiver = {
  bytesMax: eventBytesMax,
  small: (intake, body) => {
    try {
      const { key, target } = intake
      if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
      const first = body[firstOf(body)]
      if (first !== openBrace && first !== 0x5b) throw new MishapError('ACCEPT_BODY_MALFORMED')
      if (!takeOne(intake, key, 'security', body.length)) return
      const head = headOf(intake, key, 'security')
      const release = target.query.get('sentry_release')
      const environment = target.query.get('sentry_environment')
      if (release) head.release = release
      if (environment) head.environment = environment
      void keep(intake, key, head, body, () => answerEmpty(intake.res, 200))
    } catch (error) {
      fail(intake, error)
    }
  },
}

/** Files for an event, as multipart/form-data; the body is kept as it came (inflated). */
export const attachmentsReceiver: Receiver = {
  small: (intake, body) => {
    try {
      // Counted first: a thousand parts are too many, whatever else is wrong with them.
      const counted = attachmentsScan(intake.contentType)
      counted.push(body)
      const { value, errors } = parseMultipart(body, intake.contentType)
      if (value === undefined) throw malformed(errors.map(({ at, what }) => `byte ${at}: ${what}`))
      takeAttachments(intake, body, undefined, value.length)
    } catch (error) {
      fail(intake, error)
    }
  },
  large: async (intake, pieces) => {
    const scan = attachmentsScan(intake.contentType)
    async function* watched() {
      for await (const piece of pieces) {
        scan.push(piece)
        checkScan(scan)
        yield piece
      }
      checkScan(scan, true)
    }
    try {
      const spool = await spoolOf(intake, watched())
      if (!takeAttachments(intake, Buffer.alloc(0), spool)) await dropSpool(intake, spool.key)
    } catch (error) {
      fail(intake, error)
    }
  },
}

export function malformed(causes: string[]): Refusal {
  return new Refusal('ACCEPT_BODY_MALFORMED', 'bad_item', causes, 'The multipart body is malformed.')
}

/** Throws the refusal of a multipart body that is broken, or at its `end` not closed. */
export function checkScan(scan: MultipartScan, end = false): void {
  if (scan.broken !== undefined) throw malformed([scan.broken])
  if (end && !scan.closed) throw malformed(['the body is not closed by its boundary'])
}

/** A scan that throws the refusal of one part too many while it reads. */
function attachmentsScan(contentType: string): MultipartScan {
  let parts = 0
  return new MultipartScan(readBoundary(contentType) ?? '', () => {
    if (++parts > attachmentsMax)
      throw new Refusal('ACCEPT_TOO_LARGE', 'too_many_items', [`more than ${attachmentsMax} parts`])
    return 0
  })
}

function takeAttachments(intake: Intake, body: Buffer, spool?: { key: string; bytes: number }, files = 1): boolean {
  const { key, target } = intake
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  if (!takeOne(intake, key, 'attachments', spool?.bytes ?? body.length, files)) return false
  const head = headOf(intake, key, 'attachments')
  head.eventId = target.route.eventId
  if (spool) head.spool = spool
  void keep(intake, key, head, body, () => answerEmpty(intake.res, 201))
  return true
}
