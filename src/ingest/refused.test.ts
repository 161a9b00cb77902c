// Bodies of refused requests: refused after arrival, during arrival, and between the last piece and the end.
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { createRig, eventId, publicKey, type Rig, until } from './rig.cases.ts'

const MiB = 1024 * 1024
let rig: Rig
const start = async (...given: Parameters<typeof createRig>) => (rig = await createRig(...given))
afterEach(() => rig?.close())

const query = `?sentry_key=${publicKey}`
const envelopes = `/api/7/envelope/${query}`
const files = `/api/7/events/${eventId}/attachments/${query}`
const multipart = { 'content-type': 'multipart/form-data; boundary=xyz' }
const partHead = '--xyz\r\ncontent-disposition: form-data; name="upload_file_minidump"; filename="a"\r\n\r\n'
const formEnd = '\r\n--xyz--\r\n'
/** A form of exactly `bytes` bytes. */
const formOf = (bytes: number, first = '') =>
  Buffer.from(`${partHead}${first.padEnd(bytes - partHead.length - formEnd.length, 'y')}${formEnd}`)
/** An envelope of exactly `bytes` bytes. */
const envelopeOf = (bytes: number) => {
  const head = (length: number) => `{}\n{"type":"attachment","length":${length}}\n`
  const length = bytes - head(bytes).length
  return Buffer.from(`${head(length)}${'y'.repeat(length)}`)
}

test.each<[string, string, Buffer]>([
  ['attachments', files, formOf(2 * MiB)],
  ['a minidump', `/api/7/minidump/${query}`, formOf(2 * MiB, 'MDMP')],
])('%s of 2 MiB that the journal refuses leave nothing in the spool', async (_name, path, body) => {
  await start()
  let spooled = 0
  rig.writing.pace = async (piece) => {
    spooled += piece
  }
  rig.journal.state.failWith = new MishapError('ACCEPT_OVERLOADED')
  const answer = await rig.send(path, { headers: multipart, body })
  expect([answer.status, spooled]).toEqual([503, 2 * MiB])
  await until(() => rig.blobs.size === 0)
  expect([rig.journal.records.length, rig.journal.state.open, rig.journal.state.rooms]).toEqual([0, 0, 0])
})

describe('the rest of a body that was refused', () => {
  const head = (bytes: number) =>
    `POST /api/7/envelope/?sentry_key=${'9'.repeat(32)} HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`

  /** Sends a body at full speed. Resolves with the bytes that the system accepted before the connection was cut. */
  function pour(bytes: number): Promise<{ sent: number; answer: string }> {
    return new Promise((resolve) => {
      const socket = connect(rig.port, '127.0.0.1')
      const piece = Buffer.alloc(64 * 1024, 'x')
      let sent = 0
      let answer = ''
      const more = () => {
        while (sent < bytes && !socket.destroyed) {
          sent += piece.length
          if (!socket.write(piece)) return
        }
      }
      socket.on('drain', more)
      socket.on('data', (data: Buffer) => {
        answer += data.toString('latin1')
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve({ sent, answer }))
      socket.write(head(bytes))
      more()
    })
  }

  test('is read up to 8 MiB, then the connection is cut', async () => {
    await start()
    const { sent, answer } = await pour(256 * MiB)
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*ACCEPT_KEY_UNKNOWN/)
    // Socket buffers of the system add to the total.
    expect([sent >= 8 * MiB, sent < 64 * MiB]).toEqual([true, true])
  })

  test('of just 8 MiB is read to its end: the connection goes on', async () => {
    await start()
    const bytes = 8 * MiB
    const second = `GET /api/7/envelope/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
    const text = Buffer.concat([Buffer.from(head(bytes)), Buffer.alloc(bytes, 'x'), Buffer.from(second)])
    const answers = await rig.raw(text, { waitMs: 5000 })
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 405'])
  })
})

// Inflating yields pieces of 16 KiB, so the last piece is written before the end is known.
test.each<[string, string, Record<string, string>, Buffer]>([
  ['an envelope', envelopes, {}, envelopeOf(2 * MiB)],
  ['attachments', files, multipart, formOf(2 * MiB)],
])('%s: a time-out between the last piece and the end keeps nothing', async (_name, path, more, body) => {
  const clock = testClock()
  await start({ clock })
  expect(body.length).toBe(2 * MiB)
  let written = 0
  rig.writing.pace = async (piece) => {
    written += piece
    if (written < body.length) return
    clock.advance(60_001)
    await systemClock.sleep(20)
  }
  const headers = { 'content-encoding': 'gzip', ...more }
  const answer = await rig.send(path, { headers, body: gzipSync(body) })
  expect([answer.status, written]).toEqual([503, body.length])
  await until(() => rig.journal.state.open === 0)
  expect([rig.journal.records.length, rig.blobs.size, rig.journal.state.rooms]).toEqual([0, 0, 0])
  expect(rig.accept.drainOutcomes().map((drainOutcome) => drainOutcome.reason)).toEqual(['overloaded'])
})
