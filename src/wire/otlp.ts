import { BinaryWriter } from '@bufbuild/protobuf/wire'

/** The two encodings of OTLP over HTTP. */
export type OtlpFormat = 'protobuf' | 'json'

const MiB = 1024 * 1024
/** Limit of a decompressed body: the default limit of the OpenTelemetry Collector's own HTTP receiver. */
export const otlpBytesMax = 20 * MiB
/** Items of one body that are read. A batch of the Collector has 8,192, and up to twice as many in a burst. */
export const otlpItemsMax = 20_000

/** One step on the way to the items of a JSON body: an object or a list, and the names above it. */
export type OtlpStep = { isList: boolean; names?: readonly string[] }

const entry: OtlpStep = { isList: false }
const listOf = (name: string): OtlpStep => ({ isList: true, names: [name] })

/** How the items of a signal are found in a body, and how the answer names those that were rejected. */
type OtlpShape = {
  /** In protobuf: the fields of each message that hold messages of the next level. The last ones are the items. */
  fields: readonly (readonly number[])[]
  /** In JSON: what each level of brackets must be. */
  steps: readonly OtlpStep[]
  /** Items need a trace id and a span id. */
  needsIds: boolean
  /** The name of the count in `partialSuccess`. */
  rejectedName: string
  /** Says which items are rejected. */
  rule: string
}

/** The signals of OTLP that are accepted. Each has a path: `/v1/traces`. */
export const otlpSignals = {
  traces: {
    fields: [[1], [2], [2]],
    steps: [entry, listOf('resourceSpans'), entry, listOf('scopeSpans'), entry, listOf('spans'), entry],
    needsIds: true,
    rejectedName: 'rejectedSpans',
    rule: `Spans need a trace id of 16 bytes and a span id of 8 bytes, and a request has at most ${otlpItemsMax} of them.`,
  },
  logs: {
    fields: [[1], [2], [2]],
    steps: [entry, listOf('resourceLogs'), entry, listOf('scopeLogs'), entry, listOf('logRecords'), entry],
    needsIds: false,
    rejectedName: 'rejectedLogRecords',
    rule: `Broken log records are rejected, and a request has at most ${otlpItemsMax} of them.`,
  },
} as const satisfies Record<string, OtlpShape>

export type OtlpSignal = keyof typeof otlpSignals
export const otlpShape = (signal: OtlpSignal): OtlpShape => otlpSignals[signal]

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
 * Encodes the response of a signal. Without rejected items it is an empty message, as OTLP asks: `partial_success` is
 * only set when items were rejected.
 */
export function encodeExportResponse(format: OtlpFormat, signal: OtlpSignal, rejected: number): Buffer {
  if (rejected === 0) return Buffer.from(format === 'json' ? '{}' : '')
  const { rejectedName, rule: message } = otlpShape(signal)
  if (format === 'json')
    // A 64-bit number is a text in the JSON encoding of protobuf.
    return Buffer.from(JSON.stringify({ partialSuccess: { [rejectedName]: String(rejected), errorMessage: message } }))
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
