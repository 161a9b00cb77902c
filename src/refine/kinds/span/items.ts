import { isIP } from 'node:net'
import type { NormalEvent } from '../../../domain/event.ts'
import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import type { Context } from '../../pipeline/context.ts'
import { type Draft, newDraft } from '../../pipeline/draft.ts'
import { type Loose, object, own, type Sent, scalar, truth } from '../../pipeline/value.ts'
import { environmentOf, releaseOf } from '../error/normalize.ts'
import { drift } from '../error/time.ts'
import { conventional, ownConventional } from './conventions.ts'
import { weightOf } from './describe.ts'
import {
  attributeBytesMax,
  type ByteBudget,
  boundedAttributes,
  cutOf,
  intervalOf,
  lengths,
  line,
  linksOf,
  measurementsOf,
  momentUs,
  plainAttributes,
  type Repairs,
  spansMax,
  vitalsOf,
  word,
} from './parts.ts'
import { createSimpleAttributes, type ReadAttributes } from './simple-attributes.ts'
import { type Bare, type SpansOfItem, scrubbedRows } from './transaction.ts'

/** A span item and the data of its envelope that applies to all its spans. */
export type SpanItem = {
  /** The spans as sent, in either form. */
  spans: unknown[]
  /** Span v2: names, times and attributes have other forms. */
  isStreamed: boolean
  /** From the envelope's `trace` header, for spans without their own values. */
  release: unknown
  environment: unknown
  sampleRate: unknown
  /** Whether to use the sender's address if no user is given. */
  inferAddress: boolean
  sent: Sent | undefined
}

export const streamedType = 'application/vnd.sentry.items.span.v2+json'

/** Reads a payload by its content type and shape; undefined if it has neither form. */
export function spanItem(value: unknown, contentType: unknown, trace: unknown, sent: Sent | undefined) {
  const whole = object(value)
  if (!whole) return undefined
  const header = object(trace) ?? {}
  const items = own(whole, 'items')
  const isStreamed = contentType === streamedType || Array.isArray(items)
  if (isStreamed && !Array.isArray(items)) return undefined
  const settings = object(own(whole, 'ingest_settings')) ?? {}
  const item: SpanItem = {
    spans: Array.isArray(items) ? items : [whole],
    isStreamed,
    release: own(header, 'release'),
    environment: own(header, 'environment'),
    sampleRate: own(header, 'sample_rate'),
    inferAddress: own(settings, 'infer_ip') === 'auto',
    sent,
  }
  return item
}

/** Attributes that have a column of their own or are equal for all spans. */
const columns: ReadonlySet<string> = new Set([
  'sentry.op',
  'sentry.origin',
  'sentry.kind',
  'sentry.release',
  'sentry.environment',
  'sentry.segment.id',
  'sentry.segment.name',
  'sentry.sample_rate',
  'sentry.trace_lifecycle',
  'sentry.sdk.integrations',
])

type Details = { item: SpanItem; context: Context; jpos: number; moveUs: number; budget: ByteBudget }

/** The platform in an SDK's name: `sentry.python.django` is python. */
export const platformOf = (sdk: unknown): string =>
  /^sentry\.([a-z][a-z0-9-]{1,20})/.exec(scalar(sdk) ?? '')?.[1] ?? 'other'

function segmentDetails(span: Loose, attributes: Loose, spanId: string, parentId: string, isStreamed: boolean) {
  const sentIsSegment = truth(own(span, 'is_segment')) ?? (isStreamed ? truth(own(span, 'is_remote')) : undefined)
  const named = normalizeSpanId(own(span, 'segment_id')) ?? normalizeSpanId(own(attributes, 'sentry.segment.id')) ?? ''
  const isSegment = sentIsSegment ?? (named === '' ? parentId === '' : named === spanId)
  return { isSegment, segmentId: isSegment ? spanId : named }
}

const simpleAttributes = createSimpleAttributes(columns)

/** The attributes of a span of either form. Those of span v2 mostly need one pass. */
function attributesOf(span: Loose, isStreamed: boolean, budget: ByteBudget, repairs: Repairs): ReadAttributes {
  const sent = own(span, 'attributes')
  const simple = isStreamed ? simpleAttributes(sent, {}, budget) : undefined
  if (simple) return simple
  const all: Loose = isStreamed
    ? ownConventional(plainAttributes(sent))
    : { ...conventional(object(own(span, 'data')) ?? {}), ...object(own(span, 'tags')) }
  return { columns: all, all, kept: boundedAttributes(all, budget, repairs, columns) }
}

/** One span of either form; undefined without both ids or without any time. */
function bareSpan(sent: unknown, { item, context, jpos, moveUs, budget }: Details): Bare | undefined {
  const { isStreamed } = item
  const span = object(sent)
  const [spanId, traceId] = [span && normalizeSpanId(own(span, 'span_id')), span && normalizeId(own(span, 'trace_id'))]
  if (!span || !spanId || !traceId) return undefined
  const start = momentUs(own(span, 'start_timestamp'), moveUs)
  const end = momentUs(own(span, isStreamed ? 'end_timestamp' : 'timestamp'), moveUs)
  if (start === undefined && end === undefined) return undefined
  const repairs: Repairs = { count: 0 }
  const { all, columns: ofColumns, kept } = attributesOf(span, isStreamed, budget, repairs)
  const parentId = normalizeSpanId(own(span, 'parent_span_id')) ?? ''
  const op = word(own(span, 'op') ?? own(ofColumns, 'sentry.op'), lengths.op, repairs)
  const plain = word(own(span, 'status'), lengths.status, repairs)
  const detail = own(all, 'sentry.status.message')
  const status = plain === 'error' && detail === 'deadline_exceeded' ? detail : plain
  const receivedUs = context.head.receivedMs * 1000
  const name = isStreamed ? line(own(span, 'name'), lengths.name, repairs) : ''
  const description = isStreamed ? '' : line(own(span, 'description'), lengths.description, repairs)
  const exclusive = isStreamed ? undefined : own(span, 'exclusive_time')
  const place = segmentDetails(span, ofColumns, spanId, parentId, isStreamed)
  return {
    projectId: context.head.projectId,
    traceId,
    spanId,
    parentId,
    ...place,
    item: 'span',
    transaction:
      line(own(ofColumns, 'sentry.segment.name') ?? own(all, 'sentry.transaction'), lengths.name, repairs) ||
      (place.isSegment ? name || description.slice(0, lengths.name) : ''),
    op,
    name,
    description,
    status,
    ...intervalOf(start, end, receivedUs, receivedUs, repairs),
    selfUs: typeof exclusive === 'number' && exclusive >= 0 ? Math.round(exclusive * 1000) : -1,
    kind: word(own(span, 'kind') ?? own(ofColumns, 'sentry.kind'), lengths.kind, repairs).toLowerCase(),
    origin: word(own(span, 'origin') ?? own(ofColumns, 'sentry.origin'), lengths.origin, repairs),
    cut: cutOf(op, status, own(all, 'sentry.idle_span_finish_reason')),
    attributes: kept,
    measurements: { ...measurementsOf(own(span, 'measurements'), repairs), ...vitalsOf(all) },
    links: linksOf(own(span, 'links'), repairs),
    events: '',
    weight: weightOf(own(ofColumns, 'sentry.sample_rate') ?? item.sampleRate),
    clockShiftUs: moveUs,
    platform: scalar(own(span, 'platform'))?.slice(0, 64) ?? platformOf(own(all, 'sentry.sdk.name')),
    release: releaseOf(own(ofColumns, 'sentry.release') ?? item.release) ?? '',
    environment: environmentOf(own(ofColumns, 'sentry.environment') ?? item.environment) ?? '',
    user: userOf(all, item.inferAddress ? context.head.clientAddress : undefined),
    source: '',
    receivedMs: context.head.receivedMs,
    jpos,
    repaired: repairs.count,
  }
}

/** The user of a span: id, e-mail, name and address. `sender`: the sender's address, if the SDK allows its use. */
export function userOf(attributes: Loose, sender: string | undefined): NormalEvent['user'] {
  const text = (key: string) => scalar(own(attributes, key))?.trim().slice(0, 128) || undefined
  const [id, email, username] = [text('user.id'), text('user.email'), text('user.name') ?? text('user.username')]
  const address = [text('user.ip_address'), text('client.address'), sender].find((entry) => entry && isIP(entry))
  if (!(id ?? email ?? username ?? address)) return undefined
  return {
    ...(id ? { id } : {}),
    ...(email ? { email } : {}),
    ...(username ? { username } : {}),
    ...(address ? { ip_address: address } : {}),
  }
}

/** A draft for the project's filters, from the first span: all spans of an item come from one page or process. */
export function draftOf({ spans, isStreamed, release, inferAddress }: SpanItem, context: Context): Draft {
  const draft = newDraft({}, context.eventId)
  const first = object(spans[0]) ?? {}
  const attributes = isStreamed ? plainAttributes(own(first, 'attributes')) : (object(own(first, 'data')) ?? {})
  const named = releaseOf(own(attributes, 'sentry.release') ?? release)
  if (named) draft.event.release = named
  const address = scalar(own(attributes, 'user.ip_address')) ?? (inferAddress ? context.head.clientAddress : undefined)
  if (address) draft.event.user = { ip_address: address }
  const url = scalar(own(attributes, 'url.full'))
  const agent = scalar(own(attributes, 'user_agent.original'))
  draft.event.request = {
    ...(url ? { url } : {}),
    ...(agent ? { headers: [['User-Agent', agent]] } : {}),
  }
  return draft
}

/**
 * Gives spans that name no segment the one above them in the same item. Parents can form a cycle, so each chain of
 * parents is followed once.
 */
function placeInSegments(spans: readonly Bare[]): void {
  if (spans.every(({ segmentId }) => segmentId !== '')) return
  const byId = new Map(spans.map((span) => [`${span.traceId}${span.spanId}`, span]))
  for (const span of spans) {
    const chain: Bare[] = []
    let at: Bare | undefined = span
    const seen = new Set<Bare>()
    while (at && at.segmentId === '' && !seen.has(at)) {
      seen.add(at)
      chain.push(at)
      at = byId.get(`${at.traceId}${at.parentId}`)
    }
    if (!at || at.segmentId === '') {
      // Their parents lead nowhere. Without this, a long chain would be followed from each of its spans.
      for (const item of chain) byId.delete(`${item.traceId}${item.spanId}`)
      continue
    }
    for (const item of chain) {
      item.segmentId = at.segmentId
      item.transaction ||= at.transaction
    }
  }
}

/** The rows of a span item. Places start at `first`. */
export function itemRows(item: SpanItem, context: Context, jpos: number, first: number): SpansOfItem {
  const moveUs = drift(context.head.receivedMs, context.sentMs) * 1e6
  const details: Details = { item, context, jpos, moveUs, budget: { bytes: attributeBytesMax } }
  const accepted = item.spans.slice(0, spansMax)
  const bare: Bare[] = []
  for (const entry of accepted) {
    const span = bareSpan(entry, details)
    if (span) bare.push(span)
  }
  placeInSegments(bare)
  return {
    rows: scrubbedRows(bare, item.sent, context, first),
    excess: item.spans.length - accepted.length,
    broken: accepted.length - bare.length,
  }
}
