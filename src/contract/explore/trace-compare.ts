import { z } from 'zod'
import { digits, eventId, spanId } from '../scalars.ts'

const ms = z.number().describe('Milliseconds.')

const comparedTrace = z
  .strictObject({
    traceID: eventId,
    name: z.string().describe('The name of its longest root span.'),
    start: z.iso.datetime(),
    duration: ms,
    spans: z.int(),
    errors: z.int(),
    isSampled: z.boolean().describe('The trace is too large: only a sample of its spans is compared.'),
  })
  .meta({ id: 'ComparedTrace' })
export type RestComparedTrace = z.infer<typeof comparedTrace>

const side = z
  .strictObject({
    count: z.int(),
    total: ms.describe('Milliseconds of all these spans together.'),
    self: ms.describe('Milliseconds in which none of their children ran.'),
    start: ms.describe('Milliseconds after the start of the trace.'),
    end: ms,
    failed: z.int(),
    spanID: z.union([spanId, z.literal('')]).describe('The longest of them. Empty: a missing parent.'),
  })
  .nullable()
  .describe('Null: this trace has no such span.')
export type RestComparedSide = z.infer<typeof side>

const row = z
  .strictObject({
    parent: z.int().describe('The index of the row above; -1 for a root.'),
    depth: z.int(),
    kind: z.enum(['span', 'missing', 'hidden']).describe('missing: a parent that is not stored. hidden: no access.'),
    op: z.string(),
    name: z.string(),
    project: z.string().nullable(),
    a: side,
    b: side,
  })
  .meta({ id: 'ComparedSpans' })
export type RestComparedRow = z.infer<typeof row>

/** GET organizations/{org}/trace/{trace}/compare/{other}/: two traces side by side. */
export const restTraceComparison = z
  .strictObject({
    a: comparedTrace,
    b: comparedTrace,
    rows: z
      .array(row)
      .describe('Spans with the same operation and name below the same parent, each before its children.'),
    leftOut: z.int().describe('Number of rows that were left out: these take less time.'),
    largest: z.array(z.int()).describe('Indexes of the rows whose self time differs most.'),
  })
  .meta({ id: 'TraceComparison' })
export type RestTraceComparison = z.infer<typeof restTraceComparison>

/** GET organizations/{org}/trace/{trace}/facts/: what the head of a trace compares it with. */
export const restTraceFacts = z
  .strictObject({
    route: z.strictObject({ project: digits, op: z.string(), route: z.string() }).nullable(),
    samples: z.int().describe('Segments of the route in the last 7 days.'),
    count: z.number().describe('What these stand for, by their sample rates.'),
    p75: ms.nullable().describe('Of these. Null: none.'),
    user: z.string().nullable().describe('E-mail, name or id that the longest segment was sent with. Null: none.'),
  })
  .meta({ id: 'TraceFacts' })
export type RestTraceFacts = z.infer<typeof restTraceFacts>

const peer = z
  .strictObject({ traceId: eventId, spanId, start: z.iso.datetime(), duration: ms })
  .nullable()
  .describe('Null: there is none in the last 7 days.')

/** GET organizations/{org}/trace/{trace}/peers/: traces of the same route. */
export const restTracePeers = z
  .strictObject({
    route: z.strictObject({ project: digits, op: z.string(), route: z.string() }).nullable(),
    slowest: peer,
    typical: peer.describe('The newest one that took about as long as the median.'),
    previous: peer.describe('The one that began last before this trace.'),
  })
  .meta({ id: 'TracePeers' })
export type RestTracePeers = z.infer<typeof restTracePeers>
