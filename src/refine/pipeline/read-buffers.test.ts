import { expect, test } from 'vitest'
import { createReadBuffers } from './read-buffers.ts'

const MiB = 1024 * 1024

test('what was given back is used again, at most two of 8 MiB', () => {
  const buffers = createReadBuffers(8 * MiB)
  const reads = [1, 2, 3].map(() => buffers.take(2 * MiB))
  const taken = buffers.taken()
  expect([reads.map(({ length }) => length), taken.length, buffers.taken()]).toEqual([Array(3).fill(2 * MiB), 3, []])
  buffers.give(taken)
  const again = [1, 2, 3].map(() => buffers.take(3 * MiB).buffer)
  expect(again.filter((memory) => reads.some((read) => read.buffer === memory))).toHaveLength(2)
})

test('memory in use is not handed out', () => {
  const buffers = createReadBuffers(8 * MiB)
  const first = buffers.take(2 * MiB)
  first.fill(1)
  buffers.take(2 * MiB).fill(2)
  expect(first.every((byte) => byte === 1)).toBe(true)
})

test.each([1000, 9 * MiB])('a read of %i bytes gets new memory of its size', (bytes) => {
  const buffers = createReadBuffers(8 * MiB)
  expect([buffers.take(bytes).length, buffers.taken()]).toEqual([bytes, []])
})

test('a small read ends the reuse: the load is over', () => {
  const buffers = createReadBuffers(8 * MiB)
  const { buffer } = buffers.take(2 * MiB)
  buffers.give(buffers.taken())
  buffers.take(1000)
  expect(buffers.take(2 * MiB).buffer).not.toBe(buffer)
})
