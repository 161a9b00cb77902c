import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { otlpSpansMax } from '../../../wire/otlp.ts'
import type { Loose } from '../../pipeline/value.ts'
import {
  emptySpan,
  entriesMax,
  exactInteger,
  type OtlpBody,
  type OtlpEvent,
  type OtlpLink,
  type OtlpResource,
  type OtlpScope,
  type OtlpSpan,
  type PlacedSpan,
  setAttribute,
  tooDeep,
  valueLevelsMax,
} from './message.ts'

// The messages of opentelemetry/proto/trace/v1/trace.proto, by their field numbers. Each message is a table of readers:
// a field with an unknown number or with the wrong wire type is skipped, as protobuf demands.

/** Reads one field into `into`. */
type Field<Into> = { wire: WireType; read(reader: BinaryReader, into: Into): void }
type Fields<Into> = Readonly<Record<number, Field<Into>>>

/** Reads all fields of a message. Throws Error if the bytes are no message. */
function readMessage<Into>(bytes: Uint8Array, fields: Fields<Into>, into: Into): Into {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    const field = fields[number]
    if (field?.wire === wire) field.read(reader, into)
    else reader.skip(wire, number)
  }
  return into
}

const zero = /^0+$/

/** An id as hex; undefined if it is zero or has another length. */
function idOf(bytes: Uint8Array, length: number): string | undefined {
  if (bytes.length !== length) return undefined
  const id = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('hex')
  return zero.test(id) ? undefined : id
}

/** A text without NUL. Invalid UTF-8 becomes U+FFFD. */
function textOf(reader: BinaryReader): string {
  const text = reader.string()
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}

/** Nanoseconds since 1970 as microseconds, computed in two halves to stay exact; undefined for 0. */
function microseconds(reader: BinaryReader): number | undefined {
  const [low, high] = [reader.fixed32(), reader.fixed32()]
  return high * 4_294_967 + Math.floor((high * 296 + low) / 1000) || undefined
}

const bytes = <Into>(read: (value: Uint8Array, into: Into) => void): Field<Into> => ({
  wire: WireType.LengthDelimited,
  read: (reader, into) => read(reader.bytes(), into),
})
const text = <Into>(read: (value: string, into: Into) => void): Field<Into> => ({
  wire: WireType.LengthDelimited,
  read: (reader, into) => read(textOf(reader), into),
})
const number = <Into>(read: (value: number, into: Into) => void): Field<Into> => ({
  wire: WireType.Varint,
  read: (reader, into) => read(reader.uint32(), into),
})
const flags = <Into>(read: (value: number, into: Into) => void): Field<Into> => ({
  wire: WireType.Bit32,
  read: (reader, into) => read(reader.fixed32(), into),
})
const time = <Into>(read: (value: number | undefined, into: Into) => void): Field<Into> => ({
  wire: WireType.Bit64,
  read: (reader, into) => read(microseconds(reader), into),
})

/** A value that is being read, and how many more levels may follow. */
type Value = { value: unknown; levels: number }

const anyValue: Fields<Value> = {
  1: text((value, into: Value) => {
    into.value = value
  }),
  2: {
    wire: WireType.Varint,
    read: (reader, into) => {
      into.value = reader.bool()
    },
  },
  3: {
    wire: WireType.Varint,
    read: (reader, into) => {
      into.value = exactInteger(BigInt(reader.int64()))
    },
  },
  4: {
    wire: WireType.Bit64,
    read: (reader, into) => {
      const value = reader.double()
      into.value = Number.isFinite(value) ? value : String(value)
    },
  },
  5: bytes((value, into: Value) => {
    const entries: unknown[] = []
    const levels = into.levels - 1
    into.value = levels < 1 ? tooDeep : readMessage(value, arrayValue, { entries, levels }).entries
  }),
  6: bytes((value, into: Value) => {
    const levels = into.levels - 1
    into.value = levels < 1 ? tooDeep : readMessage(value, keyValues, { attributes: {}, count: 0, levels }).attributes
  }),
  7: bytes((value, into: Value) => {
    into.value = Buffer.from(value).toString('base64')
  }),
}

const arrayValue: Fields<{ entries: unknown[]; levels: number }> = {
  1: bytes((value, { entries, levels }) => {
    if (entries.length < entriesMax) entries.push(readMessage(value, anyValue, { value: null, levels }).value)
  }),
}

type Pairs = { attributes: Loose; count: number; levels: number }

const keyValue: Fields<{ key: string; value: Uint8Array | undefined }> = {
  1: text((value, into: { key: string; value: Uint8Array | undefined }) => {
    into.key = value
  }),
  2: bytes((value, into: { key: string; value: Uint8Array | undefined }) => {
    into.value = value
  }),
}

function addPair(sent: Uint8Array, { attributes, levels }: Pick<Pairs, 'attributes' | 'levels'>): void {
  const { key, value } = readMessage(sent, keyValue, { key: '', value: undefined as Uint8Array | undefined })
  if (value) setAttribute(attributes, key, readMessage(value, anyValue, { value: undefined, levels }).value)
}

/** A KeyValueList. */
const keyValues: Fields<Pairs> = {
  1: bytes((value, into: Pairs) => {
    if (into.count++ < entriesMax) addPair(value, into)
  }),
}

/** A field that is a list of KeyValue. */
const pairs: Field<{ attributes: Loose }> = bytes((value, { attributes }) => {
  addPair(value, { attributes, levels: valueLevelsMax })
})

const event: Fields<OtlpEvent> = {
  1: time((value, into: OtlpEvent) => {
    into.atUs = value
  }),
  2: text((value, into: OtlpEvent) => {
    into.name = value
  }),
  3: pairs,
}

const link: Fields<OtlpLink> = {
  1: bytes((value, into: OtlpLink) => {
    into.traceId = idOf(value, 16)
  }),
  2: bytes((value, into: OtlpLink) => {
    into.spanId = idOf(value, 8)
  }),
  3: text((value, into: OtlpLink) => {
    into.traceState = value
  }),
  4: pairs,
  6: flags((value, into: OtlpLink) => {
    into.flags = value
  }),
}

const emptyLink = (): OtlpLink => ({ traceId: undefined, spanId: undefined, traceState: '', flags: 0, attributes: {} })

const status: Fields<OtlpSpan['status']> = {
  2: text((value, into: OtlpSpan['status']) => {
    into.message = value
  }),
  3: number((value, into: OtlpSpan['status']) => {
    into.code = value
  }),
}

const span: Fields<OtlpSpan> = {
  1: bytes((value, into: OtlpSpan) => {
    into.traceId = idOf(value, 16)
  }),
  2: bytes((value, into: OtlpSpan) => {
    into.spanId = idOf(value, 8)
  }),
  3: text((value, into: OtlpSpan) => {
    into.traceState = value
  }),
  4: bytes((value, into: OtlpSpan) => {
    into.parentId = idOf(value, 8) ?? ''
  }),
  5: text((value, into: OtlpSpan) => {
    into.name = value
  }),
  6: number((value, into: OtlpSpan) => {
    into.kind = value
  }),
  7: time((value, into: OtlpSpan) => {
    into.startUs = value
  }),
  8: time((value, into: OtlpSpan) => {
    into.endUs = value
  }),
  9: pairs,
  10: number((value, into: OtlpSpan) => {
    into.dropped.attributes = value
  }),
  11: bytes((value, into: OtlpSpan) => {
    if (into.events.length < entriesMax)
      into.events.push(readMessage(value, event, { name: '', atUs: undefined, attributes: {} }))
  }),
  12: number((value, into: OtlpSpan) => {
    into.dropped.events = value
  }),
  13: bytes((value, into: OtlpSpan) => {
    if (into.links.length < entriesMax) into.links.push(readMessage(value, link, emptyLink()))
  }),
  14: number((value, into: OtlpSpan) => {
    into.dropped.links = value
  }),
  15: bytes((value, into: OtlpSpan) => {
    readMessage(value, status, into.status)
  }),
  16: flags((value, into: OtlpSpan) => {
    into.flags = value
  }),
}

const scope: Fields<OtlpScope> = {
  1: text((value, into: OtlpScope) => {
    into.name = value
  }),
  2: text((value, into: OtlpScope) => {
    into.version = value
  }),
}

/** Reads as much of a message as can be read: the parts before a fault are kept. */
function readable<Into>(sent: Uint8Array, fields: Fields<Into>, into: Into): Into {
  try {
    return readMessage(sent, fields, into)
  } catch {
    return into
  }
}

function spanOf(sent: Uint8Array): OtlpSpan | undefined {
  try {
    return readMessage(sent, span, emptySpan())
  } catch {
    return undefined
  }
}

// A parent is read twice: its own part can come after the children that it applies to. Nothing is collected in between,
// because a body of 20 MiB can have ten million empty children.

type Within<Part> = { to: OtlpBody } & Part

const scopeOf: Fields<OtlpScope> = {
  1: bytes((value, into: OtlpScope) => {
    readMessage(value, scope, into)
  }),
}

const spansOfScope: Fields<Within<Omit<PlacedSpan, 'span'>>> = {
  2: bytes((value, { to, resource, scope: of }: Within<Omit<PlacedSpan, 'span'>>) => {
    if (to.spans.length >= otlpSpansMax) to.excess++
    else to.spans.push({ resource, scope: of, span: spanOf(value) })
  }),
}

const resourceOf: Fields<OtlpResource> = {
  1: bytes((value, into: OtlpResource) => {
    readMessage<OtlpResource>(value, { 1: pairs }, into)
  }),
}

const scopesOfResource: Fields<Within<{ resource: OtlpResource }>> = {
  2: bytes((value, { to, resource }: Within<{ resource: OtlpResource }>) => {
    readable(value, spansOfScope, { to, resource, scope: readable(value, scopeOf, { name: '', version: '' }) })
  }),
}

const request: Fields<OtlpBody> = {
  1: bytes((value, to: OtlpBody) => {
    readable(value, scopesOfResource, { to, resource: readable(value, resourceOf, { attributes: {} }) })
  }),
}

/** Reads a protobuf body. A broken span is undefined. What follows a fault between the spans is left out. */
export const readProtobuf = (body: Uint8Array): OtlpBody => readable(body, request, { spans: [], excess: 0 })
