import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { createRig, eventId, publicKey, type Rig, until } from './rig.cases.ts'

const key = `sentry_key=${publicKey}`
const bytesEach = 150 * 1024
let rig: Rig
/** Bodies of all appends in their order. An append waits for `gate`. */
let bodies: Buffer[]
let gate: PromiseWithResolvers<void>

beforeEach(async () => {
  rig = await createRig()
  bodies = []
  gate = Promise.withResolvers()
  rig.journal.writer.append = async (_head, body) => {
    bodies.push(body)
    await gate.promise
    return bodies.length
  }
})
afterEach(() => rig.close())

const text = (n: number) => `${n} `.repeat(bytesEach / `${n} `.length)
const line = (n: number) => JSON.stringify({ id: String(n), message: text(n), timestamp: 1, source: 'lambda' })
const otlpLine = (n: number) => ({
  resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: text(n) } }] }] }],
})
const form = (name: string, content: string) =>
  `--xyz\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\n${content}\r\n--xyz--\r\n`
const multipart = 'multipart/form-data; boundary=xyz'

type Route = [name: string, path: string, contentType: string, bodyOf: (n: number) => string]
const routes: Route[] = [
  ['an envelope', `/api/7/envelope/?${key}`, 'text/plain', (n) => `{}\n{"type":"log"}\n${line(n)}\n`],
  ['an event', `/api/7/store/?${key}`, 'application/json', (n) => JSON.stringify({ event_id: eventId, x: text(n) })],
  ['a report', `/api/7/security/?${key}`, 'application/csp-report', (n) => JSON.stringify({ 'csp-report': text(n) })],
  ['attachments', `/api/7/events/${eventId}/attachments/?${key}`, multipart, (n) => form('a', text(n))],
  ['a minidump', `/api/7/minidump/?${key}`, multipart, (n) => form('upload_file_minidump', `MDMP${text(n)}`)],
  ['OTLP', `/api/7/integration/otlp/v1/logs?${key}`, 'application/json', (n) => JSON.stringify(otlpLine(n))],
  ['a drain', `/api/7/integration/vercel/logs/?${key}`, 'application/json', (n) => `[${line(n)}]`],
]

/** In pieces of 20,000 bytes. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 20_000) yield bytes.subarray(at, at + 20_000)
}

/** Sends bodies 1 to `count` at once. */
const sendAll = ([, path, contentType, bodyOf]: Route, encoding: 'identity' | 'gzip', count = 8) =>
  Array.from({ length: count }, (_, n) => {
    const plain = Buffer.from(bodyOf(n + 1))
    const body = encoding === 'gzip' ? gzipSync(plain, { level: 0 }) : plain
    return rig.send(path, {
      headers: { 'content-type': contentType, 'content-encoding': encoding },
      body: piecesOf(body),
    })
  })

const textsOf = (of: Buffer[]) => of.map(String).sort()
const expected = (bodyOf: (n: number) => string, count = 8) =>
  Array.from({ length: count }, (_, n) => bodyOf(n + 1)).sort()

describe.each(['identity', 'gzip'] as const)('memory of bodies, %s', (encoding) => {
  test.each(routes)('%s: whole until its record is on disk, then given back', async (...route) => {
    const answers = sendAll(route, encoding)
    await until(() => bodies.length === 8)
    // Others come and go meanwhile, and use what was given back.
    const path = `/api/7/envelope/?sentry_key=${'9'.repeat(32)}`
    const refused = await Promise.all(
      Array.from({ length: 8 }, () => rig.send(path, { body: piecesOf(Buffer.alloc(bytesEach, '!')) })),
    )
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]))
    expect(textsOf(bodies)).toEqual(expected(route[3]))
    gate.resolve()
    for (const { status } of await Promise.all(answers)) expect([200, 201]).toContain(status)
    expect(bodies.map(({ length }) => length)).toEqual(bodies.map(() => 0))
  })
})

test('a body is whole until the journal has refused it, then given back', async () => {
  const [route] = routes as [Route]
  const answers = sendAll(route, 'identity')
  await until(() => bodies.length === 8)
  expect(textsOf(bodies)).toEqual(expected(route[3]))
  gate.reject(new MishapError('ACCEPT_DISK_FULL', { retryAfterS: 60 }))
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(bodies.map(() => 503))
  expect(bodies.map(({ length }) => length)).toEqual(bodies.map(() => 0))
})

test('a body whose sender left stays whole until its record is on disk', async () => {
  const body = Buffer.from((routes[0] as Route)[3](1))
  const head = `POST /api/7/envelope/?${key} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`
  await rig.raw(Buffer.concat([Buffer.from(head), body]), { waitMs: 300 })
  await until(() => bodies.length === 1)
  await systemClock.sleep(50)
  expect(bodies[0]?.equals(body)).toBe(true)
  gate.resolve()
  await until(() => bodies[0]?.length === 0)
})

test('the memory of pieces is given back as soon as they are one body', async () => {
  const before = process.memoryUsage().arrayBuffers
  const answers = sendAll(routes[0] as Route, 'identity', 20)
  await until(() => bodies.length === 20)
  // The client's side is in this process too: its bodies are these 3 MB and what it has written of them.
  const held = bodies.reduce((sum, { length }) => sum + length, 0)
  expect(held).toBeGreaterThan(20 * bytesEach * 0.9)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2.5 * held)
  gate.resolve()
  await Promise.all(answers)
})
