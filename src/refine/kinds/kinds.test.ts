import { describe, expect, test } from 'vitest'
import { noFilters } from '../../domain/filters.ts'
import { tableNames, tables } from '../../store/events/tables.ts'
import { jsonBody, jsonLog, jsonLogsBody, jsonSpan } from '../../wire/otlp.cases.ts'
import { plainSettings, recordedMs, refineBody } from '../pipeline/fixture.cases.ts'
import { type Refined, sumOf } from './kind.ts'
import { kindOf, repeatWindows } from './kinds.ts'

const id = 'aaaabbbbccccddddaaaabbbbccccdddd'
const at = recordedMs / 1000
const spanIds = ['1', '2', '3'].map((n) => n.padStart(16, 'a'))
const v2 = 'application/vnd.sentry.items.span.v2+json'
const trace = { trace_id: id, span_id: spanIds[0] }
const transaction = (spans: unknown) => ({
  type: 'transaction',
  start_timestamp: at - 2,
  timestamp: at,
  contexts: { trace },
  spans,
})
const child = { span_id: spanIds[1], start_timestamp: at - 1, timestamp: at }
const span = (n: number) => ({
  trace_id: id,
  span_id: spanIds[n],
  start_timestamp: at - 1,
  end_timestamp: at,
  name: 'n',
})
const csp = { 'csp-report': { 'document-uri': 'https://shop.test/', 'violated-directive': 'img-src' } }
const envelope = (...items: [object, unknown][]) =>
  [
    JSON.stringify({ event_id: id }),
    ...items.flatMap(([head, payload]) => [
      JSON.stringify(head),
      typeof payload === 'string' ? payload : JSON.stringify(payload),
    ]),
  ].join('\n')

/** All outcomes of a record. */
const outcomesOf = ({ groups, attachments, effects, outcomes }: Refined) =>
  sumOf([
    ...groups.flatMap((group) => group.outcomes),
    ...[...attachments, ...effects.feedback].map(({ outcome }) => outcome),
    ...outcomes,
  ])

describe('what a record counts as received is what its outcomes sum up to', () => {
  test.each<[string, number, [object, unknown][]]>([
    ['nothing', 0, []],
    ['an event', 1, [[{ type: 'event' }, { message: 'x' }]]],
    ['a broken event', 1, [[{ type: 'event' }, '{']]],
    ['an event that is a transaction', 3, [[{ type: 'event' }, transaction([child, {}])]]],
    ['an event that is a replay', 1, [[{ type: 'event' }, { type: 'replay_event' }]]],
    ['a transaction with a child that is none', 4, [[{ type: 'transaction' }, transaction([child, 7, {}, null])]]],
    ['a transaction without children', 1, [[{ type: 'transaction' }, transaction('none')]]],
    ['a broken transaction', 1, [[{ type: 'transaction' }, '[]']]],
    ['spans', 3, [[{ type: 'span', content_type: v2 }, { items: [span(0), span(1), 'none'] }]]],
    ['no spans', 1, [[{ type: 'span', content_type: v2 }, { items: [] }]]],
    ['spans that cannot be read', 4, [[{ type: 'span', content_type: v2, item_count: 4 }, '{"items":[{},{},']]],
    ['the older form of a span', 1, [[{ type: 'span' }, { ...span(0), timestamp: at }]]],
    ['feedback', 1, [[{ type: 'user_report' }, { event_id: id, comments: 'It broke' }]]],
    ['security reports, of them one unknown', 3, [[{ type: 'raw_security' }, [csp, csp, { type: 'other' }]]]],
    ['logs', 3, [[{ type: 'log', content_type: 'x' }, { items: [{}, {}, 7] }]]],
    [
      'what clients discarded',
      1,
      [[{ type: 'client_report' }, { discarded_events: [{ category: 'error', quantity: 9 }] }]],
    ],
    [
      'metrics, of them two that are none',
      3,
      [[{ type: 'trace_metric' }, { items: [{ name: 'm', type: 'gauge', value: 1 }, {}, 7] }]],
    ],
    ['metrics that cannot be read', 4, [[{ type: 'trace_metric', item_count: 4 }, '{"items":[{},{},']]],
    ['an unknown type', 1, [[{ type: 'made_up' }, {}]]],
    ['an attachment without an event', 1, [[{ type: 'attachment', filename: 'a' }, 'text']]],
    [
      'all together',
      10,
      [
        [{ type: 'event' }, { message: 'x' }],
        [{ type: 'attachment', filename: 'a' }, 'text'],
        [{ type: 'transaction' }, transaction([child])],
        [{ type: 'span', content_type: v2 }, { items: [span(1), span(2)] }],
        [{ type: 'feedback' }, {}],
        [{ type: 'statsd' }, 'a:1|c'],
        [{ type: 'session' }, {}],
        [{ type: 'check_in' }, {}],
      ],
    ],
  ])('an envelope of %s', (_name, count, items) => {
    const refined = refineBody(envelope(...items))
    expect([refined.received, outcomesOf(refined)]).toEqual([count, count])
    const filters = { ...noFilters, releases: ['*'], addresses: ['203.0.113.9'] }
    const filtered = refineBody(envelope(...items), {}, { ...plainSettings, filters })
    expect([filtered.received, outcomesOf(filtered)]).toEqual([count, count])
  })

  const form = (...names: string[]) =>
    `${names.map((name) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\nx\r\n`).join('')}--b--\r\n`

  const dataPoints = [{ asInt: 1 }, {}, { asDouble: 2 }]
  const metricsText = JSON.stringify({
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints } }] }] }],
  })
  const otlpText = JSON.stringify(jsonBody([jsonSpan(1), jsonSpan(2), jsonSpan(3, { spanId: '' })]))

  const logsText = JSON.stringify(jsonLogsBody([jsonLog(1), 7, jsonLog(2)]))

  test.each<[string, number, string, object]>([
    ['no envelope', 1, 'x', { kind: 'envelope' }],
    ['an event', 1, '{"message":"x"}', { kind: 'store' }],
    ['a transaction', 2, JSON.stringify(transaction([child])), { kind: 'store' }],
    ['a broken event', 1, '{', { kind: 'store' }],
    ['reports', 2, JSON.stringify([csp, csp]), { kind: 'security' }],
    ['no report', 1, '7', { kind: 'security' }],
    [
      'two files',
      2,
      form('a', 'c'),
      { kind: 'attachments', contentType: 'multipart/form-data; boundary=b', eventId: id },
    ],
    ['files of no event', 1, form('a', 'c'), { kind: 'attachments', contentType: 'multipart/form-data; boundary=b' }],
    ['a crash without a dump', 1, 'x', { kind: 'minidump' }],
    ['OTLP, of its spans one without ids', 3, otlpText, { kind: 'otlp', contentType: 'application/json' }],
    ['OTLP logs, of them one that is none', 3, logsText, { kind: 'otlp_logs', contentType: 'application/json' }],
    ['OTLP logs without records', 1, '{}', { kind: 'otlp_logs', contentType: 'application/json' }],
    [
      'a drain, of its lines one that is none',
      3,
      '[{"message":"a"},7,{}]',
      { kind: 'vercel_logs', contentType: 'application/json' },
    ],
    ['frames, the last of them cut off', 2, '3 abc9 x', { kind: 'heroku_logs', contentType: 'application/logplex-1' }],
    [
      'OTLP metrics, of them one without a value',
      3,
      metricsText,
      { kind: 'otlp_metrics', contentType: 'application/json' },
    ],
    ['OTLP metrics without points', 1, '{}', { kind: 'otlp_metrics', contentType: 'application/json' }],
    ['OTLP without spans', 1, '{}', { kind: 'otlp', contentType: 'application/json' }],
    ['OTLP that is no message', 1, 'x', { kind: 'otlp', contentType: 'application/x-protobuf' }],
  ])('a body of %s', (_name, count, body, head) => {
    const refined = refineBody(body, head)
    expect([refined.received, outcomesOf(refined)]).toEqual([count, count])
  })
})

describe('the registries', () => {
  test('each memory of repeats and each start of a token is told from the others', () => {
    const names = repeatWindows.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const tokens = tableNames.map((name) => tables[name].token)
    for (const token of tokens) expect(tokens.filter((other) => other.startsWith(token))).toEqual([token])
  })

  test('a table is named as its entry, and no category is stored in two', () => {
    expect(tableNames.map((name) => tables[name].name)).toEqual(tableNames)
    const categories = tableNames.flatMap((name) => tables[name].categories)
    expect(new Set(categories).size).toBe(categories.length)
  })

  test('types that no kind takes are counted', () => {
    expect(kindOf('made_up')).toBe(kindOf('profile'))
    expect(kindOf('event')).not.toBe(kindOf('made_up'))
  })
})
