import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { SeenEvent } from '../store/events/events.ts'
import { commit, effect, hash, nowMs, withProject } from '../store/meta/fixture.cases.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { createUnmerge, type UnmergeDeps } from './unmerge.ts'

const seen = (n: number, title: string, unhandled: boolean): SeenEvent => ({
  projectId: 1,
  eventId: 'b'.repeat(32),
  groupHash: hash(n),
  timestampUs: nowMs * 1000,
  receivedMs: nowMs,
  jpos: 5,
  hashes: [hash(n)],
  tags: {},
  traceId: '',
  payload: JSON.stringify({
    level: 'fatal',
    platform: 'python',
    logger: 'db',
    findings: { title, culprit: 'two', metadata: { type: `E${n}`, value: `v${n}` }, kind: 'error', unhandled },
  }),
})

/** A step left by a crash: rewritten rows of the second group. */
const planned = async (meta: MetaStore): Promise<number> =>
  (
    await meta.retention.planReprocessStep((await meta.retention.beginReprocessing(1, 'upload', 1)).id, {
      projectId: 1,
      week: '2026-11-16',
      gen: 0,
      positions: [2],
      from: [hash(2)],
      to: [hash(5)],
      hours: [0],
      token: 't',
    })
  ).id
const planDownsampling = async (meta: MetaStore): Promise<number> => {
  const run = await meta.retention.beginDownsampleRun({ budgetBytes: 1, bytesBefore: 2 })
  return (
    await meta.retention.planDownsampleStep(
      run,
      { week: '2026-11-16', before: 9, projectId: 1, hashes: [hash(2)], keep: [] },
      1,
    )
  ).id
}

/** An issue of two groups. The events store reports three events of the second group, one of them evicted. */
async function rig(more: Partial<UnmergeDeps['events']> = {}) {
  const clock = testClock(nowMs)
  const meta = await withProject(await openSqliteMeta(':memory:', { clock, readers: 0 }))
  const both = [hash(1), hash(2)]
  await commit(meta, {
    events: [1, 2, 3, 4].map((n) => effect({ hashes: n === 1 ? both : [hash(2)], jpos: n, unhandled: n === 4 })),
  })
  const calls: string[] = []
  const events: UnmergeDeps['events'] = {
    countsOf: async () => {
      calls.push('counted')
      const row = { projectId: 1, groupHash: hash(2), events: 3, users: 1 }
      return [{ ...row, firstMs: nowMs - 9, lastMs: nowMs }]
    },
    edgesOf: async (_project, hashes) => {
      const edges = { firstMs: nowMs - 5, lastMs: nowMs, firstRelease: 'a', lastRelease: 'b' }
      return hashes.includes(hash(2)) ? { ...edges, events: 2 } : { ...edges, firstMs: nowMs - 1, events: 1 }
    },
    // The first group has no unhandled event.
    ofIssue: async ({ hashes, filter }) => {
      if (hashes.includes(hash(2))) return [seen(2, 'Two', true)]
      return filter ? [] : [seen(1, 'One', false)]
    },
    eventsAmong: async () => [],
    ...more,
  }
  const pause = async () => {
    calls.push('paused')
    return () => void calls.push('resumed')
  }
  return { meta, said: calls, unmerge: createUnmerge({ clock, meta, events, pause }) }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof MishapError ? error.code : String(error)),
  )

test('counts while nothing is committed, and shares the counts out exactly', async () => {
  const { meta, said: calls, unmerge } = await rig()
  const { issue, created, events } = await unmerge(1, [hash(2), hash(2)], 'ann')
  expect(calls).toEqual(['paused', 'counted', 'resumed'])
  expect([issue.count, created?.count, events]).toEqual([1, 3, 3])
  expect(created).toMatchObject({ title: 'Two', level: 'fatal', platform: 'python', logger: 'db', unhandled: true })
  // Rows start five ms ago, counts nine ms ago: only the counts include the evicted event.
  expect(created).toMatchObject({
    firstSeenMs: nowMs - 9,
    lastSeenMs: nowMs,
    lastRelease: 'b',
    metadata: { type: 'E2', value: 'v2' },
  })
  expect((await meta.retention.downsampledOf([2])).get(2)).toBe(1)
  // The old issue takes its dates and newest texts from its remaining events.
  expect(issue).toMatchObject({ firstSeenMs: nowMs - 1, title: 'One', metadata: { type: 'E1' }, unhandled: false })
})

test('without any event that stands, both issues look like the old one', async () => {
  const { unmerge } = await rig({ ofIssue: async () => [], edgesOf: async () => undefined })
  const { issue, created } = await unmerge(1, [hash(2)], null)
  expect(created).toMatchObject({ title: 'TypeError: x is not a function', firstSeenMs: nowMs - 9, lastSeenMs: nowMs })
  expect(issue).toMatchObject({ title: 'TypeError: x is not a function', firstSeenMs: nowMs, unhandled: true })
})

test('what stays is still unhandled where an older event of it is', async () => {
  const { unmerge } = await rig({
    ofIssue: async ({ filter }) => [filter ? seen(1, 'Older', true) : seen(1, 'One', false)],
  })
  expect((await unmerge(1, [hash(2)], null)).issue).toMatchObject({ title: 'One', unhandled: true })
})

test('the store is asked before anything changes: it may go away between two questions', async () => {
  let requested = 0
  const { meta, unmerge } = await rig({
    edgesOf: async () => (++requested < 2 ? undefined : Promise.reject(new MishapError('STORE_UNAVAILABLE'))),
  })
  expect(await codeOf(unmerge(1, [hash(2)], null))).toBe('STORE_UNAVAILABLE')
  expect([requested, (await meta.issues.issueById(1))?.count, (await meta.merges.issueHashes(1)).length]).toEqual([
    2, 4, 2,
  ])
})

test.each<[string, string[], string]>([
  ['a hash that is not its own', [hash(9)], 'NOT_FOUND'],
  ['all of its hashes', [hash(1), hash(2)], 'VALIDATION'],
])('%s: refused, and refining goes on', async (_, hashes, code) => {
  const { meta, said: calls, unmerge } = await rig()
  expect(await codeOf(unmerge(1, hashes, null))).toBe(code)
  expect([calls.at(-1), (await meta.merges.issueHashes(1)).length]).toEqual(['resumed', 2])
})

test('not over a batch that a crash broke off, nor while the events store is away: nothing changes', async () => {
  const open = await rig()
  await open.meta.batches.openBatch(
    await open.meta.batches.cursor('events'),
    (await open.meta.batches.cursor('events')) + 1,
  )
  expect(await codeOf(open.unmerge(1, [hash(2)], null))).toBe('STORE_UNAVAILABLE')
  const away = await rig({ countsOf: async () => Promise.reject(new MishapError('STORE_UNAVAILABLE')) })
  expect(await codeOf(away.unmerge(1, [hash(2)], null))).toBe('STORE_UNAVAILABLE')
  expect([away.said.at(-1), (await away.meta.issues.issueById(1))?.count]).toEqual(['resumed', 4])
})

test.each<[string, (meta: MetaStore) => Promise<unknown>, string]>([
  ['rows that are written again and not counted', planned, 'STORE_UNAVAILABLE'],
  [
    'old rows that are going',
    async (meta) => meta.retention.commitReprocessStep(await planned(meta), []),
    'STORE_UNAVAILABLE',
  ],
  ['old rows that are gone', async (meta) => meta.retention.setReprocessStep(await planned(meta), 'cut'), 'done'],
  ['rows that are thinned', planDownsampling, 'STORE_UNAVAILABLE'],
  [
    'rows that were thinned',
    async (meta) => meta.retention.setDownsampleStep(await planDownsampling(meta), 'cut'),
    'done',
  ],
])('what another job left open (%s)', async (_, leave, calls) => {
  const { meta, unmerge } = await rig()
  await leave(meta)
  expect(await codeOf(unmerge(1, [hash(2)], null).then(() => undefined))).toBe(calls)
  expect((await meta.issues.issueById(1))?.count).toBe(calls === 'done' ? 1 : 4)
})
