import type { NormalEvent } from '../../../domain/event.ts'
import type { SpanRow } from '../../../store/events/span-store.ts'
import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
import { type Loose, listOf, object, own, type Sent, scalar } from '../../pipeline/value.ts'
import type { Rules } from '../../scrub/rules.ts'
import { isPlain, rulesOf, scrubTree } from '../../scrub/scrub.ts'
import { userHash } from '../error/row.ts'
import { seconds } from '../error/time.ts'
import { conventional } from './conventions.ts'
import { type Described, describeAll, weightOf } from './describe.ts'
import {
  attributeBytesMax,
  type ByteBudget,
  boundedAttributes,
  cutOf,
  type Interval,
  intervalOf,
  lengths,
  line,
  linksOf,
  measurementsOf,
  momentUs,
  type Repairs,
  selfTimes,
  spansMax,
  word,
} from './parts.ts'

/** A span before scrubbing: attributes are still an object, the user is not hashed. */
export type Bare = Omit<SpanRow, keyof Described | 'attributes' | 'place' | 'userHash'> & {
  attributes: Loose
  user: NormalEvent['user']
  /** Where the SDK took the name of the segment from; '' if it does not say. */
  source: string
}

/** The result of an item: its rows, the number of spans over the limit, and the number of unreadable spans. */
export type SpansOfItem = { rows: SpanRow[]; excess: number; broken: number }

/** Attributes that have a column of their own. */
const columns: ReadonlySet<string> = new Set(['sentry.op', 'sentry.origin', 'sentry.sample_rate'])

const finishReasonOf = (data: Loose, tags: Loose): unknown =>
  own(data, 'sentry.idle_span_finish_reason') ?? own(tags, 'idle_span_finish_reason') ?? own(tags, 'finishReason')

/** The position of the item's rows and the number of the first, and the sample rate in the header of its envelope. */
type Place = { jpos: number; first: number; sampleRate: unknown }

/** The segment of a transaction, from the normalized event and its received trace context. */
function segmentOf(
  { received, event }: Draft,
  context: Context,
  { jpos, sampleRate }: Place,
  budget: ByteBudget,
): Bare {
  const repairs: Repairs = { count: 0 }
  const trace = object(own(object(own(received, 'contexts')) ?? {}, 'trace')) ?? {}
  const data = conventional(object(own(trace, 'data')) ?? {})
  const tags = { ...object(own(trace, 'tags')), ...Object.fromEntries(event.tags) }
  const sentId = normalizeSpanId(own(trace, 'span_id'))
  const traceId = normalizeId(own(trace, 'trace_id'))
  if (!sentId || !traceId) repairs.count++
  const spanId = sentId ?? context.eventId.slice(0, 16)
  const sentEndS = seconds(own(received, 'timestamp'))
  // A correction of the end (wrong clock, impossible time) moves all times.
  const endUs = Math.round(event.timestamp * 1e6)
  const moveUs = sentEndS === undefined ? 0 : endUs - Math.round(sentEndS * 1e6)
  const receivedUs = context.head.receivedMs * 1000
  const start = momentUs(own(received, 'start_timestamp'), moveUs)
  const op = word(own(trace, 'op') ?? own(data, 'sentry.op'), lengths.op, repairs)
  const status = word(own(trace, 'status'), lengths.status, repairs)
  const name = line(event.transaction, lengths.name, repairs)
  const attributes = boundedAttributes(data, budget, repairs, columns)
  return {
    projectId: context.head.projectId,
    traceId: traceId ?? context.eventId,
    spanId,
    parentId: normalizeSpanId(own(trace, 'parent_span_id')) ?? '',
    segmentId: spanId,
    isSegment: true,
    item: 'transaction',
    transaction: name,
    op,
    name,
    description: '',
    status,
    ...intervalOf(start, endUs, receivedUs, endUs, repairs),
    selfUs: -1,
    kind: word(own(data, 'sentry.kind'), lengths.kind, repairs).toLowerCase(),
    origin: word(own(trace, 'origin') ?? own(data, 'sentry.origin'), lengths.origin, repairs),
    cut: cutOf(op, status, finishReasonOf(data, tags)),
    attributes: { ...attributes, ...boundedAttributes(tags, budget, repairs, new Set(Object.keys(attributes))) },
    measurements: measurementsOf(own(received, 'measurements'), repairs),
    links: linksOf(own(trace, 'links'), repairs),
    events: '',
    weight: weightOf(own(data, 'sentry.sample_rate') ?? sampleRate),
    clockShiftUs: moveUs,
    platform: event.platform,
    release: event.release ?? '',
    environment: event.environment ?? '',
    user: event.user,
    source: scalar(own(object(own(received, 'transaction_info')) ?? {}, 'source')) ?? '',
    receivedMs: context.head.receivedMs,
    jpos,
    repaired: repairs.count,
  }
}

type ChildContext = { segment: Bare; moveUs: number; receivedUs: number; budget: ByteBudget }

/** One child span; undefined without an id or without any time. */
function childOf(sent: unknown, { segment, moveUs, receivedUs, budget }: ChildContext): Bare | undefined {
  const span = object(sent)
  const spanId = span && normalizeSpanId(own(span, 'span_id'))
  if (!span || !spanId) return undefined
  const start = momentUs(own(span, 'start_timestamp'), moveUs)
  const end = momentUs(own(span, 'timestamp'), moveUs)
  if (start === undefined && end === undefined) return undefined
  const repairs: Repairs = { count: 0 }
  const interval: Interval = intervalOf(start, end, receivedUs, segment.startUs + segment.durationUs, repairs)
  const parentId = normalizeSpanId(own(span, 'parent_span_id'))
  if (!parentId) repairs.count++
  const data = conventional(object(own(span, 'data')) ?? {})
  const op = word(own(span, 'op') ?? own(data, 'sentry.op'), lengths.op, repairs)
  const status = word(own(span, 'status'), lengths.status, repairs)
  const attributes = boundedAttributes(data, budget, repairs, columns)
  const tags = object(own(span, 'tags'))
  if (tags) Object.assign(attributes, boundedAttributes(tags, budget, repairs, new Set(Object.keys(attributes))))
  return {
    ...segment,
    spanId,
    // A child with another trace id would be a fault. It is shown in the transaction that contained it.
    parentId: parentId ?? segment.spanId,
    isSegment: false,
    op,
    name: '',
    status,
    description: line(own(span, 'description'), lengths.description, repairs),
    ...interval,
    kind: word(own(data, 'sentry.kind'), lengths.kind, repairs).toLowerCase(),
    origin: word(own(span, 'origin') ?? own(data, 'sentry.origin'), lengths.origin, repairs),
    cut: segment.cut !== '' && status === 'deadline_exceeded' ? segment.cut : '',
    attributes,
    measurements: measurementsOf(own(span, 'measurements'), repairs),
    links: linksOf(own(span, 'links'), repairs),
    repaired: repairs.count,
  }
}

/** The children of a transaction as sent, valid or not. */
export const childrenOf = (received: Loose): unknown[] => {
  const sent = own(received, 'spans')
  return Array.isArray(sent) ? sent.filter((entry) => entry !== null) : listOf(sent)
}

/**
 * The rows of a transaction: its segment, then its children in the sent order. `draft` has passed the first steps of an
 * event.
 */
export function transactionRows(draft: Draft, context: Context, place: Place): SpansOfItem {
  const budget: ByteBudget = { bytes: attributeBytesMax }
  const segment = segmentOf(draft, context, place, budget)
  const sentEndS = seconds(own(draft.received, 'timestamp'))
  const moveUs = sentEndS === undefined ? 0 : Math.round(draft.event.timestamp * 1e6) - Math.round(sentEndS * 1e6)
  const childContext: ChildContext = { segment, moveUs, receivedUs: context.head.receivedMs * 1000, budget }
  const sent = childrenOf(draft.received)
  const bare = [segment]
  let broken = 0
  for (const entry of sent.slice(0, spansMax)) {
    const child = childOf(entry, childContext)
    if (child) bare.push(child)
    else broken++
  }
  for (const [at, selfUs] of selfTimes(bare).entries()) {
    const entry = bare[at]
    if (entry) entry.selfUs = selfUs
  }
  const rows = scrubbedRows(bare, draft.sent, context, place.first)
  return { rows, excess: Math.max(0, sent.length - spansMax), broken }
}

/**
 * Scrubs texts, attributes and users like those of an event, and makes rows. Places start at `first`. Each span repeats
 * its segment's name, so the name is scrubbed the same way in all. `sent`: the payload, if nothing was repaired.
 */
export function scrubbedRows(bare: Bare[], sent: Sent | undefined, context: Context, first: number): SpanRow[] {
  const rules = rulesOf(context)
  const scrubbed = isPlain(sent, rules) ? bare : scrubTexts(bare, rules)
  const described = describeAll(scrubbed, context.tools, context.settings.routes)
  const hashes = new Map<Bare['user'], string>()
  return scrubbed.map((span, at) => {
    const hash = hashes.get(span.user) ?? userHash(span.user)
    hashes.set(span.user, hash)
    return rowOf(span, described[at] as Described, hash, first + at)
  })
}

/** The spans with scrubbed texts, attributes and users. */
function scrubTexts(bare: readonly Bare[], rules: Rules): Bare[] {
  // One copy per user, however many spans name it.
  const people = new Map(bare.map(({ user }) => [user, structuredClone(user)]))
  const list = bare.map(({ transaction, name, description, attributes, user }) => ({
    transaction,
    name,
    description,
    attributes,
    user: people.get(user),
  }))
  scrubTree({ list }, rules, undefined)
  return bare.map((span, at): Bare => ({ ...span, ...list[at] }))
}

/** A list of names costs a third of `{ user, ...span }`, which V8 copies one property at a time. */
const rowOf = (span: Bare, described: Described, hashOfUser: string, place: number): SpanRow => ({
  projectId: span.projectId,
  traceId: span.traceId,
  spanId: span.spanId,
  parentId: span.parentId,
  segmentId: span.segmentId,
  isSegment: span.isSegment,
  item: span.item,
  transaction: span.transaction,
  op: span.op,
  name: span.name,
  description: span.description,
  status: span.status,
  startUs: span.startUs,
  durationUs: span.durationUs,
  selfUs: span.selfUs,
  kind: span.kind,
  origin: span.origin,
  cut: span.cut,
  attributes: span.attributes as SpanRow['attributes'],
  measurements: span.measurements,
  links: span.links,
  events: span.events,
  platform: span.platform,
  release: span.release,
  environment: span.environment,
  userHash: hashOfUser,
  receivedMs: span.receivedMs,
  jpos: span.jpos,
  place,
  repaired: span.repaired,
  route: described.route,
  category: described.category,
  statement: described.statement,
  weight: span.weight,
  failed: described.failed,
  httpStatus: described.httpStatus,
  clockShiftUs: span.clockShiftUs,
})
