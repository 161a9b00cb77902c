import { describe, expect, test } from 'vitest'
import { noFilters } from '../../../domain/filters.ts'
import { randomOf } from '../../../random.cases.ts'
import { encodeSpanRow, spanColumns } from '../../../store/events/traces/encode-span.ts'
import {
  attribute,
  attributesOf,
  bodyOfSpan,
  deepAttribute,
  fieldOf,
  type JsonSpan,
  jsonBody,
  jsonSpan,
  protobufOf,
  spanBytes,
  spanHex,
  startNano,
  traceHex,
} from '../../../wire/otlp.cases.ts'
import { type OtlpFormat, otlpItemsMax } from '../../../wire/otlp.ts'
import { createOtlpWalk } from '../../../wire/otlp-walk.ts'
import { refineBody } from '../../pipeline/fixture.cases.ts'
import { sumOf } from '../kind.ts'
import { endsOf, attributesOf as keptOf, rowsOf } from '../span/fixture.cases.ts'
import { encoders, formats, headOf, raw, refined } from './fixture.cases.ts'

const startUs = Number(startNano / 1000n)

const resource = {
  'service.name': 'billing',
  'service.version': '1.4.2',
  'deployment.environment.name': 'live',
  'telemetry.sdk.language': 'nodejs',
  'host.name': 'b-7',
}
const server: JsonSpan = jsonSpan(1, {
  name: 'POST /quote',
  kind: 2,
  traceState: 'vendor=1',
  attributes: attributesOf({
    'http.request.method': 'POST',
    'http.route': '/quote',
    'http.response.status_code': 500,
    big: 2n ** 60n,
    ratio: 0.25,
    debug: true,
    list: ['a', 1, false],
    map: { inner: 'x' },
    blob: Buffer.from('hi'),
    'user.id': 'u-7',
  }),
  status: { code: 2, message: 'no quote' },
  events: [
    {
      timeUnixNano: String(startNano + 5_000_000n),
      name: 'exception',
      attributes: attributesOf({
        'exception.type': 'Gone',
        'exception.message': 'no rate',
        'exception.stacktrace': 'at x',
      }),
    },
  ],
  links: [
    {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      flags: 1,
      attributes: attributesOf({ why: 'batch' }),
    },
  ],
  droppedAttributesCount: 3,
})
const child = jsonSpan(2, {
  parentSpanId: spanHex(1),
  kind: 3,
  attributes: attributesOf({ 'db.system.name': 'postgresql' }),
})

describe.each(formats)('a body in %s', (format) => {
  test('a span with all that OTLP knows', () => {
    const result = refined(format, jsonBody([server, child], resource))
    const [segment, inner] = rowsOf(result)
    expect(segment).toMatchObject({
      projectId: 7,
      traceId: traceHex,
      spanId: spanHex(1),
      parentId: '',
      segmentId: spanHex(1),
      isSegment: true,
      item: 'span',
      transaction: 'POST /quote',
      name: 'POST /quote',
      op: 'http.server',
      status: 'error',
      kind: 'server',
      origin: 'otlp',
      startUs: startUs + 1000,
      durationUs: 250_000,
      release: '1.4.2',
      environment: 'live',
      platform: 'node',
      userHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      jpos: 1000,
      place: 0,
    })
    expect(keptOf(segment)).toMatchObject({
      'service.name': 'billing',
      'host.name': 'b-7',
      'http.route': '/quote',
      'http.response.status_code': 500,
      big: String(2n ** 60n),
      ratio: 0.25,
      debug: true,
      list: ['a', 1, false],
      map: { inner: 'x' },
      blob: 'aGk=',
      'otel.scope.name': 'tests',
      'otel.scope.version': '1.0',
      'otel.status_description': 'no quote',
      'otel.trace_state': 'vendor=1',
    })
    expect(inner).toMatchObject({
      spanId: spanHex(2),
      parentId: spanHex(1),
      segmentId: spanHex(1),
      isSegment: false,
      transaction: 'POST /quote',
      op: 'db',
      kind: 'client',
      status: 'unset',
      release: '1.4.2',
      environment: 'live',
      place: 1,
    })
    // A resource is stored once for each segment. All spans have the name of their service.
    expect(Object.keys(keptOf(inner)).sort()).toEqual([
      'db.system.name',
      'otel.scope.name',
      'otel.scope.version',
      'service.name',
    ])
    expect(JSON.parse(segment?.links ?? '')).toEqual([
      {
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        span_id: 'b7ad6b7169203331',
        sampled: true,
        attributes: { why: 'batch' },
      },
    ])
    expect(endsOf(result)).toEqual(['otlp span stored ok 2'])
    expect(result.received).toBe(2)
  })

  test('an exception stays an event of its span', () => {
    const result = refined(format, jsonBody([server]))
    const [row] = rowsOf(result)
    expect(JSON.parse(row?.events ?? '')).toEqual([
      {
        name: 'exception',
        timestamp: (startUs + 5000) / 1e6,
        attributes: { 'exception.type': 'Gone', 'exception.message': 'no rate', 'exception.stacktrace': 'at x' },
      },
    ])
    expect(result.events).toEqual([])
  })

  test.each<[string, JsonSpan, object]>([
    ['no times', { startTimeUnixNano: undefined, endTimeUnixNano: undefined }, { durationUs: 0, repaired: 1 }],
    ['zero as start', { startTimeUnixNano: '0' }, { durationUs: 0, repaired: 1 }],
    ['an end before the start', { endTimeUnixNano: '1' }, { durationUs: 0 }],
    [
      'times in the far future',
      { startTimeUnixNano: '18446744073709551615', endTimeUnixNano: '18446744073709551615' },
      { durationUs: 0 },
    ],
    ['a kind of the future', { kind: 77 }, { kind: '', op: '' }],
    ['a status of the future', { status: { code: 9 } }, { status: 'unset', failed: false }],
    ['no name', { name: undefined }, { name: '', transaction: '' }],
    ['a parent of the wrong length', { parentSpanId: 'abcd' }, { parentId: '', isSegment: true }],
  ])('%s: repaired and stored', (_name, changes, expected) => {
    const result = refined(format, jsonBody([jsonSpan(1, changes)]))
    expect(rowsOf(result)).toMatchObject([expected])
    expect(endsOf(result)).toEqual(['otlp span stored ok 1'])
  })

  test('spans without ids are counted as invalid, and all others are kept', () => {
    const spans = [jsonSpan(1, { traceId: '' }), jsonSpan(2), jsonSpan(3, { spanId: '0'.repeat(16) }), jsonSpan(4)]
    const result = refined(format, jsonBody(spans))
    expect(rowsOf(result).map((row) => [row.spanId, row.place])).toEqual([
      [spanHex(2), 0],
      [spanHex(4), 1],
    ])
    expect([endsOf(result), result.received]).toEqual([['otlp span stored ok 2', 'otlp span invalid bad_item 2'], 4])
  })

  test('an id that comes twice is two rows of one item: screens show it once', () => {
    const result = refined(format, jsonBody([jsonSpan(1), jsonSpan(1)]))
    expect([rowsOf(result).length, endsOf(result)]).toEqual([2, ['otlp span stored ok 2']])
  })

  test('spans of each trace are an item of their own, in groups of at most 1,000', () => {
    const other = 'a'.repeat(32)
    const spans = Array.from({ length: 2501 }, (_, n) => jsonSpan(n + 1, n % 2500 === 1 ? { traceId: other } : {}))
    const { spans: groups } = refined(format, jsonBody(spans))
    expect(groups.map(({ index, rows }) => [index, rows.length, rows[0]?.place, rows.at(-1)?.place])).toEqual([
      [0, 1000, 0, 999],
      [1, 1000, 1000, 1999],
      [2, 500, 2000, 2499],
      [3, 1, 2500, 2500],
    ])
    expect(new Set(groups.map(({ key }) => key)).size).toBe(4)
  })

  test('a replayed dead letter is one group of its body', () => {
    const spans = [jsonSpan(1), jsonSpan(2, { traceId: 'a'.repeat(32) }), jsonSpan(3, { spanId: '' })]
    const result = refineBody(encoders[format](jsonBody(spans)), { ...headOf(format), onlyItem: 1 })
    expect([rowsOf(result).map((row) => row.spanId), result.received]).toEqual([[spanHex(2)], 1])
  })

  test('filters drop the part of a service in a trace, and the rows of others keep their places', () => {
    const bot = attributesOf({ 'user_agent.original': 'Googlebot/2.1 (+http://www.google.com/bot.html)' })
    const spans = [
      jsonSpan(1, { kind: 2, attributes: bot }),
      jsonSpan(2, { traceId: 'a'.repeat(32), kind: 2 }),
      jsonSpan(3, { parentSpanId: spanHex(1) }),
    ]
    const filters = { ...noFilters, crawlers: true }
    const result = refined(format, jsonBody(spans), { filters })
    expect(rowsOf(result).map((row) => [row.spanId, row.place])).toEqual([[spanHex(2), 2]])
    expect(endsOf(result)).toEqual(['otlp span stored ok 1', 'otlp span filtered web_crawler 2'])
    // A recovery keeps what is stored, at the places that it has without filters too.
    const recovered = refineBody(
      encoders[format](jsonBody(spans)),
      headOf(format),
      { filters },
      undefined,
      new Map([[1000, new Set([0, 1, 2])]]),
    )
    expect(rowsOf(recovered).map((row) => [row.spanId, row.place])).toEqual([
      [spanHex(1), 0],
      [spanHex(3), 1],
      [spanHex(2), 2],
    ])
    const old = refined(format, jsonBody(spans, { 'service.version': '1.0.0' }), {
      filters: { ...noFilters, releases: ['1.0.*'] },
    })
    expect(endsOf(old)).toEqual(['otlp span filtered release_version 2', 'otlp span filtered release_version 1'])
  })

  test('secrets go from names, attributes, events and links', () => {
    const secret = attributesOf({
      'http.request.header.authorization': 'hunter2',
      'url.full': 'https://a.test/?token=hunter2',
    })
    const spans = [
      jsonSpan(1, {
        name: 'GET /login?password=hunter2',
        attributes: secret,
        events: [{ name: 'e', attributes: secret }],
        links: [{ traceId: traceHex, spanId: spanHex(9), attributes: secret }],
        status: { code: 2, message: 'Bearer hunter2hunter2' },
      }),
    ]
    const rows = rowsOf(refined(format, jsonBody(spans, { 'db.password': 'hunter2' })))
    expect(JSON.stringify(rows)).not.toContain('hunter2')
    expect(rows).toHaveLength(1)
  })

  test('nothing is unbounded', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key.${n}`, 'v'.repeat(200)]))
    const span = (n: number) =>
      jsonSpan(n, {
        name: 'n'.repeat(5000),
        attributes: attributesOf(many),
        events: Array.from({ length: 100 }, () => ({ name: 'e', attributes: attributesOf(many) })),
        links: Array.from({ length: 100 }, () => ({
          traceId: traceHex,
          spanId: spanHex(9),
          attributes: attributesOf(many),
        })),
      })
    const body = jsonBody([span(1), span(2)], many)
    const rows = rowsOf(refined(format, body))
    expect(rows.map((row) => [row.name.length, row.repaired > 3])).toEqual([
      [200, true],
      [200, true],
    ])
    expect(rows.reduce((sum, row) => sum + encodeSpanRow(row).length, 0)).toBeLessThan(400 * 1024)
  })

  test('a small body does not become a large one', () => {
    const spans = Array.from({ length: 5000 }, (_, n) => ({ traceId: traceHex, spanId: spanHex(n + 1) }))
    const body = encoders[format](jsonBody(spans, { 'service.name': 's'.repeat(900), 'host.name': 'h'.repeat(900) }))
    const result = refineBody(body, headOf(format))
    const bytes = rowsOf(result).reduce((sum, row) => sum + encodeSpanRow(row).length, 0)
    expect(bytes).toBeLessThan(body.length * 10 + 16_384)
    expect(sumOf([...result.groups.flatMap(({ outcomes }) => outcomes), ...result.outcomes])).toBe(5000)
  })
})

test('what ingest says of rejected spans is what refine counts as invalid', () => {
  const spans = Array.from({ length: otlpItemsMax + 50 }, (_, n) => ({
    traceId: traceHex,
    spanId: n % 100 === 7 ? '' : spanHex(n + 1),
  }))
  for (const format of formats) {
    const body = encoders[format](jsonBody(spans))
    const walk = createOtlpWalk(format, 'traces')
    walk.push(body)
    const ends = endsOf(refineBody(body, headOf(format)))
    expect(ends).toContain('otlp span invalid bad_item 200')
    expect(ends).toContain('otlp span invalid too_many_items 50')
    expect(walk.rejected).toBe(250)
  }
})

describe('OTLP in JSON', () => {
  const json = (text: string) => refineBody(text, headOf('json'))

  test('numbers of 64 bits as numbers, enums as names, unknown names', () => {
    const span = jsonSpan(1, {
      startTimeUnixNano: Number(startNano),
      endTimeUnixNano: Number(startNano) + 1e9,
      kind: 'SPAN_KIND_SERVER',
      status: { code: 'STATUS_CODE_ERROR' },
      attributes: [
        { key: 'n', value: { intValue: 5 } },
        { key: 'd', value: { doubleValue: 'NaN' } },
      ],
      unknown: { a: 1 },
      traceId: traceHex.toUpperCase(),
    })
    const [row] = rowsOf(json(JSON.stringify({ ...jsonBody([span]), more: [] })))
    expect(row).toMatchObject({ traceId: traceHex, kind: 'server', status: 'error', durationUs: 1e6 })
    expect(keptOf(row)).toMatchObject({ n: 5, d: 'NaN' })
  })

  test.each<[string, string, string]>([
    ['no JSON', '{"resourceSpans":[{,}]}', 'otlp span invalid bad_json 1'],
    ['a list', '[]', 'otlp span invalid bad_item 1'],
    ['no spans', '{"resourceSpans":[{"scopeSpans":7}]}', 'otlp span invalid bad_item 1'],
    [
      'spans that are none',
      '{"resourceSpans":[{"scopeSpans":[{"spans":[null,7,"a",[]]}]}]}',
      'otlp span invalid bad_item 4',
    ],
    [
      '10,000 levels',
      JSON.stringify(
        jsonBody([jsonSpan(1, { attributes: [attribute('a', 1), { key: 'deep', value: 'DEEP' }] })]),
      ).replace('"DEEP"', `${'{"arrayValue":{"values":['.repeat(10_000)}{}${']}}'.repeat(10_000)}`),
      'otlp span stored ok 1',
    ],
  ])('%s', (_name, text, expected) => {
    expect(endsOf(json(text))).toEqual([expected])
  })
})

describe('OTLP in protobuf', () => {
  test.each<[string, Buffer, string]>([
    ['no message', Buffer.from('hello'), 'otlp span invalid bad_item 1'],
    ['a span of nothing', bodyOfSpan(Buffer.alloc(0)), 'otlp span invalid bad_item 1'],
    [
      'a cut number',
      bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), Buffer.from([0x30, 0x80])])),
      'otlp span invalid bad_item 1',
    ],
    [
      'a cut value',
      bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), fieldOf(9, Buffer.from([0x12, 0x05, 0x21]))])),
      'otlp span invalid bad_item 1',
    ],
    [
      'ids of no bytes',
      bodyOfSpan(Buffer.concat([fieldOf(1, Buffer.alloc(0)), fieldOf(2, Buffer.alloc(0))])),
      'otlp span invalid bad_item 1',
    ],
    [
      'fields of the wrong wire type',
      bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), Buffer.from([0x38, 0x01, 0x28, 0x07, 0x48, 0x01])])),
      'otlp span stored ok 1',
    ],
    [
      'unknown fields',
      bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), fieldOf(500, Buffer.from('x'))])),
      'otlp span stored ok 1',
    ],
    [
      '10,000 levels',
      bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), deepAttribute(10_000)])),
      'otlp span stored ok 1',
    ],
    [
      'invalid UTF-8 and NUL',
      bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), fieldOf(5, Buffer.from([0x61, 0x00, 0xff]))])),
      'otlp span stored ok 1',
    ],
  ])('%s', (_name, body, expected) => {
    const result = raw(body)
    expect([endsOf(result), result.received]).toEqual([[expected], 1])
  })

  test('invalid texts are repaired', () => {
    const [row] = rowsOf(
      raw(bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), fieldOf(5, Buffer.from([0x61, 0x00, 0xff]))]))),
    )
    expect(row?.name).toBe('a\ufffd\ufffd')
  })

  test('a resource after its spans applies to them', () => {
    const spans = fieldOf(2, fieldOf(2, spanBytes(jsonSpan(1))))
    const [name] = jsonBody([], { 'service.version': '3.0' }).resourceSpans
    const after = protobufOf({ resourceSpans: name ? [{ ...name, scopeSpans: [] }] : [] })
    // The bytes of the resource's message, without the tag and length of its ResourceSpans.
    const body = fieldOf(1, Buffer.concat([spans, after.subarray(2)]))
    expect(rowsOf(raw(body))[0]?.release).toBe('3.0')
  })

  test('200,000 spans, or ten million empty resources, cost no more than the limit allows', () => {
    const spans = Array.from({ length: 200_000 }, (_, n) => ({ traceId: traceHex, spanId: spanHex(n + 1) }))
    const result = raw(protobufOf(jsonBody(spans)))
    expect(result.received).toBe(200_000)
    expect(endsOf(result)).toContain(`otlp span invalid too_many_items ${200_000 - otlpItemsMax}`)
    const empty = raw(Buffer.from('0a00'.repeat(5_000_000), 'hex'))
    expect(endsOf(empty)).toEqual(['otlp span invalid bad_item 1'])
  })
})

test('whatever bytes come, nothing throws, the sum is right, and each row is one line with its columns', () => {
  const random = randomOf(11)
  const whole = jsonBody([server, child, jsonSpan(3, { events: server.events })], resource)
  const bodies: [OtlpFormat, Buffer][] = formats.map((format) => [format, encoders[format](whole)])
  for (let n = 0; n < 1500; n++) {
    const [format, source] = bodies[n % 2] ?? ['json', Buffer.alloc(0)]
    const body = Buffer.from(source)
    for (let k = 0; k < random() * 6; k++) body[Math.floor(random() * body.length)] = Math.floor(random() * 256)
    const result = refineBody(
      body.subarray(0, random() < 0.2 ? Math.floor(random() * body.length) : body.length),
      headOf(format),
    )
    expect(sumOf([...result.groups.flatMap(({ outcomes }) => outcomes), ...result.outcomes])).toBe(result.received)
    for (const row of rowsOf(result)) {
      const line = encodeSpanRow(row)
      expect([line.split('\t').length, line.split('\n').length], line).toEqual([spanColumns.length, 2])
      expect([/^[0-9a-f]{16}$/.test(row.spanId), /^[0-9a-f]{32}$/.test(row.traceId), row.durationUs >= 0]).toEqual([
        true,
        true,
        true,
      ])
    }
  }
})
