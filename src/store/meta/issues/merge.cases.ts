import { describe, expect, test } from 'vitest'
import { codeOf, commit, effect, hash, nowMs } from '../fixture.cases.ts'
import { groupingCases } from '../ingest/grouping.cases.ts'
import type { EventEffect } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'
import type { Leaving } from './merge.ts'
import { mergeStepCases } from './merge-steps.cases.ts'

const idOf = (n: number) => n.toString(16).padStart(32, '0')
/** An event of group `n`, `at` ms after the first. */
const event = (n: number, at = 0, more: Partial<EventEffect> = {}): EventEffect =>
  effect({ hashes: [hash(n)], eventId: idOf(n * 100 + at), title: `E${n}`, timestampMs: nowMs + at, ...more })

const texts: Leaving['texts'] = {
  kind: 'error',
  title: 'E2',
  culprit: 'c',
  level: 'error',
  platform: 'javascript',
  logger: '',
  metadata: '{}',
  error_type: 'E',
  error_value: 'v',
  search_text: 'e2',
  unhandled: 0,
}
/** A description of leaving hashes that omits the staying ones. */
export const leaving = (hashes: string[], events: number, more: Partial<Leaving> = {}): Leaving => ({
  hashes,
  events,
  downsampled: 0,
  firstMs: nowMs,
  lastMs: nowMs + 9,
  firstRelease: 'a',
  lastRelease: 'b',
  texts,
  eventIds: [],
  staying: { texts: undefined, edges: undefined, count: 0 },
  ...more,
})
const shown = async (meta: MetaStore) =>
  (await meta.issues.listIssues({ projectIds: [1], sort: 'first', max: 99 }))
    .map((issue) => [issue.shortId, issue.count])
    .sort()
const ownerOf = async (meta: MetaStore, n: number) =>
  (await meta.issues.issueIdsOf([{ projectId: 1, groupHash: hash(n) }])).get(`1:${hash(n)}`)

/** Cases of merge and unmerge, and of a project's grouping. */
export function mergeCases(fresh: () => Promise<MetaStore>): void {
  describe('merge', () => mergeIssueCases(fresh))
  describe('merge in steps', () => mergeStepCases(fresh))
  describe('unmerge', () => unmergeCases(fresh))
  describe('the undo of a merge', () => undoCases(fresh))
  describe('what was thinned', () => thinnedCases(fresh))
  describe('the rest of a merged issue', () => restCases(fresh))
  describe('what is reckoned by events', () => reckonedCases(fresh))
  describe('rules of grouping', () => groupingCases(fresh))
  describe('issues that may be alike', () => similarCases(fresh))
}

async function three(meta: MetaStore): Promise<MetaStore> {
  await commit(meta, {
    events: [
      event(1, 10, { release: 'web@2' }),
      event(1, 20),
      event(2, 5, { release: 'web@1', digest: '42', unhandled: true }),
      event(3, 30, { release: 'web@3', level: 'fatal' }),
    ],
  })
  return meta
}

function mergeIssueCases(fresh: () => Promise<MetaStore>): void {
  test('an error and a performance issue stay apart, in both directions', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, 10), event(2, 20, { kind: 'performance_slow_db_query' })] })
    for (const [into, from] of [
      [1, 2],
      [2, 1],
    ] as const)
      await expect(meta.merges.mergeIssues(into, [from], 'ann', nowMs + 99)).rejects.toMatchObject({
        code: 'VALIDATION',
      })
    expect((await shown(meta)).toSorted()).toEqual([
      ['WEB-1', 1],
      ['WEB-2', 1],
    ])
  })

  test('many into one: hashes, counts, ends, comments and links go along', async () => {
    const meta = await three(await fresh())
    await meta.issues.addComment(2, 'ann', 'mine', nowMs)
    const { issue, merged } = await meta.merges.mergeIssues(1, [2, 3, 2, 1], 'ann', nowMs + 99)
    expect(merged).toEqual([2, 3])
    expect(issue).toMatchObject({
      id: 1,
      count: 4,
      comments: 1,
      unhandled: true,
      title: 'E3',
      level: 'fatal',
      firstSeenMs: nowMs + 5,
      lastSeenMs: nowMs + 30,
      firstRelease: 'web@1',
      lastRelease: 'web@3',
    })
    expect(await shown(meta)).toEqual([['WEB-1', 4]])
    expect(await Array.fromAsync([1, 2, 3], async (n) => ownerOf(meta, n))).toEqual([1, 1, 1])
    expect((await meta.issues.issueByShortId(1, 'WEB-2'))?.id).toBe(1)
    expect((await meta.issues.issueById(3))?.id).toBe(1)
    expect(await meta.issues.digestsOf(1)).toEqual(['42'])
    expect(await meta.merges.issueHashes(1)).toEqual([
      { hash: hash(1), mergedFrom: null },
      { hash: hash(2), mergedFrom: 'WEB-2' },
      { hash: hash(3), mergedFrom: 'WEB-3' },
    ])
    const told = (await meta.issues.activityOf(1)).filter((item) => item.type === 'merge')
    expect(told).toMatchObject([
      { userId: 'ann', data: { count: 2, issues: [{ shortId: 'WEB-2' }, { shortId: 'WEB-3' }] } },
    ])
  })
  test('what was decided about the others goes on where nothing was decided here', async () => {
    const meta = await three(await fresh())
    const decide = (id: number, change: Parameters<MetaStore['issues']['updateIssue']>[1]) =>
      meta.issues.updateIssue(id, change, 'ann', nowMs)
    await decide(2, { priority: 'high', assigneeUserId: 'ann' })
    await decide(3, { priority: 'low' })
    expect((await meta.merges.mergeIssues(1, [2], null, nowMs)).issue).toMatchObject({
      priority: 'high',
      assigneeUserId: 'ann',
    })
    expect((await meta.merges.mergeIssues(1, [3], null, nowMs)).issue).toMatchObject({ priority: 'high' })
  })
  test('events that come later go to the one that is left', async () => {
    const meta = await three(await fresh())
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    await commit(meta, { events: [event(2, 50), event(3, 51)] })
    expect(await shown(meta)).toEqual([
      ['WEB-1', 4],
      ['WEB-3', 2],
    ])
  })
  test('of what several of them have for one person or one digest, one is kept', async () => {
    const meta = await three(await fresh())
    await commit(meta, { events: [event(3, 40, { digest: '42' })] })
    for (const id of [2, 3]) {
      await meta.issues.setUserFlags([id], 'ann', { isBookmarked: true }, nowMs)
      await meta.issues.subscribe(id, 'ann', id === 2, 'asked', nowMs)
    }
    await meta.issues.subscribe(3, 'bob', true, 'asked', nowMs)
    await meta.merges.mergeIssues(1, [3, 2], null, nowMs)
    expect([...(await meta.issues.bookmarkedBy('ann', [1]))]).toEqual([1])
    // The subscription of the oldest issue wins.
    expect([(await meta.issues.subscriptionOf(1, 'ann'))?.active, await meta.issues.subscribersOf(1)]).toEqual([
      true,
      ['ann', 'bob'],
    ])
    expect([await meta.issues.digestsOf(1), await meta.merges.namedEvents(1, 9)]).toEqual([['42'], [idOf(340)]])
  })
  test('more than one statement takes', async () => {
    const meta = await fresh()
    await commit(meta, { events: Array.from({ length: 450 }, (_, n) => event(n + 1)) })
    const others = Array.from({ length: 449 }, (_, n) => n + 2)
    expect((await meta.merges.mergeIssues(1, others, null, nowMs)).merged).toEqual(others)
    expect(await shown(meta)).toEqual([['WEB-1', 450]])
    const hashes = await meta.merges.issueHashes(1)
    expect([hashes.length, hashes.filter((item) => item.mergedFrom === 'WEB-449').length]).toEqual([450, 1])
    expect([(await meta.issues.issueByShortId(1, 'WEB-450'))?.id, await meta.snapshots.faults()]).toEqual([1, []])
  })
  test('never across projects; nothing changes', async () => {
    const meta = await three(await fresh())
    const { id: projectId } = await meta.projects.createProject({
      organizationId: 1,
      slug: 'api',
      name: 'Api',
      platform: null,
    })
    await meta.projects.createKey(projectId, 'Default')
    await commit(meta, { events: [event(7, 0, { projectId, keyId: 2 })] })
    expect(await codeOf(() => meta.merges.mergeIssues(1, [2, 4], null, nowMs))).toBe('VALIDATION')
    expect(await codeOf(() => meta.merges.mergeIssues(1, [99], null, nowMs))).toBe('NOT_FOUND')
    expect(await shown(meta)).toHaveLength(3)
  })
  test('not while one of them is being deleted', async () => {
    const meta = await three(await fresh())
    await meta.retention.requestRemoval({ kind: 'issue', projectId: 1, issueId: 2, userId: null })
    expect(await codeOf(() => meta.merges.mergeIssues(1, [2], null, nowMs))).toBe('CONFLICT')
    expect(await codeOf(() => meta.merges.mergeIssues(2, [1], null, nowMs))).toBe('CONFLICT')
  })
  test('a chain of merges: each old link leads to the end', async () => {
    const meta = await three(await fresh())
    await meta.merges.mergeIssues(2, [3], null, nowMs)
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    const named = async (value: string) =>
      (
        await meta.issues.listIssues({
          projectIds: [1],
          filter: { op: 'field', field: 'shortId', match: 'is', value },
          sort: 'last',
          max: 9,
        })
      ).map((issue) => issue.id)
    expect([await named('web-3'), await named('WEB-2'), await named('WEB-1'), await named('WEB-4')]).toEqual([
      [1],
      [1],
      [1],
      [],
    ])
    expect((await meta.issues.issueByShortId(1, 'WEB-3'))?.id).toBe(1)
    expect((await meta.merges.issueHashes(1)).map((issueHash) => issueHash.mergedFrom)).toEqual([
      null,
      'WEB-2',
      'WEB-3',
    ])
  })
}

function unmergeCases(fresh: () => Promise<MetaStore>): void {
  test('hashes that a merged issue brought bring it back under its old link', async () => {
    const meta = await three(await fresh())
    await meta.merges.mergeIssues(1, [2, 3], null, nowMs)
    const { issue, created: made } = await meta.merges.unmergeHashes(
      1,
      leaving([hash(2)], 1, { eventIds: [idOf(205)] }),
      'ann',
      nowMs + 99,
    )
    expect([issue.count, made?.id, made?.shortId, made?.count]).toEqual([3, 2, 'WEB-2', 1])
    expect((await meta.issues.issueByShortId(1, 'WEB-2'))?.id).toBe(2)
    expect((await meta.issues.issueByShortId(1, 'WEB-3'))?.id).toBe(1)
    expect([await ownerOf(meta, 1), await ownerOf(meta, 2), await ownerOf(meta, 3)]).toEqual([1, 2, 1])
    expect([await meta.issues.digestsOf(1), await meta.issues.digestsOf(2)]).toEqual([[], ['42']])
    expect(await meta.merges.issueHashes(2)).toEqual([{ hash: hash(2), mergedFrom: null }])
    expect((await meta.issues.activityOf(1)).at(-1)).toMatchObject({
      type: 'unmerge',
      data: { destination: 'WEB-2', events: 1 },
    })
    expect((await meta.issues.activityOf(2)).at(-1)).toMatchObject({
      type: 'unmerge',
      data: { source: 'WEB-1', events: 1 },
    })
    // Later events go there, too.
    await commit(meta, { events: [event(2, 60)] })
    expect((await meta.issues.issueById(2))?.count).toBe(2)
  })
  test('other hashes become a new issue with the next number', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, 0, { hashes: [hash(1), hash(2)] }), event(2, 3)] })
    expect(await shown(meta)).toEqual([['WEB-1', 2]])
    const { created: made } = await meta.merges.unmergeHashes(1, leaving([hash(2)], 1), null, nowMs)
    expect(made).toMatchObject({ shortId: 'WEB-2', count: 1, title: 'E2', status: 'unresolved', lastRelease: 'b' })
    expect(await shown(meta)).toEqual([
      ['WEB-1', 1],
      ['WEB-2', 1],
    ])
  })
  test('hashes without events are taken out and make no issue', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, 0, { hashes: [hash(1), hash(2)] })] })
    expect((await meta.merges.unmergeHashes(1, leaving([hash(2)], 0), null, nowMs)).created).toBeNull()
    expect(await ownerOf(meta, 2)).toBeUndefined()
    expect(await shown(meta)).toEqual([['WEB-1', 1]])
  })
  test.each<[string, string[], string]>([
    ['all hashes', [hash(1), hash(2)], 'VALIDATION'],
    ['a hash of another issue', [hash(3)], 'NOT_FOUND'],
    ['none', [], 'NOT_FOUND'],
  ])('%s: refused, nothing changes', async (_, hashes, code) => {
    const meta = await three(await fresh())
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    expect(await codeOf(() => meta.merges.unmergeHashes(1, leaving(hashes, 1), null, nowMs))).toBe(code)
    expect(await meta.merges.issueHashes(1)).toHaveLength(2)
  })
  test('events that the disk budget took go along with their number', async () => {
    const meta = await three(await fresh())
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    await meta.merges.unmergeHashes(1, leaving([hash(2)], 1, { downsampled: 1 }), null, nowMs)
    expect((await meta.retention.downsampledOf([1, 2])).get(2)).toBe(1)
  })
}

function undoCases(fresh: () => Promise<MetaStore>): void {
  test('gives an issue its state, decisions and comments back', async () => {
    const meta = await three(await fresh())
    await meta.issues.updateIssue(2, { status: 'resolved', assigneeUserId: 'ann', priority: 'low' }, 'ann', nowMs)
    await meta.issues.addComment(2, 'ann', 'mine', nowMs)
    const { activityId } = await meta.merges.mergeIssues(1, [2], null, nowMs + 5)
    expect(await meta.issues.issueById(1)).toMatchObject({ assigneeUserId: 'ann', priority: 'low', comments: 1 })
    expect(await meta.merges.mergeNoteOf(1, activityId ?? 0)).toMatchObject({
      count: 1,
      issues: [{ shortId: 'WEB-2' }],
    })
    expect(await meta.merges.mergeNoteOf(3, activityId ?? 0)).toBeUndefined()
    const { created } = await meta.merges.unmergeHashes(1, leaving([hash(2)], 1), null, nowMs + 9)
    expect(created).toMatchObject({ id: 2, status: 'unresolved', assigneeUserId: null })
    expect(await meta.merges.restoreMerged(activityId ?? 0, { id: 1 }, { id: 2 })).toMatchObject({
      status: 'resolved',
      assigneeUserId: 'ann',
      priority: 'low',
      comments: 1,
    })
    await meta.merges.endMergeUndo(1, activityId ?? 0)
    expect(await meta.issues.issueById(1)).toMatchObject({ assigneeUserId: null, priority: null, comments: 0 })
    expect((await meta.issues.activityOf(2)).filter((item) => item.type === 'note')).toHaveLength(1)
    expect((await meta.merges.mergeNoteOf(1, activityId ?? 0))?.undone).toBe(true)
  })
  test('leaves decisions that the issue had made itself', async () => {
    const meta = await three(await fresh())
    await meta.issues.updateIssue(1, { assigneeUserId: 'ann' }, 'ann', nowMs)
    await meta.issues.updateIssue(2, { assigneeUserId: 'ann' }, 'ann', nowMs)
    const { activityId } = await meta.merges.mergeIssues(1, [2], null, nowMs + 5)
    await meta.merges.endMergeUndo(1, activityId ?? 0)
    expect((await meta.issues.issueById(1))?.assigneeUserId).toBe('ann')
  })
}

function thinnedCases(fresh: () => Promise<MetaStore>): void {
  test('what was thinned of the issues is summed, of those that have any', async () => {
    const meta = await fresh()
    await commit(meta, { events: [1, 2, 3, 4].map((n) => event(n)) })
    const thin = async (...found: [number, number][]) => {
      const cut = { week: '2026-11-16', before: 9, projectId: 1, hashes: found.map(([n]) => hash(n)), keep: [] }
      const step = await meta.retention.planDownsampleStep(
        await meta.retention.beginDownsampleRun({ budgetBytes: 5, bytesBefore: 9 }),
        cut,
        1,
      )
      await meta.retention.countDownsampled(
        step.id,
        found.map(([n, rows]) => ({ groupHash: hash(n), rows })),
      )
      await meta.retention.setDownsampleStep(step.id, 'cut')
      await meta.retention.dropDownsampleStep(step.id)
    }
    await thin([2, 5], [3, 7])
    // First into an issue without any, then into one that has some.
    await meta.merges.mergeIssues(1, [2, 3], null, nowMs)
    expect([...(await meta.retention.downsampledOf([1, 2, 3, 4]))]).toEqual([[1, 12]])
    await thin([4, 100], [1, 3])
    await meta.merges.mergeIssues(1, [4], null, nowMs)
    expect([...(await meta.retention.downsampledOf([1, 4]))]).toEqual([[1, 115]])
  })
}

function restCases(fresh: () => Promise<MetaStore>): void {
  /** The second issue has two groups and is merged into the first; one of the groups is split off again. */
  const parted = async () => {
    const meta = await three(await fresh())
    await commit(meta, { events: [event(4, 40, { hashes: [hash(4), hash(2)], digest: '42' })] })
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    const part = { firstMs: nowMs + 40, lastMs: nowMs + 40, downsampled: 1, eventIds: [idOf(440)] }
    const { created: made } = await meta.merges.unmergeHashes(1, leaving([hash(4)], 1, part), null, nowMs)
    expect([made?.id, made?.shortId, made?.count]).toEqual([2, 'WEB-2', 1])
    return meta
  }
  test('joins it when it is taken out, too', async () => {
    const meta = await parted()
    expect(await meta.merges.issueHashes(1)).toEqual([
      { hash: hash(1), mergedFrom: null },
      { hash: hash(2), mergedFrom: 'WEB-2' },
    ])
    await commit(meta, { events: [event(2, 50, { digest: '42' })] })
    const { rev = 0 } = (await meta.issues.issueById(2)) ?? {}
    const rest = { firstMs: nowMs + 5, lastMs: nowMs + 50, downsampled: 1, eventIds: [idOf(250)] }
    const { issue, created: made } = await meta.merges.unmergeHashes(1, leaving([hash(2)], 2, rest), 'ann', nowMs)
    expect([issue.count, made?.id, made?.count]).toEqual([2, 2, 3])
    expect(await meta.issues.issueById(2)).toMatchObject({
      shortId: 'WEB-2',
      count: 3,
      rev: rev + 1,
      title: 'E2',
      firstSeenMs: nowMs + 5,
      lastSeenMs: nowMs + 50,
    })
    expect((await meta.merges.issueHashes(2)).map((issueHash) => [issueHash.hash, issueHash.mergedFrom])).toEqual([
      [hash(2), null],
      [hash(4), null],
    ])
    // Both had the digest: the entry of the later event stays.
    expect([
      await meta.issues.digestsOf(1),
      await meta.issues.digestsOf(2),
      await meta.merges.namedEvents(2, 9),
    ]).toEqual([[], ['42'], [idOf(250)]])
    expect((await meta.retention.downsampledOf([2])).get(2)).toBe(2)
    expect((await meta.issues.activityOf(2)).map((item) => item.type)).toEqual(['first_seen', 'unmerge', 'unmerge'])
    expect(await shown(meta)).toEqual([
      ['WEB-1', 2],
      ['WEB-2', 3],
      ['WEB-3', 1],
    ])
    expect(await meta.snapshots.faults()).toEqual([])
  })
  test('not while that one is being deleted', async () => {
    const meta = await parted()
    await meta.retention.requestRemoval({ kind: 'issue', projectId: 1, issueId: 2, userId: null })
    expect(await codeOf(() => meta.merges.unmergeHashes(1, leaving([hash(2)], 1), null, nowMs))).toBe('CONFLICT')
  })
  test('is a new issue where that one is deleted or part of another', async () => {
    for (const end of [remove, (meta: MetaStore) => meta.merges.mergeIssues(3, [2], null, nowMs)]) {
      const meta = await parted()
      await end(meta, 2)
      expect((await meta.merges.unmergeHashes(1, leaving([hash(2)], 1), null, nowMs)).created?.shortId).toBe('WEB-4')
    }
  })
  test('is forgotten with the issue that it was merged into', async () => {
    const meta = await parted()
    await remove(meta, 1)
    await commit(meta, { events: [event(2, 60)] })
    expect(await meta.merges.issueHashes(4)).toEqual([{ hash: hash(2), mergedFrom: null }])
  })
}

async function remove(meta: MetaStore, issueId: number): Promise<void> {
  const { id } = await meta.retention.requestRemoval({ kind: 'issue', projectId: 1, issueId, userId: null })
  await meta.retention.removeRows(id, 1)
  await meta.retention.setRemoval(id, { endedMs: nowMs })
}

function reckonedCases(fresh: () => Promise<MetaStore>): void {
  const many = (n: number, events: number, at = 0) => Array.from({ length: events }, (_, item) => event(n, at + item))
  test('what stays looks like the newest of its own events, and keeps its kind', async () => {
    const meta = await three(await fresh())
    await meta.merges.mergeIssues(1, [2, 3], null, nowMs)
    expect(await meta.issues.issueById(1)).toMatchObject({ title: 'E3', level: 'fatal', unhandled: true })
    const edges = { events: 2, firstMs: nowMs + 10, lastMs: nowMs + 20, firstRelease: 'web@2', lastRelease: 'web@2' }
    const staying = { texts: { ...texts, title: 'E1', kind: 'message' }, edges, count: 4 }
    const { issue } = await meta.merges.unmergeHashes(1, leaving([hash(2), hash(3)], 2, { staying }), null, nowMs)
    expect(issue).toEqual(await meta.issues.issueById(1))
    expect(issue).toMatchObject({
      title: 'E1',
      level: 'error',
      unhandled: false,
      kind: 'error',
      count: 2,
      firstSeenMs: nowMs + 10,
      lastSeenMs: nowMs + 20,
      firstRelease: 'web@2',
      lastRelease: 'web@2',
    })
  })
  test('what was asked of it before somebody merged another into it says nothing', async () => {
    const meta = await three(await fresh())
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    const staying = { texts: { ...texts, title: 'E1' }, edges: undefined, count: 3 }
    await meta.merges.mergeIssues(1, [3], null, nowMs)
    expect((await meta.merges.unmergeHashes(1, leaving([hash(2)], 1, { staying }), null, nowMs)).issue.title).toBe('E3')
  })
  test('archived until a number of events: those that people bring or take are none', async () => {
    const meta = await fresh()
    await commit(meta, { events: [...many(1, 3), ...many(2, 5)] })
    await meta.issues.updateIssue(1, { status: 'ignored', statusDetails: { ignoreCount: 2 } }, 'ann', nowMs)
    const details = async () => (await meta.issues.issueById(1))?.statusDetails
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    expect(await details()).toEqual({ ignoreCount: 2, eventsBefore: 8 })
    await commit(meta, { events: many(2, 1, 20) })
    expect((await meta.issues.issueById(1))?.status).toBe('ignored')
    await meta.merges.unmergeHashes(1, leaving([hash(2)], 6), null, nowMs)
    expect(await details()).toEqual({ ignoreCount: 2, eventsBefore: 2 })
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    await meta.merges.unmergeHashes(1, leaving([hash(2)], 99), null, nowMs)
    expect(await details()).toEqual({ ignoreCount: 2, eventsBefore: 0 })
  })
  test('a forecast is of other events then: it is made anew', async () => {
    const meta = await fresh()
    await commit(meta, { events: [...many(1, 99), ...many(2, 99), ...many(3, 99)] })
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    const laterMs = nowMs + 3 * 86_400_000
    const wanted = async () =>
      (await meta.issues.issuesToForecast(laterMs, laterMs - 3_600_000, 9)).map((item) => item.id)
    const make = async () => {
      const limits = { ten: Array(24).fill(50), hour: Array(24).fill(200) }
      await meta.issues.putForecasts([{ issueId: 1, limits }], laterMs)
      return wanted()
    }
    expect([await wanted(), await make()]).toEqual([[1], []])
    await meta.merges.mergeIssues(1, [3], null, laterMs)
    expect([await wanted(), await make()]).toEqual([[1], []])
    await meta.merges.unmergeHashes(1, leaving([hash(3)], 99), null, laterMs)
    expect(await wanted()).toEqual([1])
  })
}

function similarCases(fresh: () => Promise<MetaStore>): void {
  test('of the same type, culprit or title first, then the others, each the latest first; never of other projects', async () => {
    const meta = await fresh()
    const typed = (n: number, at: number, type: string, culprit: string) =>
      event(n, at, { metadata: { type, value: 'v' }, culprit })
    await commit(meta, {
      events: [typed(1, 0, 'A', 'x'), typed(2, 1, 'A', 'y'), typed(3, 2, 'B', 'x'), typed(4, 9, 'C', 'z')],
    })
    expect((await meta.merges.similarCandidates(1, 9)).map((similarCandidate) => similarCandidate.id)).toEqual([
      3, 2, 4,
    ])
    expect((await meta.merges.similarCandidates(1, 2)).map((similarCandidate) => similarCandidate.id)).toEqual([3, 2])
    expect(await meta.merges.similarCandidates(99, 9)).toEqual([])
  })
}
