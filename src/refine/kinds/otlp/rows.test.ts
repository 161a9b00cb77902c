import { describe, expect, test } from 'vitest'
import { attributesOf, type JsonSpan, jsonBody, jsonSpan, spanHex } from '../../../wire/otlp.cases.ts'
import { rowsOf } from '../span/fixture.cases.ts'
import { formats, refined } from './fixture.cases.ts'

describe.each(formats)('rows of a body in %s', (format) => {
  test.each<[string, JsonSpan, boolean]>([
    ['no parent', {}, true],
    ['a server, its parent elsewhere', { kind: 2, parentSpanId: spanHex(9), flags: 0x301 }, true],
    ['a server, its parent in this process', { kind: 2, parentSpanId: spanHex(9), flags: 0x101 }, false],
    ['a server, nothing known of its parent', { kind: 2, parentSpanId: spanHex(9), flags: 1 }, true],
    ['a consumer, the same', { kind: 5, parentSpanId: spanHex(9) }, true],
    ['a client, the same', { kind: 3, parentSpanId: spanHex(9) }, false],
    ['an internal span, its parent elsewhere', { parentSpanId: spanHex(9), flags: 0x300 }, true],
  ])('a segment: %s', (_name, changes, isSegment) => {
    const [row] = rowsOf(refined(format, jsonBody([jsonSpan(1, changes)])))
    expect(row).toMatchObject({ isSegment, segmentId: isSegment ? spanHex(1) : '' })
  })

  test('the segment of a span is found over several parents; circles and missing parents have none', () => {
    const spans = [
      jsonSpan(4, { parentSpanId: spanHex(3) }),
      jsonSpan(3, { parentSpanId: spanHex(2) }),
      jsonSpan(2, { parentSpanId: spanHex(1) }),
      jsonSpan(1),
      jsonSpan(5, { parentSpanId: spanHex(6) }),
      jsonSpan(6, { parentSpanId: spanHex(5) }),
      jsonSpan(7, { parentSpanId: spanHex(99) }),
      jsonSpan(8, { parentSpanId: spanHex(7) }),
    ]
    const rows = rowsOf(refined(format, jsonBody(spans)))
    expect(rows.map((row) => [row.spanId, row.segmentId])).toEqual(
      [4, 3, 2, 1, 5, 6, 7, 8].map((n) => [spanHex(n), n < 5 ? spanHex(1) : '']),
    )
  })

  test.each<[string, number, Record<string, unknown>, string]>([
    ['a request that is served', 2, { 'http.request.method': 'GET' }, 'http.server'],
    ['by the older name', 2, { 'http.method': 'GET' }, 'http.server'],
    ['a request that is sent', 3, { 'http.request.method': 'GET' }, 'http.client'],
    ['a database', 3, { 'db.system.name': 'postgresql' }, 'db'],
    ['a database over HTTP', 3, { 'db.system': 'elasticsearch', 'http.request.method': 'POST' }, 'db'],
    ['a queue', 4, { 'messaging.system': 'kafka' }, 'messaging'],
    ['a call', 3, { 'rpc.system': 'grpc' }, 'rpc'],
    ['a function', 2, { 'faas.trigger': 'http', 'http.request.method': 'GET' }, 'function'],
    ['an op of its own', 1, { 'sentry.op': 'cache.get' }, 'cache.get'],
    ['nothing', 1, { a: 1 }, ''],
  ])('the op of %s', (_name, kind, attributes, op) => {
    expect(
      rowsOf(refined(format, jsonBody([jsonSpan(1, { kind, attributes: attributesOf(attributes) })])))[0]?.op,
    ).toBe(op)
  })

  test.each<[string, JsonSpan, number]>([
    ['nothing', {}, 1],
    ['a threshold of 3/4', { traceState: 'a=1,ot=rv:123;th:c' }, 4],
    ['a threshold of 0', { traceState: 'ot=th:0' }, 1],
    ['no threshold', { traceState: 'ot=th:xyz,th:c' }, 1],
    ['an attribute', { traceState: 'ot=th:c', attributes: attributesOf({ 'sentry.sample_rate': 0.1 }) }, 10],
    ['a rate that is none', { attributes: attributesOf({ 'sentry.sample_rate': 7 }) }, 1],
  ])('the weight by %s', (_name, changes, weight) => {
    expect(rowsOf(refined(format, jsonBody([jsonSpan(1, changes)])))[0]?.weight).toBe(weight)
  })

  test.each<[number, number, boolean]>([
    [0, 200, false],
    [0, 500, true],
    [1, 500, false],
    [2, 200, true],
  ])('status %i with HTTP %i: failed is %s', (code, http, failed) => {
    const changes = { status: { code }, attributes: attributesOf({ 'http.response.status_code': http }) }
    expect(rowsOf(refined(format, jsonBody([jsonSpan(1, changes)])))[0]).toMatchObject({ failed, httpStatus: http })
  })

  test('older names of attributes, the route of a segment and the statement of its query', () => {
    const served = { 'http.method': 'POST', 'http.route': '/quote' }
    const queried = { 'db.system': 'postgresql', 'db.statement': 'SELECT * FROM quotes WHERE id = 5' }
    const spans = [
      jsonSpan(1, { name: 'POST /quote', kind: 2, attributes: attributesOf(served) }),
      jsonSpan(2, { parentSpanId: spanHex(1), kind: 3, attributes: attributesOf(queried) }),
    ]
    expect(rowsOf(refined(format, jsonBody(spans)))).toMatchObject([
      { route: 'POST /quote', category: 'http', attributes: { 'http.request.method': 'POST' } },
      { route: 'POST /quote', category: 'db', statement: 'SELECT * FROM quotes WHERE id = ?' },
    ])
  })
})
