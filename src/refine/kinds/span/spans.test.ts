import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { randomOf } from '../../../random.cases.ts'
import { encodeSpanRow, spanColumns } from '../../../store/events/encode-span.ts'
import type { SpanRow } from '../../../store/events/span-store.ts'
import { recordedMs, refineBody } from '../../pipeline/fixture.cases.ts'
import { selfTimes } from './parts.ts'

const folder = `${import.meta.dirname}/../../../../fixtures/envelopes`
const id = 'aaaabbbbccccddddaaaabbbbccccdddd'
const traceId = '11112222333344441111222233334444'
const streamed = 'application/vnd.sentry.items.span.v2+json'
const atS = recordedMs / 1000
const spanId = (n: number) => n.toString(16).padStart(16, 'a')

const envelope = (item: object, payload: unknown, header: object = {}) =>
  [
    JSON.stringify({ event_id: id, ...header }),
    JSON.stringify(item),
    typeof payload === 'string' ? payload : JSON.stringify(payload),
  ].join('\n')
const transaction = (changes: object = {}, trace: object = {}) => ({
  type: 'transaction',
  transaction: 'GET /orders',
  start_timestamp: atS - 2,
  timestamp: atS - 1,
  contexts: { trace: { trace_id: traceId, span_id: spanId(1), op: 'http.server', status: 'ok', ...trace } },
  ...changes,
})
const child = (n: number, changes: object = {}) => ({
  span_id: spanId(n),
  parent_span_id: spanId(1),
  trace_id: traceId,
  op: 'db',
  description: `SELECT ${n}`,
  start_timestamp: atS - 1.9,
  timestamp: atS - 1.8,
  ...changes,
})
const streamedSpan = (n: number, attributes: Record<string, unknown> = {}, changes: object = {}) => ({
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
const refined = (payload: unknown, ...more: [head?: object, settings?: object]) =>
  refineBody(envelope({ type: 'transaction' }, payload), ...more)
const container = (items: unknown[], header: object = {}, more: object = {}) =>
  refineBody(
    envelope(
      { type: 'span', content_type: streamed, item_count: items.length },
      { version: 2, items, ...more },
      header,
    ),
  )
const rowsOf = (result: ReturnType<typeof refineBody>): SpanRow[] => result.spans.flatMap((span) => span.rows)
const endsOf = (result: ReturnType<typeof refineBody>) =>
  [...result.spans.flatMap((span) => span.outcomes), ...result.outcomes].map(
    (entry) => `${entry.itemType} ${entry.category} ${entry.outcome} ${entry.reason} ${entry.quantity}`,
  )
const attributesOf = (row: SpanRow | undefined) => JSON.parse(row?.attributes || '{}') as Record<string, unknown>

describe('a transaction', () => {
  test('is its segment and its child spans, with what the event says of all of them', () => {
    const result = refined(
      transaction({
        release: 'api@1',
        environment: 'staging',
        platform: 'node',
        user: { id: 7 },
        tags: { plan: 'team' },
        measurements: { lcp: { value: 1.5, unit: 'second' }, cls: { value: 0.1, unit: '' }, bad: { value: 'x' } },
        spans: [
          child(2, { data: { 'db.system': 'postgresql', 'sentry.op': 'db' } }),
          child(3, { start_timestamp: atS - 1.8, timestamp: atS - 1.5 }),
        ],
      }),
    )
    const [segment, first, second] = rowsOf(result)
    expect(segment).toMatchObject({
      projectId: 7,
      traceId,
      spanId: spanId(1),
      parentId: '',
      segmentId: spanId(1),
      isSegment: true,
      item: 'transaction',
      transaction: 'GET /orders',
      name: 'GET /orders',
      op: 'http.server',
      status: 'ok',
      startUs: (atS - 2) * 1e6,
      durationUs: 1e6,
      selfUs: 600_000,
      cut: '',
      release: 'api@1',
      environment: 'staging',
      platform: 'node',
      measurements: { lcp: 1500, cls: 0.1 },
      jpos: 1000,
      place: 0,
    })
    expect([attributesOf(segment), attributesOf(first)]).toEqual([{ plan: 'team' }, { 'db.system': 'postgresql' }])
    expect(first).toMatchObject({
      spanId: spanId(2),
      parentId: spanId(1),
      segmentId: spanId(1),
      isSegment: false,
      place: 1,
      selfUs: 100_000,
      transaction: 'GET /orders',
      op: 'db',
      name: '',
      description: 'SELECT 2',
      release: 'api@1',
    })
    expect(new Set([segment?.userHash, first?.userHash, second?.userHash]).size).toBe(1)
    expect(segment?.userHash).toMatch(/^[0-9a-f]{16}$/)
    expect(endsOf(result)).toEqual(['transaction transaction stored ok 1', 'transaction span stored ok 2'])
    expect(result.spans[0]?.key).toBe(`${spanId(1)}${traceId.slice(16)}`)
  })

  test.each<[string, object, object, Partial<SpanRow>]>([
    ['no trace context', { contexts: 7 }, {}, { traceId: id, spanId: id.slice(0, 16) }],
    ['ids that are none', {}, { trace_id: 'x', span_id: 5 }, { traceId: id, spanId: id.slice(0, 16) }],
    ['an end before its start', { start_timestamp: atS, timestamp: atS - 1 }, {}, { durationUs: 0 }],
    ['no start', { start_timestamp: null }, {}, { startUs: (atS - 1) * 1e6, durationUs: 0 }],
    [
      'times of next year',
      { start_timestamp: atS + 4e7, timestamp: atS + 4e7 + 1 },
      {},
      { startUs: (atS - 1) * 1e6, durationUs: 1e6 },
    ],
    ['a name that is a list', { transaction: ['a'] }, {}, { name: '["a"]' }],
    ['no name', { transaction: undefined }, {}, { name: '' }],
    ['an op of signs', {}, { op: '<script>' }, { op: '' }],
    ['measurements that are a list', { measurements: [1, 2] }, {}, { measurements: {} }],
    ['spans that are a text', { spans: 'all' }, {}, { name: 'GET /orders' }],
    ['__proto__ among attributes', {}, { data: JSON.parse('{"__proto__":{"a":1},"b":1}') }, { attributes: '{"b":1}' }],
  ])('%s is repaired', (_name, changes, trace, expected) => {
    const result = refined(transaction(changes, trace))
    expect(rowsOf(result)[0]).toMatchObject(expected)
    expect(endsOf(result)).toEqual(['transaction transaction stored ok 1'])
  })

  test('child spans that say nothing of themselves are counted, others repaired', () => {
    const result = refined(
      transaction({
        spans: [
          null,
          7,
          child(2, { span_id: 'x' }),
          child(3, { start_timestamp: null, timestamp: 'never' }),
          child(4, { parent_span_id: null, timestamp: atS - 1.95 }),
        ],
      }),
    )
    expect(rowsOf(result).map((row) => [row.spanId, row.parentId, row.durationUs, row.repaired])).toEqual([
      [spanId(1), '', 1e6, 0],
      [spanId(4), spanId(1), 0, 2],
    ])
    expect(endsOf(result)).toEqual([
      'transaction transaction stored ok 1',
      'transaction span stored ok 1',
      'transaction span invalid bad_item 3',
    ])
  })

  test('nothing is unbounded: spans, texts, attributes', () => {
    const data = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`key.${n}`, 'v'.repeat(n % 9 === 0 ? 2000 : 20)]),
    )
    const spans = Array.from({ length: 1200 }, (_, n) =>
      child(n + 2, { description: 'd'.repeat(9000), op: 'o'.repeat(900), data, origin: 'x'.repeat(900) }),
    )
    const result = refined(transaction({ transaction: 'n'.repeat(900), spans }))
    const rows = rowsOf(result)
    expect(endsOf(result)).toEqual([
      'transaction transaction stored ok 1',
      'transaction span stored ok 1000',
      'transaction span invalid too_many_items 200',
    ])
    const longest = (of: (row: SpanRow) => string) => Math.max(...rows.map((row) => of(row).length))
    expect([longest((row) => row.name), longest((row) => row.description), longest((row) => row.op)]).toEqual([
      200, 1024, 128,
    ])
    expect(longest((row) => row.attributes)).toBeLessThan(5000)
    expect(rows.reduce((sum, row) => sum + row.attributes.length, 0)).toBeLessThan(900 * 1024)
    expect(rows.every((row, at) => row.place === at)).toBe(true)
  })

  test('a small item does not become a large one: rows repeat a name and a release that were sent once', () => {
    const spans = Array.from({ length: 1000 }, (_, n) => ({ span_id: spanId(n + 2), timestamp: atS - 1 }))
    const payload = transaction({
      transaction: 'n'.repeat(200),
      release: 'r'.repeat(200),
      environment: 'e'.repeat(64),
      spans,
    })
    const result = refined(payload)
    const [, stored = '', large = ''] = endsOf(result)
    const count = (end: string) => Number(end.split(' ').at(-1))
    expect([stored.replace(/\d+$/, ''), large.replace(/\d+$/, ''), count(stored) + count(large)]).toEqual([
      'transaction span stored ok ',
      'transaction span invalid too_large ',
      1000,
    ])
    const bytes = rowsOf(result).reduce((sum, row) => sum + encodeSpanRow(row).length, 0)
    expect(bytes).toBeLessThan(JSON.stringify(payload).length * 5 + 16_384)
  })

  test('secrets go from descriptions, attributes and names', () => {
    const result = refined(
      transaction(
        {
          transaction: 'GET /login?password=hunter2',
          spans: [
            child(2, {
              description: 'GET https://bob:hunter2@a.test/?token=hunter2',
              data: {
                'http.request.header.authorization': 'hunter2',
                'url.full': 'https://a.test/?api_key=hunter2',
                plain: 1,
              },
            }),
          ],
        },
        { data: { password: { deep: 'hunter2' } } },
      ),
    )
    expect(JSON.stringify(rowsOf(result))).not.toContain('hunter2')
    expect(attributesOf(rowsOf(result)[1])).toMatchObject({
      plain: 1,
      'http.request.header.authorization': '[Filtered]',
    })
  })

  test('the project’s own words and addresses are scrubbed as in events', () => {
    const settings = { sensitiveFields: ['colour'], scrubIpAddresses: true }
    const result = refined(
      transaction({ spans: [child(2, { data: { colour: 'red', 'client.address': '10.1.2.3' } })] }),
      {},
      settings,
    )
    expect(attributesOf(rowsOf(result)[1])).toEqual({ colour: '[Filtered]', 'client.address': '[ip]' })
  })

  test('a filter of the project drops it with its spans; what stands was judged before', () => {
    const filters = {
      addresses: [],
      releases: ['api@*'],
      cspSources: [],
      messages: [],
      browsers: [],
      localhost: false,
      crawlers: false,
      extensions: false,
      hydration: false,
      chunkLoad: false,
    }
    const payload = envelope({ type: 'transaction' }, transaction({ release: 'api@1', spans: [child(2), child(3)] }))
    expect(endsOf(refineBody(payload, {}, { filters }))).toEqual([
      'transaction transaction filtered release_version 1',
      'transaction span filtered release_version 2',
    ])
    expect(rowsOf(refineBody(payload, {}, { filters }, undefined, new Set([1000])))).toHaveLength(3)
  })

  test('a client’s clock that is an hour off moves all of its times', () => {
    const payload = transaction({
      start_timestamp: atS - 7202,
      timestamp: atS - 7201,
      spans: [child(2, { start_timestamp: atS - 7201.9, timestamp: atS - 7201.8 })],
    })
    const sent_at = new Date(recordedMs - 7_200_000).toISOString()
    const [segment, first] = rowsOf(refineBody(envelope({ type: 'transaction' }, payload, { sent_at })))
    expect([segment?.startUs, first?.startUs]).toEqual([(atS - 2) * 1e6, Math.round((atS - 1.9) * 1e6)])
  })

  test('one that came as an event is one', () => {
    const result = refineBody(JSON.stringify(transaction()), { kind: 'store' })
    expect([rowsOf(result).length, endsOf(result)]).toEqual([1, ['event transaction stored ok 1']])
  })
})

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
    // what has a number for `toString` cannot be made a text
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

test('everything of the recorded envelopes is stored, nothing is invalid', () => {
  const names = readdirSync(folder).filter((name) => /(?:transaction|span)[^/]*\.envelope$/.test(name))
  expect(names.length).toBeGreaterThan(25)
  const kinds = new Set<string>()
  for (const name of names) {
    const bytes = readFileSync(`${folder}/${name}`)
    const { sent_at } = JSON.parse(bytes.toString('utf8').split('\n', 1)[0] ?? '') as { sent_at: string }
    const result = refineBody(bytes, { receivedMs: Date.parse(sent_at) })
    expect(rowsOf(result).length, name).toBeGreaterThan(0)
    expect(
      result.outcomes.filter((outcome) => outcome.outcome === 'invalid'),
      name,
    ).toEqual([])
    for (const row of rowsOf(result)) {
      kinds.add(`${row.op} ${row.cut}`)
      // its end is minutes ahead of the request that brought it
      if (row.name === 'NextNodeServer.clientComponentLoading') continue
      expect([row.repaired, row.release === '', row.durationUs >= 0], `${name} ${JSON.stringify(row)}`).toEqual([
        0,
        false,
        true,
      ])
    }
  }
  for (const kind of [
    'pageload ',
    'navigation ',
    'pageload deadline_exceeded',
    'pageload heartbeatFailed',
    'http.server ',
  ])
    expect([...kinds]).toContain(kind)
})
