import { type RouteRules, type RouteSettings, routeRules } from '../../../domain/traces/routes.ts'
import { fineStatuses, type SpanCategory, type SpanRow } from '../../../store/events/span-store.ts'
import type { Tools } from '../../pipeline/context.ts'
import { type Loose, own, scalar } from '../../pipeline/value.ts'
import { isNamed, routeOf } from './route.ts'
import { statementOf } from './statement.ts'

/** The part of a row that is derived from its scrubbed texts and attributes. */
export type Described = Pick<SpanRow, 'route' | 'category' | 'statement' | 'failed' | 'httpStatus'>

/** A span's scrubbed texts and attributes. `source`: where the name of its segment comes from, as SDKs state it. */
type Describable = Pick<
  SpanRow,
  | 'projectId'
  | 'spanId'
  | 'segmentId'
  | 'isSegment'
  | 'op'
  | 'name'
  | 'description'
  | 'transaction'
  | 'status'
  | 'kind'
  | 'release'
> & { source: string; attributes: Loose }

/** Rates below it come from faults: one span would count as more than a million. */
const rateMin = 1e-6

/** The number of spans that one stands for, by a sample rate as sent. Rates outside of (0, 1] count as 1. */
export function weightOf(sampleRate: unknown): number {
  const rate = typeof sampleRate === 'string' ? Number(sampleRate) : sampleRate
  return typeof rate === 'number' && rate >= rateMin && rate <= 1 ? 1 / rate : 1
}

/** Categories by the first word of an op. */
const byWord: Readonly<Record<string, SpanCategory>> = {
  http: 'http',
  grpc: 'http',
  websocket: 'http',
  rpc: 'http',
  db: 'db',
  cache: 'cache',
  queue: 'queue',
  messaging: 'queue',
  topic: 'queue',
  task: 'queue',
  celery: 'queue',
  resource: 'resource',
  browser: 'browser',
  pageload: 'browser',
  navigation: 'browser',
  paint: 'browser',
  mark: 'browser',
  measure: 'browser',
  ui: 'ui',
  react: 'ui',
  function: 'function',
  middleware: 'function',
  view: 'function',
  controller: 'function',
  job: 'function',
  template: 'template',
  file: 'file',
  gen_ai: 'ai',
  ai: 'ai',
  mcp: 'ai',
}

/** Attributes that tell the category of spans without an op, as OpenTelemetry sends them. */
const byAttribute: readonly (readonly [string, SpanCategory])[] = [
  ['db.system.name', 'db'],
  ['db.system', 'db'],
  ['messaging.system', 'queue'],
  ['gen_ai.system', 'ai'],
  ['gen_ai.provider.name', 'ai'],
  ['http.request.method', 'http'],
  ['http.method', 'http'],
  ['rpc.system', 'http'],
]

function categoryOf({ op, attributes }: Describable): SpanCategory {
  if (op === 'db.redis' || op.startsWith('cache.')) return 'cache'
  const word = /^[a-z_]{1,20}/.exec(op)?.[0] ?? ''
  const named = Object.hasOwn(byWord, word) ? byWord[word] : undefined
  if (named) return named
  return byAttribute.find(([key]) => own(attributes, key) !== undefined)?.[1] ?? (op === '' ? '' : 'other')
}

function httpStatusOf(attributes: Loose): number {
  const status = Number(scalar(own(attributes, 'http.response.status_code') ?? own(attributes, 'http.status_code')))
  return Number.isInteger(status) && status >= 100 && status <= 999 ? status : 0
}

const fine: ReadonlySet<string> = new Set(fineStatuses)

/** The route of a segment by itself, or of a span whose segment is elsewhere. */
function ownRoute(span: Describable, rules: RouteRules): string {
  const { op, kind, transaction, attributes, isSegment, release } = span
  const sent = scalar(own(attributes, 'sentry.segment.name.source') ?? own(attributes, 'sentry.source'))
  const source = span.source || sent || ''
  if (isSegment) return routeOf({ op, kind, name: transaction, source, release, attributes }, rules)
  // The address of a child is that of its own request.
  return isNamed(transaction)
    ? routeOf({ op: '', kind: '', name: transaction, source, release, attributes: {} }, rules)
    : ''
}

/**
 * Derives the columns that spans are grouped by. All spans of a segment have its route. Web vitals and other late spans
 * arrive without their segment, and it may have no name: `segments` remembers the routes of recent ones.
 */
export function describeAll(
  spans: readonly Describable[],
  { segments, routeRules: cache }: Pick<Tools, 'segments' | 'routeRules'>,
  settings: RouteSettings | undefined,
): Described[] {
  const rules = routeRules(settings, cache)
  const keyOf = (span: Describable, id: string) => `${span.projectId} ${id}`
  for (const span of spans) {
    if (!span.isSegment) continue
    const route = ownRoute(span, rules)
    if (route !== '') segments.set(keyOf(span, span.spanId), route)
  }
  return spans.map((span) => {
    const httpStatus = httpStatusOf(span.attributes)
    const isUnknown = span.status === '' || span.status === 'unset'
    const category = categoryOf(span)
    const { op, isSegment, kind, attributes } = span
    return {
      route: segments.get(keyOf(span, isSegment ? span.spanId : span.segmentId)) ?? ownRoute(span, rules),
      category,
      statement: statementOf({ category, op, isSegment, kind, text: span.description || span.name, attributes }),
      failed: isUnknown ? httpStatus >= 500 : !fine.has(span.status),
      httpStatus,
    }
  })
}
