import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { createGather } from './pace.ts'

/** Runs the wait after batches of `records`, each `everyMs` apart, and returns how long the last one took, ms. */
async function waitOf(
  records: number[],
  { present = false, none = false, everyMs = 0, arriveMs = -1, stopMs = -1 } = {},
): Promise<number> {
  const clock = testClock()
  const listeners = new Set<() => void>()
  const stopped = new AbortController()
  const readers = {
    present: () => present,
    onArrival: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const gather = createGather(clock, none ? undefined : readers, stopped.signal)
  let tookMs = 0
  for (const [at, batch] of records.entries()) {
    let done = false
    const began = clock.now()
    const waiting = gather(batch).then(() => {
      done = true
    })
    const isLast = at === records.length - 1
    for (let ms = 0; ms < 3000 && !done; ms += 10) {
      if (isLast && ms === arriveMs) for (const listener of listeners) listener()
      if (isLast && ms === stopMs) stopped.abort()
      await new Promise((resolve) => setImmediate(resolve))
      if (!done) clock.advance(10)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await waiting
    tookMs = clock.now() - began
    clock.advance(Math.max(0, everyMs - tookMs))
  }
  expect(listeners.size).toBe(0)
  return tookMs
}

test.each<[string, number[], Parameters<typeof waitOf>[1], number]>([
  ['somebody looks', [10], { present: true }, 150],
  ['somebody looks, and the batch is not small', [200], { present: true }, 0],
  ['it is not known who looks', [10], { none: true }, 150],
  ['nobody looks', [10], {}, 1000],
  ['nobody looks at a steady 100/s', [100, 100, 100, 100, 100], { everyMs: 1000 }, 1000],
  ['nobody looks at a steady 450/s', [450, 450, 450, 450, 450], { everyMs: 1000 }, 400],
  ['nobody looks, and the batch is large', [500], {}, 0],
  ['a request comes in the first 150 ms', [10], { arriveMs: 50 }, 150],
  ['a request comes later', [10], { arriveMs: 600 }, 600],
  ['the loop stops', [10], { stopMs: 300 }, 300],
  ['the loop stops at once', [10], { stopMs: 0 }, 0],
])('after a batch, while %s', async (_name, records, how, expectedMs) => {
  const ms = await waitOf(records, how)
  expect(Math.abs(ms - expectedMs)).toBeLessThanOrEqual(10)
})
