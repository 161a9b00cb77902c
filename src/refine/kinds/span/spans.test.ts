import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { SpanRow } from '../../../store/events/span-store.ts'
import { encodeSpanRow } from '../../../store/events/traces/encode-span.ts'
import { recordedMs, refineBody } from '../../pipeline/fixture.cases.ts'
import {
  atS,
  attributesOf,
  child,
  endsOf,
  envelope,
  id,
  refined,
  rowsOf,
  spanId,
  traceId,
  transaction,
} from './fixture.cases.ts'

const folder = `${import.meta.dirname}/../../../../fixtures/envelopes`

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
    expect([attributesOf(segment), attributesOf(first)]).toEqual([{ plan: 'team' }, { 'db.system.name': 'postgresql' }])
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
    ['__proto__ among attributes', {}, { data: JSON.parse('{"__proto__":{"a":1},"b":1}') }, { attributes: { b: 1 } }],
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
    expect(longest((row) => JSON.stringify(row.attributes))).toBeLessThan(5000)
    expect(rows.reduce((sum, row) => sum + JSON.stringify(row.attributes).length, 0)).toBeLessThan(900 * 1024)
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
    expect(rowsOf(refineBody(payload, {}, { filters }, undefined, new Map([[1000, new Set([0, 1, 2])]])))).toHaveLength(
      3,
    )
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
      // It ends minutes after the request that contained it.
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
