import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { codeOf, createRig, envelopeOf, eventId, publicKey, type Rig, until } from './rig.cases.ts'

const KiB = 1024
const MiB = 1024 * KiB
let rig: Rig
const start = async (...given: Parameters<typeof createRig>) => (rig = await createRig(...given))
afterEach(() => rig?.close())

const path = `/api/7/envelope/?sentry_key=${publicKey}`
const files = `/api/7/events/${eventId}/attachments/?sentry_key=${publicKey}`
const multipart = 'content-type: multipart/form-data; boundary=xyz\r\n'
const part = (name: string, bytes: Buffer | string) =>
  Buffer.concat([
    Buffer.from(`--xyz\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ])
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--xyz--\r\n')])
const withFile = (bytes: number) =>
  Buffer.concat([Buffer.from(`{}\n{"type":"attachment","length":${bytes}}\n`), Buffer.alloc(bytes, 'x')])
const packed = (to: string, bytes: Buffer, more = '') => {
  const body = gzipSync(bytes)
  const head = `POST ${to} HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\n${more}content-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

const routes: [string, Buffer][] = [
  ['an envelope', packed(path, withFile(8 * MiB))],
  ['attachments', packed(files, form(part('a', Buffer.alloc(8 * MiB))), multipart)],
  [
    'a minidump',
    packed(`/api/7/minidump/?sentry_key=${publicKey}`, Buffer.concat([Buffer.from('MDMP'), Buffer.alloc(8 * MiB)])),
  ],
]

describe('a body that is small on the wire and large inflated', () => {
  test.each(routes)('%s: ends when the client leaves', async (_name, bytes) => {
    await start()
    let written = 0
    rig.writing.pace = async (piece) => {
      written += piece
      await systemClock.sleep(5)
    }
    await rig.raw(bytes, { waitMs: 200 })
    await until(() => rig.journal.state.rooms === 0)
    const then = written
    await systemClock.sleep(50)
    expect([written, written < 4 * MiB]).toEqual([then, true])
    expect([rig.blobs.size, rig.journal.records.length]).toEqual([0, 0])
  })

  test.each(routes)('%s: ends after 60 s of unpacking, and may come again', async (_name, bytes) => {
    const clock = testClock()
    await start({ clock })
    let written = 0
    rig.writing.pace = async (piece) => {
      written += piece
      await systemClock.sleep(5)
    }
    const answer = rig.raw(bytes, { waitMs: 1500 })
    await until(() => written > 0)
    clock.advance(59_000)
    expect(rig.accept.drainOutcomes()).toEqual([])
    clock.advance(1_001)
    expect(rig.accept.drainOutcomes()).toMatchObject([{ outcome: 'rate_limited', reason: 'overloaded' }])
    await until(() => rig.journal.state.rooms === 0)
    expect(await answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*ACCEPT_OVERLOADED/)
    expect([rig.blobs.size, rig.journal.records.length]).toEqual([0, 0])
  })

  test('others are answered while it is unpacked', async () => {
    await start()
    let done = false
    const large = rig.send(path, { headers: { 'content-encoding': 'gzip' }, body: gzipSync(withFile(100 * MiB)) })
    void large.then(() => {
      done = true
    })
    await until(() => rig.journal.state.rooms > 0)
    const answers: number[] = []
    while (answers.length < 3 && !done)
      answers.push((await rig.send(path, { body: envelopeOf({ event_id: eventId }, 'event') })).status)
    expect([answers, done]).toEqual([[200, 200, 200], false])
    expect((await large).status).toBe(200)
  })
})

describe('counts that a body can make', () => {
  test.each([
    ['31 parts', 31, 0],
    ['31 parts in a large body', 31, 2 * MiB],
    ['5,000 parts', 5000, 0],
    ['5,000 parts in a large body', 5000, 2 * MiB],
  ])('attachments: %s are too many', async (_name, count, bytes) => {
    await start()
    const parts = Array.from({ length: count }, (_, i) => part(`f${i}`, i === 0 ? Buffer.alloc(bytes) : 'x'))
    const headers = { 'content-type': 'multipart/form-data; boundary=xyz' }
    const answer = await rig.send(files, { headers, body: form(...parts) })
    expect([answer.status, codeOf(answer), rig.blobs.size]).toEqual([413, 'ACCEPT_TOO_LARGE', 0])
    expect(rig.accept.drainOutcomes()).toMatchObject([{ reason: 'too_many_items' }])
  })

  test.each([
    ['of 20 kB, 60 items', 60, 20_000, 400],
    ['of 2 kB, 400 items', 400, 2000, 200],
  ])('headers of an envelope’s items are at most 1 MiB together: %s', async (_name, items, bytes, status) => {
    await start()
    const lines = [`{"event_id":"${eventId}"}`]
    for (let n = 0; n < items; n++) lines.push(JSON.stringify({ type: 'made_up', x: 'y'.repeat(bytes) }), '{}')
    const answer = await rig.send(path, { body: lines.join('\n') })
    expect([answer.status, codeOf(answer)]).toEqual([status, status === 200 ? '' : 'ACCEPT_ENVELOPE_MALFORMED'])
    const headers = { 'content-encoding': 'gzip' }
    const filler = `\n{"type":"made_up","length":${MiB}}\n${'x'.repeat(MiB)}`
    const large = await rig.send(path, { headers, body: gzipSync(lines.join('\n') + filler) })
    expect([large.status, rig.blobs.size]).toEqual([status, status === 200 ? 1 : 0])
  })

  test('a body in chunks of one byte each is kept as it was', async () => {
    await start()
    const body = envelopeOf({ event_id: eventId, x: 'y'.repeat(30_000) }, 'event')
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`
    const chunks = Array.from(body, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('')
    expect(await rig.raw(`${head}${chunks}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
    expect(rig.journal.records[0]?.body.equals(body)).toBe(true)
  })
})

describe('a sender that stalls', () => {
  const head = (bytes: number) => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`

  test('after a fast beginning it has 30 s like all others, and gives its room back', async () => {
    const clock = testClock()
    await start({ clock })
    const body = withFile(20 * MiB)
    const answer = rig.raw(Buffer.concat([Buffer.from(head(body.length)), body.subarray(0, 10 * MiB)]), {
      waitMs: 3000,
    })
    await until(() => rig.journal.state.rooms > 9 * MiB)
    await systemClock.sleep(50)
    clock.advance(29_000)
    expect(rig.accept.drainOutcomes()).toEqual([])
    clock.advance(1_500)
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /)
    await until(() => rig.journal.state.rooms === 0)
  })

  test('while it sends 64 KiB a second it may go on; what we take for writing is not its time', async () => {
    const clock = testClock()
    await start({ clock })
    const body = withFile(6 * MiB)
    const socket = connect(rig.port, '127.0.0.1')
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
    // Writing takes 5 s per MiB, on top of the 16 s that each MiB gives its sender.
    rig.writing.pace = async (piece) => clock.advance((piece / MiB) * 5000)
    socket.write(head(body.length))
    for (let at = 0; at < body.length; at += MiB) {
      socket.write(body.subarray(at, at + MiB))
      await systemClock.sleep(60)
      if (rig.journal.records.length === 0) clock.advance(15_000)
    }
    expect(await answered).toMatch(/^HTTP\/1\.1 200 /)
    socket.destroy()
  })
})
