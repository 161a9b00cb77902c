import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import { otlpSpansMax } from '../../../wire/otlp.ts'
import { type Loose, object, own, whole } from '../../pipeline/value.ts'
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

// OTLP/JSON differs from the usual JSON form of protobuf: ids are hex and enums are numbers. Numbers of 64 bits are
// texts, but some exporters send numbers. Unknown names are ignored.

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const countOf = (value: unknown): number => Math.max(0, whole(value) ?? 0)

/** Nanoseconds since 1970 as microseconds; undefined for 0 and for everything that is no time. */
function microseconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 0 && value < 2 ** 64 ? Math.floor(value / 1000) : undefined
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return undefined
  return Number(BigInt(value) / 1000n) || undefined
}

/** JSON can have numbers that no double has. They become texts, as NaN is one. */
const finite = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

/** An integer as number or digits. */
function integer(value: unknown): unknown {
  if (typeof value === 'number') return finite(value)
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? exactInteger(value) : undefined
}

/** The value of an AnyValue; undefined if it has none. */
function anyValue(sent: unknown, levels: number): unknown {
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
function attributesOf(sent: unknown, levels: number = valueLevelsMax): Loose {
  const out: Loose = {}
  for (const entry of list(sent).slice(0, entriesMax)) {
    const pair = object(entry)
    if (pair) setAttribute(out, textOf(own(pair, 'key')), anyValue(own(pair, 'value'), levels))
  }
  return out
}

function eventOf(sent: unknown): OtlpEvent {
  const event = object(sent) ?? {}
  return {
    name: textOf(own(event, 'name')),
    atUs: microseconds(own(event, 'timeUnixNano')),
    attributes: attributesOf(own(event, 'attributes')),
  }
}

function linkOf(sent: unknown): OtlpLink {
  const link = object(sent) ?? {}
  return {
    traceId: normalizeId(own(link, 'traceId')),
    spanId: normalizeSpanId(own(link, 'spanId')),
    traceState: textOf(own(link, 'traceState')),
    flags: countOf(own(link, 'flags')),
    attributes: attributesOf(own(link, 'attributes')),
  }
}

/** Names of the enums. The specification allows numbers only, but libraries for protobuf write names. */
const kindNames = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
const codeNames = ['UNSET', 'OK', 'ERROR']

function member(value: unknown, prefix: string, names: readonly string[]): number {
  if (typeof value !== 'string' || !value.startsWith(prefix)) return countOf(value)
  return Math.max(0, names.indexOf(value.slice(prefix.length)))
}

function spanOf(sent: unknown): OtlpSpan | undefined {
  const span = object(sent)
  if (!span) return undefined
  const status = object(own(span, 'status')) ?? {}
  return {
    ...emptySpan(),
    traceId: normalizeId(own(span, 'traceId')),
    spanId: normalizeSpanId(own(span, 'spanId')),
    parentId: normalizeSpanId(own(span, 'parentSpanId')) ?? '',
    traceState: textOf(own(span, 'traceState')),
    name: own(span, 'name'),
    kind: member(own(span, 'kind'), 'SPAN_KIND_', kindNames),
    flags: countOf(own(span, 'flags')),
    startUs: microseconds(own(span, 'startTimeUnixNano')),
    endUs: microseconds(own(span, 'endTimeUnixNano')),
    attributes: attributesOf(own(span, 'attributes')),
    events: list(own(span, 'events')).slice(0, entriesMax).map(eventOf),
    links: list(own(span, 'links')).slice(0, entriesMax).map(linkOf),
    dropped: {
      attributes: countOf(own(span, 'droppedAttributesCount')),
      events: countOf(own(span, 'droppedEventsCount')),
      links: countOf(own(span, 'droppedLinksCount')),
    },
    status: { code: member(own(status, 'code'), 'STATUS_CODE_', codeNames), message: textOf(own(status, 'message')) },
  }
}

/** Reads a parsed body; undefined if it is no object. */
export function readJson(value: unknown): OtlpBody | undefined {
  const request = object(value)
  if (!request) return undefined
  const spans: PlacedSpan[] = []
  let excess = 0
  for (const sentResource of list(own(request, 'resourceSpans'))) {
    const resourceSpans = object(sentResource) ?? {}
    const resource: OtlpResource = {
      attributes: attributesOf(own(object(own(resourceSpans, 'resource')) ?? {}, 'attributes')),
    }
    for (const sentScope of list(own(resourceSpans, 'scopeSpans'))) {
      const scopeSpans = object(sentScope) ?? {}
      const named = object(own(scopeSpans, 'scope')) ?? {}
      const scope: OtlpScope = { name: textOf(own(named, 'name')), version: textOf(own(named, 'version')) }
      for (const sent of list(own(scopeSpans, 'spans'))) {
        if (spans.length >= otlpSpansMax) excess++
        else spans.push({ resource, scope, span: spanOf(sent) })
      }
    }
  }
  return { spans, excess }
}
