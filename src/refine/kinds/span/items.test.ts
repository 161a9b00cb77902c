import { describe, expect, test } from 'vitest'
import { randomOf } from '../../../random.cases.ts'
import { encodeSpanRow, spanColumns } from '../../../store/events/traces/encode-span.ts'
import { refineBody } from '../../pipeline/fixture.cases.ts'
import {
  atS,
  child,
  container,
  endsOf,
  envelope,
  refined,
  rowsOf,
  spanId,
  streamed,
  streamedSpan,
  traceId,
  transaction,
} from './fixture.cases.ts'
import { selfTimes } from './parts.ts'

describe('spans that come by themselves', () => {
  test('a container: each span ends for itself, those without ids or times as invalid', () => {
    const items = [
      streamedSpan(
        1,
        {
          'sentry.op': 'pageload',
          'sentry.release': 'web@2',
          'sentry.environment': 'staging',
          'browser.web_vital.lcp.value': 88,
        },
        { is_segment: true },
      ),
      streamedSpan(
        2,
        { 'sentry.segment.id': spanId(1), 'sentry.segment.name': 'Pageload', 'sentry.origin': 'auto.http' },
        { parent_span_id: spanId(1) },
      ),
      streamedSpan(3, {}, { trace_id: 'no' }),
      streamedSpan(4, {}, { start_timestamp: {}, end_timestamp: [] }),
      'text',
    ]
    const result = container(items, { trace: { release: 'web@1', environment: 'live', trace_id: traceId } })
    expect(rowsOf(result)).toMatchObject([
      {
        isSegment: true,
        op: 'pageload',
        name: 'GET /',
        release: 'web@2',
        environment: 'staging',
        measurements: { lcp: 88 },
        item: 'span',
      },
      {
        isSegment: false,
        segmentId: spanId(1),
        transaction: 'Pageload',
        origin: 'auto.http',
        release: 'web@1',
        environment: 'live',
        parentId: spanId(1),
      },
    ])
    expect(endsOf(result)).toEqual(['span span stored ok 2', 'span span invalid bad_item 3'])
  })

  test.each([
    ['navigate', { lcp: 88 }],
    ['back-forward-cache', { lcp: 88 }],
    // It starts at a click: it must not count among page loads.
    ['soft-navigation', { 'soft.lcp': 88 }],
  ])('a vital of the navigation type %s', (type, measurements) => {
    const attributes = {
      'sentry.op': 'ui.webvital.lcp',
      'browser.web_vital.lcp.value': 88,
      'browser.navigation.type': type,
    }
    expect(rowsOf(container([streamedSpan(1, attributes)]))).toMatchObject([{ measurements }])
    expect(Object.keys(rowsOf(container([streamedSpan(1, attributes)]))[0]?.measurements ?? {})).toEqual(
      Object.keys(measurements),
    )
  })

  test.each<[string, unknown, string | undefined, string]>([
    ['a container without items', {}, streamed, 'span span invalid bad_item 1'],
    ['an empty one', { items: [] }, streamed, 'span span invalid bad_item 1'],
    ['no JSON', '{', streamed, 'span span invalid bad_json 1'],
    ['a list', [], undefined, 'span span invalid bad_item 1'],
    [
      'one span of the older form',
      { ...child(5), is_segment: true, exclusive_time: 12.5 },
      undefined,
      'span span stored ok 1',
    ],
    [
      'too many',
      { items: Array.from({ length: 1001 }, (_, n) => streamedSpan(n + 1)) },
      streamed,
      'span span stored ok 1000,span span invalid too_many_items 1',
    ],
  ])('%s', (_name, payload, type, expected) => {
    const item = { type: 'span', ...(type ? { content_type: type } : {}) }
    expect(endsOf(refineBody(envelope(item, payload))).join()).toBe(expected)
  })

  test('the older form has the time in none of its children', () => {
    const [row] = rowsOf(
      refineBody(envelope({ type: 'span' }, { ...child(5), segment_id: spanId(5), exclusive_time: 12.5 })),
    )
    expect(row).toMatchObject({ isSegment: true, selfUs: 12_500, description: 'SELECT 5', durationUs: 100_000 })
  })

  test('a user by what the span says of one; the sender’s address only where the SDK allows it', () => {
    const hashes = (more: object) =>
      rowsOf(
        container(
          [streamedSpan(1), streamedSpan(2, { 'user.id': 'u1' }), streamedSpan(3, { 'user.id': 'u1' })],
          {},
          more,
        ),
      ).map((row) => row.userHash)
    const [none, hash, same] = hashes({})
    expect([none, hash === same, hash === '']).toEqual(['', true, false])
    const [address] = hashes({ ingest_settings: { infer_ip: 'auto' } })
    expect(address).toMatch(/^[0-9a-f]{16}$/)
  })
})

test.each<[string, string, string, string | undefined, string]>([
  ['a page load at 30 s', 'pageload', 'deadline_exceeded', 'finalTimeout', 'deadline_exceeded'],
  ['an older SDK’s', 'navigation', 'deadline_exceeded', undefined, 'deadline_exceeded'],
  ['without a sign of life', 'pageload', 'ok', 'heartbeatFailed', 'heartbeatFailed'],
  ['one that was idle', 'pageload', 'ok', 'idleTimeout', ''],
  ['a server’s own time-out', 'http.server', 'deadline_exceeded', undefined, ''],
])('%s is told by op, status and reason', (_name, op, status, reason, cut) => {
  const data = reason ? { 'sentry.idle_span_finish_reason': reason } : {}
  expect(rowsOf(refined(transaction({}, { op, status, data })))[0]?.cut).toBe(cut)
})

test('self time is what no child covers; a circle of parents is no trouble', () => {
  const entry = (spanId: string, parentId: string, startUs: number, durationUs: number) => ({
    spanId,
    parentId,
    startUs,
    durationUs,
  })
  expect(
    selfTimes([
      entry('a', '', 0, 100),
      entry('b', 'a', 10, 20),
      entry('c', 'a', 20, 30),
      entry('d', 'a', 90, 50),
      entry('e', 'f', 0, 10),
      entry('f', 'e', 0, 10),
    ]),
  ).toEqual([50, 20, 30, 50, 0, 0])
})

test('whatever stands in whatever place, nothing throws, and each row is one line with its columns', () => {
  const random = randomOf(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const odd = [
    null,
    true,
    -1,
    1e300,
    Number.NaN,
    '',
    'x'.repeat(3000),
    '\t\n\\\'"{}[]',
    '\u0000\ud800',
    [],
    [[[]]],
    {},
    // An object with a number as `toString` cannot be converted to text.
    { toString: 1, length: -1 },
    { value: {} },
    { '': '' },
    JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
    'a'.repeat(16),
    atS + 1e9,
  ]
  const spoil = (value: unknown, chance: number): unknown => {
    if (random() < chance) return pick(odd)
    if (Array.isArray(value)) return value.map((entry) => spoil(entry, chance))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [
        random() < chance / 4 ? (JSON.stringify(pick(odd)) ?? '') : key,
        spoil(entry, chance),
      ]),
    )
  }
  const links = [{ trace_id: traceId, span_id: spanId(3), sampled: true }]
  const whole = transaction(
    {
      measurements: { lcp: { value: 1, unit: 'second' } },
      tags: { a: 'b' },
      user: { id: 1 },
      release: 'r',
      spans: [child(2, { data: { a: 1 }, links }), child(3)],
    },
    { data: { b: [1, { c: 2 }] }, parent_span_id: spanId(9) },
  )
  const items = [streamedSpan(1, { a: 1, 'user.id': 'x', 'sentry.op': 'db' }, { links }), streamedSpan(2)]
  for (let n = 0; n < 400; n++) {
    const chance = pick([0.02, 0.1, 0.3])
    const results = [
      refined(spoil(whole, chance)),
      refineBody(envelope({ type: 'span', content_type: streamed }, spoil({ version: 2, items }, chance))),
      refineBody(
        envelope({ type: 'span' }, spoil(child(4, { exclusive_time: 3, measurements: { a: { value: 1 } } }), chance)),
      ),
    ]
    for (const result of results) {
      expect(endsOf(result).length).toBeGreaterThan(0)
      for (const row of rowsOf(result)) {
        const line = encodeSpanRow(row)
        expect([line.split('\t').length, line.split('\n').length], line).toEqual([spanColumns.length, 2])
        expect([row.durationUs >= 0, /^[0-9a-f]{16}$/.test(row.spanId), /^[0-9a-f]{32}$/.test(row.traceId)]).toEqual([
          true,
          true,
          true,
        ])
        expect(Math.abs(row.startUs / 1e6 - atS)).toBeLessThan(70 * 86_400)
      }
    }
  }
})
