import { expect, test } from 'vitest'
import { testClock } from '../clock.ts'
import { MishapError } from '../errors.ts'
import type { SeenEvent } from '../store/events/events.ts'
import { commit, effect, hash, nowMs, withProject } from '../store/meta/fixture.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { createUnmerge, type UnmergeDeps } from './unmerge.ts'

const newest: SeenEvent = {
  ...{ projectId: 1, eventId: 'b'.repeat(32), groupHash: hash(2), timestampUs: nowMs * 1000, receivedMs: nowMs },
  ...{ jpos: 5, hashes: [hash(2)], tags: {}, traceId: '' },
  payload: JSON.stringify({
    ...{ level: 'fatal', platform: 'python', logger: 'db' },
    findings: { title: 'Two', culprit: 'two', metadata: { type: 'E2', value: 'v2' }, kind: 'error', unhandled: true },
  }),
}

/** One issue of two groups, with what the events store would say of the second: three events, one of them thinned. */
function rig(more: Partial<UnmergeDeps['events']> = {}) {
  const clock = testClock(nowMs)
  const meta = withProject(openSqliteMeta(':memory:', { clock, readers: 0 }))
  const both = [hash(1), hash(2)]
  commit(meta, { events: [1, 2, 3, 4].map((n) => effect({ hashes: n === 1 ? both : [hash(2)], jpos: n })) })
  const said: string[] = []
  const events: UnmergeDeps['events'] = {
    countsOf: async () => {
      said.push('counted')
      const row = { projectId: 1, groupHash: hash(2), events: 3, users: 1 }
      return [{ ...row, firstMs: nowMs - 9, lastMs: nowMs }]
    },
    edgesOf: async (_project, hashes) => {
      const edges = { firstMs: nowMs - 5, lastMs: nowMs, firstRelease: 'a', lastRelease: 'b' }
      return hashes.includes(hash(2)) ? { ...edges, events: 2 } : { ...edges, firstMs: nowMs - 1, events: 1 }
    },
    newestOfGroups: async () => [newest],
    eventsAmong: async () => [],
    ...more,
  }
  const pause = async () => {
    said.push('paused')
    return () => void said.push('resumed')
  }
  return { meta, said, unmerge: createUnmerge({ clock, meta, events, pause }) }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof MishapError ? error.code : String(error)),
  )

test('counts while nothing is committed, and shares the counts out exactly', async () => {
  const { meta, said, unmerge } = rig()
  const { issue, made, events } = await unmerge(1, [hash(2), hash(2)], 'ann')
  expect(said).toEqual(['paused', 'counted', 'resumed'])
  expect([issue.count, made?.count, events]).toEqual([1, 3, 3])
  expect(made).toMatchObject({ title: 'Two', level: 'fatal', platform: 'python', logger: 'db', unhandled: true })
  expect(made).toMatchObject({ firstSeenMs: nowMs - 5, lastRelease: 'b', metadata: { type: 'E2', value: 'v2' } })
  expect(meta.thinnedOf([2]).get(2)).toBe(1)
  // What is left is as old as its own events.
  expect(issue.firstSeenMs).toBe(nowMs - 1)
})

test('without any event that stands, the new issue looks like the old one', async () => {
  const { unmerge } = rig({ newestOfGroups: async () => [], edgesOf: async () => undefined })
  const { made } = await unmerge(1, [hash(2)], null)
  expect(made).toMatchObject({ title: 'TypeError: x is not a function', firstSeenMs: nowMs - 9, lastSeenMs: nowMs })
})

test.each<[string, string[], string]>([
  ['a hash that is not its own', [hash(9)], 'NOT_FOUND'],
  ['all of its hashes', [hash(1), hash(2)], 'VALIDATION'],
])('%s: refused, and refining goes on', async (_, hashes, code) => {
  const { meta, said, unmerge } = rig()
  expect(await codeOf(unmerge(1, hashes, null))).toBe(code)
  expect([said.at(-1), meta.issueHashes(1).length]).toEqual(['resumed', 2])
})

test('not over a batch that a crash broke off, nor while the events store is away: nothing changes', async () => {
  const open = rig()
  open.meta.openBatch(open.meta.cursor(), open.meta.cursor() + 1)
  expect(await codeOf(open.unmerge(1, [hash(2)], null))).toBe('STORE_UNAVAILABLE')
  const away = rig({ countsOf: async () => Promise.reject(new MishapError('STORE_UNAVAILABLE')) })
  expect(await codeOf(away.unmerge(1, [hash(2)], null))).toBe('STORE_UNAVAILABLE')
  expect([away.said.at(-1), away.meta.issueById(1)?.count]).toEqual(['resumed', 4])
})
