import { MishapError } from '../base/errors.ts'
import type { RecordKind } from '../journal/journal.ts'
import {
  encodeExportResponse,
  type OtlpFormat,
  type OtlpSignal,
  otlpBytesMax,
  otlpContentType,
  otlpFormatOf,
} from '../wire/otlp.ts'
import { createOtlpWalk, type OtlpWalk } from '../wire/otlp-walk.ts'
import { answerBytes, Refusal } from './answer.ts'
import { appendRecord } from './append.ts'
import { spoolOf, takeRate } from './envelope.ts'
import type { Receiver } from './receive.ts'
import { dropSpool, fail, headOf, type IngestRequest } from './request.ts'

/** The record kinds of the signals. */
const kinds: Readonly<Record<OtlpSignal, RecordKind>> = { traces: 'otlp', logs: 'otlp_logs', metrics: 'otlp_metrics' }

/**
 * POST of an OTLP exporter: the request of a signal in protobuf or JSON. Ingest walks the framing down to the items, so
 * that the answer can say how many are rejected. Refine reads everything else.
 */
export const otlpReceiver = (signal: OtlpSignal): Receiver => ({
  bytesMax: otlpBytesMax,
  small: (request, body) => {
    try {
      const walk = createOtlpWalk(formatOf(request), signal)
      walk.push(body)
      walk.end()
      checkWalk(walk, signal)
      take(request, signal, walk, body)
    } catch (error) {
      fail(request, error)
    }
  },
  large: async (request, chunks) => {
    try {
      const walk = createOtlpWalk(formatOf(request), signal)
      async function* watched() {
        for await (const chunk of chunks) {
          walk.push(chunk)
          checkWalk(walk, signal)
          yield chunk
        }
        walk.end()
        checkWalk(walk, signal)
      }
      const spool = await spoolOf(request, watched(), () => 'bulk')
      if (!take(request, signal, walk, Buffer.alloc(0), spool)) await dropSpool(request, spool.key)
    } catch (error) {
      fail(request, error)
    }
  },
})

/** The encoding of the request. Throws ACCEPT_ENCODING_UNKNOWN (415) for other content types. */
function formatOf({ contentType }: IngestRequest): OtlpFormat {
  const format = otlpFormatOf(contentType)
  if (format === undefined) throw new MishapError('ACCEPT_ENCODING_UNKNOWN', { causes: [otlpTypes] })
  return format
}

const otlpTypes = `OTLP is sent as ${otlpContentType.protobuf} or ${otlpContentType.json}.`

function checkWalk({ error, isTooLarge }: OtlpWalk, signal: OtlpSignal): void {
  if (error !== undefined && isTooLarge) throw new Refusal('ACCEPT_TOO_LARGE', 'too_large', [error])
  if (error !== undefined)
    throw new Refusal('ACCEPT_BODY_MALFORMED', 'bad_item', [error], `The body is no OTLP ${signal} message.`)
}

/** Appends the body and answers. Returns false if nothing was appended. */
function take(
  request: IngestRequest,
  signal: OtlpSignal,
  walk: OtlpWalk,
  body: Buffer,
  spool?: { key: string; bytes: number },
): boolean {
  const { key, core, res } = request
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  const format = formatOf(request)
  const answer = () =>
    answerBytes(res, 200, otlpContentType[format], encodeExportResponse(format, signal, walk.rejected))
  if (walk.items === 0) {
    // An exporter may send an empty request to test its connection. There is nothing to count.
    request.answered = true
    core.ledger.use(key, request.receivedMs, null)
    core.requestLog.add(request, { status: 200, code: 'OK', items: [] })
    answer()
    return false
  }
  const kind = kinds[signal]
  if (!takeRate(request, key, kind, spool?.bytes ?? body.length, walk.items)) return false
  const head = headOf(request, key, kind)
  if (spool) head.spool = spool
  void appendRecord(request, key, head, body, answer)
  return true
}
