import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

// For tests: OTLP bodies in the JSON form, and the same bodies as protobuf.

export const traceHex = '5b8efff798038103d269b633813fc60c'
export const spanHex = (n: number) => n.toString(16).padStart(16, 'e')
/** 21 November 2026, 09:39:58 UTC. */
export const startNano = 1_795_253_998_000_000_000n

type JsonValue = { [key: string]: unknown }
export type JsonSpan = { [key: string]: unknown }

export const attribute = (key: string, value: unknown) => ({ key, value: anyValueOf(value) })
export const attributesOf = (values: Record<string, unknown>) =>
  Object.entries(values).map(([key, value]) => attribute(key, value))

function anyValueOf(value: unknown): JsonValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValueOf) } }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') }
  return { kvlistValue: { values: attributesOf(value as Record<string, unknown>) } }
}

export const jsonSpan = (n: number, changes: JsonSpan = {}): JsonSpan => ({
  traceId: traceHex,
  spanId: spanHex(n),
  name: `span ${n}`,
  kind: 1,
  startTimeUnixNano: String(startNano + BigInt(n) * 1_000_000n),
  endTimeUnixNano: String(startNano + BigInt(n) * 1_000_000n + 250_000_000n),
  ...changes,
})

export const jsonBody = (
  spans: unknown[],
  resource: Record<string, unknown> = { 'service.name': 'billing' },
  scope: { [key: string]: unknown } = { name: 'tests', version: '1.0' },
) => ({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans }] }] })

type Writer = (writer: BinaryWriter) => BinaryWriter

const message =
  (field: number, write: Writer): Writer =>
  (writer) =>
    write(writer.tag(field, WireType.LengthDelimited).fork()).join()
const all =
  (writes: readonly Writer[]): Writer =>
  (writer) => {
    for (const write of writes) write(writer)
    return writer
  }
const text = (field: number, value: unknown): Writer[] =>
  value === undefined ? [] : [(writer) => writer.tag(field, WireType.LengthDelimited).string(String(value))]
const id = (field: number, value: unknown): Writer[] =>
  value === undefined
    ? []
    : [(writer) => writer.tag(field, WireType.LengthDelimited).bytes(Buffer.from(String(value), 'hex'))]
const number = (field: number, value: unknown): Writer[] =>
  value === undefined ? [] : [(writer) => writer.tag(field, WireType.Varint).uint32(Number(value))]
const flags = (field: number, value: unknown): Writer[] =>
  value === undefined ? [] : [(writer) => writer.tag(field, WireType.Bit32).fixed32(Number(value))]
const time = (field: number, value: unknown): Writer[] =>
  value === undefined ? [] : [(writer) => writer.tag(field, WireType.Bit64).fixed64(BigInt(String(value)))]
const list = (field: number, values: unknown, write: (value: JsonValue) => Writer): Writer[] =>
  ((values ?? []) as JsonValue[]).map((value) => message(field, write(value)))

function value(sent: JsonValue): Writer {
  if ('stringValue' in sent) return all(text(1, sent['stringValue']))
  if ('boolValue' in sent) return (writer) => writer.tag(2, WireType.Varint).bool(sent['boolValue'] === true)
  if ('intValue' in sent) return (writer) => writer.tag(3, WireType.Varint).int64(String(sent['intValue']))
  if ('doubleValue' in sent) return (writer) => writer.tag(4, WireType.Bit64).double(Number(sent['doubleValue']))
  if ('bytesValue' in sent)
    return (writer) => writer.tag(7, WireType.LengthDelimited).bytes(Buffer.from(String(sent['bytesValue']), 'base64'))
  if ('arrayValue' in sent) return message(5, all(list(1, (sent['arrayValue'] as JsonValue)['values'], value)))
  return message(6, all(list(1, (sent['kvlistValue'] as JsonValue)['values'], keyValue)))
}

const keyValue = (pair: JsonValue): Writer =>
  all([...text(1, pair['key']), message(2, value(pair['value'] as JsonValue))])

const event = (sent: JsonValue): Writer =>
  all([...time(1, sent['timeUnixNano']), ...text(2, sent['name']), ...list(3, sent['attributes'], keyValue)])

const link = (sent: JsonValue): Writer =>
  all([
    ...id(1, sent['traceId']),
    ...id(2, sent['spanId']),
    ...text(3, sent['traceState']),
    ...list(4, sent['attributes'], keyValue),
    ...flags(6, sent['flags']),
  ])

/** Writes a span that is given in the JSON form. */
const span = (sent: JsonValue): Writer => {
  const status = sent['status'] as JsonValue | undefined
  return all([
    ...id(1, sent['traceId']),
    ...id(2, sent['spanId']),
    ...text(3, sent['traceState']),
    ...id(4, sent['parentSpanId']),
    ...text(5, sent['name']),
    ...number(6, sent['kind']),
    ...time(7, sent['startTimeUnixNano']),
    ...time(8, sent['endTimeUnixNano']),
    ...list(9, sent['attributes'], keyValue),
    ...number(10, sent['droppedAttributesCount']),
    ...list(11, sent['events'], event),
    ...list(13, sent['links'], link),
    ...(status ? [message(15, all([...text(2, status['message']), ...number(3, status['code'])]))] : []),
    ...flags(16, sent['flags']),
  ])
}

const scope = (sent: JsonValue): Writer => all([...text(1, sent['name']), ...text(2, sent['version'])])

export const jsonLog = (n: number, changes: JsonSpan = {}): JsonSpan => ({
  timeUnixNano: String(startNano + BigInt(n) * 1_000_000n),
  severityNumber: 9,
  severityText: 'INFO',
  body: anyValueOf(`cart ${n} loaded`),
  traceId: traceHex,
  spanId: spanHex(n),
  ...changes,
})

export const jsonLogsBody = (
  logRecords: unknown[],
  resource: Record<string, unknown> = { 'service.name': 'billing' },
  scope: { [key: string]: unknown } = { name: 'tests', version: '1.0' },
) => ({ resourceLogs: [{ resource: { attributes: attributesOf(resource) }, scopeLogs: [{ scope, logRecords }] }] })

/** Writes a log record that is given in the JSON form. */
const logRecord = (sent: JsonValue): Writer =>
  all([
    ...time(1, sent['timeUnixNano']),
    ...number(2, sent['severityNumber']),
    ...text(3, sent['severityText']),
    ...(sent['body'] ? [message(5, value(sent['body'] as JsonValue))] : []),
    ...list(6, sent['attributes'], keyValue),
    ...number(7, sent['droppedAttributesCount']),
    ...id(9, sent['traceId']),
    ...id(10, sent['spanId']),
    ...time(11, sent['observedTimeUnixNano']),
    ...text(12, sent['eventName']),
  ])

/** A body of logs in the JSON form as protobuf. */
export function logsProtobufOf(body: ReturnType<typeof jsonLogsBody>): Buffer {
  const write = list(1, body.resourceLogs, (resourceLogs) =>
    all([
      message(1, all(list(1, (resourceLogs['resource'] as JsonValue)['attributes'], keyValue))),
      ...list(2, resourceLogs['scopeLogs'], (scopeLogs) =>
        all([message(1, scope(scopeLogs['scope'] as JsonValue)), ...list(2, scopeLogs['logRecords'], logRecord)]),
      ),
    ]),
  )
  return Buffer.from(all(write)(new BinaryWriter()).finish())
}

/** A body in the JSON form as protobuf. */
export function protobufOf(body: ReturnType<typeof jsonBody>): Buffer {
  const write = list(1, body.resourceSpans, (resourceSpans) =>
    all([
      message(1, all(list(1, (resourceSpans['resource'] as JsonValue)['attributes'], keyValue))),
      ...list(2, resourceSpans['scopeSpans'], (scopeSpans) =>
        all([message(1, scope(scopeSpans['scope'] as JsonValue)), ...list(2, scopeSpans['spans'], span)]),
      ),
    ]),
  )
  return Buffer.from(all(write)(new BinaryWriter()).finish())
}

/** A length-delimited field: to build bodies that no writer writes. */
export function fieldOf(field: number, bytes: Uint8Array): Buffer {
  return Buffer.from(new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish())
}

/** An attribute with a list in a list and so on. */
export function deepAttribute(levels: number): Buffer {
  let value: Buffer = fieldOf(1, Buffer.from('x'))
  for (let n = 0; n < levels; n++) value = fieldOf(5, fieldOf(1, value))
  return fieldOf(9, Buffer.concat([fieldOf(1, Buffer.from('deep')), fieldOf(2, value)]))
}

/** A body with the bytes of one span. */
export const bodyOfSpan = (bytes: Uint8Array): Buffer => fieldOf(1, fieldOf(2, fieldOf(2, bytes)))

/** The bytes of one span. */
export const spanBytes = (sent: JsonSpan): Buffer => Buffer.from(span(sent)(new BinaryWriter()).finish())
