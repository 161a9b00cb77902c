import { otlpItemsMax } from '../../../wire/otlp.ts'
import { type Loose, object, own, whole } from '../../pipeline/value.ts'
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

// OTLP/JSON differs from the usual JSON form of protobuf: ids are hex and enums are numbers. Numbers of 64 bits are
// texts, but some exporters send numbers. Unknown names are ignored.

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
export const countOf = (value: unknown): number => Math.max(0, whole(value) ?? 0)

/** Nanoseconds since 1970 as microseconds; undefined for 0 and for everything that is no time. */
export function microseconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 0 && value < 2 ** 64 ? Math.floor(value / 1000) : undefined
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return undefined
  return Number(BigInt(value) / 1000n) || undefined
}

/** JSON can have numbers that no double has. They become texts, as NaN does. */
const finite = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

/** An integer as number or digits. */
function integer(value: unknown): unknown {
  if (typeof value === 'number') return finite(value)
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? exactInteger(value) : undefined
}

/** The value of an AnyValue; undefined if it has none. */
export function anyValue(sent: unknown, levels: number): unknown {
  const value = object(sent)
  if (!value) return undefined
  const plain = own(value, 'stringValue') ?? own(value, 'boolValue') ?? own(value, 'doubleValue')
  if (plain !== undefined && plain !== null) return typeof plain === 'object' ? undefined : finite(plain)
  const digits = own(value, 'intValue')
  if (digits !== undefined) return integer(digits)
  const bytes = own(value, 'bytesValue')
  if (typeof bytes === 'string') return bytes
  const [array, pairs] = [object(own(value, 'arrayValue')), object(own(value, 'kvlistValue'))]
  if (!array && !pairs) return undefined
  if (levels <= 1) return tooDeep
  if (pairs) return attributesOf(own(pairs, 'values'), levels - 1)
  return list(array && own(array, 'values'))
    .slice(0, entriesMax)
    .map((entry) => anyValue(entry, levels - 1) ?? null)
}

/** Attributes from a list of `{key, value}`. */
export function attributesOf(sent: unknown, levels: number = valueLevelsMax): Loose {
  const out: Loose = {}
  for (const entry of list(sent).slice(0, entriesMax)) {
    const pair = object(entry)
    if (pair) setAttribute(out, textOf(own(pair, 'key')), anyValue(own(pair, 'value'), levels))
  }
  return out
}

/** The number of an enum's member. The specification allows numbers only, but libraries for protobuf write names. */
export function member(value: unknown, prefix: string, names: readonly string[]): number {
  if (typeof value !== 'string' || !value.startsWith(prefix)) return countOf(value)
  return Math.max(0, names.indexOf(value.slice(prefix.length)))
}

/** The names of the lists on the way to the items, and how an item is read. */
type JsonSignal<Item> = { lists: readonly [string, string, string]; itemOf(sent: unknown): Item | undefined }

/** Makes the reader of a parsed body; undefined if it is no object. */
export function jsonReader<Item>({
  lists: [resources, scopes, itemsName],
  itemOf,
}: JsonSignal<Item>): (value: unknown) => OtlpBody<Item> | undefined {
  return (value) => {
    const request = object(value)
    if (!request) return undefined
    const items: Placed<Item>[] = []
    let excess = 0
    for (const sentResource of list(own(request, resources))) {
      const within = object(sentResource) ?? {}
      const resource: OtlpResource = {
        attributes: attributesOf(own(object(own(within, 'resource')) ?? {}, 'attributes')),
      }
      for (const sentScope of list(own(within, scopes))) {
        const ofScope = object(sentScope) ?? {}
        const named = object(own(ofScope, 'scope')) ?? {}
        const scope: OtlpScope = { name: textOf(own(named, 'name')), version: textOf(own(named, 'version')) }
        for (const sent of list(own(ofScope, itemsName))) {
          if (items.length >= otlpItemsMax) excess++
          else items.push({ resource, scope, item: itemOf(sent) })
        }
      }
    }
    return { items, excess }
  }
}
