import { MishapError } from '../base/errors.ts'
import type { RecordKind } from '../journal/journal.ts'
import {
  createLineCount,
  type DrainFormat,
  type DrainName,
  drainBytesMax,
  drainFormatOf,
  drainTypes,
  type LineCount,
} from '../wire/drains.ts'
import { answerBytes, Refusal } from './answer.ts'
import { appendRecord } from './append.ts'
import { spoolOf, takeRate } from './envelope.ts'
import type { Receiver } from './receive.ts'
import { dropSpool, fail, headOf, type IngestRequest } from './request.ts'

/** The record kinds of the drains. */
const kinds: Readonly<Record<DrainName, RecordKind>> = { vercel: 'vercel_logs', heroku: 'heroku_logs' }

/** Only bodies over 1 MiB can have so many. */
const tooManyValues = 'The body has too many JSON objects and lists.'

const verifyHeader = 'x-vercel-verify'
const verifyForm = /^[\w-]{1,128}$/

/**
 * Creates the receiver of a log drain. Ingest only counts the lines, for rate limits; refine reads them. Throws
 * ACCEPT_ENCODING_UNKNOWN (415) for content types that the sender does not use.
 */
export function drainReceiver(request: IngestRequest): Receiver {
  const drain = request.target.route.drain ?? 'vercel'
  const format = drainFormatOf(drain, request.contentType)
  if (format === undefined)
    throw new MishapError('ACCEPT_ENCODING_UNKNOWN', { causes: [`This drain sends ${drainTypes(drain)}.`] })
  return receiverOf(drain, format)
}

const receiverOf = (drain: DrainName, format: DrainFormat): Receiver => ({
  bytesMax: drainBytesMax,
  small: (request, body) => {
    try {
      const count = createLineCount(format)
      count.push(body)
      take(request, drain, count, body)
    } catch (error) {
      fail(request, error)
    }
  },
  large: async (request, chunks) => {
    try {
      const count = createLineCount(format)
      async function* watched() {
        for await (const chunk of chunks) {
          count.push(chunk)
          if (count.isTooLarge) throw new Refusal('ACCEPT_TOO_LARGE', 'too_large', [tooManyValues])
          yield chunk
        }
      }
      const spool = await spoolOf(request, watched(), () => 'bulk')
      if (!take(request, drain, count, Buffer.alloc(0), spool)) await dropSpool(request, spool.key)
    } catch (error) {
      fail(request, error)
    }
  },
})

/** Appends the body and answers. Returns false if nothing was appended. */
function take(
  request: IngestRequest,
  drain: DrainName,
  { lines }: LineCount,
  body: Buffer,
  spool?: { key: string; bytes: number },
): boolean {
  const { key, core } = request
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  if (lines === 0) {
    // Vercel sends an empty request to verify an address. There is nothing to count.
    request.answered = true
    core.ledger.use(key, request.receivedMs, null)
    core.requestLog.add(request, { status: 200, code: 'OK', items: [] })
    answerDrain(request)
    return false
  }
  const kind = kinds[drain]
  if (!takeRate(request, key, kind, spool?.bytes ?? body.length, lines)) return false
  const head = headOf(request, key, kind)
  if (spool) head.spool = spool
  void appendRecord(request, key, head, body, () => answerDrain(request))
  return true
}

/**
 * Answers 200. Vercel accepts an address for a drain only if the answer has the code that it shows to the user, who puts
 * it into the query of the address; a code in the request's own header is repeated too.
 */
function answerDrain({ req, res, target }: IngestRequest): void {
  const code = target.query.get(verifyHeader) ?? req.headers[verifyHeader]
  const more = typeof code === 'string' && verifyForm.test(code) ? [verifyHeader, code] : []
  answerBytes(res, 200, 'application/json', Buffer.from('{}'), more)
}
