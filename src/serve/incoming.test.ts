import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { bodyBytesMaxOf, createIncoming, type IncomingLimits, SenderLeft } from './incoming.ts'

const MiB = 1024 * 1024
const limits: IncomingLimits = {
  memoryBytesEach: 100,
  memoryBytes: 250,
  fileBytes: 4 * 16 * MiB,
  slowMs: 30_000,
  slowBytesPerS: 1000,
}
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mishap-incoming-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function rig(more: Partial<IncomingLimits> = {}, diskReserveBytes = 0) {
  const clock = testClock()
  const incoming = createIncoming({ clock, folder, diskReserveBytes, limits: { ...limits, ...more } })
  const begin = (bytesMax = 1000 * MiB, length?: number) => {
    const body = new PassThrough()
    const headers = length === undefined ? {} : { 'content-length': String(length) }
    const coming = incoming.read(Object.assign(body, { headers }) as unknown as IncomingMessage, bytesMax)
    return { body, ...coming }
  }
  return { clock, incoming, begin }
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 10))

test.each<[string, number]>([
  ['/api/0/organizations/acme/chunk-upload/', 34 * MiB],
  ['/api/0/organizations/acme/chunk-upload?a=b', 34 * MiB],
  ['/api/0/organizations/acme/releases/web%401.0/files/', 514 * MiB],
  ['/api/0/projects/acme/web/releases/1.0/files/', 514 * MiB],
  ['/api/0/projects/acme/releases/1.0/files/', 9 * MiB],
  ['/api/0/organizations/acme/issues/?a=/chunk-upload/', 9 * MiB],
  ['/login', 9 * MiB],
])('a body for %s may have %i bytes', (target, bytesMax) => {
  expect(bodyBytesMaxOf(target)).toBe(bytesMax)
})

describe('a body', () => {
  test.each<[string, number, number, { memory: number; files: number }]>([
    ['that is small stays in memory', 1, 80, { memory: 80, files: 0 }],
    ['that is longer goes to a file without a name', 5, 80, { memory: 0, files: 16 * MiB }],
    ['of 20 MiB takes room in steps', 20, MiB, { memory: 0, files: 32 * MiB }],
  ])('%s, comes out as it came in, and gives its room back', async (_name, count, bytes, held) => {
    const { begin, incoming } = rig()
    const coming = begin()
    const pieces = Array.from({ length: count }, (_one, i) => Buffer.alloc(bytes, 97 + i))
    for (const piece of pieces) coming.body.write(piece)
    coming.body.end()
    const body = await coming.completed
    expect(incoming.used()).toEqual(held)
    expect(readdirSync(folder)).toEqual([])
    const sent = new PassThrough()
    const got = buffer(sent)
    body.sendTo(sent)
    expect((await got).equals(Buffer.concat(pieces))).toBe(true)
    expect(body.bytes).toBe(count * bytes)
    body.free()
    body.free()
    expect(incoming.used()).toEqual({ memory: 0, files: 0 })
  })

  test('many small ones go to files when memory for all of them is taken', async () => {
    const { begin, incoming } = rig()
    const bodies = []
    for (let i = 0; i < 4; i++) {
      const coming = begin()
      coming.body.end(Buffer.alloc(90))
      bodies.push(await coming.completed)
    }
    expect(incoming.used().memory).toBe(180)
    expect(incoming.used().files).toBe(2 * 16 * MiB)
    for (const body of bodies) body.free()
  })

  test.each<[string, (begun: ReturnType<ReturnType<typeof rig>['begin']>) => void, string]>([
    ['longer than its limit', ({ body }) => body.write(Buffer.alloc(501)), 'The body is over 500 bytes.'],
    ['that gives way to another one', ({ cut }) => cut(), 'The body did not arrive in time.'],
    ['whose disk is full', ({ body }) => body.write(Buffer.alloc(300)), 'The disk is full.'],
  ])('%s is refused, and its room is given back', async (name, spoil, sentence) => {
    const { begin, incoming } = rig({}, name.includes('disk') ? Number.MAX_SAFE_INTEGER : 0)
    const begun = begin(500)
    begun.body.write(Buffer.alloc(50))
    await settle()
    spoil(begun)
    await expect(begun.completed).rejects.toThrow(sentence)
    expect(incoming.used()).toEqual({ memory: 0, files: 0 })
  })

  test('that says that it is too long is refused before it comes', async () => {
    await expect(rig().begin(500, 501).completed).rejects.toThrow('The body is over 500 bytes.')
  })

  test('finds no room when files have all of theirs', async () => {
    const { begin } = rig({ fileBytes: 16 * MiB })
    const first = begin()
    first.body.end(Buffer.alloc(200))
    const body = await first.completed
    const second = begin()
    second.body.end(Buffer.alloc(200))
    await expect(second.completed).rejects.toThrow('Too many requests are in progress.')
    body.free()
  })

  test('whose sender leaves is dropped', async () => {
    const { begin, incoming } = rig()
    const { body, completed: whole } = begin()
    body.write(Buffer.alloc(300))
    await settle()
    body.destroy()
    await expect(whole).rejects.toBeInstanceOf(SenderLeft)
    expect(incoming.used()).toEqual({ memory: 0, files: 0 })
  })
})

describe('a sender', () => {
  test('that stalls has 30 s', async () => {
    const { begin, clock } = rig()
    const { body, completed: whole } = begin()
    body.write(Buffer.alloc(10))
    await settle()
    clock.advance(30_100)
    await expect(whole).rejects.toThrow('The body did not arrive in time.')
  })

  test('that drips hears so, too', async () => {
    const { begin, clock } = rig()
    const { body, completed: whole } = begin()
    const refused = expect(whole).rejects.toThrow('The body did not arrive in time.')
    for (let s = 0; s < 40; s++) {
      body.write('a')
      await settle()
      clock.advance(1000)
    }
    await refused
  })

  test('that sends at a tolerable rate may take minutes', async () => {
    const { begin, clock } = rig()
    const { body, completed: whole } = begin()
    for (let s = 0; s < 90; s++) {
      body.write(Buffer.alloc(1100))
      await settle()
      clock.advance(1000)
    }
    body.end()
    const came = await whole
    expect(came.bytes).toBe(90 * 1100)
    came.free()
  })
})
