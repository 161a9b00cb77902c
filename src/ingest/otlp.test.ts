import { gzipSync } from 'node:zlib'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import {
  bodyOfSpan,
  jsonBody,
  jsonLog,
  jsonLogsBody,
  jsonSpan,
  logsProtobufOf,
  protobufOf,
  spanHex,
  traceHex,
} from '../wire/otlp.cases.ts'
import { otlpBytesMax } from '../wire/otlp.ts'
import { createRig, disabledKey, publicKey, type Rig } from './rig.cases.ts'

const path = '/api/7/integration/otlp/v1/traces'
const [protobufType, jsonType] = ['application/x-protobuf', 'application/json']
const auth = { 'x-sentry-auth': `sentry sentry_key=${publicKey}` }
const asProtobuf = { ...auth, 'content-type': protobufType }
const asJson = { ...auth, 'content-type': jsonType }
const body = jsonBody([jsonSpan(1), jsonSpan(2, { spanId: 'no' }), jsonSpan(3)])
const sound = jsonBody([jsonSpan(1), jsonSpan(2)])

const packed = (headers: Record<string, string>) => ({ headers: { ...headers, 'content-encoding': 'gzip' } })

const state = {} as { rig: Rig }
const start = async (options: Parameters<typeof createRig>[0] = {}) => {
  state.rig = await createRig(options)
  return state.rig
}
afterEach(() => state.rig.close())

/** The fields of a small protobuf answer. The rig reads answers as text, so it fits messages of less than 128 ASCII characters. */
function fieldsOf(text: string): Record<number, unknown> {
  const reader = new BinaryReader(Buffer.from(text, 'latin1'))
  const out: Record<number, unknown> = {}
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    out[number] = wire === 0 ? reader.uint32() : reader.string()
  }
  return out
}

describe('what is accepted', () => {
  test.each(['integration/otlp/v1/traces', 'integration/otlp/v1/traces/', 'otlp/v1/traces', 'otlp/v1/traces/'])(
    '/api/7/%s',
    async (route) => {
      const rig = await start()
      for (const [headers, sent] of [
        [asProtobuf, protobufOf(sound)],
        [asJson, Buffer.from(JSON.stringify(sound))],
      ] as const) {
        const answer = await rig.send(`/api/7/${route}`, { headers, body: sent })
        expect([answer.status, answer.headers['content-type']]).toEqual([200, headers['content-type']])
        expect(answer.body).toBe(headers === asJson ? '{}' : '')
        expect(answer.headers['access-control-allow-origin']).toBe('*')
        const record = rig.journal.records.at(-1)
        expect(record?.head).toMatchObject({
          kind: 'otlp',
          lane: 'bulk',
          projectId: 7,
          contentType: headers['content-type'],
        })
        expect(record?.body.equals(sent)).toBe(true)
      }
    },
  )

  test.each(['integration/otlp/v1/logs', 'integration/otlp/v1/logs/', 'otlp/v1/logs', 'otlp/v1/logs/'])(
    'logs: /api/7/%s',
    async (route) => {
      const rig = await start()
      const logs = jsonLogsBody([jsonLog(1), jsonLog(2, { traceId: undefined })])
      for (const [headers, sent] of [
        [asProtobuf, logsProtobufOf(logs)],
        [asJson, Buffer.from(JSON.stringify(logs))],
      ] as const) {
        const answer = await rig.send(`/api/7/${route}`, { body: gzipSync(sent), ...packed(headers) })
        expect([answer.status, answer.body]).toEqual([200, headers === asJson ? '{}' : ''])
        const record = rig.journal.records.at(-1)
        expect(record?.head).toMatchObject({ kind: 'otlp_logs', projectId: 7, contentType: headers['content-type'] })
        expect(record?.body.equals(sent)).toBe(true)
      }
      const refused = await rig.send(`/api/7/${route}`, {
        headers: { ...auth, 'content-type': 'text/plain' },
        body: 'x',
      })
      expect(refused.status).toBe(415)
      expect(rig.accept.drainOutcomes()).toMatchObject([{ category: 'log_item', outcome: 'invalid', quantity: 1 }])
    },
  )

  test('a partial success names rejected log records', async () => {
    const rig = await start()
    const answer = await rig.send('/api/7/otlp/v1/logs', {
      headers: asJson,
      body: JSON.stringify(jsonLogsBody([jsonLog(1), 7])),
    })
    expect(JSON.parse(answer.body)).toMatchObject({ partialSuccess: { rejectedLogRecords: '1' } })
  })

  test.each(['integration/otlp/v1/metrics', 'integration/otlp/v1/metrics/', 'otlp/v1/metrics'])(
    'metrics: /api/7/%s, with a partial success that names rejected points',
    async (route) => {
      const rig = await start()
      const dataPoints = [{ asInt: '1' }, 7, { asDouble: 2 }]
      const sent = Buffer.from(
        JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', sum: { dataPoints } }] }] }] }),
      )
      const answer = await rig.send(`/api/7/${route}`, { body: gzipSync(sent), ...packed(asJson) })
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.body)).toMatchObject({ partialSuccess: { rejectedDataPoints: '1' } })
      const record = rig.journal.records.at(-1)
      expect(record?.head).toMatchObject({ kind: 'otlp_metrics', projectId: 7 })
      expect(record?.body.equals(sent)).toBe(true)
      const headers = { ...auth, 'content-type': 'text/plain' }
      expect((await rig.send(`/api/7/${route}`, { headers, body: 'x' })).status).toBe(415)
      expect(rig.accept.drainOutcomes()).toMatchObject([{ category: 'trace_metric', outcome: 'invalid', quantity: 1 }])
    },
  )

  test('the key can be in the query, and the body packed', async () => {
    const rig = await start()
    const answer = await rig.send(`${path}?sentry_key=${publicKey}`, {
      headers: { 'content-type': `${jsonType}; charset=utf-8`, 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(sound)),
    })
    expect(answer.status).toBe(200)
    expect(rig.journal.records[0]?.body.toString()).toBe(JSON.stringify(sound))
    expect(rig.accept.drainRequestLog()).toMatchObject([
      { route: 'otlp', status: 200, items: [{ type: 'otlp', outcome: 'waiting' }] },
    ])
  })

  test('a partial success names the spans without ids', async () => {
    const rig = await start()
    const json = await rig.send(path, { headers: asJson, body: JSON.stringify(body) })
    expect(JSON.parse(json.body)).toMatchObject({ partialSuccess: { rejectedSpans: '1' } })
    const protobuf = await rig.send(path, { headers: asProtobuf, body: protobufOf(body) })
    const answer = fieldsOf(protobuf.body)
    expect(fieldsOf(String(answer[1]))).toEqual({ 1: 1, 2: expect.stringContaining('trace id of 16 bytes') })
    expect(rig.journal.records).toHaveLength(2)
  })

  test.each<[string, Record<string, string>, string | Buffer]>([
    ['JSON', asJson, '{}'],
    ['protobuf', asProtobuf, ''],
    ['a resource without spans', asProtobuf, protobufOf(jsonBody([]))],
  ])('an empty request is answered and not stored: %s', async (_name, headers, sent) => {
    const rig = await start()
    expect((await rig.send(path, { headers, body: sent })).status).toBe(200)
    expect([rig.journal.records, rig.accept.drainOutcomes()]).toEqual([[], []])
  })

  test.each<[string, Record<string, string>, (spans: object[]) => Buffer]>([
    ['protobuf', asProtobuf, (spans) => protobufOf(jsonBody(spans))],
    ['JSON', asJson, (spans) => Buffer.from(JSON.stringify(jsonBody(spans)))],
  ])('a body over 1 MiB goes to the blob store: %s', async (_name, headers, encode) => {
    const rig = await start()
    const spans = Array.from({ length: 9000 }, (_, n) =>
      jsonSpan(n + 1, n === 5 ? { traceId: 'no' } : { name: 'x'.repeat(90) }),
    )
    const sent = encode(spans)
    expect(sent.length).toBeGreaterThan(1024 * 1024)
    const answer = await rig.send(path, { headers, body: sent })
    expect(answer.status).toBe(200)
    expect(answer.body.length).toBeGreaterThan(20)
    const { spool } = rig.journal.records[0]?.head ?? {}
    expect(spool?.bytes).toBe(sent.length)
    expect(rig.blobs.get(spool?.key ?? '')?.equals(sent)).toBe(true)
    expect(rig.journal.state.open).toBe(0)
  })

  test('the preflight of a browser', async () => {
    const rig = await start()
    const answer = await rig.send(path, { method: 'OPTIONS', headers: { origin: 'https://shop.example' } })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([204, '*'])
    expect(answer.headers['access-control-allow-headers']).toContain('x-sentry-auth')
  })
})

describe('what is refused', () => {
  const refusals: [string, number, number, string, string, Record<string, string>, string | Buffer][] = [
    ['no key', 401, 16, 'ACCEPT_KEY_MISSING', path, { 'content-type': jsonType }, '{}'],
    [
      'an unknown key',
      403,
      7,
      'ACCEPT_KEY_UNKNOWN',
      `${path}?sentry_key=${'0'.repeat(32)}`,
      { 'content-type': jsonType },
      '{}',
    ],
    [
      'a disabled key',
      403,
      7,
      'ACCEPT_KEY_DISABLED',
      `${path}?sentry_key=${disabledKey}`,
      { 'content-type': jsonType },
      '{}',
    ],
    ['another project', 400, 3, 'ACCEPT_PROJECT_MISMATCH', path.replace('7', '8'), asJson, '{}'],
    ['a text', 415, 3, 'ACCEPT_ENCODING_UNKNOWN', path, { ...auth, 'content-type': 'text/plain' }, 'x'],
    ['no type', 415, 3, 'ACCEPT_ENCODING_UNKNOWN', path, auth, 'x'],
    ['an unknown encoding', 415, 3, 'ACCEPT_ENCODING_UNKNOWN', path, { ...asJson, 'content-encoding': 'lz4' }, 'x'],
    ['a broken gzip', 400, 3, 'ACCEPT_ENCODING_BROKEN', path, { ...asJson, 'content-encoding': 'gzip' }, 'x'],
    ['no JSON', 400, 3, 'ACCEPT_BODY_MALFORMED', path, asJson, 'hello'],
    ['half a JSON', 400, 3, 'ACCEPT_BODY_MALFORMED', path, asJson, '{"resourceSpans":['],
    ['a list', 400, 3, 'ACCEPT_BODY_MALFORMED', path, asJson, '[]'],
    ['no protobuf', 400, 3, 'ACCEPT_BODY_MALFORMED', path, asProtobuf, 'hello'],
    ['half a protobuf', 400, 3, 'ACCEPT_BODY_MALFORMED', path, asProtobuf, protobufOf(sound).subarray(0, 20)],
    ['JSON as protobuf', 400, 3, 'ACCEPT_BODY_MALFORMED', path, asProtobuf, JSON.stringify(sound)],
  ]
  test.each(refusals)('%s: %i', async (_name, status, rpc, code, url, headers, sent) => {
    const rig = await start()
    const answer = await rig.send(url, { headers, body: sent })
    expect(answer.status).toBe(status)
    const type = headers['content-type'] === protobufType ? protobufType : jsonType
    expect(answer.headers['content-type']).toBe(type)
    if (type === jsonType)
      expect(JSON.parse(answer.body)).toMatchObject({ code: rpc, message: expect.stringContaining(code) })
    else expect(fieldsOf(answer.body)).toEqual({ 1: rpc, 2: expect.stringContaining(code) })
    expect(rig.journal.records).toEqual([])
    expect(rig.accept.drainOutcomes()).toMatchObject([{ category: 'span', outcome: 'invalid', quantity: 1 }])
  })

  test('another method', async () => {
    const rig = await start()
    const answer = await rig.send(path, { method: 'PUT', headers: asJson, body: '{}' })
    expect([answer.status, answer.headers.allow, JSON.parse(answer.body).code]).toEqual([405, 'POST, OPTIONS', 12])
  })

  test.each<[string, Record<string, string>, () => Buffer]>([
    ['plain', asProtobuf, () => bodyOfSpan(Buffer.alloc(otlpBytesMax, 1))],
    [
      'packed',
      { ...asProtobuf, 'content-encoding': 'gzip' },
      () => gzipSync(bodyOfSpan(Buffer.alloc(otlpBytesMax, 1))),
    ],
    ['packed JSON', { ...asJson, 'content-encoding': 'gzip' }, () => gzipSync(`{"a":"${'x'.repeat(otlpBytesMax)}"}`)],
    [
      'packed, of empty objects',
      { ...asJson, 'content-encoding': 'gzip' },
      () => gzipSync(`{"a":[${'{},'.repeat(1_500_000)}{}]}`),
    ],
  ])('a body over 20 MiB, or as much as one: 413, %s', async (_name, headers, make) => {
    const rig = await start()
    const answer = await rig.send(path, { headers, body: make() })
    expect(answer.status).toBe(413)
    expect(answer.body).toMatch(/ACCEPT_(?:TOO_LARGE|BOMB)/)
    expect([rig.journal.records, rig.blobs.size, rig.journal.state.open]).toEqual([[], 0, 0])
  })

  test('a large body that turns out to be none leaves nothing behind', async () => {
    const rig = await start()
    const spans = Array.from({ length: 9000 }, (_, n) => jsonSpan(n + 1, { name: 'x'.repeat(90) }))
    const answer = await rig.send(path, { headers: asJson, body: `${JSON.stringify(jsonBody(spans)).slice(0, -2)}` })
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 3])
    expect([rig.journal.records, rig.blobs.size, rig.journal.state.open]).toEqual([[], 0, 0])
  })

  test('the rate limit of a key: 429 with Retry-After, and each span counts', async () => {
    const rig = await start({ key: { rateLimit: { count: 1, windowS: 60 } } })
    const send = () => rig.send(path, { headers: asProtobuf, body: protobufOf(sound) })
    expect((await send()).status).toBe(200)
    const answer = await send()
    expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true])
    expect([answer.headers['content-type'], answer.body.includes('ACCEPT_RATE_LIMITED')]).toEqual([protobufType, true])
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { category: 'span', outcome: 'rate_limited', reason: 'key_limit', itemType: 'otlp', quantity: 2 },
    ])
  })

  test('a full journal: 503 with Retry-After', async () => {
    const rig = await start()
    rig.journal.state.failWith = new MishapError('ACCEPT_OVERLOADED')
    const answer = await rig.send(path, { headers: asJson, body: JSON.stringify(sound) })
    expect([answer.status, answer.headers['retry-after'], JSON.parse(answer.body).code]).toEqual([503, '30', 14])
  })

  test('200,000 spans in one body: all but the first 20,000 are rejected', async () => {
    const rig = await start()
    const spans = Array.from({ length: 200_000 }, (_, n) => ({ traceId: traceHex, spanId: spanHex(n + 1) }))
    const sent = protobufOf(jsonBody(spans))
    expect(sent.length).toBeLessThan(otlpBytesMax)
    const answer = await rig.send(path, { headers: asProtobuf, body: sent })
    expect(answer.status).toBe(200)
    const [head] = rig.journal.records
    expect(head?.head.spool?.bytes).toBe(sent.length)
    expect(rig.journal.state.lanes).toEqual(['bulk'])
    expect(answer.body).toContain('at most 20000')
  })
})
