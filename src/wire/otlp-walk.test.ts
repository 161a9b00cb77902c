import { describe, expect, test } from 'vitest'
import { randomOf } from '../random.cases.ts'
import {
  bodyOfSpan,
  deepAttribute,
  fieldOf,
  jsonBody,
  jsonLog,
  jsonLogsBody,
  jsonSpan,
  logsProtobufOf,
  protobufOf,
  spanBytes,
  spanHex,
  traceHex,
} from './otlp.cases.ts'
import { type OtlpFormat, otlpItemsMax } from './otlp.ts'
import { createOtlpWalk } from './otlp-walk.ts'

/** Walks a body in pieces of `size` bytes. */
function walked(format: OtlpFormat, body: Uint8Array | string, size = 1 << 20) {
  const bytes = Buffer.from(body)
  const walk = createOtlpWalk(format, 'traces')
  for (let at = 0; at < bytes.length; at += size) walk.push(bytes.subarray(at, at + size))
  walk.end()
  return { items: walk.items, rejected: walk.rejected, error: walk.error }
}

const whole = (items: number, rejected = 0) => ({ items, rejected, error: undefined })
const deepText = `${'['.repeat(10_000)}${']'.repeat(10_000)}`

const mixed = jsonBody([
  jsonSpan(1),
  jsonSpan(2, { traceId: undefined }),
  jsonSpan(3, { spanId: '' }),
  jsonSpan(4, { traceId: '0'.repeat(32) }),
  jsonSpan(5, { spanId: 'abcd' }),
  jsonSpan(6, { spanId: traceHex }),
  jsonSpan(7, { attributes: [{ key: 'traceId', value: { stringValue: 'not an id' } }] }),
])

describe.each<[string, (body: ReturnType<typeof jsonBody>) => Uint8Array, OtlpFormat]>([
  ['protobuf', protobufOf, 'protobuf'],
  ['JSON', (body) => Buffer.from(JSON.stringify(body)), 'json'],
  ['JSON with blanks', (body) => Buffer.from(JSON.stringify(body, undefined, 2)), 'json'],
])('%s', (_name, encode, format) => {
  test.each([1, 2, 7, 64, 1 << 20])('spans and their ids are found in pieces of %i bytes', (size) => {
    expect(walked(format, encode(mixed), size)).toEqual(whole(7, 5))
  })

  test('several resources and scopes', () => {
    const [first] = jsonBody([jsonSpan(1), jsonSpan(2)]).resourceSpans
    const body = { resourceSpans: [first, first, ...jsonBody([]).resourceSpans] } as ReturnType<typeof jsonBody>
    expect(walked(format, encode(body))).toEqual(whole(4))
  })

  test('spans over the limit of a body are rejected', () => {
    const spans = Array.from({ length: otlpItemsMax + 3 }, (_, n) => ({ traceId: traceHex, spanId: spanHex(n + 1) }))
    expect(walked(format, encode(jsonBody(spans)))).toEqual(whole(otlpItemsMax + 3, 3))
  })

  test('each cut of a body is an early end or a fault, never a whole body', () => {
    const bytes = encode(jsonBody([jsonSpan(1), jsonSpan(2)]))
    for (let at = 1; at < bytes.length; at++) {
      const { error } = walked(format, bytes.subarray(0, at))
      // Pretty JSON ends with a bracket only.
      if (Buffer.from(bytes.subarray(at)).toString().trim() !== '') expect(error, `at ${at}`).toBeTypeOf('string')
    }
  })
})

describe.each<[OtlpFormat, (body: ReturnType<typeof jsonLogsBody>) => Uint8Array]>([
  ['protobuf', logsProtobufOf],
  ['json', (body) => Buffer.from(JSON.stringify(body))],
])('log records in %s', (format, encode) => {
  const found = (sent: Uint8Array, size: number) => {
    const body = Buffer.from(sent)
    const walk = createOtlpWalk(format, 'logs')
    for (let at = 0; at < body.length; at += size) walk.push(body.subarray(at, at + size))
    walk.end()
    return { items: walk.items, rejected: walk.rejected, error: walk.error }
  }
  test.each([1, 7, 1 << 20])('are found in pieces of %i bytes, with and without ids', (size) => {
    const body = jsonLogsBody([jsonLog(1), jsonLog(2, { traceId: undefined, spanId: undefined }), {}])
    expect(found(encode(body), size)).toEqual(whole(3))
  })
  test('those over the limit of a body are rejected', () => {
    const records = Array.from({ length: otlpItemsMax + 3 }, () => ({ severityNumber: 9 }))
    expect(found(encode(jsonLogsBody(records)), 1 << 20)).toEqual(whole(otlpItemsMax + 3, 3))
  })
  test('spans are no log records', () => {
    const spans = jsonBody([jsonSpan(1)])
    const json = found(Buffer.from(JSON.stringify(spans)), 1 << 20)
    if (format === 'json') expect(json).toEqual(whole(0))
  })
})

test('a broken log record is rejected alone', () => {
  const scope = Buffer.concat([fieldOf(2, Buffer.from([0x0a, 0x7f])), fieldOf(2, fieldOf(3, Buffer.from('INFO')))])
  const walk = createOtlpWalk('protobuf', 'logs')
  walk.push(fieldOf(1, fieldOf(2, scope)))
  walk.end()
  expect([walk.items, walk.rejected, walk.error]).toEqual([2, 1, undefined])
})

describe('protobuf', () => {
  test.each<[string, Uint8Array | string, ReturnType<typeof whole> | RegExp]>([
    ['nothing', '', whole(0)],
    ['a text', 'x', /ends early/],
    ['JSON', '{"resourceSpans":[]}', /no wire type 3/],
    ['zeros', Buffer.alloc(4), /no field 0/],
    ['a field that is longer than the body', Buffer.from([0x0a, 0x7f, 0x0a]), /ends early/],
    ['a scope that is longer than its resource', Buffer.from([0x0a, 0x02, 0x12, 0x7f]), /longer than its message/],
    ['a number without an end', Buffer.alloc(12, 0xff), /cut off/],
    [
      'unknown fields',
      Buffer.concat([fieldOf(9, Buffer.from('x')), fieldOf(1, fieldOf(77, Buffer.from('y')))]),
      whole(0),
    ],
    ['a span of nothing', bodyOfSpan(Buffer.alloc(0)), whole(1, 1)],
    ['a span whose fields are cut off', bodyOfSpan(spanBytes(jsonSpan(1)).subarray(0, -3)), whole(1, 1)],
    ['a span with a group', bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), Buffer.from([0x0b])])), whole(1, 1)],
    ['ids as numbers', bodyOfSpan(Buffer.from([0x08, 0x01, 0x10, 0x01])), whole(1, 1)],
    [
      'an id that comes twice',
      bodyOfSpan(Buffer.concat([fieldOf(1, Buffer.alloc(3, 1)), spanBytes(jsonSpan(1))])),
      whole(1),
    ],
    ['a value of 10,000 levels', bodyOfSpan(Buffer.concat([spanBytes(jsonSpan(1)), deepAttribute(10_000)])), whole(1)],
  ])('%s', (_name, body, expected) => {
    const found = walked('protobuf', body)
    if (expected instanceof RegExp) expect(found.error).toMatch(expected)
    else expect(found).toEqual(expected)
    // The end of a piece changes nothing.
    expect(walked('protobuf', body, 1)).toEqual(found)
  })

  test('a broken span does not hide the next one', () => {
    const scope = Buffer.concat([fieldOf(2, Buffer.from([0x0a, 0x7f])), fieldOf(2, spanBytes(jsonSpan(2)))])
    expect(walked('protobuf', fieldOf(1, fieldOf(2, scope)))).toEqual(whole(2, 1))
  })
})

describe('JSON', () => {
  test.each<[string, string, ReturnType<typeof whole> | RegExp]>([
    ['nothing', '', /ends early/],
    ['an empty request', ' {} ', whole(0)],
    ['a list', '[]', /not a JSON object/],
    ['a text', 'hello', /not a JSON object/],
    ['two objects', '{}{}', /text after/],
    ['lists in place of objects', '{"resourceSpans":[[[{"spans":[{}]}]]]}', whole(0)],
    ['spans at another place', '{"spans":[{}],"resourceSpans":[{"spans":[{}]}]}', whole(0)],
    ['a name with escapes', '{"\\u0072esourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}', whole(0)],
    ['entries that are no spans', '{"resourceSpans":[{"scopeSpans":[{"spans":[null,7,"a",[],{}]}]}]}', whole(5, 5)],
    ['the wrong bracket', '{"resourceSpans":[{"scopeSpans":[}]}', /wrong bracket/],
    ['brackets in a text', `{"a":"]}\\"}"${',"b":"[{"'.repeat(3)}}`, whole(0)],
    ['10,000 levels', `{"a":${deepText}}`, whole(0)],
    ['dashed ids', JSON.stringify(jsonBody([jsonSpan(1, { traceId: `${traceHex}0` })])), whole(1, 1)],
  ])('%s', (_name, body, expected) => {
    const found = walked('json', body)
    if (expected instanceof RegExp) expect(found.error).toMatch(expected)
    else expect(found).toEqual(expected)
    expect(walked('json', body, 1)).toEqual(found)
  })
})

test('whatever bytes come, the walk ends, counts no more rejected spans than spans, and pieces change nothing', () => {
  const random = randomOf(20)
  const bodies = [protobufOf(mixed), Buffer.from(JSON.stringify(mixed))]
  for (let n = 0; n < 3000; n++) {
    const body = Buffer.from(bodies[n % 2] ?? '')
    for (let k = 0; k < 1 + random() * 4; k++) body[Math.floor(random() * body.length)] = Math.floor(random() * 256)
    const cut = body.subarray(0, random() < 0.3 ? Math.floor(random() * body.length) : body.length)
    const format = n % 2 === 0 ? 'protobuf' : 'json'
    const found = walked(format, cut)
    expect(found.rejected).toBeLessThanOrEqual(found.items)
    const pieces = walked(format, cut, 1 + Math.floor(random() * 40))
    if (found.error === undefined) expect(pieces).toEqual(found)
    else expect(pieces.error).toBe(found.error)
  }
})
