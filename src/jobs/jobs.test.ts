import { expect, test } from 'vitest'
import { testClock } from '../clock.ts'
import { silent } from '../observe.ts'
import { createJobs, type JobDeps, jobTable } from './jobs.ts'

const dayMs = 86_400_000

function deps() {
  const clock = testClock(100 * dayMs)
  const calls: [string, ...number[]][] = []
  const deleted: string[] = []
  const value = {
    clock,
    observe: silent,
    retentionErrorsDays: 90,
    events: {
      dropBefore: async (ms: number) => {
        calls.push(['drop', ms])
        return ['202601']
      },
    },
    meta: {
      prune: (...args: number[]) => {
        calls.push(['prune', ...args])
        return ['attachments/1/a', 'dead/7']
      },
      shorterRetentions: () => [],
    },
    blobs: { delete: async (key: string) => void deleted.push(key) },
  } as unknown as JobDeps & { clock: ReturnType<typeof testClock> }
  return { value, calls, deleted, clock }
}

test('retention drops what was received before it, attachments with it, dead items after 14 days', async () => {
  const { value, calls, deleted, clock } = deps()
  await jobTable.find((job) => job.name === 'retention')?.run(value)
  expect(calls).toEqual([
    ['drop', 10 * dayMs],
    ['prune', clock.now(), 10 * dayMs, 86 * dayMs],
  ])
  expect(deleted).toEqual(['attachments/1/a', 'dead/7'])
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
  const jobs = createJobs(value, table as never)
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
