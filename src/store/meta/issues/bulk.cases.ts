import { expect, test } from 'vitest'
import { commit, effect, hash, nowMs, stateOf } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

export function bulkCases(fresh: () => MetaStore): void {
  const many = (meta: MetaStore, count: number) =>
    commit(meta, { events: Array.from({ length: count }, (_, at) => effect({ hashes: [hash(at + 1)] })) })
  const change = { status: 'resolved' } as const
  test('goes in steps, over a restart, and back; who changed since keeps what they made', () => {
    const meta = fresh()
    many(meta, 5)
    meta.updateIssue(5, { status: 'resolved' }, 'bob', nowMs)
    const items = [1, 2, 3, 4, 5].map((issueId) => ({ issueId, change }))
    const { id } = meta.requestBulk({ organizationId: 1, userId: 'ann', items }, nowMs)
    expect(meta.stepBulk(id, 2, nowMs)).toMatchObject({ issueIds: [1, 2], bulk: { done: 2, endedMs: null } })
    expect(meta.openBulks().map((openBulk) => openBulk.id)).toEqual([id])
    meta.stepBulk(id, 2, nowMs)
    expect(meta.stepBulk(id, 2, nowMs)).toMatchObject({
      issueIds: [],
      bulk: { done: 5, changed: 4, endedMs: nowMs },
    })
    expect([1, 2, 3, 4].map((item) => stateOf(meta, item)[0])).toEqual(Array(4).fill('resolved'))
    expect(meta.activityOf(1).at(-1)).toMatchObject({ type: 'set_resolved', userId: 'ann', data: { bulk: id } })
    meta.updateIssue(3, { status: 'ignored' }, 'bob', nowMs)
    meta.undoBulk(id, nowMs)
    expect(meta.stepBulk(id, 9, nowMs)).toMatchObject({ issueIds: [1, 2, 4], bulk: { undone: true, changed: 3 } })
    expect([1, 3, 5].map((item) => stateOf(meta, item))).toEqual([
      ['unresolved', 'new'],
      ['ignored', 'archived_forever'],
      ['resolved', null],
    ])
    expect(meta.undoBulk(id, nowMs)).toBeUndefined()
    // Deleted in parts, with its row last.
    expect([2, 2, 9].map((max) => [meta.dropBulks(nowMs + 1, max), meta.bulkById(id)?.id])).toEqual([
      [true, id],
      [true, id],
      [true, id],
    ])
    expect([meta.dropBulks(nowMs + 1, 9), meta.dropBulks(nowMs + 1, 9)]).toEqual([true, false])
    expect(meta.bulkById(id)).toBeUndefined()
  })

  test('who is given many issues follows each, and is told once', () => {
    const meta = fresh()
    many(meta, 6)
    meta.updateIssue(1, { assigneeUserId: 'bob' }, 'ann', nowMs)
    meta.subscribe(2, 'bob', false, 'asked', nowMs)
    const give = (assigneeUserId: string, userId: string) => {
      const items = [1, 2, 3, 4, 5].map((issueId) => ({ issueId, change: { assigneeUserId } }))
      const { id } = meta.requestBulk({ organizationId: 1, userId, items }, nowMs)
      const steps = [0, 1, 2].map(() => {
        meta.stepBulk(id, 2, nowMs)
        return meta.noticesDue(nowMs, 9).length
      })
      return { id, steps }
    }
    const { id, steps } = give('bob', 'ann')
    expect(steps).toEqual([0, 0, 1])
    expect([1, 2, 3, 4, 5, 6].map((item) => meta.subscribersOf(item))).toEqual([[], [], ['bob'], ['bob'], ['bob'], []])
    const [told] = meta.noticesDue(nowMs, 9)
    expect(told).toMatchObject({ userId: 'bob', kind: 'assigned', issueId: 5 })
    // The first issue was already assigned to him.
    expect(meta.activityById(told?.activityId ?? 0)).toMatchObject({ type: 'assigned', data: { issues: 4, bulk: id } })
    meta.endNotice(told?.id ?? 0)
    meta.undoBulk(id, nowMs)
    meta.stepBulk(id, 9, nowMs)
    // Nobody is notified of their own changes.
    expect(give('ann', 'ann').steps).toEqual([0, 0, 0])
    expect(meta.subscribersOf(3)).toEqual(['ann', 'bob'])
  })

  test('what is asked in parts is not open before its last part; what a kill leaves of it changes nothing', () => {
    const meta = fresh()
    many(meta, 5)
    const part = (ids: number[], change: { status: 'resolved' | 'ignored' }) =>
      ids.map((issueId) => ({ issueId, change }))
    const [resolve, ignore] = [{ status: 'resolved' } as const, { status: 'ignored' } as const]
    const ask = () =>
      meta.requestBulk({ organizationId: 1, userId: 'ann', items: part([1, 2], resolve), more: true }, nowMs)
    const left = ask()
    expect([meta.openBulks(), meta.stepBulk(left.id, 9, nowMs).issueIds]).toEqual([[], []])
    expect(meta.dropBulks(nowMs + 1, 9)).toBe(true)
    const { id } = ask()
    meta.growBulk(id, part([3], resolve), true)
    expect(meta.openBulks()).toEqual([])
    expect(meta.growBulk(id, part([4, 5], ignore), false)).toMatchObject({ total: 5, done: 0, endedMs: null })
    expect(meta.openBulks().map((openBulk) => openBulk.id)).toEqual([id])
    expect([3, 3].map((max) => meta.stepBulk(id, max, nowMs).issueIds)).toEqual([
      [1, 2, 3],
      [4, 5],
    ])
    expect([1, 2, 3, 4, 5].map((item) => stateOf(meta, item)[0])).toEqual([
      'resolved',
      'resolved',
      'resolved',
      'ignored',
      'ignored',
    ])
  })

  test('an issue that is gone by then is passed over', () => {
    const meta = fresh()
    many(meta, 3)
    const items = [1, 2, 3].map((issueId) => ({ issueId, change }))
    const { id } = meta.requestBulk({ organizationId: 1, userId: 'ann', items }, nowMs)
    const removal = meta.requestRemoval({ kind: 'issue', projectId: 1, issueId: 2, userId: 'ann' })
    meta.removeRows(removal.id, 0)
    expect(meta.stepBulk(id, 2, nowMs)).toMatchObject({ issueIds: [1, 3], bulk: { done: 3, endedMs: nowMs } })
  })
}
