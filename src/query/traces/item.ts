import type { RestTraceItem } from '../../contract/explore/trace-views.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { StatementKind } from '../../store/events/performance-store.ts'
import type { SeenSpan } from '../../store/events/span-store.ts'
import { statementIdOf } from '../performance/ids.ts'

type Attribute = RestTraceItem['attributes'][number]

/** Converts one value. Lists and objects are JSON, as clients of this route expect scalars. */
function attributeOf(name: string, value: unknown): Attribute {
  if (typeof value === 'boolean') return { name, type: 'bool', value }
  if (typeof value === 'number') return { name, type: Number.isInteger(value) ? 'int' : 'float', value }
  return { name, type: 'str', value: typeof value === 'string' ? value : JSON.stringify(value ?? null) }
}

/** The fields of a span that have columns of their own, under the names that the search language gives them. */
const fieldsOf = (span: SeenSpan): Record<string, string | number> => ({
  'span.op': span.op,
  'span.name': span.name,
  'span.status': span.status,
  'span.kind': span.kind,
  'span.duration': span.durationUs / 1000,
  route: span.route,
  transaction: span.transaction,
  origin: span.origin,
  platform: span.platform,
  release: span.release,
  environment: span.environment,
})

const kinds: Readonly<Record<string, StatementKind>> = { db: 'queries', http: 'requests', resource: 'assets' }
const dayMs = 86_400_000

/** The statement of a span, with its durations of the last day. */
export async function statementOf(
  events: Pick<EventStore, 'statementDurations'>,
  { projectId, statement, category }: SeenSpan,
  nowMs: number,
): Promise<RestTraceItem['statement']> {
  const kind = kinds[category]
  if (statement === '' || !kind) return null
  const day = await events.statementDurations(projectId, statement, nowMs - dayMs)
  return {
    id: day ? statementIdOf({ projectId, hash: day.hash }) : '',
    kind,
    text: statement,
    day: day
      ? { samples: day.samples, count: day.count, p5: day.p5Ms, p50: day.p50Ms, p95: day.p95Ms, p99: day.p99Ms }
      : null,
  }
}

/** One span with all its attributes, those of its columns first. */
export function traceItem(span: SeenSpan, projectSlug: string, statement: RestTraceItem['statement']): RestTraceItem {
  const sent = span.attributes
  const fields = Object.entries(fieldsOf(span)).filter(([name, value]) => value !== '' && !Object.hasOwn(sent, name))
  const attributes = Object.keys(sent)
    .sort()
    .map((name) => attributeOf(name, sent[name]))
  return {
    itemId: span.spanId,
    traceId: span.traceId,
    projectID: String(span.projectId),
    projectSlug,
    timestamp: new Date(Math.floor(span.startUs / 1000)).toISOString(),
    attributes: [...fields.map(([name, value]) => attributeOf(name, value)), ...attributes],
    links: span.links === '' ? [] : (JSON.parse(span.links) as RestTraceItem['links']),
    measurements: span.measurements,
    description: span.description || span.name,
    events: span.events === '' ? [] : (JSON.parse(span.events) as RestTraceItem['events']),
    clockShift: span.clockShiftUs / 1000,
    repaired: span.repaired,
    statement,
  }
}
