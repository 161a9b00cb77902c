import { z } from 'zod'
import { detectorIds, performanceIssueTypes } from '../domain/detectors/detectors.ts'
import { unmappedReasons } from '../domain/event.ts'
import { restDiagnostics } from './diagnostics.ts'
import { restErrorLink } from './error-links.ts'
import { restVersion } from './issues.ts'
import { digits, eventId, record, textOrNull, time } from './scalars.ts'

const pairs = z.array(z.tuple([z.string(), z.string()]))

const frame = z
  .strictObject({
    filename: textOrNull,
    absPath: textOrNull,
    module: textOrNull,
    function: textOrNull,
    rawFunction: textOrNull,
    lineNo: z.number().nullable(),
    colNo: z.number().nullable(),
    /** [line number, text] pairs in order. */
    context: z.array(z.tuple([z.int(), z.string()])),
    inApp: z.boolean(),
    vars: record.nullable(),
    package: textOrNull,
    platform: textOrNull,
    instructionAddr: textOrNull,
    /** Result of source mapping of a JavaScript frame; null: not tried. `reason`: why it or its source is missing. */
    data: z
      .strictObject({
        symbolicated: z.boolean(),
        sourcemap: textOrNull,
        resolvedWith: textOrNull,
        reason: z.enum(unmappedReasons).nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Frame' })
export type RestFrame = z.infer<typeof frame>

const stacktrace = z
  .strictObject({
    frames: z.array(frame),
    framesOmitted: z.tuple([z.number(), z.number()]).nullable(),
    hasSystemFrames: z.boolean(),
  })
  .meta({ id: 'Stacktrace' })
export type RestStacktrace = z.infer<typeof stacktrace>

const threadId = z.union([z.string(), z.number()]).nullable()
const exception = z.strictObject({
  type: textOrNull,
  value: textOrNull,
  module: textOrNull,
  threadId,
  mechanism: record.nullable(),
  stacktrace: stacktrace.nullable(),
  rawStacktrace: stacktrace.nullable(),
})
export type RestException = z.infer<typeof exception>

const thread = z.strictObject({
  id: threadId,
  name: textOrNull,
  crashed: z.boolean(),
  current: z.boolean(),
  state: textOrNull,
  stacktrace: stacktrace.nullable(),
})
export type RestThread = z.infer<typeof thread>

const breadcrumb = z.strictObject({
  timestamp: time.nullable(),
  type: z.string(),
  category: textOrNull,
  level: z.string(),
  message: textOrNull,
  data: record.nullable(),
})
export type RestBreadcrumb = z.infer<typeof breadcrumb>

const request = z.strictObject({
  url: textOrNull,
  method: textOrNull,
  query: pairs,
  fragment: textOrNull,
  headers: pairs,
  cookies: pairs,
  data: z.unknown(),
  env: record.nullable(),
  inferredContentType: textOrNull,
})
export type RestRequest = z.infer<typeof request>

const entry = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('exception'),
      data: z.strictObject({ values: z.array(exception), hasSystemFrames: z.boolean() }),
    }),
    z.strictObject({ type: z.literal('threads'), data: z.strictObject({ values: z.array(thread) }) }),
    z.strictObject({ type: z.literal('stacktrace'), data: stacktrace }),
    z.strictObject({ type: z.literal('breadcrumbs'), data: z.strictObject({ values: z.array(breadcrumb) }) }),
    z.strictObject({ type: z.literal('request'), data: request }),
    z.strictObject({
      type: z.literal('message'),
      data: z.strictObject({ formatted: z.string(), message: textOrNull, params: z.unknown() }),
    }),
    z.strictObject({ type: z.literal('csp'), data: record }),
    z.strictObject({ type: z.literal('debugmeta'), data: z.strictObject({ images: z.array(record) }) }),
    z.strictObject({ type: z.literal('template'), data: record }),
  ])
  .meta({ id: 'Entry' })
export type RestEntry = z.infer<typeof entry>

export const restAttachment = z
  .strictObject({
    id: digits,
    name: z.string(),
    type: z.string(),
    mimetype: z.string(),
    /** Bytes. */
    size: z.int(),
    dateCreated: time,
    event_id: z.string(),
  })
  .meta({ id: 'Attachment' })
export type RestAttachment = z.infer<typeof restAttachment>

const eventUser = z.strictObject({
  id: textOrNull,
  email: textOrNull,
  username: textOrNull,
  name: textOrNull,
  ip_address: textOrNull,
  geo: z.record(z.string(), z.string()).nullable(),
  data: record.nullable(),
})

const groupingVariant = z.strictObject({
  name: z.string(),
  contributes: z.boolean(),
  hash: textOrNull,
  why: z.string(),
  values: z.array(z.string()),
})

/** What a detector found in a trace (docs/detectors.md). Times are milliseconds. */
const restOccurrence = z
  .strictObject({
    issueType: z.enum(performanceIssueTypes),
    detector: z.enum(detectorIds),
    traceId: z.string(),
    /** The segment, and the span around the evidence. */
    segmentSpanId: z.string(),
    parentSpanId: z.string(),
    op: z.string(),
    route: z.string(),
    start: time,
    /** Duration of the segment. */
    segmentDuration: z.number(),
    /** The statement, the asset, or the requests. */
    statements: z.array(z.string()),
    count: z.int(),
    totalDuration: z.number(),
    /** The most that a fix can save. */
    savedDuration: z.number(),
    /** First contentful paint after the start; null if it plays no role. */
    paint: z.number().nullable(),
    /** The spans in their order, at most 100. `start`: after that of the segment. */
    spans: z.array(
      z.strictObject({
        spanId: z.string(),
        op: z.string(),
        statement: z.string(),
        start: z.number(),
        duration: z.number(),
      }),
    ),
    /** How many of these spans are still stored; null if that was not asked, as in lists. */
    storedSpans: z.int().nullable(),
  })
  .meta({ id: 'Occurrence' })
export type RestOccurrence = z.infer<typeof restOccurrence>

const anyEvent = z.strictObject({
  id: eventId,
  eventID: eventId,
  groupID: digits,
  projectID: digits,
  title: z.string(),
  message: z.string(),
  culprit: z.string(),
  location: textOrNull,
  platform: z.string(),
  type: z.string(),
  metadata: record,
  dateCreated: time,
  dateReceived: time,
  /** Bytes. */
  size: z.int(),
  dist: textOrNull,
  release: restVersion,
  environment: textOrNull,
  user: eventUser.nullable(),
  tags: z.array(z.strictObject({ key: z.string(), value: z.string() })),
  contexts: z.record(z.string(), record),
  context: record,
  packages: z.record(z.string(), z.string()),
  sdk: z
    .strictObject({
      name: z.string(),
      version: z.string(),
      packages: z.array(z.strictObject({ name: z.string(), version: z.string() })),
      integrations: z.array(z.string()),
    })
    .nullable(),
  errors: z.array(z.strictObject({ type: z.string(), message: z.string(), data: record })),
  fingerprints: z.array(z.string()),
  groupingConfig: z.strictObject({ id: z.string() }),
  entries: z.array(entry),
  nextEventID: eventId.nullable(),
  previousEventID: eventId.nullable(),
  userReport: z.null(),
  /** The evidence of a performance issue; null for errors. */
  occurrence: restOccurrence.nullable(),
  _meta: record,
  /** Ours: its number within the issue (1 is the oldest stored), and the total number. */
  number: z.int(),
  total: z.int(),
  traceId: textOrNull,
  spanId: textOrNull,
  replayId: textOrNull,
  digest: z.strictObject({ value: z.string(), found: z.string() }).nullable(),
  /** Ours: its diagnostics, or null when it has none. */
  signs: restDiagnostics.nullable(),
  /** Ours: all its digests, most certain first. `sure`: in a field or tag of its own. */
  digests: z.array(z.strictObject({ value: z.string(), found: z.string(), sure: z.boolean() })),
  /** Ours: its error link. Null in lists, and for events without relation to a digest. */
  failure: restErrorLink.nullable(),
  /**
   * Ours: where the code of its release is. Null if the release has no commits, if it names several repositories, or if
   * the repository has no web address.
   */
  repository: z.strictObject({ name: z.string(), url: z.string(), commit: z.string() }).nullable(),
  /** Ours: code mappings of its project, the longest stack root first; `ref` is the commit of its release or a branch. */
  codeMappings: z
    .array(z.strictObject({ stackRoot: z.string(), sourceRoot: z.string(), url: z.string(), ref: z.string() }))
    .exactOptional(),
  /** Ours: time of reprocessing after its source maps arrived. Null if never. */
  dateMapped: time.nullable(),
  isUnhandled: z.boolean(),
  attachments: z.array(restAttachment),
  grouping: z.strictObject({ version: z.int(), variants: z.array(groupingVariant) }),
})
export const restEvent = anyEvent.meta({ id: 'Event' })
export type RestEvent = z.infer<typeof restEvent>

/** GET projects/{org}/{project}/events/. `release` is only the version: sentry-cli 2.x cannot parse objects here. */
export const restProjectEvent = anyEvent.extend({ release: textOrNull }).meta({ id: 'ProjectEvent' })

/** GET organizations/{org}/eventids/{id}/ */
export const restFoundEvent = z.strictObject({
  organizationSlug: z.string(),
  projectSlug: z.string(),
  groupId: digits,
  eventId,
  event: restEvent,
})
