import type { ServerResponse } from 'node:http'
import { MishapError } from '../base/errors.ts'
import {
  encodeExportResponse,
  type OtlpFormat,
  otlpBytesMax,
  otlpContentType,
  otlpFormatOf,
  otlpSpansMax,
} from '../wire/otlp.ts'
import { createOtlpWalk, type OtlpWalk } from '../wire/otlp-walk.ts'
import { answerBytes, Refusal } from './answer.ts'
import { appendRecord } from './append.ts'
import { spoolOf, takeRate } from './envelope.ts'
import type { Receiver } from './receive.ts'
import { dropSpool, fail, headOf, type IngestRequest } from './request.ts'

/**
 * POST of an OTLP exporter: an ExportTraceServiceRequest in protobuf or JSON. Ingest walks the framing down to the ids
 * of the spans, so that the answer can say how many are rejected. Refine reads everything else.
 */
export const otlpReceiver: Receiver = {
  bytesMax: otlpBytesMax,
  small: (request, body) => {
    try {
      const walk = createOtlpWalk(formatOf(request))
      walk.push(body)
      walk.end()
      checkWalk(walk)
      take(request, walk, body)
    } catch (error) {
      fail(request, error)
    }
  },
  large: async (request, chunks) => {
    try {
      const walk = createOtlpWalk(formatOf(request))
      async function* watched() {
        for await (const chunk of chunks) {
          walk.push(chunk)
          checkWalk(walk)
          yield chunk
        }
        walk.end()
        checkWalk(walk)
      }
      const spool = await spoolOf(request, watched())
      if (!take(request, walk, Buffer.alloc(0), spool)) await dropSpool(request, spool.key)
    } catch (error) {
      fail(request, error)
    }
  },
}

/** The encoding of the request. Throws ACCEPT_ENCODING_UNKNOWN (415) for other content types. */
function formatOf({ contentType }: IngestRequest): OtlpFormat {
  const format = otlpFormatOf(contentType)
  if (format === undefined) throw new MishapError('ACCEPT_ENCODING_UNKNOWN', { causes: [otlpTypes] })
  return format
}

const otlpTypes = `OTLP is sent as ${otlpContentType.protobuf} or ${otlpContentType.json}.`

function checkWalk({ error, isTooLarge }: OtlpWalk): void {
  if (error !== undefined && isTooLarge) throw new Refusal('ACCEPT_TOO_LARGE', 'too_large', [error])
  if (error !== undefined)
    throw new Refusal('ACCEPT_BODY_MALFORMED', 'bad_item', [error], 'The body is no OTLP traces message.')
}

/** Appends the body and answers. Returns false if nothing was appended. */
function take(request: IngestRequest, walk: OtlpWalk, body: Buffer, spool?: { key: string; bytes: number }): boolean {
  const { key, core, res } = request
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  const format = formatOf(request)
  if (walk.spans === 0) {
    // An exporter may send an empty request to test its connection. There is nothing to count.
    request.answered = true
    core.ledger.use(key, request.receivedMs, null)
    core.requestLog.add(request, { status: 200, code: 'OK', items: [] })
    answerExport(res, format, walk)
    return false
  }
  if (!takeRate(request, key, 'otlp', spool?.bytes ?? body.length, walk.spans)) return false
  const head = headOf(request, key, 'otlp')
  head.lane = 'bulk'
  if (spool) head.spool = spool
  void appendRecord(request, key, head, body, () => answerExport(res, format, walk))
  return true
}

function answerExport(res: ServerResponse, format: OtlpFormat, { rejected }: OtlpWalk): void {
  const message = `Spans need a trace id of 16 bytes and a span id of 8 bytes, and a request has at most ${otlpSpansMax} of them.`
  answerBytes(res, 200, otlpContentType[format], encodeExportResponse(format, rejected, message))
}
