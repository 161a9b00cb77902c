import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { MetricRow } from '../../../store/events/metric-store.ts'
import type { ProjectSettings } from '../../../store/meta/meta.ts'
import { recordedMs, refineBody } from '../../pipeline/fixture.cases.ts'
import { sumOf } from '../kind.ts'

const trace = 'aaaabbbbccccddddaaaabbbbccccdddd'
const at = recordedMs / 1000
const metric = (more: object = {}) => ({
  timestamp: at,
  trace_id: trace,
  span_id: 'aaaabbbbccccdddd',
  name: 'orders',
  type: 'counter',
  value: 1,
  ...more,
})
const typed = (attributes: Record<string, string | number | boolean>) => ({
  attributes: Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      { value, type: typeof value === 'string' ? 'string' : typeof value === 'number' ? 'double' : 'boolean' },
    ]),
  ),
})

function refined(payload: unknown, settings: Partial<ProjectSettings> = {}, head: object = {}) {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const item = {
    type: 'trace_metric',
    item_count: 3,
    content_type: 'application/vnd.sentry.items.trace-metric+json',
    ...head,
  }
  const body = refineBody(`{}\n${JSON.stringify(item)}\n${text}`, {}, settings)
  const rows = body.groups.flatMap((group) => (group.table === 'metrics' ? (group.rows as readonly MetricRow[]) : []))
  const outcomes = [...body.outcomes, ...body.groups.flatMap((group) => group.outcomes)]
  expect(sumOf(outcomes)).toBe(body.received)
  return {
    rows,
    keys: body.groups.map(({ key }) => key),
    ends: outcomes.map(({ outcome, reason, quantity }) => `${outcome} ${reason} ${quantity}`).sort(),
  }
}
const one = (more: object, settings: Partial<ProjectSettings> = {}) => refined({ items: [metric(more)] }, settings)

test.each(['node', 'browser'])('metrics of the SDK for %s', (name) => {
  const path = `fixtures/envelopes/${name}-11.12.0-metrics-01-trace_metric.envelope`
  const body = refineBody(readFileSync(path), { receivedMs: Date.UTC(2026, 10, 21, 10) })
  const rows = body.groups.flatMap((group) => (group.table === 'metrics' ? (group.rows as readonly MetricRow[]) : []))
  expect(rows.map(({ type }) => type)).toContain('distribution')
  expect(rows.map(({ repaired, traceId }) => [repaired, traceId.length])).toEqual(rows.map(() => [0, 32]))
  const [first] = rows
  expect(first).toMatchObject({ type: 'counter', count: 1, folded: 0, environment: 'production' })
  expect(first?.release).not.toBe('')
  expect(Object.keys(first?.attributes ?? {}).filter((key) => key.startsWith('sentry.'))).toEqual([])
})

test('a point of many levels is too large, and the others of its item are stored', () => {
  const levels = 200_000
  const deep = `{"name":"a","type":"gauge","value":1,"attributes":{"x":{"value":${'['.repeat(levels)}${']'.repeat(levels)}}}}`
  expect(refined(`{"items":[${deep},${JSON.stringify(metric())}]}`).ends).toEqual([
    'invalid too_large 1',
    'stored ok 1',
  ])
})

test('a point has its values, its trace and typed attributes', () => {
  const { rows, ends } = refined({
    items: [
      metric({
        name: 'cart.size',
        type: 'distribution',
        unit: 'item',
        value: 12.5,
        ...typed({ plan: 'pro', seats: 3, trial: false, 'sentry.release': 'shop@1.2.0', 'sentry.environment': 'prod' }),
      }),
    ],
  })
  expect(ends).toEqual(['stored ok 1'])
  expect(rows).toMatchObject([
    {
      timeMs: recordedMs,
      name: 'cart.size',
      type: 'distribution',
      unit: 'item',
      value: 12.5,
      count: 1,
      traceId: trace,
      spanId: 'aaaabbbbccccdddd',
      environment: 'prod',
      release: 'shop@1.2.0',
      attributes: { plan: 'pro', seats: 3, trial: false },
      repaired: 0,
      place: 0,
      entries: 1,
    },
  ])
})

test.each<[string, object, Partial<MetricRow>]>([
  ['a number as text', { value: '2.5' }, { value: 2.5, repaired: 1 }],
  ['a type in capitals', { type: 'GAUGE' }, { type: 'gauge', repaired: 1 }],
  ['no trace', { trace_id: 'none' }, { traceId: '', repaired: 1 }],
  ['a time in the future', { timestamp: at + 86_400 }, { timeMs: recordedMs, repaired: 1 }],
  ['no time', { timestamp: null }, { timeMs: recordedMs, repaired: 1 }],
  ['a long name', { name: 'n'.repeat(300) }, { name: `${'n'.repeat(197)}...`, repaired: 1 }],
  ['no unit', { unit: 'none' }, { unit: '', repaired: 0 }],
])('%s is repaired', (_name, more, row) => expect(one(more).rows).toMatchObject([row]))

describe('points that are refused leave the others alone', () => {
  test.each<[string, unknown, string]>([
    ['no object', 7, 'bad_item'],
    ['no name', metric({ name: ' ' }), 'bad_item'],
    ['an unknown type', metric({ type: 'set' }), 'bad_item'],
    ['no number', metric({ value: 'many' }), 'bad_item'],
    ['infinity', metric({ value: '1e999' }), 'bad_item'],
    ['more than 2 KiB', metric(typed({ text: 'x'.repeat(2048) })), 'too_large'],
    ['more than 2 KiB of escapes', metric(typed({ text: '\u0001'.repeat(400) })), 'too_large'],
  ])('%s', (_name, item, reason) => {
    const { rows, ends } = refined({ items: [metric(), item, metric({ name: 'other' })] })
    expect(rows.map(({ name }) => name)).toEqual(['orders', 'other'])
    expect(ends).toEqual([`invalid ${reason} 1`, 'stored ok 2'])
  })

  test('2 KiB is the limit', () => {
    const empty = Buffer.byteLength(JSON.stringify(metric(typed({ text: '' }))))
    const filled = (bytes: number) => refined({ items: [metric(typed({ text: 'x'.repeat(bytes - empty) }))] }).ends
    expect([filled(2048), filled(2049)]).toEqual([['stored ok 1'], ['invalid too_large 1']])
  })
})

test.each<[string, unknown, string]>([
  ['no JSON', '{"items":[', 'invalid bad_json 3'],
  ['no list', { items: 7 }, 'invalid bad_item 3'],
  ['an empty list', { items: [] }, 'invalid bad_item 1'],
])('a container with %s', (_name, payload, end) => expect(refined(payload).ends).toEqual([end]))

test('a metric alone, and the older spelling of the content type', () => {
  expect(refined(metric(), {}, { content_type: 'application/vnd.sentry.items.trace_metric+json' }).ends).toEqual([
    'stored ok 1',
  ])
})

test('equal payloads are one group, others are not', () => {
  expect(one({ value: 1 }).keys).toEqual(one({ value: 1 }).keys)
  expect(one({ value: 1 }).keys).not.toEqual(one({ value: 2 }).keys)
})

test('attributes are scrubbed', () => {
  const secret = '4111 1111 1111 1111'
  const { rows } = one(typed({ password: 'secret', card: secret, plan: 'pro' }))
  expect(rows[0]?.attributes).toMatchObject({ password: '[Filtered]', plan: 'pro' })
  expect(JSON.stringify(rows[0]?.attributes)).not.toContain(secret)
})

test('many points are several groups, with a place for each row', () => {
  const { rows, keys, ends } = refined({ items: Array.from({ length: 2500 }, (_, value) => metric({ value })) })
  expect(new Set(rows.map(({ place }) => place)).size).toBe(2500)
  expect([keys.length, new Set(keys).size, ends]).toEqual([3, 3, ['stored ok 1000', 'stored ok 1000', 'stored ok 500']])
})

describe('more series than the project stores', () => {
  const series = (projectId: number, attributes: (n: number) => Record<string, string>, count: number) =>
    refineSeries(
      projectId,
      Array.from({ length: count }, (_, n) => metric(typed(attributes(n)))),
    )
  function refineSeries(projectId: number, items: object[]) {
    const body = refineBody(
      `{}\n{"type":"trace_metric"}\n${JSON.stringify({ items })}`,
      { projectId },
      { metricSeriesMax: 100 },
    )
    return body.groups.flatMap((group) => (group.table === 'metrics' ? (group.rows as readonly MetricRow[]) : []))
  }

  test('keep their values and lose their attributes', () => {
    const rows = series(1001, (n) => ({ path: `/p/${n}` }), 150)
    expect(rows.length).toBe(150)
    expect(rows.filter(({ folded }) => folded === 0).length).toBe(100)
    expect(rows.at(-1)).toMatchObject({ folded: 2, attributes: {}, value: 1 })
  })

  test('known series stay whole', () => {
    series(1002, (n) => ({ path: `/p/${n}` }), 150)
    expect(series(1002, (n) => ({ path: `/p/${n}` }), 100).map(({ folded }) => folded)).toEqual(Array(100).fill(0))
  })

  test('lose the attributes about people first', () => {
    const rows = series(1003, (n) => ({ 'user.id': `u${n}`, plan: n % 2 ? 'pro' : 'free' }), 150)
    expect(rows.at(-1)).toMatchObject({ folded: 1, attributes: { plan: 'pro' } })
  })

  test('other projects are not affected', () => {
    series(1004, (n) => ({ path: `/p/${n}` }), 150)
    expect(series(1005, () => ({ path: '/' }), 1).at(-1)?.folded).toBe(0)
  })
})
