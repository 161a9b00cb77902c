import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Lane } from '../base/lane.ts'
import { createRig, eventId, otherKey, publicKey, type Rig, until } from './rig.cases.ts'

const path = `/api/7/envelope/?sentry_key=${publicKey}`
const MiB = 1024 * 1024
let rig: Rig | undefined
afterEach(() => rig?.close())

const envelope = (filler: number, more = ''): string => {
  const payload = JSON.stringify({ event_id: eventId, extra: 'x'.repeat(filler) })
  return `{"event_id":"${eventId}"}\n{"type":"event"}\n${payload}\n${more}`
}
const withFile = (bytes: number) =>
  envelope(10, `{"type":"attachment","length":${bytes},"filename":"a"}\n${'y'.repeat(bytes)}\n`)

describe('a full disk under the blobs', () => {
  test.each([
    ['ENOSPC', 503, 'ACCEPT_DISK_FULL', 'disk_full'],
    ['EDQUOT', 503, 'ACCEPT_DISK_FULL', 'disk_full'],
    ['EIO', 500, 'INTERNAL', 'failed'],
  ])('%s is answered %i %s and every item that was seen is counted', async (code, status, name, reason) => {
    rig = await createRig()
    rig.blobs.set = () => {
      throw Object.assign(new Error(code), { code })
    }
    const answer = await rig.send(path, { body: withFile(1.5 * MiB) })
    expect(answer.status).toBe(status)
    expect(answer.body).toContain(name)
    expect(answer.headers['retry-after']).toBe(status === 503 ? '60' : undefined)
    expect(rig.journal.records).toHaveLength(0)
    const counted = rig.accept.drainOutcomes()
    expect(counted.map((entry) => entry.reason)).toEqual([reason, reason])
    // A small body needs no blob.
    expect((await rig.send(path, { body: envelope(10) })).status).toBe(200)
  })
})

describe('a body over 1 MiB', () => {
  test.each([
    ['ACCEPT_DISK_FULL', 60, 'disk_full'],
    ['ACCEPT_OVERLOADED', 10, 'overloaded'],
  ] as const)(
    'that there is no room for is answered 503 %s while it comes, and leaves nothing',
    async (code, retryAfterS, reason) => {
      const made = await createRig()
      rig = made
      made.journal.state.roomWith = new MishapError(code, { retryAfterS })
      const answer = await made.send(path, { body: withFile(1.5 * MiB) })
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, String(retryAfterS)])
      expect(answer.body).toContain(code)
      expect([made.blobs.size, made.journal.records.length, made.journal.state.rooms]).toEqual([0, 0, 0])
      expect(
        new Set(made.accept.drainOutcomes().map((drainOutcome) => `${drainOutcome.outcome} ${drainOutcome.reason}`)),
      ).toEqual(new Set([`rate_limited ${reason}`]))
      made.journal.state.roomWith = undefined
      expect((await made.send(path, { body: withFile(1.5 * MiB) })).status).toBe(200)
    },
  )

  test('takes room while it is written, until its record counts for it', async () => {
    const made = await createRig()
    rig = made
    const { writer, state } = made.journal
    const append = writer.append
    const seen: [number, number | undefined][] = []
    writer.append = (head, body) => {
      seen.push([state.rooms, head.spool?.bytes])
      return append(head, body)
    }
    const put = made.blobs.set.bind(made.blobs)
    const held: number[] = []
    made.blobs.set = (key, bytes) => {
      held.push(state.rooms)
      return put(key, bytes)
    }
    const body = withFile(1.5 * MiB)
    expect((await made.send(path, { body })).status).toBe(200)
    expect([held, seen]).toEqual([[body.length], [[0, body.length]]])
    // A refused body frees its room.
    state.failWith = new MishapError('ACCEPT_OVERLOADED', { retryAfterS: 10 })
    expect((await made.send(path, { body })).status).toBe(503)
    expect([state.rooms, made.blobs.size]).toEqual([0, 1])
  })

  test.each([
    ['its length', 1.5 * MiB, undefined],
    ['nothing when it is chunked', 0, undefined],
    ['its length on the wire when it is packed', 1_250_000, 'gzip'],
  ])('asks for room once, for %s', async (_name, declared, encoding) => {
    const made = await createRig()
    rig = made
    const { state } = made.journal
    const noise = Buffer.concat([Buffer.from(`{}\n{"type":"attachment","length":1250000}\n`), randomBytes(1_250_000)])
    const body = encoding ? gzipSync(noise) : Buffer.from(withFile(1.5 * MiB))
    const pieces = declared === 0 ? [body.subarray(0, MiB), body.subarray(MiB)] : body
    const headers = encoding ? { 'content-encoding': encoding } : {}
    expect((await made.send(path, { body: pieces, headers })).status).toBe(200)
    const bytes = declared === 0 ? 0 : body.length
    expect([state.asked, state.rooms]).toEqual([[bytes], 0])
  })

  const manySpans: [string, number][] = [
    ['span', 0.75 * MiB],
    ['span', 0.75 * MiB],
  ]
  test.each<[string, Lane[], [string, number][]]>([
    ['spans, as bulk data from its second MiB on', ['events', 'bulk'], [...manySpans, ...manySpans]],
    [
      'an error, as events',
      ['events'],
      [
        ['event', 10],
        ['attachment', 2.5 * MiB],
      ],
    ],
    [
      'an error behind a few spans, as events',
      ['events'],
      [
        ['span', 10_000],
        ['event', 10],
        ['attachment', 2.5 * MiB],
      ],
    ],
    [
      'an error behind many spans, as events once it is there',
      ['events', 'bulk', 'events'],
      [...manySpans, ['event', 10], ['attachment', MiB]],
    ],
  ])('asks for the room of its lane: %s', async (_name, lanes, items) => {
    const made = await createRig()
    rig = made
    const lines = items.map(([type, bytes]) => `{"type":"${type}","length":${bytes}}\n${'y'.repeat(bytes)}\n`)
    expect((await made.send(path, { body: `{"event_id":"${eventId}"}\n${lines.join('')}` })).status).toBe(200)
    expect([made.journal.state.lanes, made.journal.records[0]?.head.lane ?? 'events']).toEqual([lanes, lanes.at(-1)])
  })

  test('one key leaves room for the others, and gets its own back however its bodies end', async () => {
    const made = await createRig({ config: { journalBytesMax: 16 * MiB } })
    rig = made
    expect((await made.send(`/api/8/envelope/?sentry_key=${otherKey}`, { body: envelope(10) })).status).toBe(200)
    const begin = (key: string, project: number) => {
      const text = withFile(5 * MiB)
      const socket = connect(made.port, '127.0.0.1')
      const answer = new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(data.toString()))
        socket.once('close', () => resolve(''))
        socket.on('error', () => resolve(''))
      })
      const head = `POST /api/${project}/envelope/?sentry_key=${key} HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n`
      socket.write(head + text.slice(0, 1.5 * MiB))
      return { socket, answer }
    }
    for (const end of ['leave', 'malformed', 'leave']) {
      made.journal.state.asked = []
      const first = begin(publicKey, 7)
      await until(() => made.journal.state.asked.length === 1)
      const second = begin(publicKey, 7)
      expect(await second.answer).toMatch(/^HTTP\/1\.1 429 [\s\S]*x-sentry-rate-limits: 5:/i)
      const other = begin(otherKey, 8)
      await until(() => made.journal.state.asked.length === 2)
      if (end === 'malformed') first.socket.write('}'.repeat(5 * MiB))
      else first.socket.destroy()
      other.socket.destroy()
      await first.answer
      for (const entry of [first, second, other]) entry.socket.destroy()
      await until(() => made.journal.state.open === 0)
    }
  })

  test('counts in the share of its key, which then waits before a body is read', async () => {
    const clock = testClock()
    const made = await createRig({ clock })
    rig = made
    const state = { beside: 300 * MiB, done: 0 }
    Object.assign(made.journal.writer, {
      lagBytes: () => state.beside,
      bodyBytes: () => state.beside,
      waitingBytes: () => 0,
      doneBytes: () => state.done,
    })
    expect((await made.send(`/api/8/envelope/?sentry_key=${otherKey}`, { body: envelope(10) })).status).toBe(200)
    const answers = []
    for (let n = 0; n < 24; n++) {
      answers.push(await made.send(path, { body: withFile(1.25 * MiB) }))
      state.done += MiB / 20
      clock.advance(250)
    }
    const limited = answers.filter((answer) => answer.status === 429)
    expect(limited.length).toBeGreaterThan(12)
    expect(limited.at(-1)?.headers['retry-after']).toBe('5')
    expect(limited.at(-1)?.headers['x-sentry-rate-limits']).toMatch(/^5:.*:key:overloaded$/)
    expect(made.blobs.size).toBe(answers.length - limited.length)
    const counted = made.accept.drainOutcomes().filter((drainOutcome) => drainOutcome.reason === 'overloaded')
    expect(new Set(counted.map((entry) => entry.outcome))).toEqual(new Set(['rate_limited']))
    // A second, quiet key still gets through.
    expect((await made.send(`/api/8/envelope/?sentry_key=${otherKey}`, { body: envelope(10) })).status).toBe(200)
  })
})

const spans = Array.from({ length: 4 }, (): [string, number] => ['span', 0.75 * MiB])
test.each<[string, [string, number][], number, number]>([
  [
    'an error with a large attachment arrives',
    [
      ['event', 10],
      ['attachment', 2.5 * MiB],
    ],
    200,
    1,
  ],
  ['more spans are refused after their first MiB', spans, 429, 0],
])('beside a flood of spans over 1 MiB of the same key, %s', async (_says, items, status, spools) => {
  const clock = testClock()
  const made = await createRig({ clock })
  rig = made
  const state = { beside: 300 * MiB, done: 0 }
  Object.assign(made.journal.writer, {
    lagBytes: () => state.beside,
    bodyBytes: () => state.beside,
    waitingBytes: () => 0,
    doneBytes: () => state.done,
  })
  const large = (list: [string, number][]) => {
    const lines = list.map(([type, bytes]) => `{"type":"${type}","length":${bytes}}\n${'y'.repeat(bytes)}\n`)
    return `{"event_id":"${eventId}"}\n${lines.join('')}`
  }
  await made.send(`/api/8/envelope/?sentry_key=${otherKey}`, { body: envelope(10) })
  for (let n = 0; n < 24; n++) {
    await made.send(path, { body: large(spans) })
    state.done += MiB / 20
    clock.advance(250)
  }
  const before = made.blobs.size
  const answer = await made.send(path, { body: large(items) })
  expect([answer.status, made.blobs.size - before]).toEqual([status, spools])
})

describe('a journal that is behind', () => {
  /** Sends 400 kB every 250 ms (1.6 MB/s). Refine processes a quarter of it, or nothing if `standing`. */
  async function flood(times: number, standing = false) {
    const clock = testClock()
    const made = await createRig({ clock })
    rig = made
    const state = { lag: 30 * MiB, done: 0 }
    made.journal.writer.doneBytes = () => state.done
    made.journal.writer.lagBytes = () => state.lag
    const answers = []
    // A second sender: a key that sends alone is never limited.
    const company = await made.send(`/api/8/envelope/?sentry_key=${otherKey}`, { body: envelope(10) })
    expect(company.status).toBe(200)
    for (let n = 0; n < times; n++) {
      const answer = await made.send(path, {
        body: envelope(400_000, '{"type":"client_report"}\n{"discarded_events":[]}\n'),
      })
      if (answer.status === 200) state.lag += 400_000
      if (!standing) {
        state.lag -= 100_000
        state.done += 100_000
      }
      answers.push(answer)
      clock.advance(250)
    }
    return { made, answers }
  }

  test('who sends more than a share gets 429 with both headers, its items are counted', async () => {
    const { made, answers } = await flood(60)
    const limited = answers.filter((answer) => answer.status === 429)
    expect(limited.length).toBeGreaterThan(20)
    expect(answers.some((answer) => answer.status === 200)).toBe(true)
    expect(limited[0]?.headers['retry-after']).toBe('5')
    expect(limited[0]?.headers['x-sentry-rate-limits']).toMatch(/^5:.*:key:overloaded$/)
    const counted = made.accept.drainOutcomes().filter((drainOutcome) => drainOutcome.reason === 'overloaded')
    expect(counted).toMatchObject([{ outcome: 'rate_limited', itemType: 'event', quantity: limited.length }])
    // Client reports are kept because they count lost items.
    expect(made.journal.records).toHaveLength(1 + answers.length)
    expect(made.journal.records.filter((record) => record.head.skip?.includes(0))).toHaveLength(limited.length)
  })
  test('nobody is refused while the events store is away', async () => {
    const { answers } = await flood(60, true)
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  })
})
