import { afterEach, describe, expect, test } from 'vitest'
import { type Clock, systemClock, testClock } from '../base/clock.ts'
import { EnvelopeWalk } from '../wire/envelope.ts'
import { LimitCheck } from './limits.ts'
import { auth, codeOf, createRig, envelopeOf, eventId, publicKey, type Rig, until } from './rig.cases.ts'

const KiB = 1024
const MiB = 1024 * KiB
const path = `/api/7/envelope/?sentry_key=${publicKey}`

let rig: Rig
const start = async (...given: Parameters<typeof createRig>) => (rig = await createRig(...given))
afterEach(() => rig?.close())

/** An envelope with the given items: [type, bytes, headers]. */
const sized = (...items: [string, number, object?][]) =>
  Buffer.concat([
    Buffer.from(`{"event_id":"${eventId}"}\n`),
    ...items.flatMap(([type, length, headers]) => [
      Buffer.from(`${JSON.stringify({ type, length, ...headers })}\n`),
      Buffer.alloc(length, '1'),
      Buffer.from('\n'),
    ]),
  ])
const repeat = (count: number, type: string, bytes = 2, headers: object = {}) =>
  sized(...Array.from({ length: count }, (): [string, number, object] => [type, bytes, headers]))

const cases: [string, Buffer, string][] = [
  ['event of 1 MiB', sized(['event', MiB]), ''],
  ['event over 1 MiB', sized(['event', MiB + 1]), 'too_large'],
  ['two events', repeat(2, 'event'), 'too_many_items'],
  ['event and transaction', sized(['event', 2], ['transaction', 2]), 'too_many_items'],
  ['event and user report', sized(['event', 2], ['user_report', 2]), ''],
  ['30 attachments', repeat(30, 'attachment'), ''],
  ['31 attachments', repeat(31, 'attachment'), 'too_many_items'],
  [
    'event and 30 attachments',
    Buffer.concat([sized(['event', 2]), repeat(30, 'attachment').subarray(`{"event_id":"${eventId}"}\n`.length)]),
    '',
  ],
  ['100 sessions', repeat(100, 'session'), ''],
  ['101 sessions', repeat(101, 'session'), 'too_many_items'],
  ['session and sessions share', sized(['session', 6 * MiB], ['sessions', 5 * MiB]), 'too_large'],
  ['client reports of 100 KiB', repeat(2, 'client_report', 50 * KiB), ''],
  ['client reports over 100 KiB', repeat(2, 'client_report', 51 * KiB), 'too_large'],
  ['two check-ins', repeat(2, 'check_in'), 'too_many_items'],
  ['a check-in over 100 KiB', sized(['check_in', 101 * KiB]), 'too_large'],
  ['a profile of 50 MiB', sized(['profile_chunk', 50 * MiB]), ''],
  ['a profile over 50 MiB', sized(['profile_chunk', 50 * MiB + 1]), 'too_large'],
  ['a recording over 10 MiB', sized(['replay_recording', 10 * MiB + 1]), 'too_large'],
  ['a log container of 12 MiB', sized(['log', 12 * MiB]), ''],
  ['two log containers', repeat(2, 'log'), 'too_many_items'],
  ['a log and a metric container', sized(['log', 2], ['trace_metric', 2]), ''],
  ['25 spans', repeat(25, 'span'), ''],
  ['26 spans', repeat(26, 'span'), 'too_many_items'],
  [
    'two span containers',
    repeat(2, 'span', 2, { content_type: 'application/vnd.sentry.items.span.v2+json' }),
    'too_many_items',
  ],
  [
    'a span container and single spans',
    sized(['span', 2, { content_type: 'application/vnd.sentry.items.span.v2+json' }], ['span', 2]),
    '',
  ],
  ['1000 items of unknown types', repeat(1000, 'made_up'), ''],
]

describe('limits of items', () => {
  test.each(cases)('%s', (_name, bytes, reason) => {
    const whole = new EnvelopeWalk()
    whole.push(bytes)
    whole.end()
    expect(whole.error).toBeUndefined()
    expect(new LimitCheck().check(whole, true)?.reason ?? '').toBe(reason)
    const walk = new EnvelopeWalk()
    const limits = new LimitCheck()
    const step = Math.max(7, Math.ceil(bytes.length / 50))
    let found = ''
    for (let at = 0; at < bytes.length && found === ''; at += step) {
      walk.push(bytes.subarray(at, at + step))
      found = limits.check(walk, false)?.reason ?? ''
    }
    walk.end()
    expect(found || (limits.check(walk, true)?.reason ?? '')).toBe(reason)
  })

  test('a declared length counts before its bytes come', () => {
    const walk = new EnvelopeWalk()
    walk.push(Buffer.from(`{}\n{"type":"event","length":${MiB + 1}}\n`))
    expect(new LimitCheck().check(walk, false)?.reason).toBe('too_large')
  })
})

describe('through the handler', () => {
  test('a limit takes the whole envelope, and each item is counted', async () => {
    await start()
    const answer = await rig.send(path, { body: envelopeOf({ event_id: eventId }, 'event', 'attachment', 'event') })
    expect([answer.status, codeOf(answer)]).toEqual([413, 'ACCEPT_TOO_LARGE'])
    expect(rig.journal.records).toHaveLength(0)
    const counts = rig.accept.drainOutcomes().map(({ category, reason, quantity }) => [category, reason, quantity])
    expect(counts).toEqual([
      ['error', 'too_many_items', 2],
      ['attachment', 'too_many_items', 1],
    ])
  })

  test('1001 items', async () => {
    await start()
    const answer = await rig.send(path, { body: repeat(1001, 'made_up') })
    expect([answer.status, codeOf(answer), rig.accept.drainOutcomes()[0]?.reason]).toEqual([
      413,
      'ACCEPT_TOO_LARGE',
      'too_many_items',
    ])
  })

  test('a declared length over the bound is refused before a byte is read', async () => {
    await start()
    const answer = await rig.raw(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${201 * MiB}\r\n\r\n`, {
      waitMs: 300,
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('a long body without length is cut off at the bound', async () => {
    await start({ bodyBytesMax: 3 * MiB })
    const piece = Buffer.alloc(256 * KiB, 'x')
    const answer = await rig.send(path, {
      body: [Buffer.from('{}\n{"type":"made_up"}\n'), ...Array.from({ length: 16 }, () => piece)],
    })
    expect([answer.status, codeOf(answer)]).toEqual([413, 'ACCEPT_TOO_LARGE'])
    expect([rig.blobs.size, rig.journal.records.length]).toEqual([0, 0])
  })

  test('a large body is refused by its first header, without reading it all', async () => {
    await start()
    const head = `POST /api/7/envelope/ HTTP/1.1\r\nhost: x\r\ncontent-length: ${150 * MiB}\r\n\r\n`
    const body = Buffer.concat([
      Buffer.from(`${head}{}\n{"type":"attachment","length":${140 * MiB}}\n`),
      Buffer.alloc(2 * MiB),
    ])
    const answer = await rig.raw(body, { waitMs: 500 })
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(rig.blobs.size).toBe(0)
  })

  test('a large body that is malformed at its end leaves nothing', async () => {
    await start()
    const body = Buffer.concat([
      Buffer.from(`{}\n{"type":"attachment","length":${2 * MiB}}\n`),
      Buffer.alloc(2 * MiB - 1),
    ])
    expect(codeOf(await rig.send(path, { body }))).toBe('ACCEPT_ENVELOPE_MALFORMED')
    expect([rig.blobs.size, rig.journal.records.length]).toEqual([0, 0])
  })

  test('a large body that the journal refuses leaves nothing', async () => {
    await start()
    rig.journal.state.failWith = new Error('full')
    const answer = await rig.send(path, { body: sized(['attachment', 2 * MiB]) })
    expect(answer.status).toBe(500)
    await until(() => rig.blobs.size === 0)
  })
})

/** A test clock with timers that the test advances. Sockets still use the system clock. */
function slowClock() {
  const clock = testClock()
  const driven: Clock & { advance(ms: number): void } = clock
  return driven
}

describe('senders that are slow or leave', () => {
  const head = (bytes: number, more = '') =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\n${more}content-length: ${bytes}\r\n\r\n`

  test('30 s without an end: 408, and the connection is closed', async () => {
    const clock = slowClock()
    await start({ clock })
    const answer = rig.raw(`${head(100)}{}\n{"type":`, { waitMs: 2000 })
    await systemClock.sleep(100)
    clock.advance(29_000)
    expect(rig.accept.drainOutcomes()).toEqual([])
    clock.advance(2000)
    expect(await answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*ACCEPT_TIMEOUT/)
    expect(rig.accept.drainOutcomes()).toHaveLength(1)
    expect(rig.journal.records).toHaveLength(0)
  })

  test('a long body that goes on coming has longer; one that stops is dropped with its spool', async () => {
    const clock = slowClock()
    await start({ clock })
    const begun = Buffer.concat([
      Buffer.from(`${head(5 * MiB)}{}\n{"type":"attachment","length":${4 * MiB}}\n`),
      Buffer.alloc(2 * MiB),
    ])
    const answer = rig.raw(begun, { waitMs: 3000 })
    await systemClock.sleep(200)
    // 2 MiB at 64 KiB/s would allow 32 s more, but the allowance is capped at 30 s.
    clock.advance(29_000)
    expect(rig.accept.drainOutcomes()).toEqual([])
    clock.advance(2000)
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /)
    expect([rig.blobs.size, rig.journal.records.length]).toEqual([0, 0])
  })

  test.each([
    ['small', `${head(100)}{}\n`],
    [
      'large',
      Buffer.concat([
        Buffer.from(`${head(5 * MiB)}{}\n{"type":"attachment","length":${4 * MiB}}\n`),
        Buffer.alloc(2 * MiB),
      ]),
    ],
    [
      'large and packed',
      Buffer.concat([Buffer.from(head(5 * MiB, 'content-encoding: br\r\n')), Buffer.alloc(2 * MiB, 5)]),
    ],
  ])('a client that aborts in the middle leaves nothing: %s', async (_name, bytes) => {
    await start()
    await rig.raw(bytes, { abort: true, waitMs: 500 })
    await systemClock.sleep(50)
    expect([rig.blobs.size, rig.journal.records.length]).toEqual([0, 0])
    expect((await rig.send(path, { body: envelopeOf({ event_id: eventId }, 'event') })).status).toBe(200)
  })

  test('half-closed behind a whole request: it is answered', async () => {
    await start()
    const body = '{}\n{"type":"session"}\n{}'
    expect(await rig.raw(head(body.length) + body, { half: true })).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{\}$/)
    expect(rig.journal.records).toHaveLength(1)
  })

  test('half-closed in the middle of a body: nothing is kept', async () => {
    await start()
    await rig.raw(`${head(100)}{}\n`, { half: true, waitMs: 500 })
    expect(rig.journal.records).toHaveLength(0)
  })

  test('a body in many pieces, one byte each', async () => {
    await start()
    const body = envelopeOf({ event_id: eventId }, 'event')
    const pieces = Array.from(body, (byte) => Buffer.from([byte]))
    expect((await rig.send(path, { body: pieces })).status).toBe(200)
    expect(rig.journal.records[0]?.body.equals(body)).toBe(true)
  })

  test('two requests on one connection, the first refused', async () => {
    await start()
    const body = '{}\n{"type":"session"}\n{}'
    const bad = `POST /api/7/envelope/?sentry_key=abc HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const answer = await rig.raw(bad + head(body.length) + body, { waitMs: 300 })
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
  })
})

describe('rate limits', () => {
  const entry = envelopeOf({ event_id: eventId }, 'event')

  test('a key: count items in a window, then 429 with both headers until it ends', async () => {
    const clock = testClock()
    await start({ clock, key: { rateLimit: { count: 2, windowS: 60 } } })
    expect((await rig.send(path, { body: entry })).status).toBe(200)
    clock.advance(10_000)
    expect((await rig.send(path, { body: entry })).status).toBe(200)
    const answer = await rig.send(path, { body: entry })
    expect([answer.status, codeOf(answer), answer.headers['retry-after']]).toEqual([429, 'ACCEPT_RATE_LIMITED', '50'])
    const [retry, names = '', scope, reason] = String(answer.headers['x-sentry-rate-limits']).split(':')
    expect([retry, scope, reason]).toEqual(['50', 'key', 'key_limit'])
    const listed = names.split(';')
    for (const name of ['error', 'metric', 'trace_metric', 'profile', 'profile_chunk']) expect(listed).toContain(name)
    expect(listed).not.toContain('internal')
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { category: 'error', outcome: 'rate_limited', reason: 'key_limit', itemType: 'event', quantity: 1 },
    ])
    expect(rig.accept.drainUses().at(-1)).toMatchObject({ refusedCode: 'ACCEPT_RATE_LIMITED' })
    clock.advance(50_000)
    expect((await rig.send(path, { body: entry })).status).toBe(200)
    expect(rig.journal.records).toHaveLength(3)
  })

  test('a container that is limited or refused counts for what its header says, as far as it has room', async () => {
    await start({ key: { rateLimit: { count: 1, windowS: 60 } } })
    const logs = (bytes: number) => sized(['log', bytes, { item_count: 100 }])
    for (const bytes of [3000, 3000, 30]) await rig.send(path, { body: logs(bytes) })
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { category: 'log_item', outcome: 'rate_limited', itemType: 'log', quantity: 110, bytes: 3030 },
    ])
    await rig.send(path, { body: Buffer.concat([logs(3000), Buffer.from('\nno item')]) })
    expect(rig.accept.drainOutcomes()).toMatchObject([{ category: 'log_item', outcome: 'invalid', quantity: 100 }])
  })

  test('items within the budget are kept, the rest is named in skip; client reports are never limited', async () => {
    await start({ key: { rateLimit: { count: 2, windowS: 60 } } })
    const answer = await rig.send(path, {
      body: envelopeOf({ event_id: eventId }, 'event', 'attachment', 'client_report', 'attachment', 'made_up'),
    })
    expect(answer.status).toBe(429)
    expect(rig.journal.records[0]?.head.skip).toEqual([3, 4])
    expect(rig.accept.drainOutcomes().map(({ itemType, quantity }) => [itemType, quantity])).toEqual([
      ['attachment', 1],
      ['unknown', 1],
    ])
    const report = await rig.send(path, { body: envelopeOf({}, 'client_report') })
    expect(report.status).toBe(200)
  })

  test('an organization, over all its keys', async () => {
    await start({ config: { organizationEventsPerMinute: 1 } })
    expect((await rig.send(path, { body: entry })).status).toBe(200)
    const answer = await rig.send(path, { body: entry })
    expect(answer.status).toBe(429)
    expect(answer.headers['x-sentry-rate-limits']).toMatch(/:organization:organization_limit$/)
  })

  test('the same for store', async () => {
    await start({ key: { rateLimit: { count: 1, windowS: 5 } } })
    const sent = { headers: auth, body: '{}' }
    expect((await rig.send('/api/7/store/', sent)).status).toBe(200)
    expect((await rig.send('/api/7/store/', sent)).status).toBe(429)
    expect(rig.accept.drainOutcomes()).toMatchObject([{ itemType: 'event', reason: 'key_limit' }])
  })

  test('a large envelope that is wholly limited leaves no spool', async () => {
    await start({ key: { rateLimit: { count: 0, windowS: 5 } } })
    expect((await rig.send(path, { body: sized(['attachment', 2 * MiB]) })).status).toBe(429)
    await until(() => rig.blobs.size === 0)
    expect(rig.journal.records).toHaveLength(0)
  })
})

describe('what a refusal names', () => {
  const what = (bytes: Buffer) => {
    const walk = new EnvelopeWalk()
    walk.push(bytes)
    walk.end()
    return new LimitCheck().check(walk, true)
  }

  test.each([
    [sized(['session', 2], ['event', MiB + 1]), 'item 2 (event) is over 1048576 bytes'],
    [sized(['check_in', 101 * KiB]), 'item 1 (check_in) is over 102400 bytes'],
    [repeat(26, 'span'), 'more than 25 items of type span'],
    [repeat(2, 'client_report', 51 * KiB), 'all items of type client_report are over 102400 bytes'],
  ])('%#: %s', (bytes, expected) => {
    expect(what(bytes)).toMatchObject({ code: 'ACCEPT_TOO_LARGE', what: expected })
  })

  test.each<[string, number]>([
    ['otel_log', MiB],
    ['statsd', MiB],
    ['metric_buckets', MiB],
    ['user_report', MiB],
    ['nel', MiB],
    ['replay_event', MiB],
    ['form_data', MiB],
    ['feedback', MiB],
    ['security', MiB],
    ['raw_security', MiB],
    ['transaction', MiB],
    ['trace_metric', 12 * MiB],
    ['session', 10 * MiB],
    ['sessions', 10 * MiB],
    ['replay_video', 10 * MiB],
    ['span', MiB],
  ])('an item of type %s may have %i bytes', (type, most) => {
    expect(what(sized([type, most]))).toBeUndefined()
    expect(what(sized([type, most + 1]))?.reason).toBe('too_large')
  })

  test.each<[string, number]>([
    ['user_report', 100],
    ['nel', 100],
    ['form_data', 1],
    ['replay_event', 1],
    ['client_report', 100],
    ['trace_metric', 1],
    ['otel_log', 1000],
    ['statsd', 1000],
    ['profile', 1000],
  ])('%s: %i of them', (type, most) => {
    if (most < 1000) expect(what(repeat(most + 1, type))?.reason).toBe('too_many_items')
    expect(what(repeat(most, type))).toBeUndefined()
  })
})
