import { type Loose, own, safeKey } from '../../pipeline/value.ts'

// The items of OTLP requests in plain values, the same for protobuf and JSON. Times are in microseconds since 1970, ids
// are lower-case hex.

/** Attributes of the process that made the items, and of the library. */
export type OtlpResource = { attributes: Loose }
export type OtlpScope = { name: string; version: string }

export type OtlpEvent = { name: string; atUs: number | undefined; attributes: Loose }
export type OtlpLink = {
  traceId: string | undefined
  spanId: string | undefined
  traceState: string
  flags: number
  attributes: Loose
}

/** One span. Ids are undefined if they have the wrong length or are zero. */
export type OtlpSpan = {
  traceId: string | undefined
  spanId: string | undefined
  parentId: string
  traceState: string
  name: unknown
  kind: number
  flags: number
  startUs: number | undefined
  endUs: number | undefined
  attributes: Loose
  events: OtlpEvent[]
  links: OtlpLink[]
  /** What the SDK left out because of its own limits. */
  dropped: { attributes: number; events: number; links: number }
  status: { code: number; message: string }
}

/** One log record. Ids are undefined if they have the wrong length or are zero. */
export type OtlpLog = {
  traceId: string | undefined
  spanId: string | undefined
  timeUs: number | undefined
  observedUs: number | undefined
  severityNumber: number
  severityText: string
  /** A text, or a value that becomes JSON; undefined if there is none. */
  body: unknown
  eventName: string
  attributes: Loose
  /** What the SDK left out because of its own limits. */
  droppedAttributes: number
}

/** An item with its surroundings: undefined if its message is broken. */
export type Placed<Item> = { resource: OtlpResource; scope: OtlpScope; item: Item | undefined }

/** The items of a body in the order they were sent, at most `otlpItemsMax`, and the number of further ones. */
export type OtlpBody<Item> = { items: Placed<Item>[]; excess: number }

/** A span without any field. */
export const emptySpan = (): OtlpSpan => ({
  traceId: undefined,
  spanId: undefined,
  parentId: '',
  traceState: '',
  name: '',
  kind: 0,
  flags: 0,
  startUs: undefined,
  endUs: undefined,
  attributes: {},
  events: [],
  links: [],
  dropped: { attributes: 0, events: 0, links: 0 },
  status: { code: 0, message: '' },
})

/** A log record without any field. */
export const emptyLog = (): OtlpLog => ({
  traceId: undefined,
  spanId: undefined,
  timeUs: undefined,
  observedUs: undefined,
  severityNumber: 0,
  severityText: '',
  body: undefined,
  eventName: '',
  attributes: {},
  droppedAttributes: 0,
})

/** Entries of a span that are read. SDKs keep 128 of each. */
export const entriesMax = 1000
/** Levels of a value that are read. Deeper ones become a text, however deep they are. */
export const valueLevelsMax = 4
export const tooDeep = '[Object]'

/** Sets an attribute. The first of equal keys counts, as in SDKs. */
export function setAttribute(to: Loose, key: string, value: unknown): void {
  const name = safeKey(key)
  if (key !== '' && value !== undefined && !Object.hasOwn(to, name)) to[name] = value
}

const namedTextMax = 1024

/** Some attributes of a resource by their names, with texts of at most 1,024 characters. */
export function namedOf(attributes: Loose, names: readonly string[]): Loose {
  const out: Loose = {}
  for (const name of names) {
    const value = own(attributes, name)
    if (value === undefined) continue
    out[name] =
      typeof value === 'string' && value.length > namedTextMax ? value.slice(0, namedTextMax).toWellFormed() : value
  }
  return out
}

/** An integer of 64 bits: a number while it is exact, else its digits. */
export const exactInteger = (value: bigint | string): number | string => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
