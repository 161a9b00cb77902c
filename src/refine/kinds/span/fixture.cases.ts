import type { SpanRow } from '../../../store/events/span-store.ts'
import { recordedMs, refineBody } from '../../pipeline/fixture.cases.ts'

// For tests of this folder: transactions and span items as SDKs send them.

export const id = 'aaaabbbbccccddddaaaabbbbccccdddd'
export const traceId = '11112222333344441111222233334444'
export const streamed = 'application/vnd.sentry.items.span.v2+json'
export const atS = recordedMs / 1000
export const spanId = (n: number) => n.toString(16).padStart(16, 'a')

export const envelope = (item: object, payload: unknown, header: object = {}) =>
  [
    JSON.stringify({ event_id: id, ...header }),
    JSON.stringify(item),
    typeof payload === 'string' ? payload : JSON.stringify(payload),
  ].join('\n')
export const transaction = (changes: object = {}, trace: object = {}) => ({
  type: 'transaction',
  transaction: 'GET /orders',
  start_timestamp: atS - 2,
  timestamp: atS - 1,
  contexts: { trace: { trace_id: traceId, span_id: spanId(1), op: 'http.server', status: 'ok', ...trace } },
  ...changes,
})
export const child = (n: number, changes: object = {}) => ({
  span_id: spanId(n),
  parent_span_id: spanId(1),
  trace_id: traceId,
  op: 'db',
  description: `SELECT ${n}`,
  start_timestamp: atS - 1.9,
  timestamp: atS - 1.8,
  ...changes,
})
export const streamedSpan = (n: number, attributes: Record<string, unknown> = {}, changes: object = {}) => ({
  trace_id: traceId,
  span_id: spanId(n),
  name: 'GET /',
  status: 'ok',
  is_segment: false,
  start_timestamp: atS - 2,
  end_timestamp: atS - 1,
  attributes: Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      { value, type: typeof value === 'number' ? 'double' : 'string' },
    ]),
  ),
  ...changes,
})
export const refined = (payload: unknown, ...more: [head?: object, settings?: object]) =>
  refineBody(envelope({ type: 'transaction' }, payload), ...more)
export const container = (items: unknown[], header: object = {}, more: object = {}) =>
  refineBody(
    envelope(
      { type: 'span', content_type: streamed, item_count: items.length },
      { version: 2, items, ...more },
      header,
    ),
  )
export const rowsOf = (result: ReturnType<typeof refineBody>): SpanRow[] => result.spans.flatMap((span) => span.rows)
export const endsOf = (result: ReturnType<typeof refineBody>) =>
  [...result.spans.flatMap((span) => span.outcomes), ...result.outcomes].map(
    (entry) => `${entry.itemType} ${entry.category} ${entry.outcome} ${entry.reason} ${entry.quantity}`,
  )
export const attributesOf = (row: SpanRow | undefined): Record<string, unknown> => row?.attributes ?? {}
