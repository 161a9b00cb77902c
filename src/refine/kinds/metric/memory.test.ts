import { expect, test } from 'vitest'
import { createMetricBuffers, openMetricMemory, restoreStreams } from './memory.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const hourMs = 3_600_000

/** Restores so many streams, the newest first, one in each 50 ms. Returns what a first total adds by the start of its stream. */
async function restored(count: number) {
  const buffers = createMetricBuffers()
  const points = Array.from({ length: count }, (_, n) => ({
    stream: `${n.toString(16).padStart(8, '0').split('').reverse().join('')}${(n * 7919).toString(16).padStart(8, '0')}`,
    timeMs: nowMs - n * 50,
    total: 40,
  }))
  await restoreStreams(
    buffers,
    { recentTotals: async (_since, _positions, max) => points.slice(0, max) },
    { cursor: 9, nowMs },
  )
  const { streams } = openMetricMemory(buffers)
  const grown = points.filter(
    ({ stream }) => streams.advance({ stream, timeMs: nowMs + 1, startMs: 1, total: 43 }).added === 3,
  )
  let n = 0
  const firstTotal = (startMs: number) =>
    streams.advance({ stream: `ffff${n++}`.padEnd(16, 'f'), timeMs: nowMs, startMs, total: 5 }).added
  return { grown: grown.length, firstTotal }
}

test('streams go on after a start, and those that began in the hour that was read are new', async () => {
  const { grown, firstTotal } = await restored(1000)
  expect(grown).toBe(1000)
  expect([firstTotal(nowMs - hourMs), firstTotal(nowMs - hourMs - 1)]).toEqual([5, 0])
})

test('streams that began before the oldest total that was read are unknown', async () => {
  const { grown, firstTotal } = await restored(70_000)
  expect(grown).toBeGreaterThan(50_000)
  const oldestMs = nowMs - 59_999 * 50
  expect([firstTotal(oldestMs), firstTotal(nowMs - hourMs)]).toEqual([0, 0])
  expect(firstTotal(nowMs - 1)).toBe(5)
})
