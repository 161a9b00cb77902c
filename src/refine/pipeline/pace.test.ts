import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { bulkPace, createGather, eventsPace, type Pace } from './pace.ts'

type How = {
  pace?: Pace
  present?: boolean
  /** Nobody has asked for anything lately. */
  idle?: boolean
  /** Time between two batches. */
  everyMs?: number
  /** When a request comes, ms after the last batch; below 0: while it runs. */
  arriveMs?: number
  stopMs?: number
  /** Bytes in the journal behind the last batch, and when they have grown to `grownBytes`. */
  leftBytes?: number
  grownMs?: number
  grownBytes?: number
}
const MiB = 1024 * 1024

/** Returns how long the wait after the last of some batches takes, ms. */
async function waitOf(records: number[], how: How): Promise<number> {
  const clock = testClock()
  const listeners = new Set<() => void>()
  const stopped = new AbortController()
  let arrivedMs = 0
  const arrive = () => {
    arrivedMs = clock.now()
    for (const listener of listeners) listener()
  }
  const gather = createGather(
    clock,
    {
      present: () => how.present ?? false,
      isIdle: () => how.idle ?? false,
      arrivedMs: () => arrivedMs,
      onArrival: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    stopped.signal,
    how.pace ?? eventsPace,
  )
  let tookMs = 0
  for (const [at, batch] of records.entries()) {
    const isLast = at === records.length - 1
    clock.advance(10)
    if (isLast && (how.arriveMs ?? 0) < 0) arrive()
    const began = clock.now()
    let done = false
    const waiting = gather.after(batch, isLast ? (how.leftBytes ?? 0) : 0).then(() => {
      done = true
    })
    for (let ms = 0; ms < 3500; ms += 10) {
      if (isLast && ms === how.arriveMs) arrive()
      if (isLast && ms === how.stopMs) stopped.abort()
      if (isLast && ms === how.grownMs) gather.grown(how.grownBytes ?? 0)
      await new Promise((resolve) => setImmediate(resolve))
      if (done) break
      clock.advance(10)
    }
    await waiting
    tookMs = clock.now() - began
    clock.advance(Math.max(0, (how.everyMs ?? 0) - tookMs))
  }
  expect(listeners.size).toBe(0)
  return tookMs
}

test.each<[string, number[], How, number]>([
  ['somebody looks', [10], { present: true }, 150],
  ['somebody looks, and the batch is not small', [200], { present: true }, 0],
  ['nobody looks', [10], {}, 700],
  ['nobody looks at a steady 100/s', [100, 100, 100, 100, 100], { everyMs: 1000 }, 700],
  ['nobody looks at a steady 450/s', [450, 450, 450, 450, 450], { everyMs: 1000 }, 400],
  ['nobody looks, and the batch is not small', [500], {}, 0],
  ['nobody has asked for 10 s', [10], { idle: true }, 3000],
  ['nobody has asked for 10 s at a steady 100/s', [300, 300, 300], { idle: true, everyMs: 3000 }, 3000],
  ['nobody has asked for 10 s at a steady 190/s', [570, 570, 570, 570], { idle: true, everyMs: 3000 }, 3000],
  ['nobody has asked for 10 s at a steady 450/s', [450, 450, 450, 450, 450], { idle: true, everyMs: 1000 }, 1000],
  ['nobody has asked for 10 s at a steady 2,000/s', [2000, 2000, 2000], { idle: true, everyMs: 1000 }, 1000],
  [
    'nobody has asked for 10 s at 2,000/s, and much came meanwhile',
    [2000, 2000, 2000],
    { idle: true, everyMs: 1000, leftBytes: 8 * MiB - 1 },
    1000,
  ],
  [
    'nobody has asked for 10 s at 2,000/s, behind a backlog',
    [2000, 2000, 2000],
    { idle: true, everyMs: 1000, leftBytes: 8 * MiB },
    0,
  ],
  [
    'nobody has asked for 10 s at 2,000/s, and half of a batch comes',
    [2000, 2000, 2000],
    { idle: true, everyMs: 1000, grownMs: 600, grownBytes: 8 * MiB },
    600,
  ],
  [
    'the first request after a pause comes at 2,000/s',
    [2000, 2000, 2000],
    { idle: true, everyMs: 1000, arriveMs: 400 },
    400,
  ],
  [
    'nobody has asked for 10 s, and a burst has come',
    [1, 1000],
    { idle: true, everyMs: 20_000, leftBytes: 3 * MiB },
    0,
  ],
  ['nobody has asked for 10 s, behind a full batch of small events', [3000, 3000], { idle: true, everyMs: 1000 }, 0],
  ['nobody has asked for 10 s, beside much bulk data', [2000], { idle: true, present: true }, 0],
  ['nobody has asked for 10 s, and a little came meanwhile', [10], { idle: true, leftBytes: 100_000 }, 3000],
  ['the first request after a pause comes', [10], { idle: true, arriveMs: 2000 }, 2000],
  [
    'nobody has asked for 10 s, and half of a batch comes',
    [10],
    { idle: true, grownMs: 1500, grownBytes: 8 * MiB },
    1500,
  ],
  [
    'nobody has asked for 10 s, and less than half of a batch comes',
    [10],
    { idle: true, grownMs: 1500, grownBytes: 8 * MiB - 1 },
    3000,
  ],
  ['nobody has asked for 10 s, with little bulk data', [15, 15], { pace: bulkPace, idle: true, everyMs: 3000 }, 3000],
  [
    'nobody has asked for 10 s, and 2 MiB of bulk data come',
    [10],
    { pace: bulkPace, idle: true, grownMs: 1500, grownBytes: 2 * MiB },
    1500,
  ],
  [
    'somebody has just asked, and 2 MiB of bulk data come',
    [10],
    { pace: bulkPace, grownMs: 500, grownBytes: 2 * MiB },
    700,
  ],
  ['nobody has asked for 10 s, with bulk data', [50, 50, 50], { pace: bulkPace, idle: true, everyMs: 1000 }, 250],
  ['a request came while the batch ran', [10], { arriveMs: -1 }, 150],
  ['a request comes in the first 150 ms', [10], { arriveMs: 50 }, 150],
  ['a request comes later', [10], { arriveMs: 600 }, 600],
  ['4 MiB wait', [10], { leftBytes: 4 * MiB }, 0],
  ['less than 4 MiB wait', [10], { leftBytes: 4 * MiB - 1 }, 700],
  ['4 MiB come at once', [10], { grownMs: 20, grownBytes: 4 * MiB }, 20],
  ['4 MiB come later', [10], { grownMs: 500, grownBytes: 4 * MiB }, 500],
  ['4 MiB come while somebody looks', [10], { present: true, grownMs: 50, grownBytes: 4 * MiB }, 50],
  ['less comes', [10], { grownMs: 500, grownBytes: 4 * MiB - 1 }, 700],
  ['nobody looks at bulk data of many records', [4000], { pace: bulkPace }, 250],
  ['nobody looks at a steady 15/s of bulk data', [15, 15, 15, 15, 15], { pace: bulkPace, everyMs: 1000 }, 700],
  ['nobody looks at a steady 50/s of bulk data', [50, 50, 50, 50, 50], { pace: bulkPace, everyMs: 1000 }, 250],
  ['somebody looks at bulk data of many records', [4000], { pace: bulkPace, present: true }, 150],
  ['half of a batch of bulk data waits', [4000], { pace: bulkPace, leftBytes: 12 * MiB }, 0],
  ['less than half of a batch of bulk data waits', [4000], { pace: bulkPace, leftBytes: 12 * MiB - 1 }, 250],
  ['half of a batch of bulk data comes later', [10], { pace: bulkPace, grownMs: 200, grownBytes: 12 * MiB }, 200],
  ['the loop stops', [10], { stopMs: 300 }, 300],
  ['the loop stops at once', [10], { stopMs: 0 }, 0],
])('after a batch, while %s', async (_name, records, how, expectedMs) => {
  const ms = await waitOf(records, how)
  expect(Math.abs(ms - expectedMs)).toBeLessThanOrEqual(10)
})
