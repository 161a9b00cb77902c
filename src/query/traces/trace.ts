import type {
  RestEventSpan,
  RestSegment,
  RestTraceError,
  RestTraceEvent,
  RestTraceMeta,
  RestTraceOccurrence,
  RestTraceSpan,
} from '../../contract/explore/traces.ts'
import { nearestTo } from '../../domain/traces/segments.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { EventSpan } from '../../store/events/events.ts'
import type { SeenSpan } from '../../store/events/span-store.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { normalizeSpanId } from '../../wire/ids.ts'

type TraceDeps = {
  events: Pick<
    EventStore,
    'spansOfTrace' | 'spanCounts' | 'byTraceId' | 'detectionsOfTrace' | 'spansOfEvents' | 'logsOfTrace'
  >
  meta: MetaWith<'issues.issueIdsOf' | 'issues.issueById' | 'projects.projectById'>
}

/** Limit of spans that a summary reads of a trace, segments first. */
const metaSpansMax = 1000
/** Limit of spans in trees: their rows are complete, and the answer is built in memory. */
export const treeSpansMax = 10_000
const listedMax = 50
const errorsMax = 100
const findingsMax = 50
/** Depth limit of the tree. A deeper span becomes a sibling of the span at this level. */
const depthMax = 100

/** `eventSpans`: the span of each event as sent, by `eventKey`. */
type Trace = {
  spans: SeenSpan[]
  truncated: boolean
  events: RestTraceEvent[]
  eventSpans: Map<string, EventSpan>
}

const eventKey = (projectId: number | string, eventId: string) => `${projectId} ${eventId}`

/**
 * Reads the spans and events of a trace in these projects, which the caller can read. `withFindings`: what detectors found
 * is among the events.
 * @throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
 */
async function traceOf(
  deps: TraceDeps,
  projectIds: readonly number[],
  traceId: string,
  spansMax: number,
  withFindings = false,
): Promise<Trace> {
  const { events, meta } = deps
  const [found, [refs, places]] = await Promise.all([
    events.spansOfTrace(projectIds, traceId, spansMax + 1),
    events
      .byTraceId([...projectIds], traceId, withFindings ? errorsMax + findingsMax : errorsMax, !withFindings)
      .then(async (all) => [all, await events.spansOfEvents(all)] as const),
  ])
  const spans = found.slice(0, spansMax)
  const placeOf = placer(spans)
  const eventSpans = new Map(places.map((place) => [eventKey(place.projectId, place.eventId), place]))
  const issueIds = await meta.issues.issueIdsOf(refs)
  const slugOf = await slugsOf(meta, projectIds)
  return {
    spans,
    eventSpans,
    truncated: found.length > spansMax,
    events: await Array.fromAsync(refs, async ({ projectId, groupHash, eventId, timestampUs }) => {
      const id = issueIds.get(`${projectId}:${groupHash}`)
      const issue = id === undefined ? undefined : await meta.issues.issueById(id)
      const own = eventSpans.get(eventKey(projectId, eventId))
      return {
        eventID: eventId,
        groupID: issue ? String(issue.id) : null,
        shortId: issue?.shortId ?? null,
        title: own?.title || (issue?.title ?? ''),
        level: own?.level || (issue?.level ?? 'error'),
        projectID: String(projectId),
        projectSlug: slugOf(projectId),
        timestamp: timestampUs / 1e6,
        span: placeOf(own),
      }
    }),
  }
}

/** Returns the slugs of these projects as a lookup; '' for any other. */
async function slugsOf(meta: TraceDeps['meta'], projectIds: readonly number[]): Promise<(projectId: number) => string> {
  const known = new Map<number, string>()
  for (const id of projectIds) known.set(id, (await meta.projects.projectById(id))?.slug ?? '')
  return (projectId) => known.get(projectId) ?? ''
}

const seconds = (us: number) => us / 1e6
const nameOf = ({ name, description, transaction, op }: SeenSpan) => name || description || transaction || op

/** Returns the segments. They arrive last and can be lost; without any, returns spans whose parents did not arrive. */
function segmentsOf(spans: readonly SeenSpan[]): SeenSpan[] {
  const segments = spans.filter((span) => span.isSegment)
  if (segments.length > 0) return segments
  const ids = new Set(spans.map((span) => span.spanId))
  return spans.filter((span) => !ids.has(span.parentId))
}

const keyOf = ({ projectId, spanId }: Pick<SeenSpan, 'projectId' | 'spanId'>) => `${projectId} ${spanId}`

/** Limit of levels from a span up to its segment. */
const climbMax = 200

/**
 * Finds the span that an event names, or its parent, in the trace, and its segment. Spans of the event's project take
 * precedence, because senders choose ids.
 */
function placer(spans: readonly SeenSpan[]): (eventSpan: EventSpan | undefined) => RestEventSpan | null {
  const byKey = new Map(spans.map((span) => [keyOf(span), span]))
  const byId = new Map(spans.toReversed().map((span) => [span.spanId, span]))
  const find = (projectId: number, spanId: string | undefined) =>
    spanId ? (byKey.get(keyOf({ projectId, spanId })) ?? byId.get(spanId)) : undefined
  const segments = new Set(segmentsOf(spans))
  const segmentOf = (span: SeenSpan): SeenSpan | undefined => {
    let at: SeenSpan | undefined = span
    for (let level = 0; at && level < climbMax; level++) {
      if (segments.has(at)) return at
      const named = find(at.projectId, at.segmentId)
      if (named && segments.has(named)) return named
      at = find(at.projectId, at.parentId)
    }
    return undefined
  }
  return (eventSpan) => {
    if (!eventSpan) return null
    const own = find(eventSpan.projectId, normalizeSpanId(eventSpan.spanId))
    const span = own ?? find(eventSpan.projectId, normalizeSpanId(eventSpan.parentId))
    if (!span) return null
    const segment = segmentOf(span)
    return {
      spanID: span.spanId,
      projectID: String(span.projectId),
      name: nameOf(span),
      op: span.op,
      relation: own ? 'span' : 'parent',
      segment: segment ? { spanID: segment.spanId, projectID: String(segment.projectId) } : null,
    }
  }
}

const toSegment = (item: SeenSpan, projectSlug: string, spans: number): RestSegment => ({
  spanID: item.spanId,
  parentSpanID: item.parentId || null,
  projectID: String(item.projectId),
  projectSlug,
  name: nameOf(item),
  op: item.op,
  status: item.status,
  cut: item.cut || null,
  startTimestamp: seconds(item.startUs),
  endTimestamp: seconds(item.startUs + item.durationUs),
  duration: item.durationUs / 1000,
  spans,
  platform: item.platform,
  environment: item.environment,
  release: item.release,
  measurements: item.measurements,
})

/** After every line: the events store knows times until 2106. */
const everMs = 4_294_967_295_000

/** Number of log lines of a trace, up to a limit. */
async function logCount(events: TraceDeps['events'], projectIds: readonly number[], traceId: string, max: number) {
  if (max === 0) return 0
  const lines = await events.logsOfTrace({ projectIds, traceId, fromMs: 0, toMs: everMs, max, newest: false })
  return lines.length
}

/**
 * `atS`: the time near which segments are listed, seconds; undefined: the beginning. `logsMax`: log lines are counted up to
 * here; who shows no number of them asks for none. See `RestTraceMeta`.
 */
export async function traceMeta(
  deps: TraceDeps,
  projectIds: readonly number[],
  traceId: string,
  { keptDays, atS, logsMax = 0 }: { keptDays: number; atS: number | undefined; logsMax?: number },
): Promise<RestTraceMeta> {
  const [{ spans, truncated, events }, occurrences, logs] = await Promise.all([
    traceOf(deps, projectIds, traceId, metaSpansMax),
    deps.events.detectionsOfTrace([...projectIds], traceId),
    logCount(deps.events, projectIds, traceId, logsMax),
  ])
  const slugOf = await slugsOf(deps.meta, projectIds)
  const segments = segmentsOf(spans).toSorted((a, b) => a.startUs - b.startUs)
  const below = Map.groupBy(
    spans.filter((span) => !span.isSegment),
    (item) => `${item.projectId} ${item.segmentId}`,
  )
  const countOf = (item: SeenSpan) => below.get(`${item.projectId} ${item.spanId}`)?.length ?? 0
  const counts = truncated
    ? await deps.events.spanCounts(projectIds, traceId)
    : new Map([...Map.groupBy(spans, (item) => item.op)].map(([op, some]) => [op, some.length]))
  const listed = segments.map((segment) => toSegment(segment, slugOf(segment.projectId), countOf(segment)))
  return {
    errors: events.length,
    // They are no errors of the trace.
    performance_issues: occurrences,
    logs,
    span_count: [...counts.values()].reduce((sum, count) => sum + count, 0),
    span_count_map: Object.fromEntries([...counts].map(([op, count]) => [op || 'default', count])),
    transaction_child_count_map: segments.map((segment) => ({
      'transaction.span_id': segment.spanId,
      'count()': countOf(segment),
    })),
    truncated,
    segments: atS === undefined ? listed.slice(0, listedMax) : nearestTo(listed, atS, listedMax),
    segmentCount: segments.length,
    events: events.slice(0, listedMax),
    keptDays,
  }
}

const parsed = <T>(json: string, none: T): T => (json === '' ? none : (JSON.parse(json) as T))

type NodeParts = {
  slugOf: (projectId: number) => string
  errorsOf: (span: SeenSpan) => RestTraceError[]
  occurrencesOf: (span: SeenSpan) => RestTraceOccurrence[]
}

const nodeOf = (item: SeenSpan, { slugOf, errorsOf, occurrencesOf }: NodeParts): RestTraceSpan => ({
  event_type: 'span',
  event_id: item.spanId,
  parent_span_id: item.parentId || null,
  transaction_id: item.segmentId,
  project_id: item.projectId,
  project_slug: slugOf(item.projectId),
  is_transaction: item.isSegment,
  transaction: item.transaction,
  op: item.op,
  name: item.name,
  description: item.description,
  status: item.status,
  origin: item.origin,
  kind: item.kind,
  cut: item.cut || null,
  start_timestamp: seconds(item.startUs),
  end_timestamp: seconds(item.startUs + item.durationUs),
  duration: item.durationUs / 1000,
  self_time: item.selfUs < 0 ? null : item.selfUs / 1000,
  environment: item.environment,
  release: item.release,
  measurements: item.measurements,
  additional_attributes: item.attributes,
  links: parsed<RestTraceSpan['links']>(item.links, []),
  ...(item.events ? { events: parsed<NonNullable<RestTraceSpan['events']>>(item.events, []) } : {}),
  repaired: item.repaired,
  children: [],
  errors: errorsOf(item),
  occurrences: occurrencesOf(item),
})

/**
 * Builds trees of spans, each span once, ordered by start. A missing parent, or a parent below its own child, is
 * ignored: senders choose ids.
 */
function treesOf(spans: readonly SeenSpan[], parts: NodeParts): RestTraceSpan[] {
  const ordered = spans.toSorted((a, b) => a.startUs - b.startUs || b.durationUs - a.durationUs)
  const ids = new Set(spans.map((span) => span.spanId))
  const byParent = Map.groupBy(ordered, (item) => item.parentId)
  const placed = new Set<SeenSpan>()
  const roots: RestTraceSpan[] = []
  const place = (root: SeenSpan) => {
    if (placed.has(root)) return
    placed.add(root)
    const first = nodeOf(root, parts)
    roots.push(first)
    const open = [{ span: root, into: first.children, depth: 1 }]
    for (let item = open.pop(); item; item = open.pop())
      for (const child of byParent.get(item.span.spanId) ?? []) {
        if (placed.has(child)) continue
        placed.add(child)
        const node = nodeOf(child, parts)
        item.into.push(node)
        const isDeep = item.depth + 1 >= depthMax
        open.push({
          span: child,
          into: isDeep ? item.into : node.children,
          depth: isDeep ? item.depth : item.depth + 1,
        })
      }
  }
  for (const item of ordered) if (item.parentId === '' || !ids.has(item.parentId)) place(item)
  // The remaining spans form cycles.
  for (const item of ordered) place(item)
  return roots
}

const errorOf = (traceEvent: RestTraceEvent, eventSpan: EventSpan | undefined): RestTraceError => ({
  event_type: 'error',
  id: traceEvent.eventID,
  event_id: traceEvent.eventID,
  issue_id: traceEvent.groupID === null ? null : Number(traceEvent.groupID),
  short_id: traceEvent.shortId,
  project_id: Number(traceEvent.projectID),
  project_slug: traceEvent.projectSlug,
  title: traceEvent.title,
  message: traceEvent.title,
  culprit: eventSpan?.culprit ?? '',
  type: eventSpan?.type || 'error',
  metadata: {
    ...(eventSpan?.errorType ? { type: eventSpan.errorType } : {}),
    ...(eventSpan?.errorValue ? { value: eventSpan.errorValue } : {}),
  },
  level: traceEvent.level,
  transaction: eventSpan?.transaction ?? '',
  span_id: traceEvent.span?.spanID ?? null,
  timestamp: traceEvent.timestamp,
  start_timestamp: traceEvent.timestamp,
})

/**
 * Returns the trees of a trace with its errors at their spans, followed by errors whose spans are not stored, and whether
 * more than `max` spans are stored.
 */
export async function traceTree(
  deps: TraceDeps,
  projectIds: readonly number[],
  traceId: string,
  max = treeSpansMax,
): Promise<{ nodes: (RestTraceSpan | RestTraceError)[]; truncated: boolean }> {
  const { spans, truncated, events, eventSpans } = await traceOf(deps, projectIds, traceId, max, true)
  const spanOf = (event: RestTraceEvent) => eventSpans.get(eventKey(event.projectID, event.eventID))
  const bySpan = Map.groupBy(events, ({ span }) =>
    span ? keyOf({ projectId: Number(span.projectID), spanId: span.spanID }) : '',
  )
  const eventsAt = (key: string, isFinding: boolean) =>
    (bySpan.get(key) ?? [])
      .filter((event) => (spanOf(event)?.type === 'generic') === isFinding)
      .map((event) => errorOf(event, spanOf(event)))
  const parts: NodeParts = {
    slugOf: await slugsOf(deps.meta, projectIds),
    errorsOf: (span) => eventsAt(keyOf(span), false),
    occurrencesOf: (span) => eventsAt(keyOf(span), true).map((event) => ({ ...event, event_type: 'occurrence' })),
  }
  return { nodes: [...treesOf(spans, parts), ...eventsAt('', false)], truncated }
}
