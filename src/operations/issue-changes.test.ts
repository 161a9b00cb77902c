import { describe, expect, test } from 'vitest'
import { commit, effect, hash } from '../store/meta/fixture.cases.ts'
import type { Bulk } from '../store/meta/issues/bulk.ts'
import { demandIssueRevision, type IssuesChange, notifyAssignee, undoBulk, updateIssues } from './issue-changes.ts'
import { mergeIssues, unmergeIssue } from './issue-merges.ts'
import { endOf, operationRig, sessionOf } from './rig.cases.ts'

const fresh = operationRig()
const bulk = { id: 7, organizationId: 1, userId: 'ann', total: 60 } as Bulk

/** A rig with some issues, and bulks that record their calls. */
async function rig(count = 3) {
  const deps = await fresh()
  await commit(deps.meta, { events: Array.from({ length: count }, (_, at) => effect({ hashes: [hash(at + 1)] })) })
  const asked: { name: string; value: unknown }[] = []
  const bulks = {
    request: async (value: unknown) => {
      asked.push({ name: 'ask', value })
      return bulk
    },
    merge: async (value: unknown) => {
      asked.push({ name: 'merge', value })
      return bulk
    },
    undo: async (id: number) => (id === bulk.id ? bulk : undefined),
    wait: async () => ({ ...bulk, done: 60 }),
  }
  const issues = await deps.meta.issues.issuesByIds(Array.from({ length: count }, (_, at) => at + 1))
  return { ...deps, issues, asked, triage: { bulks } }
}
const nothing: IssuesChange = { changeOf: async () => ({}), own: {}, isOwnOnly: false }
const resolve: IssuesChange = { ...nothing, changeOf: async () => ({ status: 'resolved' }) }
const assign = (assigneeUserId: string): IssuesChange => ({ ...nothing, changeOf: async () => ({ assigneeUserId }) })
const statuses = async ({ meta }: Pick<Awaited<ReturnType<typeof rig>>, 'meta'>) =>
  Promise.all([1, 2, 3].map(async (id) => (await meta.issues.issueById(id))?.status))

describe('a change of issues', () => {
  test('is written one by one and announced; what changes nothing is not announced', async () => {
    const { issues, ...deps } = await rig()
    expect(await updateIssues(deps, deps.ann, issues.slice(0, 2), resolve)).toBeUndefined()
    expect(await statuses(deps)).toEqual(['resolved', 'resolved', 'unresolved'])
    expect(deps.announced).toEqual([
      { kind: 'issue', id: '1' },
      { kind: 'issue', id: '2' },
    ])
    await updateIssues(deps, deps.ann, issues.slice(0, 2), resolve)
    expect(deps.announced).toHaveLength(2)
  })

  test('that is refused for one of them leaves all as they are', async () => {
    const { issues, ...deps } = await rig()
    const changeOf = async ({ id }: { id: number }) => {
      if (id === 3) throw new Error('no')
      return { status: 'resolved' as const }
    }
    await expect(updateIssues(deps, deps.ann, issues, { ...nothing, changeOf })).rejects.toThrow('no')
    expect(await statuses(deps)).toEqual(['unresolved', 'unresolved', 'unresolved'])
  })

  test('needs the revision that the caller has seen', async () => {
    const { issues, ...deps } = await rig()
    await updateIssues(deps, deps.ann, issues.slice(0, 1), { ...resolve, rev: 0 })
    const reopen: IssuesChange = { ...nothing, changeOf: async () => ({ status: 'unresolved' }), rev: 0 }
    expect((await endOf(() => updateIssues(deps, deps.ann, issues.slice(0, 1), reopen)))[0]).toBe('CONFLICT')
    expect((await endOf(() => demandIssueRevision(deps, deps.ann, 1, 0)))[0]).toBe('CONFLICT')
    expect(await endOf(() => demandIssueRevision(deps, deps.ann, 1, 1))).toEqual(['done', []])
  })

  test('of marks alone is the caller’s own: no bulk, no announcement', async () => {
    const { issues, ...deps } = await rig()
    const asked: IssuesChange = {
      ...nothing,
      own: { hasSeen: true, isBookmarked: true },
      isOwnOnly: true,
      asBulk: true,
    }
    expect(await updateIssues(deps, deps.ann, issues, asked)).toBeUndefined()
    expect([...(await deps.meta.issues.seenBy('ann', [1, 2, 3]))]).toEqual([1, 2, 3])
    expect([...(await deps.meta.issues.bookmarkedBy('eve', [1, 2, 3]))]).toEqual([])
    expect([deps.asked, deps.announced]).toEqual([[], []])
  })

  test.each<[number, boolean | undefined, number]>([
    [49, undefined, 0],
    [50, undefined, 1],
    [2, true, 1],
    [60, false, 0],
  ])('of %i issues with asBulk %j: %i bulks', async (count, asBulk, bulks) => {
    const { issues, ...deps } = await rig(count)
    const updated = await updateIssues(deps, deps.ann, issues, { ...resolve, own: { hasSeen: true }, asBulk })
    expect([deps.asked.length, updated?.done]).toEqual([bulks, bulks ? 60 : undefined])
    expect((await deps.meta.issues.seenBy('ann', [1, count])).size).toBe(2)
    expect((await deps.meta.issues.issueById(1))?.status).toBe(bulks ? 'unresolved' : 'resolved')
  })

  test('of nothing changes nothing', async () => {
    const { issues: _issues, ...deps } = await rig()
    expect(await updateIssues(deps, deps.ann, [], resolve)).toBeUndefined()
    expect(deps.announced).toEqual([])
  })
})

describe('an assignment', () => {
  test.each([
    ['bob', 1],
    ['ann', 0],
  ])('by ann to %s: follows the issue, and %i notices', async (userId, notices) => {
    const { issues, ...deps } = await rig()
    await updateIssues(deps, deps.ann, issues.slice(0, 1), assign(userId))
    expect(await deps.meta.issues.subscribersOf(1)).toEqual([userId])
    expect(await deps.meta.issues.noticesDue(deps.clock.now() + 86_400_000, 9)).toHaveLength(notices)
    await updateIssues(deps, sessionOf('eve'), issues.slice(0, 1), assign(userId))
    expect(await deps.meta.issues.noticesDue(deps.clock.now() + 86_400_000, 9)).toHaveLength(notices)
  })

  test('that changed nothing gives no notice', async () => {
    const deps = await rig()
    await notifyAssignee(deps, 1, 'bob', null, null)
    expect([
      await deps.meta.issues.subscribersOf(1),
      await deps.meta.issues.noticesDue(Number.MAX_SAFE_INTEGER, 9),
    ]).toEqual([['bob'], []])
  })
})

test('a bulk is taken back once', async () => {
  const deps = await rig()
  expect((await undoBulk(deps, bulk)).done).toBe(60)
  expect(await endOf(() => undoBulk(deps, { ...bulk, id: 8 }))).toEqual(['CONFLICT', []])
})

describe('a merge', () => {
  test('keeps the issue with most events, of equal ones the older, and announces all', async () => {
    const deps = await rig()
    await commit(deps.meta, { events: [effect({ hashes: [hash(2)] })] })
    const issues = await deps.meta.issues.issuesByIds([1, 2, 3])
    expect(await mergeIssues(deps, deps.ann, issues)).toMatchObject({ parent: 2, children: [1, 3] })
    expect((await deps.meta.issues.issueById(1))?.id).toBe(2)
    expect(deps.announced.map((change) => ('id' in change ? change.id : ''))).toEqual(['2', '1', '3'])
  })

  test('of one issue is none', async () => {
    const { issues, ...deps } = await rig()
    expect(await endOf(() => mergeIssues(deps, deps.ann, issues.slice(0, 1)))).toEqual(['VALIDATION', ['merge']])
  })

  test('of more than 50 is a bulk', async () => {
    const { issues, ...deps } = await rig(51)
    const fromIds = issues.slice(1).map(({ id }) => id)
    expect(await mergeIssues(deps, deps.ann, issues)).toEqual({ parent: 1, children: fromIds, activity: null })
    expect(deps.asked).toEqual([{ name: 'merge', value: { organizationId: 1, userId: 'ann', intoId: 1, fromIds } }])
    expect(deps.announced).toEqual([])
  })

  test.each([
    [true, ['1', '2']],
    [false, ['1']],
  ])('that is undone (a new issue: %j) announces %j', async (isMade, ids) => {
    const { issues, ...deps } = await rig()
    const [issue, other] = issues
    if (!issue || !other) throw new Error('no issues')
    const unmerge = async (id: number, hashes: readonly string[], userId: string | null) => {
      expect([id, hashes, userId]).toEqual([1, [hash(1)], 'ann'])
      return { issue, created: isMade ? other : null, events: 4 }
    }
    expect((await unmergeIssue({ ...deps, unmerge }, deps.ann, 1, [hash(1)])).events).toBe(4)
    expect(deps.announced).toEqual(ids.map((id) => ({ kind: 'issue', id })))
  })
})
