import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { otlpItemsMax } from '../../../wire/otlp.ts'
import type { Loose } from '../../pipeline/value.ts'
import {
  entriesMax,
  exactInteger,
  type OtlpBody,
  type OtlpResource,
  type OtlpScope,
  type Placed,
  setAttribute,
  tooDeep,
  valueLevelsMax,
} from './message.ts'

// The messages of OTLP by their field numbers. Each message is a table of readers: a field with an unknown number or with
// the wrong wire type is skipped, as protobuf demands.

/** Reads one field into `into`. */
type Field<Into> = { wire: WireType; read(reader: BinaryReader, into: Into): void }
export type Fields<Into> = Readonly<Record<number, Field<Into>>>

/** Reads all fields of a message. Throws Error if the bytes are no message. */
export function readMessage<Into>(bytes: Uint8Array, fields: Fields<Into>, into: Into): Into {
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
export function idOf(bytes: Uint8Array, length: number): string | undefined {
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

export const bytes = <Into>(read: (value: Uint8Array, into: Into) => void): Field<Into> => ({
  wire: WireType.LengthDelimited,
  read: (reader, into) => read(reader.bytes(), into),
})
export const text = <Into>(read: (value: string, into: Into) => void): Field<Into> => ({
  wire: WireType.LengthDelimited,
  read: (reader, into) => read(textOf(reader), into),
})
export const number = <Into>(read: (value: number, into: Into) => void): Field<Into> => ({
  wire: WireType.Varint,
  read: (reader, into) => read(reader.uint32(), into),
})
export const flags = <Into>(read: (value: number, into: Into) => void): Field<Into> => ({
  wire: WireType.Bit32,
  read: (reader, into) => read(reader.fixed32(), into),
})
export const time = <Into>(read: (value: number | undefined, into: Into) => void): Field<Into> => ({
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

/** A field that is one AnyValue of at most `levels` levels. */
export const anyValueOf = <Into>(levels: number, set: (value: unknown, into: Into) => void): Field<Into> =>
  bytes((sent, into) => set(readMessage(sent, anyValue, { value: undefined, levels }).value, into))

/** A field that is a list of KeyValue. */
export const pairs: Field<{ attributes: Loose }> = bytes((value, { attributes }) => {
  addPair(value, { attributes, levels: valueLevelsMax })
})

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

// A parent is read twice: its own part can come after the children that it applies to. Nothing is collected in between,
// because a body of 20 MiB can have ten million empty children.

const scopeOf: Fields<OtlpScope> = {
  1: bytes((value, into: OtlpScope) => {
    readMessage(value, scope, into)
  }),
}

const resourceOf: Fields<OtlpResource> = {
  1: bytes((value, into: OtlpResource) => {
    readMessage(value, keyValues, { attributes: into.attributes, count: 0, levels: valueLevelsMax })
  }),
}

/** Reads the message of an item; undefined if it is broken. */
export function itemReader<Item>(fields: Fields<Item>, empty: () => Item): (sent: Uint8Array) => Item | undefined {
  return (sent) => {
    try {
      return readMessage(sent, fields, empty())
    } catch {
      return undefined
    }
  }
}

/**
 * Makes the reader of a body, whose items `itemOf` reads. All signals have the same levels: request, resource, scope,
 * item. A broken item is undefined. What follows a fault between the items is left out.
 */
export function bodyReader<Item>(itemOf: (sent: Uint8Array) => Item | undefined): (body: Uint8Array) => OtlpBody<Item> {
  type Within<Part> = { to: OtlpBody<Item> } & Part
  type OfScope = Within<Omit<Placed<Item>, 'item'>>
  const itemsOfScope: Fields<OfScope> = {
    2: bytes((value, { to, resource, scope: of }: OfScope) => {
      if (to.items.length >= otlpItemsMax) to.excess++
      else to.items.push({ resource, scope: of, item: itemOf(value) })
    }),
  }
  const scopesOfResource: Fields<Within<{ resource: OtlpResource }>> = {
    2: bytes((value, { to, resource }: Within<{ resource: OtlpResource }>) => {
      readable(value, itemsOfScope, { to, resource, scope: readable(value, scopeOf, { name: '', version: '' }) })
    }),
  }
  const request: Fields<OtlpBody<Item>> = {
    1: bytes((value, to: OtlpBody<Item>) => {
      readable(value, scopesOfResource, { to, resource: readable(value, resourceOf, { attributes: {} }) })
    }),
  }
  return (body) => readable(body, request, { items: [], excess: 0 })
}
