import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { insertLines } from './rows-archive.ts'

const mib = 1024 * 1024
/** Lines of 1 MiB. More than 16 of them make a piece. */
const line = (n: number) => Buffer.from(`${String(n).padEnd(mib - 1, ' ')}\n`)

async function* lines(count: number, read: number[], failsAt = Number.POSITIVE_INFINITY) {
  for (let n = 0; n < count; n++) {
    if (n === failsAt) throw new Error('the source failed')
    read.push(n)
    yield line(n)
  }
}

test('pieces are inserted in order, and the next one is read meanwhile', async () => {
  const [read, inserted]: [number[], number[]] = [[], []]
  const seen: number[] = []
  await insertLines(lines(40, read), async (piece) => {
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    seen.push(read.length)
    inserted.push(...Buffer.concat(piece).toString().split('\n').slice(0, -1).map(Number))
  })
  expect(inserted).toEqual(Array.from({ length: 40 }, (_, n) => n))
  // When the first piece is in, the second one has been read, and no more: memory holds two.
  expect(seen).toEqual([32, 40, 40])
})

test.each([
  ['an insert fails', 40, Number.POSITIVE_INFINITY, 'the insert failed', 1],
  ['the source fails', 40, 20, 'the source failed', 2],
])('%s: it rejects once no insert runs', async (_name, count, failsAt, message, failingInsert) => {
  const state = { inserts: 0, running: 0 }
  const inserting = insertLines(lines(count, [], failsAt), async () => {
    state.inserts++
    state.running++
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    state.running--
    if (state.inserts === failingInsert) throw new Error('the insert failed')
  })
  await expect(inserting).rejects.toThrow(message)
  expect(state).toEqual({ inserts: 1, running: 0 })
})
