import { inflateSync } from 'node:zlib'
import { MishapError } from '../base/errors.ts'
import { releaseBytes } from '../base/release.ts'
import type { RecordHead } from '../journal/journal.ts'
import type { IngestKey } from '../store/meta/meta.ts'
import { normalizeId } from '../wire/ids.ts'
import { attachmentsMax, eventBytesMax, isBulk } from '../wire/item-types.ts'
import { MultipartScan, parseMultipart, readBoundary } from '../wire/multipart.ts'
import { answerEmpty, answerGif, answerId, Refusal } from './answer.ts'
import { itemTypeOf, newEventId, spoolOf, takeRate } from './envelope.ts'
import { storeBytesMax } from './limits.ts'
import type { Receiver } from './receive.ts'
import { dropSpool, fail, headOf, type IngestRequest } from './request.ts'

/** Appends one record and answers once it is on disk. The body is empty then: its memory is given back. */
export async function appendRecord(
  request: IngestRequest,
  key: IngestKey,
  head: RecordHead,
  body: Buffer,
  answer: () => void,
): Promise<void> {
  const { core } = request
  let jpos: number
  request.budget?.free()
  if (isBulk(itemTypeOf[head.kind])) head.lane = 'bulk'
  const items = [{ type: itemTypeOf[head.kind], bytes: head.spool?.bytes ?? body.length }]
  try {
    jpos = await core.deps.journal.append(head, body)
  } catch (error) {
    fail(request, error)
    if (head.spool) await dropSpool(request, head.spool.key)
    return
  } finally {
    releaseBytes(body)
  }
  request.answered = true
  core.ledger.use(key, request.receivedMs, null)
  const status = head.kind === 'attachments' ? 201 : 200
  core.requestLog.add(request, { status, code: 'OK', eventId: head.eventId ?? '', jpos, items })
  answer()
}

/** POST /store/: one event as JSON, as base64 JSON, or as base64 of zlib-compressed JSON. */
export const storeReceiver: Receiver = {
  bytesMax: storeBytesMax,
  small: (request, body) => {
    try {
      takeStore(request, body, false)
    } catch (error) {
      fail(request, error)
    }
  },
}

/**
 * Decodes an event of /store/, reads or creates its id, appends it and answers. `picture` answers with a GIF (for GET).
 * @throws ACCEPT_KEY_MISSING, ACCEPT_BODY_MALFORMED, ACCEPT_BOMB and ACCEPT_TOO_LARGE.
 */
export function takeStore(request: IngestRequest, body: Buffer, picture: boolean): void {
  const { key } = request
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  const json = decodeStore(body, request.contentType)
  if (json.length > eventBytesMax)
    throw new Refusal('ACCEPT_TOO_LARGE', 'too_large', [`the event is over ${eventBytesMax} bytes`])
  const eventId = readEventId(json)
  if (!takeRate(request, key, 'store', json.length)) return
  const head = headOf(request, key, 'store')
  head.eventId = eventId
  void appendRecord(request, key, head, json, () => (picture ? answerGif(request.res) : answerId(request.res, eventId)))
}

const openBrace = 0x7b

function decodeStore(body: Buffer, contentType: string): Buffer {
  const at = firstOf(body)
  if (at === body.length) throw new MishapError('ACCEPT_BODY_MALFORMED')
  if (body[at] === openBrace) return body
  let text = body.toString('latin1', at).trim()
  // Old clients send a form body.
  if (contentType.startsWith('application/x-www-form-urlencoded') && text.startsWith('sentry_data=')) {
    text = new URLSearchParams(text).get('sentry_data') ?? ''
    if (text.startsWith('{')) return Buffer.from(text)
  }
  // A plus sign in a query string arrives as a space.
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

/** Returns the position of the first byte that is not JSON whitespace, or the length if there is none. */
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

/** Returns whether the security route accepts this content type. Parameters are ignored. */
export function isSecurityType(contentType: string): boolean {
  const semicolon = contentType.indexOf(';')
  return securityTypes.has((semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase())
}

/** Browser reports: CSP, HPKP, Expect-CT, Expect-Staple, or a Reporting API array. Refine parses them. */
export const securityReceiver: Receiver = {
  bytesMax: eventBytesMax,
  small: (request, body) => {
    try {
      const { key, target } = request
      if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
      const first = body[firstOf(body)]
      if (first !== openBrace && first !== 0x5b) throw new MishapError('ACCEPT_BODY_MALFORMED')
      if (!takeRate(request, key, 'security', body.length)) return
      const head = headOf(request, key, 'security')
      const release = target.query.get('sentry_release')
      const environment = target.query.get('sentry_environment')
      if (release) head.release = release
      if (environment) head.environment = environment
      void appendRecord(request, key, head, body, () => answerEmpty(request.res, 200))
    } catch (error) {
      fail(request, error)
    }
  },
}

/** Files for an event, as multipart/form-data. The journal stores the inflated body unchanged. */
export const attachmentsReceiver: Receiver = {
  small: (request, body) => {
    try {
      // Count the parts first: a body with too many parts is refused even if it has other errors.
      const counted = attachmentsScan(request.contentType)
      counted.push(body)
      const { value, errors } = parseMultipart(body, request.contentType)
      if (value === undefined) throw malformed(errors.map(({ at, what }) => `byte ${at}: ${what}`))
      takeAttachments(request, body, undefined, value.length)
    } catch (error) {
      fail(request, error)
    }
  },
  large: async (request, chunks) => {
    const scan = attachmentsScan(request.contentType)
    async function* watched() {
      for await (const chunk of chunks) {
        scan.push(chunk)
        checkScan(scan)
        yield chunk
      }
      checkScan(scan, true)
    }
    try {
      const spool = await spoolOf(request, watched())
      if (!takeAttachments(request, Buffer.alloc(0), spool)) await dropSpool(request, spool.key)
    } catch (error) {
      fail(request, error)
    }
  },
}

function malformed(causes: string[]): Refusal {
  return new Refusal('ACCEPT_BODY_MALFORMED', 'bad_item', causes, 'The multipart body is malformed.')
}

/** Throws a refusal if the multipart body is broken. At the `isLast`, the body must also be closed. */
export function checkScan(scan: MultipartScan, isLast = false): void {
  if (scan.broken !== undefined) throw malformed([scan.broken])
  if (isLast && !scan.closed) throw malformed(['the body is not closed by its boundary'])
}

/** Returns a scan that throws a refusal when the body has more than `attachmentsMax` parts. */
function attachmentsScan(contentType: string): MultipartScan {
  let parts = 0
  return new MultipartScan(readBoundary(contentType) ?? '', () => {
    if (++parts > attachmentsMax)
      throw new Refusal('ACCEPT_TOO_LARGE', 'too_many_items', [`more than ${attachmentsMax} parts`])
    return 0
  })
}

function takeAttachments(
  request: IngestRequest,
  body: Buffer,
  spool?: { key: string; bytes: number },
  files = 1,
): boolean {
  const { key, target } = request
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  if (!takeRate(request, key, 'attachments', spool?.bytes ?? body.length, files)) return false
  const head = headOf(request, key, 'attachments')
  head.eventId = target.route.eventId
  if (spool) head.spool = spool
  void appendRecord(request, key, head, body, () => answerEmpty(request.res, 201))
  return true
}
