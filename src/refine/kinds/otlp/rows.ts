import type { SpanRow } from '../../../store/events/span-store.ts'
import type { Json } from '../../../wire/json.ts'
import type { Context } from '../../pipeline/context.ts'
import { type Draft, newDraft } from '../../pipeline/draft.ts'
import { type Loose, own, scalar } from '../../pipeline/value.ts'
import { environmentOf, releaseOf } from '../error/normalize.ts'
import { conventional } from '../span/conventions.ts'
import { weightOf } from '../span/describe.ts'
import { userOf } from '../span/items.ts'
import {
  type ByteBudget,
  boundedAttributes,
  intervalOf,
  lengths,
  line,
  type Repairs,
  vitalsOf,
  word,
} from '../span/parts.ts'
import type { Bare } from '../span/transaction.ts'
import { eventsOf, linksOf } from './details.ts'
import type { OtlpSpan, Placed } from './message.ts'
import { kindOf, opOf, platformOf } from './operation.ts'

/** A readable span: it has both ids. */
export type SoundSpan = Omit<Placed<OtlpSpan>, 'item'> & { span: OtlpSpan & { traceId: string; spanId: string } }

/** The spans of one trace from one resource: a service's part of the trace. They are filtered and stored together. */
export type Unit = SoundSpan[]

/** Attributes with a column of their own. */
const columns: ReadonlySet<string> = new Set([
  'sentry.op',
  'sentry.origin',
  'sentry.release',
  'sentry.environment',
  'sentry.sample_rate',
])

/** Bits of `flags`: whether the parent is known to be in another process, or known to be in this process. */
const [hasIsRemote, isRemote] = [0x100, 0x200]
const entryKinds: ReadonlySet<string> = new Set(['server', 'consumer'])

/**
 * Whether a span is a segment: it has no parent, or its parent is in another process. Exporters before version 1.3 of
 * OTLP do not say where the parent is. For them, a span that serves a request or takes a message begins a segment.
 */
function isSegment({ parentId, flags, kind }: Pick<OtlpSpan, 'parentId' | 'flags' | 'kind'>): boolean {
  if (parentId === '') return true
  return (flags & hasIsRemote) !== 0 ? (flags & isRemote) !== 0 : entryKinds.has(kindOf(kind))
}

/** Splits sound spans into units, in the order of their first spans. */
export function unitsOf(spans: readonly SoundSpan[]): Unit[] {
  const byResource = Map.groupBy(spans, ({ resource }) => resource)
  return [...byResource.values()].flatMap((own) => [...Map.groupBy(own, ({ span }) => span.traceId).values()])
}

/**
 * The segment of each span of a unit, by span id: the nearest segment among its ancestors, if the body has all spans
 * between them. A batch often has only some spans of a segment.
 */
export function segmentsOf(unit: Unit): ReadonlyMap<string, SoundSpan> {
  const byId = new Map(unit.map((placed) => [placed.span.spanId, placed]))
  const found = new Map<string, SoundSpan | undefined>()
  for (const placed of unit) {
    const path: string[] = []
    let at: SoundSpan | undefined = placed
    // An id on the path has no segment yet, so a circle of parents ends there.
    while (at && !found.has(at.span.spanId) && !isSegment(at.span)) {
      found.set(at.span.spanId, undefined)
      path.push(at.span.spanId)
      at = byId.get(at.span.parentId)
    }
    const segment = at && (isSegment(at.span) ? at : found.get(at.span.spanId))
    if (at && isSegment(at.span)) found.set(at.span.spanId, at)
    for (const id of path) found.set(id, segment)
  }
  return new Map([...found].flatMap(([id, segment]) => (segment ? [[id, segment] as const] : [])))
}

type Details = { context: Context; jpos: number; budget: ByteBudget; segments: ReadonlyMap<string, SoundSpan> }

/** Attributes that OpenTelemetry's own conventions give to data of a span that is no attribute in OTLP. */
function namedAttributes({ span, scope }: SoundSpan): Loose {
  const { dropped, status, traceState } = span
  const counts = Object.entries(dropped).filter(([, count]) => count > 0)
  return {
    ...(scope.name ? { 'otel.scope.name': scope.name } : {}),
    ...(scope.version ? { 'otel.scope.version': scope.version } : {}),
    ...(status.message ? { 'otel.status_description': status.message } : {}),
    ...(traceState ? { 'otel.trace_state': traceState } : {}),
    ...Object.fromEntries(counts.map(([name, count]) => [`otel.dropped_${name}_count`, count])),
  }
}

/** The attributes of a resource that each of its spans has. Segments have all of them. */
const serviceNames = ['service.name', 'service.namespace']
const serviceOf = (resource: Loose): Loose =>
  Object.fromEntries(
    serviceNames.flatMap((name) => (own(resource, name) === undefined ? [] : [[name, own(resource, name)]])),
  )

/** Names of the status codes. A code of a later version counts as unset. */
const statuses = ['unset', 'ok', 'error'] as const
const statusOf = (code: number): string => statuses[code] ?? statuses[0]

/** The rejection threshold of consistent sampling in the trace state (`ot=th:c8`): up to 56 bits as hex, cut at the end. */
const threshold = /(?:^|,)\s*ot=(?:[^,]{0,200};)?th:([0-9a-f]{1,14})(?:[;,\s]|$)/
const thresholdDigits = 14

/** The number of spans that a span stands for, by the sampling that its SDK states. */
function weightOfSpan({ attributes, traceState }: OtlpSpan): number {
  const rate = own(attributes, 'sentry.sample_rate')
  const sent = rate === undefined ? threshold.exec(traceState)?.[1] : undefined
  if (sent === undefined) return weightOf(rate)
  return weightOf(1 - Number.parseInt(sent.padEnd(thresholdDigits, '0'), 16) / 16 ** thresholdDigits)
}
const nameOf = (name: unknown, repairs: Repairs): string => line(name, lengths.name, repairs)
const firstOf = (attributes: Loose, ...names: string[]): unknown => {
  for (const name of names) {
    const value = own(attributes, name)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** A span as a row before scrubbing, with its events and links. */
type BareOtlp = { bare: Bare; events: Json[]; links: Json[] }

/** Makes the row of one span. */
export function bareSpan(placed: SoundSpan, { context, jpos, budget, segments }: Details): BareOtlp {
  const { span, resource } = placed
  const { traceId, spanId, parentId } = span
  const repairs: Repairs = { count: 0 }
  const named = conventional(span.attributes)
  const segment = segments.get(spanId)?.span
  const isOwnSegment = isSegment(span)
  const all: Loose = { ...resource.attributes, ...named }
  const receivedUs = context.head.receivedMs * 1000
  const kept = {
    ...namedAttributes(placed),
    ...(isOwnSegment ? resource.attributes : serviceOf(resource.attributes)),
    ...named,
  }
  const attributes: Loose = boundedAttributes(kept, budget, repairs, columns)
  const events = eventsOf(span, budget, repairs)
  const links = linksOf(span.links, budget, repairs)
  const bare: Bare = {
    projectId: context.head.projectId,
    traceId,
    spanId,
    parentId,
    segmentId: segment?.spanId ?? '',
    isSegment: isOwnSegment,
    item: 'span',
    transaction: segment ? nameOf(segment.name, { count: 0 }) : '',
    op: word(opOf(span.kind, named), lengths.op, repairs),
    name: nameOf(span.name, repairs),
    description: '',
    status: statusOf(span.status.code),
    ...intervalOf(span.startUs, span.endUs, receivedUs, receivedUs, repairs),
    selfUs: -1,
    kind: kindOf(span.kind),
    origin: word(own(named, 'sentry.origin') ?? 'otlp', lengths.origin, repairs),
    cut: '',
    attributes,
    measurements: vitalsOf(named),
    links: '',
    events: '',
    weight: weightOfSpan(span),
    clockShiftUs: 0,
    source: '',
    platform: platformOf(resource.attributes),
    release: releaseOf(firstOf(all, 'sentry.release', 'service.version')) ?? '',
    environment:
      environmentOf(firstOf(all, 'sentry.environment', 'deployment.environment.name', 'deployment.environment')) ?? '',
    user: userOf({ 'user.id': own(named, 'enduser.id'), ...named }, undefined),
    receivedMs: context.head.receivedMs,
    jpos,
    repaired: repairs.count,
  }
  return { bare, events, links }
}

/** Adds the scrubbed events and links to a row. */
export function withDetails(row: SpanRow, events: readonly Json[], links: readonly Json[]): SpanRow {
  if (links.length > 0) row.links = JSON.stringify(links)
  if (events.length > 0) row.events = JSON.stringify(events)
  return row
}

/** A draft for the project's filters, from the segment of a unit or else its first span. */
export function draftOf(unit: Unit, context: Context): Draft {
  const draft = newDraft({}, context.eventId)
  const placed = unit.find(({ span }) => isSegment(span)) ?? unit[0]
  const { span, resource } = placed ?? { span: { attributes: {} }, resource: { attributes: {} } }
  const all: Loose = { ...resource.attributes, ...span.attributes }
  const release = releaseOf(firstOf(all, 'sentry.release', 'service.version'))
  if (release) draft.event.release = release
  const user = userOf(span.attributes, undefined)
  if (user?.ip_address) draft.event.user = { ip_address: user.ip_address }
  const url = scalar(firstOf(span.attributes, 'url.full', 'http.url'))
  const agent = scalar(firstOf(span.attributes, 'user_agent.original', 'http.user_agent'))
  draft.event.request = {
    ...(url ? { url } : {}),
    ...(agent ? { headers: [['User-Agent', agent]] } : {}),
  }
  return draft
}
