import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import { retentions } from '../store/events/tables.cases.ts'
import { createJobs, type JobDeps, jobTable } from './jobs.ts'
import { createLock } from './lock.ts'

const dayMs = 86_400_000

function deps(known: number | null = 100 * dayMs) {
  const values = new Map(known === null ? [] : [['retention-clock', JSON.stringify({ atMs: known })]])
  const clock = testClock(100 * dayMs)
  const calls: [string, ...number[]][] = []
  const deleted: string[] = []
  const value = {
    clock,
    observe: silent,
    retention: retentions(),
    events: {
      dropBefore: async (table: string, ...ms: number[]) => {
        calls.push([table, ...ms])
        return table === 'events' ? ['202601'] : ['1970-03-01']
      },
    },
    meta: {
      retention: {
        forgetTraceDays: (day: string) => void calls.push(['days', Date.parse(day)]),
        prune: (...args: number[]) => {
          calls.push(['prune', ...args])
          return ['attachments/1/a', 'dead/7']
        },
      },
      artifacts: {
        dropBundles: (...ms: number[]) => {
          calls.push(['bundles', ...ms])
          return ['artifacts/1/b']
        },
      },
      organizations: { shorterRetentions: () => [], organizations: () => [{ createdMs: 0 }] },
      values: {
        getValue: (name: string) => values.get(name),
        setValue: (name: string, text: string) => void values.set(name, text),
      },
    },
    blobs: { isRemote: false, ping: async () => undefined, delete: async (key: string) => void deleted.push(key) },
    lock: createLock(),
  } as unknown as JobDeps & { clock: ReturnType<typeof testClock> }
  return { value, calls, deleted, clock }
}

test('notes of webhooks are not pruned by a clock that was set far ahead', async () => {
  const { value, clock } = deps()
  const pruned: number[] = []
  Object.assign(value, { trackers: { prune: async (nowMs: number) => void pruned.push(nowMs) } })
  const run = () => jobTable.find((job) => job.name === 'tracker-deliveries')?.run(value)
  await run()
  const firstMs = clock.now()
  clock.advance(4_000 * dayMs)
  expect(await run()).toEqual({ clockNotTrusted: new Date(clock.now()).toISOString() })
  expect(pruned).toEqual([firstMs])
})

test('retention drops what was received before it, attachments with it, dead items after 14 days', async () => {
  const { value, calls, deleted, clock } = deps()
  await jobTable.find((job) => job.name === 'retention')?.run(value)
  expect(calls).toEqual([
    ['events', 10 * dayMs, clock.now()],
    ['spans', 70 * dayMs, clock.now()],
    ['sessions', 10 * dayMs, clock.now()],
    ['logs', 86 * dayMs, clock.now()],
    ['metrics', 10 * dayMs, clock.now()],
    ['prune', clock.now(), 10 * dayMs, 86 * dayMs, 10 * dayMs],
    ['days', 69 * dayMs],
    ['bundles', 10 * dayMs],
  ])
  expect(deleted).toEqual(['attachments/1/a', 'dead/7', 'artifacts/1/b'])
})

test('while the blob store is away, retention forgets no row whose blob it could not delete', async () => {
  const { value, calls, deleted } = deps()
  const away = new MishapError('BLOBS_UNAVAILABLE')
  value.blobs.ping = () => Promise.reject(away)
  await expect(jobTable.find((job) => job.name === 'retention')?.run(value)).rejects.toBe(away)
  expect([calls, deleted]).toEqual([[], []])
})

test('parts that a day-old write left go from a bucket; files are swept at a start', async () => {
  const { value, clock } = deps()
  const swept: number[] = []
  const sweep = async (beforeMs: number) => swept.push(beforeMs)
  const job = jobTable.find((candidate) => candidate.name === 'blob-parts')
  expect(await job?.run({ ...value, blobs: { ...value.blobs, sweep } })).toEqual({ parts: 0 })
  expect(await job?.run({ ...value, blobs: { ...value.blobs, isRemote: true, sweep } })).toEqual({ parts: 1 })
  expect(swept).toEqual([clock.now() - dayMs])
})

test.each([
  ['set far ahead', 3 * dayMs],
  ['of an installation that knows nothing yet', null],
])('a clock %s deletes nothing, and the job says why', async (_name, known) => {
  const { value, calls, deleted } = deps(known)
  const result = await jobTable.find((job) => job.name === 'retention')?.run(value)
  const at = '1970-04-11T00:00:00.000Z'
  expect(result).toEqual({ clockNotTrusted: at, waitingSince: at, evenHours: 0 })
  expect([calls, deleted]).toEqual([[], []])
})

test('who takes rows out waits for the others, in the order of asking, also behind one that failed', async () => {
  const lock = createLock()
  const order: string[] = []
  const work = async (name: string, fails = false) => {
    const release = await lock()
    order.push(`${name} begins`)
    try {
      await new Promise((resolve) => setImmediate(resolve))
      if (fails) throw new Error('no')
    } finally {
      order.push(`${name} ends`)
      release()
      release()
    }
  }
  await Promise.allSettled([work('a'), work('b', true), work('c')])
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('a job runs at its times, never beside itself, and a failure does not end it', async () => {
  const { value, clock } = deps()
  let runs = 0
  let release: () => void = () => {}
  const table = [
    {
      name: 'slow',
      everyMs: 100,
      firstMs: 10,
      run: () => {
        runs++
        return new Promise<object>((_resolve, reject) => {
          release = () => reject(new Error('no'))
        })
      },
    },
  ]
  const jobs = await createJobs(value, table as never)
  jobs.start()
  clock.advance(350)
  expect(runs).toBe(1)
  release()
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(100)
  expect(runs).toBe(2)
  jobs.stop()
  release()
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(1000)
  expect(runs).toBe(2)
})
