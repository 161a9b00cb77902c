import { describe, expect, test } from 'vitest'
import { chunkBytesMin, coalesced, createChunks } from './pieces.ts'

const KiB = 1024
/** Pieces of the given sizes. Their bytes count up from 0, modulo 251. */
function piecesOf(sizes: number[]): Buffer[] {
  let n = 0
  return sizes.map((size) => Buffer.from(Array.from({ length: size }, () => n++ % 251)))
}
const times = (count: number, size: number) => Array.from({ length: count }, () => size)

const cases: [string, number[], number][] = [
  ['nothing', [], 0],
  ['one', [5], 1],
  ['empty ones', [0, 0, 3, 0], 4],
  ['100,000 of one byte', times(100_000, 1), 300],
  ['100,000 of one byte behind a large one', [20_000, ...times(100_000, 1)], 300],
  ['large and small by turns', times(200, 1).flatMap((time) => [time, 20_000]), 400],
  ['5,000 of 100 bytes', times(5000, 100), 300],
  ['300 of 16 KiB', times(300, 16 * KiB), 300],
]

describe('chunks', () => {
  test.each(cases)('%s: the same bytes in few buffers', (_name, sizes, most) => {
    const pieces = piecesOf(sizes)
    const chunks = createChunks()
    let held = 0
    for (const piece of pieces) {
      chunks.add(piece)
      held = Math.max(held, chunks.list().length)
    }
    expect(Buffer.concat(chunks.list()).equals(Buffer.concat(pieces))).toBe(true)
    expect(held).toBeLessThanOrEqual(Math.max(most, 1))
  })
})

describe('gathered', () => {
  test.each(cases)('%s: the same bytes, none but the last smaller than 16 KiB', async (_name, sizes) => {
    const pieces = piecesOf(sizes)
    const out: Buffer[] = []
    async function* source() {
      yield* pieces
    }
    for await (const piece of coalesced(source())) out.push(piece)
    expect(Buffer.concat(out).equals(Buffer.concat(pieces))).toBe(true)
    expect(out.slice(0, -1).every((piece) => piece.length >= chunkBytesMin || piece.length === 0)).toBe(true)
  })

  test('what breaks in the middle breaks it', async () => {
    async function* source() {
      yield Buffer.from('a')
      throw new Error('broken')
    }
    await expect(coalesced(source()).next()).rejects.toThrow('broken')
  })
})

test('256 loose chunks are joined, and what is still small again with the next ones', () => {
  const chunks = createChunks()
  const add = (count: number, bytes: number) => {
    for (let n = 0; n < count; n++) chunks.add(Buffer.alloc(bytes))
    return chunks.list().map((chunk) => chunk.length)
  }
  expect(add(255, 1)).toHaveLength(255)
  expect(add(1, 1)).toEqual([256])
  // The joined chunk counts as the first of the next 256.
  expect(add(254, 1)).toHaveLength(255)
  expect(add(1, 1)).toEqual([511])
  // A joined chunk of 16 KiB is not joined again.
  expect(add(255, 100)).toEqual([511 + 25_500])
  expect(add(255, 1)).toHaveLength(256)
  expect(add(1, 1)).toEqual([511 + 25_500, 256])
  // A large chunk ends the run of small ones.
  expect(add(1, chunkBytesMin)).toEqual([511 + 25_500, 256, chunkBytesMin])
  expect(add(256, 1).slice(2)).toEqual([chunkBytesMin, 256])
})

test.each([
  [
    [chunkBytesMin, chunkBytesMin],
    [chunkBytesMin, chunkBytesMin],
  ],
  [
    [1, chunkBytesMin, 5],
    [chunkBytesMin + 1, 5],
  ],
  [
    [chunkBytesMin - 1, 1, 3],
    [chunkBytesMin, 3],
  ],
  [[0, 0], []],
  [[5], [5]],
])('pieces of %j are gathered to %j', async (sizes, expected) => {
  async function* source() {
    for (const size of sizes) yield Buffer.alloc(size)
  }
  const out: number[] = []
  for await (const piece of coalesced(source())) out.push(piece.length)
  expect(out).toEqual(expected)
})
