import { expect, test } from 'vitest'
import { releaseBytes } from './release.ts'

const large = 64 * 1024
const own = (bytes: number) => Buffer.from(new ArrayBuffer(bytes)).fill('x')

test('gives memory back at once, and all views of it are empty then', () => {
  const bytes = own(large)
  const view = bytes.subarray(100, 200)
  const before = process.memoryUsage().arrayBuffers
  releaseBytes(bytes)
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(large)
  expect([bytes.length, view.length, view.toString()]).toEqual([0, 0, ''])
})

test('may be called twice', () => {
  const bytes = own(large)
  releaseBytes(bytes)
  releaseBytes(bytes)
  expect(bytes.length).toBe(0)
})

const whole = own(2 * large)
const kept: [string, Buffer][] = [
  ['the begin of a larger memory', whole.subarray(0, large)],
  ['the end of a larger memory', whole.subarray(large)],
  ['a part of the pool', Buffer.allocUnsafe(1000).fill('x')],
  ['a small buffer', own(500)],
  ['memory that threads share', Buffer.from(new SharedArrayBuffer(large)).fill('x')],
]

test.each(kept)('leaves %s alone', (_what, bytes) => {
  const { length } = bytes
  releaseBytes(bytes)
  expect([bytes.length, bytes.every((byte) => byte === 0x78)]).toEqual([length, true])
})
