import { z } from 'zod'
import { digits, eventId, record, spanId } from '../scalars.ts'

const cut = z
  .enum(['deadline_exceeded', 'heartbeatFailed'])
  .nullable()
  .describe('Why it was cut off. Null: it was not.')
const at = z.number().describe('Seconds since 1970.')
const measurements = z.record(z.string(), z.number()).describe('Times in milliseconds.')
const durationMs = z.number().describe('Milliseconds.')

/** One segment of a trace without its child spans: a page load, a navigation, or a request to a server. */
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
    /** Displayed spans below it. */
    spans: z.int(),
    platform: z.string(),
    environment: z.string(),
    release: z.string(),
    measurements,
  })
  .meta({ id: 'Segment' })
export type RestSegment = z.infer<typeof segment>

/** The span in which an error occurred. */
const eventSpan = z
  .strictObject({
    spanID: spanId,
    projectID: digits,
    name: z.string(),
    op: z.string(),
    relation: z.enum(['span', 'parent']).describe('parent: the named span is not stored. This span is above it.'),
    /** Its segment with project, or null if no segment above it is stored. */
    segment: z.strictObject({ spanID: spanId, projectID: digits }).nullable(),
  })
  .meta({ id: 'EventSpan' })
export type RestEventSpan = z.infer<typeof eventSpan>

/** An error of a trace, and its issue. */
const traceEvent = z
  .strictObject({
    eventID: eventId,
    /** Null if its issue has been removed. */
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

/** GET organizations/{org}/trace-meta/{trace}/: a trace summary. */
export const restTraceMeta = z
  .strictObject({
    errors: z.int(),
    performance_issues: z.int(),
    logs: z.int().describe('Log lines, counted up to 1,000.'),
    /** Number of stored spans, and their number by op. */
    span_count: z.int(),
    span_count_map: z.record(z.string(), z.int()),
    transaction_child_count_map: z.array(z.strictObject({ 'transaction.span_id': spanId, 'count()': z.int() })),
    truncated: z.boolean().describe('More than 1,000 spans are stored. Segments are of the first.'),
    /**
     * The 50 segments nearest to the requested time, ordered by start. For a trace without segments: spans without a
     * stored parent.
     */
    segments: z.array(segment),
    segmentCount: z.int(),
    /** Errors of the trace in order of time, at most 50. */
    events: z.array(traceEvent),
    /** Retention of spans in days. */
    keptDays: z.int(),
  })
  .meta({ id: 'TraceMeta' })
export type RestTraceMeta = z.infer<typeof restTraceMeta>

/** An error of a trace, at its span. */
const traceError = z
  .strictObject({
    event_type: z.literal('error'),
    id: eventId,
    event_id: eventId,
    /** Null if its issue has been removed. */
    issue_id: z.int().nullable(),
    short_id: z.string().nullable(),
    project_id: z.int(),
    project_slug: z.string(),
    /** Title of the event. The title of its issue can differ. */
    title: z.string(),
    /** Older clients read the title here. */
    message: z.string().describe('The same as title.'),
    culprit: z.string(),
    type: z.string().describe('error, default (a message), csp or another security report.'),
    metadata: z.strictObject({ type: z.string().exactOptional(), value: z.string().exactOptional() }),
    level: z.string(),
    transaction: z.string(),
    span_id: spanId.nullable().describe('The stored span that it happened in, or the one above. Null: unknown.'),
    /** Both are the time of the event. */
    timestamp: at,
    start_timestamp: at,
  })
  .meta({ id: 'TraceError' })
export type RestTraceError = z.infer<typeof traceError>

/** A performance issue that a detector found, at the first span of its evidence. */
const traceOccurrence = traceError.extend({ event_type: z.literal('occurrence') }).meta({ id: 'TraceOccurrence' })
export type RestTraceOccurrence = z.infer<typeof traceOccurrence>

/** Links of a span to others, of the same trace or of another one. */
export const restSpanLinks = z.array(
  z.strictObject({
    trace_id: eventId,
    span_id: spanId,
    sampled: z.boolean(),
    attributes: record.exactOptional().describe('Only links of OpenTelemetry have attributes.'),
  }),
)

export const restSpanEvents = z
  .array(z.strictObject({ name: z.string(), timestamp: at, attributes: record }))
  .describe('Span events of OpenTelemetry, exceptions too.')

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
    /** Milliseconds, or null if unknown. */
    self_time: z.number().nullable(),
    environment: z.string(),
    release: z.string(),
    measurements,
    additional_attributes: record,
    links: restSpanLinks,
    events: restSpanEvents.exactOptional(),
    /** Number of repaired faults in the sent span. */
    repaired: z.int(),
    get children() {
      return z.array(span)
    },
    errors: z.array(traceError).describe('Errors that happened in it.'),
    occurrences: z.array(traceOccurrence).describe('Performance issues whose evidence begins with it.'),
  })
  .meta({ id: 'TraceSpan' })
export type RestTraceSpan = z.infer<typeof span>

/** The spans of a trace as trees, and the errors whose spans are not stored. */
export const restTrace = z.array(z.union([span, traceError]))
