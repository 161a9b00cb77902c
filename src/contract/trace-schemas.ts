import { z } from 'zod'
import type * as Rest from './rest-trace.ts'

const digits = z.string().regex(/^\d+$/)
const spanID = z.string().regex(/^[0-9a-f]{16}$/)
const eventID = z.string().regex(/^[0-9a-f]{32}$/)
const cut = z.enum(['deadline_exceeded', 'heartbeatFailed']).nullable().describe('Ended before it was over; null: not.')
const at = z.number().describe('Seconds since 1970.')
const measurements = z.record(z.string(), z.number()).describe('Times in milliseconds.')

const segment = z
  .strictObject({
    spanID,
    parentSpanID: spanID.nullable(),
    projectID: digits,
    projectSlug: z.string(),
    name: z.string(),
    op: z.string(),
    status: z.string(),
    cut,
    startTimestamp: at,
    endTimestamp: at,
    duration: z.number().describe('Milliseconds.'),
    spans: z.int(),
    platform: z.string(),
    environment: z.string(),
    release: z.string(),
    measurements,
  })
  .meta({ id: 'Segment' }) satisfies z.ZodType<Rest.RestSegment>

const eventSpan = z
  .strictObject({
    spanID,
    projectID: digits,
    name: z.string(),
    op: z.string(),
    relation: z.enum(['span', 'parent']).describe('parent: the named span is not stored, this one is above it.'),
    segment: z.strictObject({ spanID, projectID: digits }).nullable(),
  })
  .meta({ id: 'EventSpan' }) satisfies z.ZodType<Rest.RestEventSpan>

const traceEvent = z
  .strictObject({
    eventID,
    groupID: digits.nullable(),
    shortId: z.string().nullable(),
    title: z.string(),
    level: z.string(),
    projectID: digits,
    projectSlug: z.string(),
    timestamp: at,
    span: eventSpan.nullable().describe('Null: not named or not stored; its time alone says where it belongs.'),
  })
  .meta({ id: 'TraceEvent' }) satisfies z.ZodType<Rest.RestTraceEvent>

/** What a trace has, in short. */
export const traceMeta = z
  .strictObject({
    errors: z.int(),
    performance_issues: z.int(),
    logs: z.int(),
    span_count: z.int(),
    span_count_map: z.record(z.string(), z.int()),
    transaction_child_count_map: z.array(z.strictObject({ 'transaction.span_id': spanID, 'count()': z.int() })),
    truncated: z.boolean().describe('More than 1,000 spans are stored; these are the first of them.'),
    segments: z.array(segment),
    segmentCount: z.int(),
    events: z.array(traceEvent),
    keptDays: z.int(),
  })
  .meta({ id: 'TraceMeta' }) satisfies z.ZodType<Rest.RestTraceMeta>

const span: z.ZodType<Rest.RestTraceSpan> = z
  .strictObject({
    event_type: z.literal('span'),
    event_id: spanID,
    parent_span_id: spanID.nullable(),
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
    duration: z.number().describe('Milliseconds.'),
    self_time: z.number().nullable(),
    environment: z.string(),
    release: z.string(),
    measurements,
    additional_attributes: z.record(z.string(), z.unknown()),
    links: z.array(z.strictObject({ trace_id: eventID, span_id: spanID, sampled: z.boolean() })),
    repaired: z.int(),
    get children() {
      return z.array(span)
    },
    errors: z.array(z.never()),
    occurrences: z.array(z.never()),
  })
  .meta({ id: 'TraceSpan' })

const traceError = z
  .strictObject({
    event_type: z.literal('error'),
    id: eventID,
    event_id: eventID,
    issue_id: z.int().nullable(),
    short_id: z.string().nullable(),
    project_id: z.int(),
    project_slug: z.string(),
    title: z.string(),
    message: z.string().describe('The same as title.'),
    culprit: z.string(),
    type: z.string().describe('error, default (a message), csp or another security report.'),
    metadata: z.strictObject({ type: z.string().exactOptional(), value: z.string().exactOptional() }),
    level: z.string(),
    transaction: z.string(),
    span_id: spanID.nullable().describe('The stored span that it happened in, or the one above; null: not known.'),
    timestamp: at,
    start_timestamp: at,
  })
  .meta({ id: 'TraceError' }) satisfies z.ZodType<Rest.RestTraceError>

/** The spans of a trace as trees, and its errors beside them. */
export const trace = z.array(z.union([span, traceError]))
