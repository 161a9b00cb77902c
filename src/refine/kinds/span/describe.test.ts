import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { refineBody } from '../../pipeline/fixture.cases.ts'
import { weightOf } from './describe.ts'
import {
  attributesOf,
  child,
  container,
  refined,
  rowsOf,
  spanId,
  streamedSpan,
  traceId,
  transaction,
} from './fixture.cases.ts'

const folder = `${import.meta.dirname}/../../../../fixtures/envelopes`
const recorded = (name: string) => rowsOf(refineBody(readFileSync(`${folder}/${name}.envelope`)))

describe('recorded envelopes', () => {
  test.each([
    ['browser-11.12.0-tracing-01-span', '/page', ['GET 127.0.0.1:4400/data/a', '127.0.0.1:4400/v11.js']],
    ['browser-11.12.0-tracing-02-span', '/page/cart', ['GET 127.0.0.1:4400/data/b', '127.0.0.1:4400/favicon.ico']],
    ['nextjs-11.8.0-server-02-span', '/about', []],
    ['nextjs-11.8.0-server-05-span', '/target', []],
    ['browser-11.12.0-tracingstatic-01-transaction', '/page', ['GET 127.0.0.1:4400/data/a', '127.0.0.1:4400/v11.js']],
    ['browser-7.120.4-tracing-01-transaction', '/page', ['GET 127.0.0.1:4400/data/a', '/favicon.ico']],
  ])('%s: all spans have the route %s', (name, route, statements) => {
    const rows = recorded(name)
    expect(rows.length).toBeGreaterThan(1)
    expect(new Set(rows.map((row) => row.route))).toEqual(new Set([route]))
    expect(rows.map((row) => row.statement)).toEqual(expect.arrayContaining(statements))
    expect(rows.every((row) => row.weight === 1 && !row.failed)).toBe(true)
  })

  test('web vitals that come without their page load have its route', () => {
    const [first, third] = ['01', '03'].map((part) =>
      readFileSync(`${folder}/browser-11.12.0-tracing-${part}-span.envelope`, 'utf8').trimEnd(),
    )
    const page = JSON.parse(first?.split('\n')[2] ?? '{}') as { items: object[] }
    const vitals = JSON.parse(third?.split('\n')[2] ?? '{}') as { items: object[] }
    rowsOf(container(page.items))
    const late = rowsOf(container(vitals.items))
    expect(late.map((row) => [row.route, Object.keys(row.measurements)])).toEqual([
      ['/page', ['cls']],
      ['/page', ['lcp']],
    ])
    const [unknown] = vitals.items
    const other = JSON.parse(JSON.stringify(unknown).replaceAll('8c43707fc7465442', spanId(99))) as object
    expect(rowsOf(container([other])).map((row) => row.route)).toEqual([''])
  })
})

describe('the weight of a span', () => {
  test.each([
    [0.1, 10],
    ['0.25', 4],
    [1, 1],
    [0, 1],
    [-0.5, 1],
    [1.5, 1],
    [1e-9, 1],
    [Number.NaN, 1],
    ['a', 1],
    [undefined, 1],
    [{}, 1],
  ])('at the rate %s is %s', (rate, weight) => {
    expect(weightOf(rate)).toBe(weight)
  })

  test('is that of the span, else of the envelope', () => {
    const items = [streamedSpan(1, { 'sentry.sample_rate': 0.5 }), streamedSpan(2)]
    const rows = rowsOf(container(items, { trace: { sample_rate: '0.2', trace_id: traceId } }))
    expect(rows.map((row) => row.weight)).toEqual([2, 5])
  })

  test('of a transaction is that of its data, for its children too', () => {
    const rows = rowsOf(refined(transaction({ spans: [child(2)] }, { data: { 'sentry.sample_rate': 0.1 } })))
    expect(rows.map((row) => row.weight)).toEqual([10, 10])
  })
})

describe('columns that are derived', () => {
  test.each([
    ['by its status', { status: 'internal_error' }, {}, { failed: true }],
    ['a cancelled one', { status: 'cancelled' }, {}, { failed: false }],
    [
      'by its HTTP status',
      { status: undefined },
      { 'http.response.status_code': 503 },
      { failed: true, httpStatus: 503 },
    ],
    ['with a deprecated name', { status: 'ok' }, { 'http.status_code': '404' }, { failed: false, httpStatus: 404 }],
    ['an impossible HTTP status', {}, { 'http.response.status_code': 99_999 }, { httpStatus: 0 }],
    ['a query', {}, { 'sentry.op': 'db.query' }, { category: 'db' }],
    ['Redis', {}, { 'sentry.op': 'db.redis' }, { category: 'cache' }],
    ['without an op', {}, { 'db.system': 'mysql' }, { category: 'db' }],
    ['nothing known', {}, {}, { category: '' }],
    ['an op of its own', {}, { 'sentry.op': 'constructor' }, { category: 'other' }],
  ])('%s', (_name, changes, attributes, expected) => {
    expect(rowsOf(container([streamedSpan(1, attributes, changes)]))[0]).toMatchObject(expected)
  })

  test('attributes have their current names and types', () => {
    const [row] = rowsOf(
      container([
        streamedSpan(1, {
          'http.method': 'GET',
          'db.system': 'mysql',
          'db.system.name': 'mariadb',
          'thread.id': '7',
          'user.id': 5,
        }),
      ]),
    )
    expect(attributesOf(row)).toEqual({
      'http.request.method': 'GET',
      'db.system.name': 'mariadb',
      'thread.id': 7,
      'user.id': '5',
    })
  })

  test('spans that name no segment belong to the one above them, and a cycle of parents ends', () => {
    const root = streamedSpan(1, { 'http.route': '/orders/[id]', 'sentry.op': 'http.server' }, { is_segment: true })
    const rows = rowsOf(
      container([
        streamedSpan(3, {}, { parent_span_id: spanId(2) }),
        streamedSpan(2, {}, { parent_span_id: spanId(1) }),
        root,
        streamedSpan(4, {}, { parent_span_id: spanId(5) }),
        streamedSpan(5, {}, { parent_span_id: spanId(4) }),
      ]),
    )
    expect(rows.map((row) => [row.segmentId, row.route])).toEqual([
      [spanId(1), '/orders/[id]'],
      [spanId(1), '/orders/[id]'],
      [spanId(1), '/orders/[id]'],
      ['', ''],
      ['', ''],
    ])
  })

  test('what is scrubbed appears in no derived column', () => {
    const [row] = rowsOf(
      container([streamedSpan(2, { 'sentry.op': 'db' }, { name: 'SELECT "4111 1111 1111 1111" FROM t' })]),
    )
    expect(row?.statement).toContain('SELECT')
    expect(row?.statement).not.toContain('4111')
  })
})
