import { z } from 'zod'
import { digits, eventId, spanId } from '../scalars.ts'
import { restSpanEvents, restSpanLinks } from './traces.ts'

const column = z.array(z.number())
const ids = z.array(z.string().regex(/^(?:[0-9a-f]{16})?$/))

/** Spans as columns: the entries at one index belong to one span, ordered by start. Texts are numbers of `texts`. */
const spans = z
  .strictObject({
    texts: z.array(z.string()).describe('Every text once; number 0 is empty.'),
    ids,
    parentIds: ids,
    segmentIds: column.describe('The number of the id of its segment. Ids are texts too.'),
    projects: column.describe('The place in the list of projects.'),
    segments: column.describe('1: a segment.'),
    starts: column.describe('Microseconds after the origin.'),
    durations: column.describe('Microseconds.'),
    ops: column,
    names: column,
    statuses: column,
    failures: column.describe('1: the span ended in an error.'),
    platforms: column,
    environments: column,
    cuts: column,
  })
  .meta({ id: 'TraceSpans' })

const span = z.int().describe('The index of its span. -1: its span is not stored, or it named none.')

const viewEvent = z
  .strictObject({
    eventID: eventId,
    /** Null if its issue has been removed. */
    groupID: digits.nullable(),
    shortId: z.string().nullable(),
    title: z.string(),
    type: z.string().describe('Type of the exception, or what a detector found. Can be empty.'),
    level: z.string(),
    project: z.int().describe('The place in the list of projects.'),
    at: z.number().describe('Microseconds after the origin.'),
    span,
  })
  .meta({ id: 'TraceViewEvent' })
export type RestTraceViewEvent = z.infer<typeof viewEvent>

const viewFeedback = z
  .strictObject({
    id: z.int(),
    groupID: digits.nullable(),
    name: z.string(),
    message: z.string(),
    project: z.int(),
    at: z.number().describe('Microseconds after the origin.'),
    span,
  })
  .meta({ id: 'TraceViewFeedback' })

const viewLog = z
  .strictObject({
    id: z.string().describe('The id of organizations/{org}/logs/{line}/.'),
    level: z.string(),
    message: z.string().describe('At most 500 characters.'),
    project: z.int(),
    at: z.number().describe('Microseconds after the origin.'),
    span,
  })
  .meta({ id: 'TraceViewLog' })

const viewProject = z
  .strictObject({
    id: digits.nullable(),
    slug: z.string().nullable().describe('Null: the caller may not read this project. Its spans have no texts.'),
    platform: z.string().nullable(),
    place: z.int().describe('The place in the list of the projects that the caller may read; -1 for the others.'),
    spans: z.int().describe('Number of its stored spans.'),
  })
  .meta({ id: 'TraceViewProject' })

/** GET organizations/{org}/trace-view/{trace}/: all spans of a trace in a compact form. */
export const restTraceView = z
  .strictObject({
    traceID: eventId,
    origin: z.number().describe('Microseconds since 1970: the start of the first span, or the first event.'),
    spanCount: z.int().describe('Number of stored spans.'),
    isSampled: z
      .boolean()
      .describe('The trace has more spans than requested. These are its segments, failed spans and longest spans.'),
    /** Retention of spans in days. */
    keptDays: z.int(),
    downsampled: z
      .strictObject({ from: z.iso.date(), to: z.iso.date() })
      .nullable()
      .describe(
        'Only without spans: the disk budget removed spans that arrived on these days, perhaps those of this trace. A trace with events names their day.',
      ),
    projects: z.array(viewProject),
    spans,
    vitals: z.array(z.strictObject({ span: z.int(), values: z.record(z.string(), z.number()) })),
    events: z.array(viewEvent),
    eventsTruncated: z.boolean().describe('The trace has more than 100 errors. These are the first.'),
    findings: z
      .array(viewEvent)
      .describe('Performance issues of the trace, each at the first span of its evidence. At most 50.'),
    feedback: z.array(viewFeedback),
    logs: z.array(viewLog).describe('Log lines, oldest first.'),
    logsTruncated: z.boolean().describe('The trace has more than 200 log lines. These are the first.'),
  })
  .meta({ id: 'TraceView' })
export type RestTraceView = z.infer<typeof restTraceView>

const attribute = z
  .strictObject({
    name: z.string(),
    type: z.enum(['str', 'int', 'float', 'bool']),
    value: z.union([z.string(), z.number(), z.boolean()]),
  })
  .meta({ id: 'TraceItemAttribute' })

/** GET organizations/{org}/trace-items/{id}/: one span with all its attributes. */
export const restTraceItem = z
  .strictObject({
    itemId: spanId,
    traceId: eventId,
    projectID: digits,
    projectSlug: z.string(),
    timestamp: z.iso.datetime(),
    attributes: z.array(attribute).describe('By name. Lists and objects are JSON.'),
    links: restSpanLinks,
    measurements: z.record(z.string(), z.number()).describe('Times in milliseconds.'),
    description: z.string(),
    events: restSpanEvents,
    clockShift: z
      .number()
      .describe('Milliseconds that were added to its times, because the clock of the sender was wrong.'),
    repaired: z.int().describe('Number of repaired faults in the sent span.'),
    statement: z
      .strictObject({
        id: z.string().describe('Its id on the performance pages.'),
        kind: z.enum(['queries', 'requests', 'assets']),
        text: z.string(),
        day: z
          .strictObject({
            samples: z.int(),
            count: z.number().describe('What the samples stand for, by their weights.'),
            p5: z.number(),
            p50: z.number(),
            p95: z.number(),
            p99: z.number(),
          })
          .nullable()
          .describe('Milliseconds of the same statement in this project in the last 24 hours, within 5 %. Null: none.'),
      })
      .nullable()
      .describe('The parameterized database statement, request or asset. Null: the span has none.'),
  })
  .meta({ id: 'TraceItem' })
export type RestTraceItem = z.infer<typeof restTraceItem>

/** GET organizations/{org}/trace/{trace}/matches/: the spans with a value of an attribute. */
export const restTraceMatches = z.strictObject({ spanIds: z.array(spanId) }).meta({ id: 'TraceMatches' })
