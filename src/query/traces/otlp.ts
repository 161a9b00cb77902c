import type { SeenSpan } from '../../store/events/span-store.ts'

type OtlpValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: OtlpValue[] } }
type OtlpAttribute = { key: string; value: OtlpValue }

function otlpValue(value: unknown): OtlpValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(otlpValue) } }
  return { stringValue: JSON.stringify(value ?? null) }
}

const attributesOf = (fields: Record<string, unknown>): OtlpAttribute[] =>
  Object.entries(fields).flatMap(([key, value]) =>
    value === '' || value === undefined ? [] : [{ key, value: otlpValue(value) }],
  )

const parsed = <T>(json: string, none: T): T => (json === '' ? none : (JSON.parse(json) as T))

/** The kinds of OpenTelemetry, by the words of SDKs. */
const kinds: Readonly<Record<string, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

/** Microseconds as the text of nanoseconds, which JSON numbers cannot hold. */
const nanos = (us: number): string => `${BigInt(Math.round(us)) * 1000n}`

type StoredEvent = { name?: string; timestamp?: number; attributes?: Record<string, unknown> }
type StoredLink = { trace_id: string; span_id: string; sampled?: boolean; attributes?: Record<string, unknown> }

/** An event of a row has its time in seconds and plain attributes. Collectors refuse a request with such attributes. */
const otlpEvent = ({ name = '', timestamp = 0, attributes = {} }: StoredEvent) => ({
  timeUnixNano: nanos(timestamp * 1e6),
  name,
  attributes: attributesOf(attributes),
})

/** The lowest bit of `flags`: the linked span was sampled. */
const otlpLink = ({ trace_id, span_id, sampled, attributes = {} }: StoredLink) => ({
  traceId: trace_id,
  spanId: span_id,
  attributes: attributesOf(attributes),
  ...(sampled ? { flags: 1 } : {}),
})

function otlpSpan(span: SeenSpan): Record<string, unknown> {
  const events = parsed<StoredEvent[]>(span.events, [])
  const links = parsed<StoredLink[]>(span.links, [])
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId ? { parentSpanId: span.parentId } : {}),
    name: span.name || span.description || span.op,
    kind: kinds[span.kind] ?? (span.op === 'http.server' ? 2 : span.op.startsWith('http.client') ? 3 : 1),
    startTimeUnixNano: nanos(span.startUs),
    endTimeUnixNano: nanos(span.startUs + span.durationUs),
    attributes: attributesOf({
      'sentry.op': span.op,
      'sentry.origin': span.origin,
      'sentry.description': span.description,
      ...span.attributes,
      ...span.measurements,
    }),
    ...(events.length > 0 ? { events: events.map(otlpEvent) } : {}),
    ...(links.length > 0 ? { links: links.map(otlpLink) } : {}),
    status: { code: span.failed ? 2 : span.status === 'ok' ? 1 : 0, message: span.status },
  }
}

/**
 * The spans as a request of OTLP in JSON (ExportTraceServiceRequest): one resource for each project, release and
 * environment. Any collector reads it.
 */
export function toOtlp(spans: readonly SeenSpan[], slugOf: (projectId: number) => string): Record<string, unknown> {
  const resources = Map.groupBy(spans, (span) => JSON.stringify([span.projectId, span.release, span.environment]))
  return {
    resourceSpans: [...resources.values()].map((some) => {
      const [first] = some
      return {
        resource: {
          attributes: attributesOf({
            'service.name': slugOf(first?.projectId ?? 0),
            'service.version': first?.release,
            'deployment.environment.name': first?.environment,
            'telemetry.sdk.language': first?.platform,
          }),
        },
        scopeSpans: [{ scope: { name: 'mishap' }, spans: some.map(otlpSpan) }],
      }
    }),
  }
}
