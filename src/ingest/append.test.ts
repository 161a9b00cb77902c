import { deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { auth, codeOf, createRig, envelopeOf, eventId, publicKey, type Rig, type Sent } from './rig.cases.ts'

let rig: Rig
const start = async (...given: Parameters<typeof createRig>) => (rig = await createRig(...given))
afterEach(() => rig?.close())

const json = `{"event_id":"${eventId}","message":"h\u00e9llo"}`
const base64 = Buffer.from(json).toString('base64')
const packed = deflateSync(json).toString('base64')

describe('POST /store/', () => {
  const cases: [string, Sent][] = [
    ['JSON', { body: json }],
    ['JSON behind blanks', { body: ` \r\n\t${json}` }],
    ['base64', { body: base64 }],
    ['base64 of zlib', { body: packed }],
    ['base64 of zlib, octet stream', { body: `${packed}\n`, headers: { 'content-type': 'application/octet-stream' } }],
    ['gzip', { body: gzipSync(json), headers: { 'content-encoding': 'gzip' } }],
    [
      'a form of JSON',
      {
        body: `sentry_data=${encodeURIComponent(json)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
    [
      'a form of base64',
      {
        body: `sentry_data=${encodeURIComponent(packed)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
  ]
  test.each(cases)('%s', async (_name, sent) => {
    await start()
    const answer = await rig.send('/api/7/store/', { ...sent, headers: { ...auth, ...sent.headers } })
    expect([answer.status, answer.body]).toEqual([200, `{"id":"${eventId}"}`])
    const [record] = rig.journal.records
    expect(record?.head).toMatchObject({ kind: 'store', eventId, projectId: 7 })
    expect(JSON.parse(record?.body.toString() ?? '')).toEqual(JSON.parse(json))
  })

  test.each(['/api/store/', '/api/store', '/api/7/store'])('%s', async (path) => {
    await start()
    expect((await rig.send(path, { headers: auth, body: json })).status).toBe(200)
    expect(rig.journal.records[0]?.head.projectId).toBe(7)
  })

  test.each([
    ['no id', '{}'],
    ['the nil id', `{"event_id":"${'0'.repeat(32)}"}`],
    ['an id of markup', '{"event_id":"<b>"}'],
    ['a number as id', '{"event_id":5}'],
  ])('%s: a new one', async (_name, body) => {
    await start()
    const answer = await rig.send('/api/7/store/', { headers: auth, body })
    expect(answer.body).toMatch(/^\{"id":"[\da-f]{32}"\}$/)
    expect(JSON.stringify({ id: rig.journal.records[0]?.head.eventId })).toBe(answer.body)
  })

  test.each([
    ['empty', '', 400, 'ACCEPT_BODY_MALFORMED'],
    ['blanks', ' \n', 400, 'ACCEPT_BODY_MALFORMED'],
    ['broken JSON', '{"a":', 400, 'ACCEPT_BODY_MALFORMED'],
    ['an array', '[]', 400, 'ACCEPT_BODY_MALFORMED'],
    ['text', 'hello world', 400, 'ACCEPT_BODY_MALFORMED'],
    ['a base64 bomb', deflateSync(Buffer.alloc(20_000_000, ' ')).toString('base64'), 413, 'ACCEPT_BOMB'],
    ['over 1 MiB', JSON.stringify({ message: 'x'.repeat(1024 * 1024) }), 413, 'ACCEPT_TOO_LARGE'],
    ['over 2 MiB', 'x'.repeat(2 * 1024 * 1024 + 1), 413, 'ACCEPT_TOO_LARGE'],
  ])('refused: %s', async (_name, body, status, code) => {
    await start()
    const answer = await rig.send('/api/7/store/', { headers: auth, body })
    expect([answer.status, codeOf(answer), rig.journal.records.length]).toEqual([status, code, 0])
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { projectId: 7, category: 'error', outcome: 'invalid', quantity: 1 },
    ])
  })

  // Only a packed body gets as far as JSON that is not an object: others must begin with a brace.
  test.each(['[]', '[{}]', 'null', '5', '"text"', 'true', '{', ''])('%s, packed: no object, refused', async (text) => {
    await start()
    const answer = await rig.send('/api/7/store/', { headers: auth, body: deflateSync(text).toString('base64') })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'ACCEPT_BODY_MALFORMED'])
    expect(rig.journal.records).toEqual([])
  })

  test.each([
    [0, 200],
    [1, 413],
  ])('an event of the largest size and %i bytes: %i', async (more, status) => {
    await start()
    const body = `{"message":"${'x'.repeat(1024 * 1024 - 14 + more)}"}`
    expect((await rig.send('/api/7/store/', { headers: auth, body })).status).toBe(status)
  })

  test('a gzip bomb', async () => {
    await start()
    const body = gzipSync(Buffer.alloc(20_000_000, ' '))
    const answer = await rig.send('/api/7/store/', { headers: { ...auth, 'content-encoding': 'gzip' }, body })
    expect([answer.status, codeOf(answer)]).toEqual([413, 'ACCEPT_BOMB'])
  })

  test('an envelope by its content type, its dsn as auth', async () => {
    await start()
    const body = envelopeOf({ event_id: eventId, dsn: `http://${publicKey}@localhost/7` }, 'event')
    const answer = await rig.send('/api/store/', { headers: { 'content-type': 'application/x-sentry-envelope' }, body })
    expect([answer.status, rig.journal.records[0]?.head.kind]).toEqual([200, 'envelope'])
  })

  test('without auth', async () => {
    await start()
    expect(codeOf(await rig.send('/api/7/store/', { body: json }))).toBe('ACCEPT_KEY_MISSING')
  })
})

describe('GET /store/', () => {
  test.each([
    ['base64 of zlib', packed],
    ['base64', base64],
    ['JSON', json],
  ])('%s is answered by a picture', async (_name, data) => {
    await start()
    const query = new URLSearchParams({ sentry_key: publicKey, sentry_data: data })
    const answer = await rig.send(`/api/7/store/?${query}`, { method: 'GET' })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/gif'])
    expect(rig.journal.records[0]?.head).toMatchObject({ kind: 'store', eventId })
  })

  test('without data', async () => {
    await start()
    expect(codeOf(await rig.send(`/api/7/store/?sentry_key=${publicKey}`, { method: 'GET' }))).toBe(
      'ACCEPT_BODY_MALFORMED',
    )
  })
})

describe('security reports', () => {
  const query = `?sentry_key=${publicKey}&sentry_release=shop%401.0&sentry_environment=prod`
  test.each([
    ['security', 'application/csp-report', '{"csp-report":{}}', 200],
    ['csp-report', 'application/csp-report', '{"csp-report":{}}', 200],
    ['security', 'application/json; charset=utf-8', ' {}', 200],
    ['security', 'application/reports+json', '[{}]', 200],
    ['security', 'application/expect-ct-report+json', '{}', 200],
    ['security', 'application/expect-staple-report', '{}', 200],
    ['security', 'text/html', '{}', 415],
    ['security', 'application/csp-report', '', 400],
    ['security', 'application/csp-report', 'nope', 400],
    ['security', 'application/csp-report', `{"a":"${'x'.repeat(1024 * 1024)}"}`, 413],
  ])('%s, %s, %#', async (route, type, body, status) => {
    await start()
    const answer = await rig.send(`/api/7/${route}/${query}`, { headers: { 'content-type': type }, body })
    expect(answer.status).toBe(status)
    if (status === 200) {
      expect(answer.body).toBe('')
      expect(rig.journal.records[0]?.head).toMatchObject({
        kind: 'security',
        release: 'shop@1.0',
        environment: 'prod',
        contentType: type,
      })
      expect(rig.journal.records[0]?.body.toString()).toBe(body)
    } else
      expect(rig.accept.drainOutcomes()).toMatchObject([{ projectId: 7, category: 'security', outcome: 'invalid' }])
  })
})

describe('attachments of an event', () => {
  const type = { 'content-type': 'multipart/form-data; boundary=xyz' }
  const part = (content: string) =>
    `--xyz\r\nContent-Disposition: form-data; name="a"; filename="a.txt"\r\n\r\n${content}\r\n`
  const path = (id: string) => `/api/7/events/${id}/attachments/?sentry_key=${publicKey}`

  test('kept as they came, with the event’s id', async () => {
    await start()
    const body = `${part('one')}${part('two')}--xyz--\r\n`
    const answer = await rig.send(path('AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA'), { headers: type, body })
    expect([answer.status, answer.body]).toEqual([201, ''])
    expect(rig.journal.records[0]).toMatchObject({
      head: { kind: 'attachments', eventId, contentType: type['content-type'] },
      body: Buffer.from(body),
    })
  })

  test('a large one is spooled', async () => {
    await start()
    const body = `${part('x'.repeat(2 * 1024 * 1024))}--xyz--\r\n`
    expect((await rig.send(path(eventId), { headers: type, body })).status).toBe(201)
    const spool = rig.journal.records[0]?.head.spool
    expect(rig.blobs.get(spool?.key ?? '')?.toString()).toBe(body)
  })

  test.each([
    ['no boundary', path(eventId), { 'content-type': 'multipart/form-data' }, 'x', 415],
    ['no multipart', path(eventId), { 'content-type': 'application/json' }, '{}', 415],
    ['not closed', path(eventId), type, part('one'), 400],
    ['large and not closed', path(eventId), type, part('x'.repeat(2 * 1024 * 1024)), 400],
    ['31 parts', path(eventId), type, `${part('1').repeat(31)}--xyz--`, 413],
    ['31 parts of 100 kB', path(eventId), type, `${part('1'.repeat(100_000)).repeat(31)}--xyz--`, 413],
    ['no event id', path('..%2f..%2fetc'), type, `${part('1')}--xyz--`, 400],
  ])('refused: %s', async (_name, url, headers, body, status) => {
    await start()
    expect((await rig.send(url, { headers, body })).status).toBe(status)
    expect([rig.journal.records.length, rig.blobs.size]).toEqual([0, 0])
    expect(rig.accept.drainOutcomes()).toMatchObject([{ category: 'attachment', outcome: 'invalid', quantity: 1 }])
  })
})
