import { z } from 'zod'
import { digits, eventId, record, spanId } from './scalars.ts'

const cut = z
  .enum(['deadline_exceeded', 'heartbeatFailed'])
  .nullable()
  .describe('Why it was cut off. Null: it was not.')
const at = z.number().describe('Seconds since 1970.')
const measurements = z.record(z.string(), z.number()).describe('Times in milliseconds.')
const durationMs = z.number().describe('Milliseconds.')

/** One segment of a trace without its child spans: a page load, a navigation, a request that a server answered. */
const segment = z
  .strictObject({
    spanID: spanId,
    parentSpanID: spanId.nullable(),
    projectID: digits,
    projectSlug: z.string(),
    name: z.string(),
    op: z.string(),
    status: z.string(),
    cut,
    startTimestamp: at,
    endTimestamp: at,
    duration: durationMs,
    /** Spans below it, of those that the trace shows. */
    spans: z.int(),
    platform: z.string(),
    environment: z.string(),
    release: z.string(),
    measurements,
  })
  .meta({ id: 'Segment' })
export type RestSegment = z.infer<typeof segment>

/** The span that an error happened in. */
const eventSpan = z
  .strictObject({
    spanID: spanId,
    projectID: digits,
    name: z.string(),
    op: z.string(),
    relation: z.enum(['span', 'parent']).describe('parent: the named span is not stored. This span is above it.'),
    /** The segment above it with its project, or null when no segment above it is stored. */
    segment: z.strictObject({ spanID: spanId, projectID: digits }).nullable(),
  })
  .meta({ id: 'EventSpan' })
export type RestEventSpan = z.infer<typeof eventSpan>

/** An error of a trace, and its issue. */
const traceEvent = z
  .strictObject({
    eventID: eventId,
    /** Null when its issue was removed meanwhile. */
    groupID: digits.nullable(),
    shortId: z.string().nullable(),
    title: z.string(),
    level: z.string(),
    projectID: digits,
    projectSlug: z.string(),
    timestamp: at,
    span: eventSpan.nullable().describe('Null: not named or not stored. Only its time shows where it belongs.'),
  })
  .meta({ id: 'TraceEvent' })
export type RestTraceEvent = z.infer<typeof traceEvent>

/** GET organizations/{org}/trace-meta/{trace}/: a trace in short. */
export const restTraceMeta = z
  .strictObject({
    errors: z.int(),
    performance_issues: z.int(),
    logs: z.int(),
    /** Spans that were looked at, at most 1,000, and how many of them each op has. */
    span_count: z.int(),
    span_count_map: z.record(z.string(), z.int()),
    transaction_child_count_map: z.array(z.strictObject({ 'transaction.span_id': spanId, 'count()': z.int() })),
    truncated: z.boolean().describe('More than 1,000 spans are stored. These are the first.'),
    /**
     * The 50 segments nearest to the asked time, in the order of their start. A trace without segments has the spans
     * here that no other span is above.
     */
    segments: z.array(segment),
    segmentCount: z.int(),
    /** Errors of the trace in the order of time, at most 50. */
    events: z.array(traceEvent),
    /** Days that spans are kept. */
    keptDays: z.int(),
  })
  .meta({ id: 'TraceMeta' })
export type RestTraceMeta = z.infer<typeof restTraceMeta>

/** A span of organizations/{org}/trace/{trace}/ with its child spans. */
const span = z
  .strictObject({
    event_type: z.literal('span'),
    event_id: spanId,
    parent_span_id: spanId.nullable(),
    transaction_id: z.string().regex(/^(?:[0-9a-f]{16})?$/),
    project_id: z.int(),
    project_slug: z.string(),
    is_transaction: z.boolean(),
    transaction: z.string(),
    op: z.string(),
    name: z.string(),
    description: z.string(),
    status: z.string(),
    origin: z.string(),
    kind: z.string(),
    cut,
    start_timestamp: at,
    end_timestamp: at,
    duration: durationMs,
    /** Milliseconds, or null where it is not known. */
    self_time: z.number().nullable(),
    environment: z.string(),
    release: z.string(),
    measurements,
    additional_attributes: record,
    links: z.array(z.strictObject({ trace_id: eventId, span_id: spanId, sampled: z.boolean() })),
    /** Faults in the sent span that were repaired. */
    repaired: z.int(),
    get children() {
      return z.array(span)
    },
    errors: z.array(z.never()),
    occurrences: z.array(z.never()),
  })
  .meta({ id: 'TraceSpan' })
export type RestTraceSpan = z.infer<typeof span>

/** An error of a trace, beside its spans. */
const traceError = z
  .strictObject({
    event_type: z.literal('error'),
    id: eventId,
    event_id: eventId,
    /** Null when its issue was removed meanwhile. */
    issue_id: z.int().nullable(),
    short_id: z.string().nullable(),
    project_id: z.int(),
    project_slug: z.string(),
    /** The event's own title. Its issue may have another title. */
    title: z.string(),
    /** Older clients look for the title here. */
    message: z.string().describe('The same as title.'),
    culprit: z.string(),
    type: z.string().describe('error, default (a message), csp or another security report.'),
    metadata: z.strictObject({ type: z.string().exactOptional(), value: z.string().exactOptional() }),
    level: z.string(),
    transaction: z.string(),
    span_id: spanId.nullable().describe('The stored span that it happened in, or the one above. Null: unknown.'),
    /** Both are the event's time. */
    timestamp: at,
    start_timestamp: at,
  })
  .meta({ id: 'TraceError' })
export type RestTraceError = z.infer<typeof traceError>

/** The spans of a trace as trees, and its errors beside them. */
export const restTrace = z.array(z.union([span, traceError]))
