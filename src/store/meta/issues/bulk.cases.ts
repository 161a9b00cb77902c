import { expect, test } from 'vitest'
import { commit, effect, hash, nowMs, stateOf } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

export function bulkCases(fresh: () => Promise<MetaStore>): void {
  const many = (meta: MetaStore, count: number) =>
    commit(meta, { events: Array.from({ length: count }, (_, at) => effect({ hashes: [hash(at + 1)] })) })
  const change = { status: 'resolved' } as const
  test('goes in steps, over a restart, and back; who changed since keeps what they made', async () => {
    const meta = await fresh()
    await many(meta, 5)
    await meta.issues.updateIssue(5, { status: 'resolved' }, 'bob', nowMs)
    const items = [1, 2, 3, 4, 5].map((issueId) => ({ issueId, change }))
    const { id } = await meta.issues.requestBulk({ organizationId: 1, userId: 'ann', items }, nowMs)
    expect(await meta.issues.stepBulk(id, 2, nowMs)).toMatchObject({
      issueIds: [1, 2],
      bulk: { done: 2, endedMs: null },
    })
    expect((await meta.issues.openBulks()).map((openBulk) => openBulk.id)).toEqual([id])
    await meta.issues.stepBulk(id, 2, nowMs)
    expect(await meta.issues.stepBulk(id, 2, nowMs)).toMatchObject({
      issueIds: [],
      bulk: { done: 5, changed: 4, endedMs: nowMs },
    })
    expect(await Array.fromAsync([1, 2, 3, 4], async (item) => (await stateOf(meta, item))[0])).toEqual(
      Array(4).fill('resolved'),
    )
    expect((await meta.issues.activityOf(1)).at(-1)).toMatchObject({
      type: 'set_resolved',
      userId: 'ann',
      data: { bulk: id },
    })
    await meta.issues.updateIssue(3, { status: 'ignored' }, 'bob', nowMs)
    await meta.issues.undoBulk(id, nowMs)
    expect(await meta.issues.stepBulk(id, 9, nowMs)).toMatchObject({
      issueIds: [1, 2, 4],
      bulk: { undone: true, changed: 3 },
    })
    expect(await Array.fromAsync([1, 3, 5], async (item) => stateOf(meta, item))).toEqual([
      ['unresolved', 'new'],
      ['ignored', 'archived_forever'],
      ['resolved', null],
    ])
    expect(await meta.issues.undoBulk(id, nowMs)).toBeUndefined()
    // Deleted in parts, with its row last.
    expect(
      await Array.fromAsync([2, 2, 9], async (max) => [
        await meta.issues.dropBulks(nowMs + 1, max),
        (await meta.issues.bulkById(id))?.id,
      ]),
    ).toEqual([
      [true, id],
      [true, id],
      [true, id],
    ])
    expect([await meta.issues.dropBulks(nowMs + 1, 9), await meta.issues.dropBulks(nowMs + 1, 9)]).toEqual([
      true,
      false,
    ])
    expect(await meta.issues.bulkById(id)).toBeUndefined()
  })

  test('who is given many issues follows each, and is told once', async () => {
    const meta = await fresh()
    await many(meta, 6)
    await meta.issues.updateIssue(1, { assigneeUserId: 'bob' }, 'ann', nowMs)
    await meta.issues.subscribe(2, 'bob', false, 'asked', nowMs)
    const give = async (assigneeUserId: string, userId: string) => {
      const items = [1, 2, 3, 4, 5].map((issueId) => ({ issueId, change: { assigneeUserId } }))
      const { id } = await meta.issues.requestBulk({ organizationId: 1, userId, items }, nowMs)
      const steps = await Array.fromAsync([0, 1, 2], async () => {
        await meta.issues.stepBulk(id, 2, nowMs)
        return (await meta.issues.noticesDue(nowMs, 9)).length
      })
      return { id, steps }
    }
    const { id, steps } = await give('bob', 'ann')
    expect(steps).toEqual([0, 0, 1])
    expect(await Array.fromAsync([1, 2, 3, 4, 5, 6], async (item) => meta.issues.subscribersOf(item))).toEqual([
      [],
      [],
      ['bob'],
      ['bob'],
      ['bob'],
      [],
    ])
    const [told] = await meta.issues.noticesDue(nowMs, 9)
    expect(told).toMatchObject({ userId: 'bob', kind: 'assigned', issueId: 5 })
    // The first issue was already assigned to him.
    expect(await meta.issues.activityById(told?.activityId ?? 0)).toMatchObject({
      type: 'assigned',
      data: { issues: 4, bulk: id },
    })
    await meta.issues.endNotice(told?.id ?? 0)
    await meta.issues.undoBulk(id, nowMs)
    await meta.issues.stepBulk(id, 9, nowMs)
    // Nobody is notified of their own changes.
    expect((await give('ann', 'ann')).steps).toEqual([0, 0, 0])
    expect(await meta.issues.subscribersOf(3)).toEqual(['ann', 'bob'])
  })

  test('what is asked in parts is not open before its last part; what a kill leaves of it changes nothing', async () => {
    const meta = await fresh()
    await many(meta, 5)
    const part = (ids: number[], change: { status: 'resolved' | 'ignored' }) =>
      ids.map((issueId) => ({ issueId, change }))
    const [resolve, ignore] = [{ status: 'resolved' } as const, { status: 'ignored' } as const]
    const ask = () =>
      meta.issues.requestBulk({ organizationId: 1, userId: 'ann', items: part([1, 2], resolve), more: true }, nowMs)
    const left = await ask()
    expect([await meta.issues.openBulks(), (await meta.issues.stepBulk(left.id, 9, nowMs)).issueIds]).toEqual([[], []])
    expect(await meta.issues.dropBulks(nowMs + 1, 9)).toBe(true)
    const { id } = await ask()
    await meta.issues.growBulk(id, part([3], resolve), true)
    expect(await meta.issues.openBulks()).toEqual([])
    expect(await meta.issues.growBulk(id, part([4, 5], ignore), false)).toMatchObject({
      total: 5,
      done: 0,
      endedMs: null,
    })
    expect((await meta.issues.openBulks()).map((openBulk) => openBulk.id)).toEqual([id])
    expect(await Array.fromAsync([3, 3], async (max) => (await meta.issues.stepBulk(id, max, nowMs)).issueIds)).toEqual(
      [
        [1, 2, 3],
        [4, 5],
      ],
    )
    expect(await Array.fromAsync([1, 2, 3, 4, 5], async (item) => (await stateOf(meta, item))[0])).toEqual([
      'resolved',
      'resolved',
      'resolved',
      'ignored',
      'ignored',
    ])
  })

  test('an issue that is gone by then is passed over', async () => {
    const meta = await fresh()
    await many(meta, 3)
    const items = [1, 2, 3].map((issueId) => ({ issueId, change }))
    const { id } = await meta.issues.requestBulk({ organizationId: 1, userId: 'ann', items }, nowMs)
    const removal = await meta.retention.requestRemoval({ kind: 'issue', projectId: 1, issueId: 2, userId: 'ann' })
    await meta.retention.removeRows(removal.id, 0)
    expect(await meta.issues.stepBulk(id, 2, nowMs)).toMatchObject({
      issueIds: [1, 3],
      bulk: { done: 3, endedMs: nowMs },
    })
  })
}
