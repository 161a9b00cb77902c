import { BinaryWriter } from '@bufbuild/protobuf/wire'

/** The two encodings of OTLP over HTTP. */
export type OtlpFormat = 'protobuf' | 'json'

const MiB = 1024 * 1024
/** Limit of a decompressed body: the default limit of the OpenTelemetry Collector's own HTTP receiver. */
export const otlpBytesMax = 20 * MiB
/** Spans of one body that are read. A batch of the Collector has 8,192 spans, and up to twice as many in a burst. */
export const otlpSpansMax = 20_000

/** The content type of requests and answers in each encoding. */
export const otlpContentType: Readonly<Record<OtlpFormat, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
}

/** The encoding of a content type; undefined for all others. Parameters such as a charset are ignored. */
export function otlpFormatOf(contentType: string): OtlpFormat | undefined {
  const semicolon = contentType.indexOf(';')
  const name = (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
  if (name === otlpContentType.protobuf) return 'protobuf'
  return name === otlpContentType.json ? 'json' : undefined
}

/**
 * Encodes an ExportTraceServiceResponse. Without rejected spans it is an empty message, as OTLP asks: `partial_success`
 * is only set when spans were rejected.
 */
export function encodeExportResponse(format: OtlpFormat, rejected: number, message: string): Buffer {
  if (rejected === 0) return Buffer.from(format === 'json' ? '{}' : '')
  if (format === 'json')
    // A 64-bit number is a text in the JSON encoding of protobuf.
    return Buffer.from(JSON.stringify({ partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } }))
  const writer = new BinaryWriter()
  writer.uint32((1 << 3) | 2).fork()
  writer.uint32(1 << 3).int64(rejected)
  writer.uint32((2 << 3) | 2).string(message)
  return Buffer.from(writer.join().finish())
}

/** Encodes a google.rpc.Status: the body of every failed OTLP request. */
export function encodeStatus(format: OtlpFormat, code: number, message: string): Buffer {
  if (format === 'json') return Buffer.from(JSON.stringify({ code, message }))
  const writer = new BinaryWriter()
  writer.uint32(1 << 3).int32(code)
  writer.uint32((2 << 3) | 2).string(message)
  return Buffer.from(writer.finish())
}

/** The google.rpc.Code of an HTTP status. */
export function rpcCodeOf(status: number): number {
  return rpcCodes[status] ?? (status >= 500 ? rpcInternal : rpcInvalidArgument)
}

const rpcInvalidArgument = 3
const rpcInternal = 13
const rpcCodes: Readonly<Record<number, number>> = {
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  404: 5, // NOT_FOUND
  405: 12, // UNIMPLEMENTED
  408: 4, // DEADLINE_EXCEEDED
  413: 8, // RESOURCE_EXHAUSTED
  429: 8,
  503: 14, // UNAVAILABLE
}
