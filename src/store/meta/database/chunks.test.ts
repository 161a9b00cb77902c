import { expect, test } from 'vitest'
import { chunkMax, chunksOf, inChunks } from './chunks.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

test.each([
  [0, []],
  [1, [1]],
  [chunkMax, [chunkMax]],
  [chunkMax + 1, [chunkMax, 1]],
  [3 * chunkMax, [chunkMax, chunkMax, chunkMax]],
])('%i items make chunks of %j', (count, sizes) => {
  const chunks = chunksOf(numbers(count))
  expect(chunks.map((chunk) => chunk.length)).toEqual(sizes)
  expect(chunks.flat()).toEqual(numbers(count))
})

test('each chunk is one query, in order; a query may return any number of rows', async () => {
  let queries = 0
  const found = await inChunks(numbers(2 * chunkMax + 1), async (chunk) => {
    queries++
    // More rows than a call takes as arguments.
    return queries === 1 ? numbers(200_000) : [...chunk]
  })
  expect(queries).toBe(3)
  expect(found.length).toBe(200_000 + chunkMax + 1)
  expect(found.slice(-2)).toEqual([2 * chunkMax - 1, 2 * chunkMax])
})
