import { fineStatuses, type SpanCategory, type SpanRow } from '../../../store/events/span-store.ts'
import { type Loose, own, scalar } from '../../pipeline/value.ts'

/** The part of a row that is derived from its scrubbed texts and attributes. */
export type Described = Pick<SpanRow, 'route' | 'category' | 'statement' | 'failed' | 'httpStatus'>

/** A span's scrubbed texts and attributes. */
type Describable = Pick<SpanRow, 'op' | 'name' | 'description' | 'transaction' | 'status' | 'kind' | 'isSegment'> & {
  attributes: Loose
}

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

/** Derives the columns of a span that others are grouped by. */
export function describe(span: Describable): Described {
  const httpStatus = httpStatusOf(span.attributes)
  const isUnknown = span.status === '' || span.status === 'unset'
  return {
    route: span.transaction,
    category: categoryOf(span),
    statement: '',
    failed: isUnknown ? httpStatus >= 500 : !fine.has(span.status),
    httpStatus,
  }
}
