import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { parseEnvelope } from '../wire/envelope.ts'
import {
  auth,
  codeOf,
  createRig,
  disabledKey,
  envelopeOf,
  eventId,
  otherKey,
  publicKey,
  type Rig,
  type Sent,
} from './rig.cases.ts'

let rig: Rig
const start = async (...given: Parameters<typeof createRig>) => (rig = await createRig(...given))
afterEach(() => rig?.close())

const path = '/api/7/envelope/'
const withKey = `${path}?sentry_key=${publicKey}&sentry_version=7`
const event = envelopeOf({ event_id: eventId }, 'event')
const otherAuth = { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${otherKey}` }
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const dsnOf = (key: string, project: number) => `http://${key}@localhost:9000/${project}`

describe('authorization', () => {
  const sentry = `Sentry sentry_version=7, sentry_key=${publicKey}`
  const cases: [string, string, Sent, number, string][] = [
    ['X-Sentry-Auth', path, { headers: auth }, 200, ''],
    ['Authorization: Sentry', path, { headers: { authorization: sentry } }, 200, ''],
    ['Authorization: Basic', path, { headers: basic(`${publicKey}:`) }, 200, ''],
    ['query', withKey, {}, 200, ''],
    ['query, upper case and flags', `${path}?sentry_key=${publicKey.toUpperCase()}.no-cache`, {}, 200, ''],
    [
      'dsn of the envelope',
      path,
      { body: envelopeOf({ event_id: eventId, dsn: dsnOf(publicKey, 7) }, 'event') },
      200,
      '',
    ],
    ['the same key in header and query', withKey, { headers: auth }, 200, ''],
    [
      'the same key in two headers and, in upper case, twice in the query',
      `${withKey}&sentry_key=${publicKey}`,
      { headers: { ...auth, ...basic(`${publicKey.toUpperCase()}:`) } },
      200,
      '',
    ],
    ['without trailing slash', withKey.replace('/?', '?'), {}, 200, ''],
    ['a proxy’s Bearer beside the query', withKey, { headers: { authorization: 'Bearer x' } }, 200, ''],
    ['a proxy’s Bearer alone', path, { headers: { authorization: 'Bearer x' } }, 401, 'ACCEPT_KEY_MISSING'],
    ['none', path, {}, 401, 'ACCEPT_KEY_MISSING'],
    ['header and query, other keys', `${path}?sentry_key=${otherKey}`, { headers: auth }, 401, 'ACCEPT_AUTH_TWICE'],
    ['two headers, other keys', path, { headers: { ...otherAuth, authorization: sentry } }, 401, 'ACCEPT_AUTH_TWICE'],
    [
      'header and Basic, other keys',
      path,
      { headers: { ...auth, ...basic(`${otherKey}:`) } },
      401,
      'ACCEPT_AUTH_TWICE',
    ],
    ['other keys in the query', `${withKey}&sentry_key=${otherKey}`, {}, 401, 'ACCEPT_AUTH_TWICE'],
    [
      'a header without key beside the query',
      withKey,
      { headers: { 'x-sentry-auth': 'Sentry x' } },
      400,
      'ACCEPT_KEY_MALFORMED',
    ],
    ['version 8', `${path}?sentry_key=${publicKey}&sentry_version=8`, {}, 400, 'ACCEPT_AUTH_VERSION'],
    ['a short key', `${path}?sentry_key=abc`, {}, 400, 'ACCEPT_KEY_MALFORMED'],
    ['a key of the object’s own', `${path}?sentry_key=__proto__`, {}, 400, 'ACCEPT_KEY_MALFORMED'],
    ['a header without key', path, { headers: { 'x-sentry-auth': 'Sentry nothing' } }, 400, 'ACCEPT_KEY_MALFORMED'],
    ['an unknown key', `${path}?sentry_key=${'e'.repeat(32)}`, {}, 403, 'ACCEPT_KEY_UNKNOWN'],
    ['a disabled key', `${path}?sentry_key=${disabledKey}`, {}, 403, 'ACCEPT_KEY_DISABLED'],
    ['a key of another project', `${path}?sentry_key=${otherKey}`, {}, 400, 'ACCEPT_PROJECT_MISMATCH'],
    [
      'dsn agrees with the header',
      path,
      { headers: auth, body: envelopeOf({ dsn: dsnOf(publicKey, 7) }, 'event') },
      200,
      '',
    ],
    [
      'dsn of another project',
      path,
      { headers: auth, body: envelopeOf({ dsn: dsnOf(publicKey, 8) }, 'event') },
      400,
      'ACCEPT_PROJECT_MISMATCH',
    ],
    [
      'dsn of another key',
      path,
      { headers: auth, body: envelopeOf({ dsn: dsnOf(otherKey, 7) }, 'event') },
      400,
      'ACCEPT_PROJECT_MISMATCH',
    ],
    [
      'dsn alone, another project than the path',
      path,
      { body: envelopeOf({ dsn: dsnOf(otherKey, 8) }, 'event') },
      400,
      'ACCEPT_PROJECT_MISMATCH',
    ],
    ['dsn alone, broken', path, { body: envelopeOf({ dsn: 'nope' }, 'event') }, 400, 'ACCEPT_KEY_MALFORMED'],
    [
      'dsn alone, disabled',
      path,
      { body: envelopeOf({ dsn: dsnOf(disabledKey, 7) }, 'event') },
      403,
      'ACCEPT_KEY_DISABLED',
    ],
  ]
  test.each(cases)('%s', async (_name, url, sent, status, code) => {
    await start()
    const answer = await rig.send(url, { body: event, ...sent })
    expect([answer.status, codeOf(answer)]).toEqual([status, code])
    expect(rig.journal.records.length).toBe(status === 200 ? 1 : 0)
    expect(rig.accept.drainOutcomes().length).toBe(status === 200 ? 0 : 1)
  })
})

describe('answers', () => {
  test.each([
    ['an event', envelopeOf({ event_id: eventId }, 'event'), `{"id":"${eventId}"}`],
    [
      'dashes and upper case',
      envelopeOf({ event_id: 'AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA' }, 'event'),
      `{"id":"${eventId}"}`,
    ],
    ['nothing that needs an id', envelopeOf({}, 'session'), '{}'],
    ['an id without need', envelopeOf({ event_id: eventId }, 'session'), `{"id":"${eventId}"}`],
    ['no items', envelopeOf({ event_id: eventId }), `{"id":"${eventId}"}`],
    ['unknown item types', envelopeOf({}, 'from_the_future'), '{}'],
  ])('%s', async (_name, body, wanted) => {
    await start()
    expect(await rig.send(withKey, { body })).toMatchObject({ status: 200, body: wanted })
  })

  test('an id is made when an event has none, and refine gets the same', async () => {
    await start()
    const { body } = await rig.send(withKey, { body: envelopeOf({}, 'event') })
    expect(body).toMatch(/^\{"id":"[\da-f]{32}"\}$/)
    expect(JSON.stringify({ id: rig.journal.records[0]?.head.eventId })).toBe(body)
  })

  test('an error has detail, code, causes, and detail as a header', async () => {
    await start()
    const answer = await rig.send(withKey, { body: '{}\n{"type":"x","length":9}\n1' })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toEqual({
      detail: 'The envelope is malformed.',
      code: 'ACCEPT_ENVELOPE_MALFORMED',
      causes: ['byte 28: item 1: 8 bytes of its length are missing'],
    })
    expect(answer.headers['x-sentry-error']).toBe('The envelope is malformed.')
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { projectId: 7, keyId: 1, outcome: 'invalid', reason: 'bad_envelope', quantity: 1 },
    ])
  })

  test.each([
    ['empty', '', 'bad_envelope'],
    ['nil event id', `{"event_id":"${'0'.repeat(32)}"}\n`, 'bad_event_id'],
    ['an item of ours', '{}\n{"type":"integration"}\n{}', 'bad_item'],
  ])('400: %s', async (_name, body, reason) => {
    await start()
    expect(codeOf(await rig.send(withKey, { body }))).toBe('ACCEPT_ENVELOPE_MALFORMED')
    expect(rig.accept.drainOutcomes()[0]?.reason).toBe(reason)
  })

  test.each([
    ['ACCEPT_OVERLOADED', 'overloaded'],
    ['ACCEPT_DISK_FULL', 'disk_full'],
  ] as const)('503 %s', async (code, reason) => {
    await start()
    rig.journal.state.failWith = new MishapError(code)
    const answer = await rig.send(withKey, { body: event })
    expect([answer.status, codeOf(answer), answer.headers['retry-after']]).toEqual([503, code, '30'])
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { category: 'error', itemType: 'event', outcome: 'rate_limited', reason, quantity: 1 },
    ])
    rig.journal.state.failWith = new MishapError(code, { retryAfterS: 7 })
    expect((await rig.send(withKey, { body: event })).headers['retry-after']).toBe('7')
  })

  test('a failure that nobody foresaw is a 500 and counted', async () => {
    await start()
    rig.journal.state.failWith = new Error('secret text')
    const answer = await rig.send(withKey, { body: event })
    expect([answer.status, codeOf(answer)]).toEqual([500, 'INTERNAL'])
    expect(answer.body).not.toContain('secret')
    expect(rig.accept.drainOutcomes()[0]?.reason).toBe('failed')
  })

  test('uses: one accepted and one refused for each key, taken out once', async () => {
    await start()
    for (let i = 0; i < 3; i++) await rig.send(withKey, { body: event })
    await rig.send(withKey, { body: 'nope' })
    expect(rig.accept.drainUses().map(({ keyId, refusedCode }) => [keyId, refusedCode])).toEqual([
      [1, null],
      [1, 'ACCEPT_ENVELOPE_MALFORMED'],
    ])
    expect(rig.accept.drainUses()).toEqual([])
    expect(rig.accept.drainOutcomes()).toHaveLength(1)
    expect(rig.accept.drainOutcomes()).toEqual([])
  })
})

describe('CORS', () => {
  test('a preflight is answered before authorization', async () => {
    await start()
    const { status, headers } = await rig.send(path, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    })
    expect(status).toBe(204)
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'access-control-max-age': '3600' })
    for (const name of [
      'x-sentry-auth',
      'content-type',
      'content-encoding',
      'sentry-trace',
      'baggage',
      'traceparent',
    ]) {
      expect(headers['access-control-allow-headers']).toContain(name)
    }
    expect(headers['access-control-allow-methods']).toBe('GET, POST, OPTIONS')
  })

  test.each([
    ['success', withKey, event, 200],
    ['a refusal', path, event, 401],
    ['a malformed body', withKey, 'x', 400],
    ['a route that is not built', `/api/7/unreal/?sentry_key=${publicKey}`, 'x', 404],
  ])('every answer may be read by pages: %s', async (_name, url, body, wanted) => {
    await start()
    const { status, headers } = await rig.send(url, { body })
    expect(status).toBe(wanted)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-expose-headers']).toBe('x-sentry-error, x-sentry-rate-limits, retry-after')
  })

  test.each([
    ['Origin that is allowed', { origin: 'https://shop.example' }, 200],
    ['Referer that is allowed', { referer: 'https://shop.example/a?b' }, 200],
    ['Origin before Referer', { origin: 'https://evil.example', referer: 'https://shop.example/' }, 403],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['a sandbox', { origin: 'null' }, 403],
    ['no browser', {}, 200],
  ])('allowed origins: %s', async (_name, headers, status) => {
    await start({ key: { allowedOrigins: ['shop.example'] } })
    const answer = await rig.send(withKey, { headers, body: event })
    expect([answer.status, codeOf(answer)]).toEqual([status, status === 200 ? '' : 'ACCEPT_ORIGIN_REFUSED'])
  })
})

describe('routes', () => {
  test.each([
    ['GET', path, 405],
    ['PUT', `/api/7/store/?sentry_key=${publicKey}`, 405],
    ['POST', `/api/7/cron/nightly/?sentry_key=${publicKey}`, 404],
    ['POST', `/api/7/integration/otlp/v1/profiles?sentry_key=${publicKey}`, 404],
    ['POST', `/api/7/nonsense/?sentry_key=${publicKey}`, 404],
    ['POST', '/api/0/projects/', 418],
    ['GET', '/api/health/live', 418],
  ])('%s %s: %i', async (method, url, status) => {
    await start()
    const answer = await rig.send(url, { method, body: method === 'GET' ? '' : '{}' })
    expect(answer.status).toBe(status)
    if (status !== 418) expect(JSON.parse(answer.body)).toHaveProperty('detail')
    if (status === 405) expect(answer.headers.allow).toContain('POST')
  })

  test('what is not built is counted with the category it has', async () => {
    await start()
    await rig.send(`/api/7/cron/nightly/?sentry_key=${publicKey}`, { body: '{}' })
    await rig.send('/api/7/unreal/', { body: '{}' })
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { projectId: 7, keyId: 1, category: 'monitor', outcome: 'filtered', reason: 'not_stored_yet' },
      { projectId: 0, keyId: 0, category: 'error', outcome: 'filtered', reason: 'not_stored_yet' },
    ])
  })
})

test('the record says who sent it', async () => {
  await start()
  const headers = {
    'user-agent': 'Test/1',
    origin: 'https://shop.example',
    'content-type': 'text/plain',
    'sec-ch-ua': '"A";v="1"',
    'sec-ch-ua-mobile': '?0',
  }
  await rig.send(withKey, { headers, body: event })
  const [record] = rig.journal.records
  expect(record?.head).toMatchObject({
    kind: 'envelope',
    projectId: 7,
    organizationId: 3,
    keyId: 1,
    clientAddress: '127.0.0.1',
    userAgent: 'Test/1',
    origin: 'https://shop.example',
    contentType: 'text/plain',
    clientHints: { 'sec-ch-ua': '"A";v="1"', 'sec-ch-ua-mobile': '?0' },
  })
  expect(record?.body.equals(event)).toBe(true)
})

test.each([
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'application/x-sentry-envelope',
  'multipart/form-data',
  '',
])('content type "%s" is an envelope here', async (type) => {
  await start()
  expect((await rig.send(withKey, { headers: type ? { 'content-type': type } : {}, body: event })).status).toBe(200)
})

test('every recorded request is answered 200 and kept as it was', async () => {
  await start()
  const folder = join(import.meta.dirname, '../../fixtures/envelopes')
  const names = readdirSync(folder).filter((name) => name.endsWith('.http.json'))
  let sent = 0
  for (const name of names) {
    const file = join(folder, name.replace('.http.json', '.envelope'))
    if (!existsSync(file)) continue
    const http = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      method: string
      url: string
      headers: Record<string, string>
    }
    const body = readFileSync(file)
    const {
      host: _host,
      connection: _connection,
      'content-length': _length,
      'transfer-encoding': _transfer,
      ...headers
    } = http.headers
    const project = Number(/^\/api\/(\d+)\//.exec(http.url)?.[1])
    rig.keys[publicKey] = { keyId: 1, projectId: project, organizationId: 3, active: true, allowedOrigins: [] }
    const zipped = headers['content-encoding'] === 'gzip'
    const answer = await rig.send(http.url, { method: http.method, headers, body: zipped ? gzipSync(body) : body })
    expect([name, answer.status]).toEqual([name, 200])
    const record = rig.journal.records.at(-1)
    expect(record?.body.equals(body), name).toBe(true)
    const header = parseEnvelope(body).value?.header
    expect(answer.body).toBe(header?.eventId ? `{"id":"${header.eventId}"}` : '{}')
    sent++
  }
  expect(sent).toBeGreaterThan(80)
  expect(rig.accept.drainOutcomes()).toEqual([])
})
