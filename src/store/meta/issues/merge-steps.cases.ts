import { describe, expect, test } from 'vitest'
import { codeOf, commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import { leaving } from './merge.cases.ts'

/** Creates issues: issue `n` has the hash `n` and `n` events. */
async function many(meta: MetaStore, count: number): Promise<MetaStore> {
  const numbers = Array.from({ length: count }, (_, at) => at + 1)
  const events = numbers.flatMap((n) =>
    Array.from({ length: n }, (_, at) =>
      effect({ hashes: [hash(n)], title: `E${n}`, timestampMs: nowMs + n * 10 + at }),
    ),
  )
  await commit(meta, { events })
  return meta
}
const merge = { organizationId: 1, userId: 'ann', intoId: 1, fromIds: [2, 3, 4, 5] }
const counts = async (meta: MetaStore) =>
  (await meta.issues.listIssues({ projectIds: [1], sort: 'first', max: 99 }))
    .map((issue) => [issue.id, issue.count])
    .sort(([a = 0], [b = 0]) => a - b)
const notes = async (meta: MetaStore, id = 1) =>
  (await meta.issues.activityOf(id)).flatMap(({ type, data }) => (type === 'merge' ? [data] : []))

/** Cases of a merge in steps: the state between steps, and changes by others in between. */
export function mergeStepCases(fresh: () => Promise<MetaStore>): void {
  describe('merges in steps', () => {
    test('between two steps counts, hashes and links are those of what was merged by then', async () => {
      const meta = await many(await fresh(), 5)
      const { id } = await meta.issues.requestMerge(merge, nowMs)
      expect([(await counts(meta)).length, (await meta.issues.openBulks()).map((openBulk) => openBulk.id)]).toEqual([
        5,
        [id],
      ])
      expect(await meta.issues.stepBulk(id, 2, nowMs)).toMatchObject({
        issueIds: [1, 2, 3],
        bulk: { done: 2, changed: 2, endedMs: null },
      })
      expect(await counts(meta)).toEqual([
        [1, 6],
        [4, 4],
        [5, 5],
      ])
      expect([(await meta.issues.issueById(3))?.id, (await meta.issues.issueById(4))?.id]).toEqual([1, 4])
      // Meanwhile, events of a merged issue and of one not yet merged arrive.
      await commit(meta, { events: [effect({ hashes: [hash(3)] }), effect({ hashes: [hash(4)] })] })
      await meta.issues.stepBulk(id, 2, nowMs)
      expect(await meta.issues.stepBulk(id, 2, nowMs)).toMatchObject({
        issueIds: [],
        bulk: { changed: 4, endedMs: nowMs },
      })
      expect([await counts(meta), await meta.snapshots.faults()]).toEqual([[[1, 17]], []])
      expect(await notes(meta)).toMatchObject([
        { count: 4, issues: [2, 3, 4, 5].map((n) => ({ id: `${n}`, shortId: `WEB-${n}`, title: `E${n}` })) },
      ])
    })

    test('what came with it is taken out again by its hash, also while the merge is under way', async () => {
      const meta = await many(await fresh(), 5)
      const { id } = await meta.issues.requestMerge(merge, nowMs)
      await meta.issues.stepBulk(id, 2, nowMs)
      expect(await meta.merges.unmergeHashes(1, leaving([hash(3)], 3), 'ann', nowMs)).toMatchObject({
        created: { shortId: 'WEB-3' },
      })
      await meta.issues.stepBulk(id, 9, nowMs)
      expect(await counts(meta)).toEqual([
        [1, 12],
        [3, 3],
      ])
      expect(await codeOf(() => meta.issues.undoBulk(id, nowMs))).toBe('VALIDATION')
    })

    test('where the target became part of another issue, the rest goes there', async () => {
      const meta = await many(await fresh(), 5)
      const { id } = await meta.issues.requestMerge({ ...merge, fromIds: [2, 3, 5] }, nowMs)
      await meta.issues.stepBulk(id, 1, nowMs)
      await meta.merges.mergeIssues(4, [1], 'bob', nowMs)
      await meta.issues.stepBulk(id, 9, nowMs)
      expect(await counts(meta)).toEqual([[4, 15]])
    })

    test('what is being deleted stays out of it, and a target that is ends it', async () => {
      const meta = await many(await fresh(), 5)
      const remove = async (issueId: number) =>
        (await meta.retention.requestRemoval({ kind: 'issue', projectId: 1, issueId, userId: 'ann' })).id
      const { id } = await meta.issues.requestMerge(merge, nowMs)
      await remove(3)
      expect(await meta.issues.stepBulk(id, 2, nowMs)).toMatchObject({ issueIds: [1, 2], bulk: { changed: 1 } })
      const removal = await remove(1)
      expect(await meta.issues.stepBulk(id, 1, nowMs)).toMatchObject({ issueIds: [], bulk: { done: 3 } })
      await meta.retention.removeRows(removal, 0)
      expect(await meta.issues.stepBulk(id, 9, nowMs)).toMatchObject({
        issueIds: [],
        bulk: { changed: 1, endedMs: nowMs },
      })
      expect((await counts(meta)).map(([item]) => item)).toEqual([3, 4, 5])
    })

    test('what can’t be merged is refused before anything is', async () => {
      const meta = await many(await fresh(), 3)
      await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: 'node' })
      await commit(meta, { events: [effect({ projectId: 2, hashes: [hash(9)] })] })
      const ask = async (fromIds: number[]) =>
        await codeOf(() => meta.issues.requestMerge({ ...merge, fromIds }, nowMs))
      expect([await ask([2, 99]), await ask([2, 4])]).toEqual(['NOT_FOUND', 'VALIDATION'])
      await meta.retention.requestRemoval({ kind: 'issue', projectId: 1, issueId: 3, userId: 'ann' })
      expect([await ask([2, 3]), await meta.issues.openBulks(), (await counts(meta)).length]).toEqual([
        'CONFLICT',
        [],
        3,
      ])
    })
  })
}
