import { MishapError } from '../../base/errors.ts'
import type { RestErrorLink } from '../../contract/error-links.ts'
import type {
  RestAttachment,
  RestBreadcrumb,
  RestEntry,
  RestEvent,
  RestException,
  RestFrame,
  RestOccurrence,
  RestStacktrace,
} from '../../contract/events.ts'
import type { Detection } from '../../domain/detectors/detection.ts'
import { issueTypeOf } from '../../domain/detectors/detectors.ts'
import type {
  NormalBreadcrumb,
  NormalEvent,
  NormalException,
  NormalFrame,
  NormalStacktrace,
  NormalUser,
} from '../../domain/event.ts'
import { groupingConfigOf } from '../../domain/grouping.ts'
import type { SeenEvent } from '../../store/events/events.ts'
import type { AttachmentRow } from '../../store/meta/meta.ts'
import type { Json } from '../../wire/json.ts'
import { toRestDiagnostics } from './diagnostics.ts'

/** Context of an event: its issue, the adjacent events, its number (1 = oldest stored) and its related rows. */
export type EventPosition = {
  issueId: number
  number: number
  total: number
  previousEventId: string | null
  nextEventId: string | null
  attachments: (AttachmentRow & { id: number })[]
  /** The other end of the event's error link. */
  failure: RestErrorLink | null
  /** Spans of its evidence that are still stored; undefined: not asked, or the store did not answer. */
  storedSpans?: ReadonlySet<string> | undefined
  /** Where the code of its release is. */
  repository: RestEvent['repository']
  codeMappings?: NonNullable<RestEvent['codeMappings']>
}

/** Parses the normalized event of a row. Throws INTERNAL if the stored payload is not valid JSON. */
export function normalOf(row: SeenEvent): NormalEvent {
  const lineEnd = row.payload.indexOf('\n')
  try {
    return JSON.parse(lineEnd < 0 ? row.payload : row.payload.slice(0, lineEnd)) as NormalEvent
  } catch {
    throw new MishapError('INTERNAL', { detail: `The stored payload of event ${row.eventId} cannot be read.` })
  }
}

/** Returns the event's JSON as received, after scrubbing; undefined if only the normalized form is stored. */
export function receivedJson(row: SeenEvent): string | undefined {
  const lineEnd = row.payload.indexOf('\n')
  return lineEnd < 0 || lineEnd === row.payload.length - 1 ? undefined : row.payload.slice(lineEnd + 1)
}

/** Returns the event's JSON as stored (normalized). */
export function storedJson(row: SeenEvent): string {
  const lineEnd = row.payload.indexOf('\n')
  return lineEnd < 0 ? row.payload : row.payload.slice(0, lineEnd)
}

const iso = (seconds: number) => new Date(Math.round(seconds * 1000)).toISOString()
type Fields = { [key: string]: Json }

function toFrame(frame: NormalFrame): RestFrame {
  return {
    filename: frame.filename ?? null,
    absPath: frame.abs_path ?? null,
    module: frame.module ?? null,
    function: frame.function ?? null,
    rawFunction: frame.raw_function ?? null,
    lineNo: frame.lineno ?? null,
    colNo: frame.colno ?? null,
    context: contextOf(frame),
    inApp: frame.in_app === true,
    vars: frame.vars ?? null,
    package: frame.package ?? null,
    platform: frame.platform ?? null,
    instructionAddr: frame.instruction_addr ?? null,
    data: frame.data
      ? {
          symbolicated: frame.data.symbolicated,
          sourcemap: frame.data.sourcemap ?? null,
          resolvedWith: frame.data.resolved_with ?? null,
          reason: frame.data.reason ?? null,
        }
      : null,
  }
}

function contextOf(frame: NormalFrame): [number, string][] {
  const { lineno, context_line: line } = frame
  if (lineno === undefined || line === undefined) return []
  const before = frame.pre_context ?? []
  const lines = [...before, line, ...(frame.post_context ?? [])]
  const first = lineno - before.length
  return lines.map((text, i): [number, string] => [first + i, text]).filter(([number]) => number > 0)
}

function toStacktrace(trace: NormalStacktrace | undefined): RestStacktrace | null {
  if (!trace) return null
  const frames = (trace.frames ?? []).map(toFrame)
  return {
    frames,
    framesOmitted: trace.frames_omitted ?? null,
    hasSystemFrames: frames.some((frame) => !frame.inApp) && frames.some((frame) => frame.inApp),
  }
}

function toException(exception: NormalException): RestException {
  return {
    type: exception.type ?? null,
    value: exception.value ?? null,
    module: exception.module ?? null,
    threadId: exception.thread_id ?? null,
    mechanism: exception.mechanism ? { ...exception.mechanism } : null,
    stacktrace: toStacktrace(exception.stacktrace),
    rawStacktrace: toStacktrace(exception.raw_stacktrace),
  }
}

function toBreadcrumb(breadcrumb: NormalBreadcrumb): RestBreadcrumb {
  return {
    timestamp: breadcrumb.timestamp === undefined ? null : iso(breadcrumb.timestamp),
    type: breadcrumb.type,
    category: breadcrumb.category ?? null,
    level: breadcrumb.level,
    message: breadcrumb.message ?? null,
    data: breadcrumb.data ?? null,
  }
}

function toUser(user: NormalUser): NonNullable<RestEvent['user']> {
  return {
    id: user.id ?? null,
    email: user.email ?? null,
    username: user.username ?? null,
    name: user.name ?? null,
    ip_address: user.ip_address ?? null,
    geo: user.geo ?? null,
    data: user.data ?? null,
  }
}

/** Returns the parts of an event that have their own section on the page, in its order. */
function entriesOf(event: NormalEvent): RestEntry[] {
  const entries: RestEntry[] = []
  if (event.exception?.values.length) {
    const values = event.exception.values.map(toException)
    entries.push({
      type: 'exception',
      data: { values, hasSystemFrames: values.some((exception) => exception.stacktrace?.hasSystemFrames) },
    })
  }
  if (event.stacktrace)
    entries.push({
      type: 'stacktrace',
      data: toStacktrace(event.stacktrace) ?? { frames: [], framesOmitted: null, hasSystemFrames: false },
    })
  if (event.logentry)
    entries.push({
      type: 'message',
      data: {
        formatted: event.logentry.formatted ?? event.logentry.message ?? '',
        message: event.logentry.message ?? null,
        params: event.logentry.params ?? null,
      },
    })
  if (event.csp) entries.push({ type: 'csp', data: event.csp })
  if (event.template) entries.push({ type: 'template', data: event.template })
  if (event.threads?.values.length) {
    const values = event.threads.values.map((thread) => ({
      id: thread.id ?? null,
      name: thread.name ?? null,
      crashed: thread.crashed === true,
      current: thread.current === true,
      state: thread.state ?? null,
      stacktrace: toStacktrace(thread.stacktrace),
    }))
    entries.push({ type: 'threads', data: { values } })
  }
  if (event.breadcrumbs?.values.length)
    entries.push({ type: 'breadcrumbs', data: { values: event.breadcrumbs.values.map(toBreadcrumb) } })
  if (event.request) {
    const { request } = event
    entries.push({
      type: 'request',
      data: {
        url: request.url ?? null,
        method: request.method ?? null,
        query: request.query_string ?? [],
        fragment: request.fragment ?? null,
        headers: request.headers ?? [],
        cookies: request.cookies ?? [],
        data: request.data ?? null,
        env: request.env ?? null,
        inferredContentType: request.inferred_content_type ?? null,
      },
    })
  }
  if (event.debug_meta?.images.length) entries.push({ type: 'debugmeta', data: { images: event.debug_meta.images } })
  return entries
}

/** Converts an attachment to the API's shape. */
export function toRestAttachment(attachment: AttachmentRow & { id: number }): RestAttachment {
  return {
    id: String(attachment.id),
    name: attachment.name,
    type: attachment.type,
    mimetype: attachment.contentType,
    size: attachment.bytes,
    dateCreated: new Date(attachment.receivedMs).toISOString(),
    event_id: attachment.eventId,
  }
}

const errorMessages: Record<string, string> = {
  invalid_data: 'Discarded a value of the wrong shape.',
  value_too_long: 'Cut a value that was longer than its limit.',
  missing_attribute: 'A required value was missing.',
  clock_drift: 'The client’s clock was wrong; the time was corrected.',
  past_timestamp: 'The time was too far in the past.',
  future_timestamp: 'The time was in the future.',
  invalid_environment: 'The environment’s name is not allowed.',
  native_not_symbolicated: 'Native stacks are not symbolicated.',
  minidump_unreadable: 'The minidump could not be read.',
}
const inWords = (type: string) =>
  errorMessages[type] ?? `${type.slice(0, 1).toUpperCase()}${type.slice(1).replaceAll('_', ' ')}.`

function textField(fields: Fields | undefined, name: string): string | null {
  const value = fields?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const sdkOf = ({ sdk }: NormalEvent): RestEvent['sdk'] =>
  sdk
    ? { name: sdk.name, version: sdk.version, packages: sdk.packages ?? [], integrations: sdk.integrations ?? [] }
    : null

function toRestError(eventError: NormalEvent['errors'][number]): RestEvent['errors'][number] {
  return {
    type: eventError.type,
    message: inWords(eventError.type),
    data: {
      ...(eventError.name === undefined ? {} : { name: eventError.name }),
      ...(eventError.value === undefined ? {} : { value: eventError.value }),
      ...(eventError.reason === undefined ? {} : { reason: eventError.reason }),
    },
  }
}

const ms = (us: number) => us / 1000

/** Converts the evidence of a performance issue to the API's shape. */
const toOccurrence = (found: Detection, kept: ReadonlySet<string> | undefined): RestOccurrence => ({
  issueType: issueTypeOf(found.detector),
  detector: found.detector,
  traceId: found.traceId,
  segmentSpanId: found.segmentId,
  parentSpanId: found.parentId,
  op: found.op,
  route: found.route,
  start: iso(found.startUs / 1e6),
  segmentDuration: ms(found.segmentUs),
  statements: found.cause.split('\n'),
  count: found.count,
  totalDuration: ms(found.totalUs),
  savedDuration: ms(found.savedUs),
  paint: found.paintMs > 0 ? found.paintMs : null,
  spans: found.spans.map(({ id, op, statement, at, durationUs }) => ({
    spanId: id,
    op,
    statement,
    start: ms(at),
    duration: ms(durationUs),
  })),
  storedSpans: kept ? found.spans.filter(({ id }) => kept.has(id)).length : null,
})

/** Converts an event to the API's shape. Only here does the wire's snake_case become camelCase. */
export function toRestEvent(row: SeenEvent, position: EventPosition): RestEvent {
  const event = normalOf(row)
  const { findings } = event
  const trace = event.contexts.trace
  return {
    id: row.eventId,
    eventID: row.eventId,
    groupID: String(position.issueId),
    projectID: String(row.projectId),
    title: findings.title,
    message: event.logentry?.formatted ?? event.logentry?.message ?? '',
    culprit: findings.culprit,
    location: findings.metadata.filename ?? null,
    platform: event.platform,
    type: event.type,
    metadata: { ...findings.metadata },
    dateCreated: new Date(Math.floor(row.timestampUs / 1000)).toISOString(),
    dateReceived: new Date(row.receivedMs).toISOString(),
    size: Buffer.byteLength(storedJson(row)),
    dist: event.dist ?? null,
    release: event.release ? { version: event.release } : null,
    environment: event.environment ?? null,
    user: event.user ? toUser(event.user) : null,
    tags: Object.entries(row.tags)
      .map(([key, value]) => ({ key, value }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    contexts: event.contexts,
    context: event.extra ?? {},
    packages: event.modules ?? {},
    sdk: sdkOf(event),
    errors: event.errors.map(toRestError),
    fingerprints: row.hashes,
    groupingConfig: { id: groupingConfigOf(findings.grouping.version) },
    entries: entriesOf(event),
    nextEventID: position.nextEventId,
    previousEventID: position.previousEventId,
    userReport: null,
    occurrence: findings.performance ? toOccurrence(findings.performance, position.storedSpans) : null,
    _meta: { ...event._meta },
    number: position.number,
    total: position.total,
    traceId: textField(trace, 'trace_id') ?? (row.traceId || null),
    spanId: textField(trace, 'span_id'),
    replayId: textField(event.contexts.replay, 'replay_id'),
    digest: findings.digest ?? null,
    signs: toRestDiagnostics(findings.signs),
    digests: findings.digests ?? (findings.digest ? [{ ...findings.digest, sure: false }] : []),
    failure: position.failure,
    repository: position.repository,
    ...(position.codeMappings?.length ? { codeMappings: position.codeMappings } : {}),
    dateMapped: findings.mapped_again_ms === undefined ? null : new Date(findings.mapped_again_ms).toISOString(),
    isUnhandled: findings.unhandled,
    attachments: position.attachments.map(toRestAttachment),
    grouping: {
      version: findings.grouping.version,
      variants: findings.grouping.variants.map((variant) => ({
        name: variant.name,
        contributes: variant.contributes,
        hash: variant.hash ?? null,
        why: variant.why,
        values: variant.values,
      })),
    },
  }
}
