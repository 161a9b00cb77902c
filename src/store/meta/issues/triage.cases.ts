import { describe, expect, test } from 'vitest'
import { type StatusDetails, silentLimits } from '../../../domain/issue-states.ts'
import { codeOf, commit, effect, hash, nowMs, stateOf } from '../fixture.cases.ts'
import type { EventEffect, Issue } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'
import { bulkCases } from './bulk.cases.ts'
import { suggestionCases } from './suggestions.cases.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Cases of automatic state transitions, for every store. */
export function triageCases(fresh: () => Promise<MetaStore>): void {
  describe('triage', () => {
    releaseCases(fresh)
    awaitingCases(fresh)
    archiveCases(fresh)
    escalationCases(fresh)
    clockCases(fresh)
    bulkCases(fresh)
    attentionCases(fresh)
    ownershipCases(fresh)
    suggestionCases(fresh)
  })
}

const typesOf = async (meta: MetaStore, id = 1) => (await meta.issues.activityOf(id)).map((item) => item.type)
/** Commits `count` events of issue 1, `everyMs` apart from `fromMs` on, in one batch. */
const arrive = (meta: MetaStore, count: number, fromMs: number, change: Partial<EventEffect> = {}, everyMs = 1) =>
  commit(
    meta,
    {
      events: Array.from({ length: count }, (_, at) =>
        effect({ timestampMs: fromMs + at * everyMs, receivedMs: fromMs + at * everyMs, ...change }),
      ),
    },
    fromMs,
  )

function releaseCases(fresh: () => Promise<MetaStore>): void {
  const named = async (meta: MetaStore, versions: readonly string[]) => {
    for (const [at, release] of versions.entries())
      await arrive(meta, 1, nowMs - 1_000 + at, { release, hashes: [hash(9)] })
  }
  test.each<[string, string[], string, string, boolean]>([
    ['a later one by semver', ['web@1.0.0', 'web@1.1.0'], 'web@1.0.0', 'web@1.1.0', true],
    ['the same', ['web@1.0.0'], 'web@1.0.0', 'web@1.0.0', false],
    ['an older one by semver that was made later', ['web@1.1.0', 'web@1.0.9'], 'web@1.1.0', 'web@1.0.9', false],
    ['ten is more than nine', ['web@1.10.0', 'web@1.9.0'], 'web@1.9.0', 'web@1.10.0', true],
    ['a later one by creation', ['abc', 'def'], 'abc', 'def', true],
    ['an older one by creation', ['def', 'abc'], 'abc', 'def', false],
    ['one that this event names first', ['abc'], 'abc', 'new', true],
    ['none', ['abc'], 'abc', '', false],
    ['any while nobody has made the release', ['abc'], 'to come', 'abc', false],
  ])('resolved in a release, and an event of %s', async (_says, versions, inRelease, release, comesBack) => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs)
    await named(meta, versions)
    await meta.issues.updateIssue(1, { status: 'resolved', statusDetails: { inRelease } }, 'ann', nowMs)
    await arrive(meta, 1, nowMs + 1_000, { release })
    expect(await stateOf(meta)).toEqual(comesBack ? ['unresolved', 'regressed'] : ['resolved', null])
    expect((await typesOf(meta)).includes('set_regression')).toBe(comesBack)
  })

  test.each<[string, (meta: MetaStore) => Promise<unknown>, StatusDetails]>([
    ['an event names it', (meta) => arrive(meta, 1, nowMs + 5, { release: 'web@2.0.0' }), { inRelease: 'web@2.0.0' }],
    ['a person makes it', (meta) => meta.issues.settleRelease([1], 'web@2.0.0', nowMs + 5), { inRelease: 'web@2.0.0' }],
    [
      'a fix of an old version is not it',
      (meta) => arrive(meta, 1, nowMs + 5, { release: 'web@0.9.0' }),
      { inNextRelease: true, afterRelease: 'web@1.0.0' },
    ],
    [
      'a release that is there is not it',
      (meta) => arrive(meta, 1, nowMs + 5, { release: 'web@1.0.0' }),
      { inNextRelease: true, afterRelease: 'web@1.0.0' },
    ],
  ])('resolved in the next release: %s', async (_says, happens, details) => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs, { release: 'web@1.0.0' })
    const waits = { inNextRelease: true, afterRelease: 'web@1.0.0' } as const
    await meta.issues.updateIssue(1, { status: 'resolved', statusDetails: waits }, 'ann', nowMs)
    await happens(meta)
    expect(await stateOf(meta)).toEqual(['resolved', null])
    expect((await meta.issues.issueById(1))?.statusDetails).toEqual(details)
    await arrive(meta, 1, nowMs + 20, { release: 'web@3.0.0' })
    const comesBack = details.inRelease !== undefined
    expect((await stateOf(meta))[1]).toBe(comesBack ? 'regressed' : null)
    if (!comesBack) expect((await meta.issues.issueById(1))?.statusDetails).toEqual({ inRelease: 'web@3.0.0' })
  })
}

function awaitingCases(fresh: () => Promise<MetaStore>): void {
  test('resolved in a commit: no release without it settles it or brings it back, a later one than its own does', async () => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs, { release: 'web@1.0.0' })
    const inCommit = { repository: 'acme/web', commit: 'c0ffee' }
    await meta.issues.updateIssue(1, { status: 'resolved', statusDetails: { inCommit } }, 'ann', nowMs)
    await arrive(meta, 1, nowMs + 5, { release: 'web@2.0.0' })
    await meta.issues.settleRelease([1], 'web@2.1.0', nowMs + 6)
    expect(await meta.issues.settleCommits([1], 'web@2.2.0', async () => false, nowMs + 7)).toEqual([])
    expect([await stateOf(meta), (await meta.issues.issueById(1))?.statusDetails]).toEqual([
      ['resolved', null],
      { inCommit },
    ])
    const has = async (repository: string, commit: string) => repository === 'acme/web' && commit === 'c0ffee'
    expect(await meta.issues.settleCommits([2], 'web@3.0.0', has, nowMs + 8)).toEqual([])
    expect(await meta.issues.settleCommits([1], 'web@3.0.0', has, nowMs + 8)).toEqual([1])
    expect(await meta.issues.settleCommits([1], 'web@3.5.0', has, nowMs + 9)).toEqual([])
    expect((await meta.issues.issueById(1))?.statusDetails).toEqual({ inRelease: 'web@3.0.0', inCommit })
    await arrive(meta, 1, nowMs + 20, { release: 'web@3.0.0' })
    expect(await stateOf(meta)).toEqual(['resolved', null])
    await arrive(meta, 1, nowMs + 30, { release: 'web@4.0.0' })
    expect(await stateOf(meta)).toEqual(['unresolved', 'regressed'])
  })

  test('of issues that wait for the next release only those that it settles are in the batch, each once', async () => {
    const meta = await fresh()
    for (const [at, release] of ['web@1.0.0', 'web@2.0.0', 'web@5.0.0'].entries())
      await arrive(meta, 1, nowMs, { release, hashes: [hash(at + 1)] })
    for (const [at, afterRelease] of ['web@1.0.0', 'web@2.0.0', 'web@5.0.0'].entries())
      await meta.issues.updateIssue(
        at + 1,
        { status: 'resolved', statusDetails: { inNextRelease: true, afterRelease } },
        'ann',
        nowMs,
      )
    const revs = async () => await Array.fromAsync([1, 2, 3], async (id) => (await meta.issues.issueById(id))?.rev)
    const before = await revs()
    const versions = ['web@0.1.0', 'web@1.5.0', 'web@2.5.0', 'web@0.2.0', 'web@3.0.0']
    const events = versions.map((release) => effect({ release, hashes: [hash(9)], timestampMs: nowMs + 5 }))
    expect((await commit(meta, { events })).issues.map((issue) => [issue.id, issue.events])).toEqual([
      [4, 5],
      [1, 0],
      [2, 0],
    ])
    expect(await revs()).toEqual([(before[0] ?? 0) + 1, (before[1] ?? 0) + 1, before[2]])
    expect(await Array.fromAsync([1, 2, 3], async (id) => (await meta.issues.issueById(id))?.statusDetails)).toEqual([
      { inRelease: 'web@1.5.0' },
      { inRelease: 'web@2.5.0' },
      { inNextRelease: true, afterRelease: 'web@5.0.0' },
    ])
  })
}

function archiveCases(fresh: () => Promise<MetaStore>): void {
  test('archived until three more events: the third one brings it back, with why', async () => {
    const meta = await fresh()
    await arrive(meta, 5, nowMs)
    await meta.issues.updateIssue(1, { status: 'ignored', statusDetails: { ignoreCount: 3 } }, 'ann', nowMs)
    expect(await meta.issues.issueById(1)).toMatchObject({
      substatus: 'archived_until_condition_met',
      statusDetails: { ignoreCount: 3, eventsBefore: 5 },
    })
    await arrive(meta, 2, nowMs + 10)
    expect((await stateOf(meta))[0]).toBe('ignored')
    await arrive(meta, 1, nowMs + 20)
    expect(await stateOf(meta)).toEqual(['unresolved', 'escalating'])
    expect((await meta.issues.activityOf(1)).at(-1)).toMatchObject({
      type: 'set_escalating',
      data: { reason: 'count', count: 3 },
    })
  })

  test.each<[StatusDetails, boolean]>([
    [{ ignoreUserCount: 3 }, true],
    [{ ignoreCount: 3, ignoreWindow: 10 }, true],
    [{ ignoreCount: 3 }, false],
    [{}, false],
  ])('archived until %j: an event makes the clock look: %s', async (statusDetails, looks) => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs)
    await meta.issues.updateIssue(1, { status: 'ignored', statusDetails }, 'ann', nowMs)
    expect(await meta.issues.issuesDue(nowMs + dayMs, 9)).toEqual([])
    await arrive(meta, 1, nowMs + 10)
    expect((await meta.issues.issuesDue(nowMs + 10, 9)).map((item) => item.issue.id)).toEqual(looks ? [1] : [])
    if (!looks) return
    const { rev = 0, count = 0 } = (await meta.issues.issueById(1)) ?? {}
    const later = { id: 1, rev, transition: { to: 'later', dueMs: null } } as const
    // An event arrived during the lookup and is not counted yet.
    await meta.issues.transitionIssues([{ ...later, count: count - 1 }], nowMs)
    expect(await meta.issues.issuesDue(nowMs + dayMs, 9)).toHaveLength(1)
    await meta.issues.transitionIssues([{ ...later, count }], nowMs)
    expect(await meta.issues.issuesDue(nowMs + dayMs, 9)).toEqual([])
    const turn = { to: 'escalating', reason: 'users', count: 3 } as const
    const turned = await meta.issues.transitionIssues([{ id: 1, rev, count, transition: turn }], nowMs)
    expect(turned).toMatchObject([{ id: 1, status: 'unresolved', substatus: 'escalating' }])
  })

  test('archived until events or users: the events that are enough wake it without the clock', async () => {
    const meta = await fresh()
    await arrive(meta, 5, nowMs)
    const statusDetails = { ignoreCount: 3, ignoreUserCount: 100 }
    await meta.issues.updateIssue(1, { status: 'ignored', statusDetails }, 'ann', nowMs)
    await arrive(meta, 2, nowMs + 10)
    expect([(await stateOf(meta))[0], (await meta.issues.issuesDue(nowMs + 10, 9)).length]).toEqual(['ignored', 1])
    await arrive(meta, 1, nowMs + 20)
    expect(await stateOf(meta)).toEqual(['unresolved', 'escalating'])
    expect((await meta.issues.activityOf(1)).at(-1)).toMatchObject({
      type: 'set_escalating',
      data: { reason: 'count', count: 3 },
    })
  })
}

function escalationCases(fresh: () => Promise<MetaStore>): void {
  const limits = { ten: Array(24).fill(50), hour: Array(24).fill(200) }
  const begin = async (change: Partial<Issue> | undefined) => {
    const meta = await fresh()
    await arrive(meta, 150, nowMs - 3 * dayMs, {}, minuteMs)
    await meta.issues.putForecasts([{ issueId: 1, limits }], nowMs)
    if (change) await meta.issues.updateIssue(1, change, 'ann', nowMs)
    return meta
  }
  const escalating = ['unresolved', 'escalating']
  test.each<[string, Partial<Issue> | undefined, number, number, (string | null | undefined)[]]>([
    ['new, 50 in ten minutes', undefined, 50, 1_000, ['unresolved', 'new']],
    ['new, 51 in ten minutes', undefined, 51, 1_000, escalating],
    ['new, 51 in an hour', undefined, 51, minuteMs, ['unresolved', 'new']],
    ['ongoing, 225 in each hour', { substatus: 'ongoing' }, 500, 16_000, escalating],
    ['regressed', { substatus: 'regressed' }, 51, 1_000, ['unresolved', 'regressed']],
    [
      'archived until it escalates',
      { status: 'ignored', substatus: 'archived_until_escalating' },
      51,
      1_000,
      escalating,
    ],
    ['archived for ever', { status: 'ignored' }, 51, 1_000, ['ignored', 'archived_forever']],
  ])('escalation: %s', async (_says, change, count, everyMs, state) => {
    const meta = await begin(change)
    await arrive(meta, count, nowMs + 1, {}, everyMs)
    expect(await stateOf(meta)).toEqual(state)
    const told = (await meta.issues.activityOf(1)).filter((item) => item.type === 'set_escalating')
    expect(told.map((item) => item.data.reason)).toEqual(state === escalating ? ['forecast'] : [])
  })

  test('an issue of a day that was quiet is held against the floors, one of an hour against nothing', async () => {
    const most = silentLimits.ten[0] ?? 0
    for (const ageMs of [25 * 3_600_000, 3_600_000]) {
      const meta = await fresh()
      await arrive(meta, 1, nowMs - ageMs)
      await arrive(meta, most + 1, nowMs)
      expect((await stateOf(meta))[1]).toBe(ageMs > dayMs ? 'escalating' : 'new')
    }
  })

  test('events of long ago that come late are in no window', async () => {
    const meta = await begin(undefined)
    await arrive(meta, 1, nowMs + 1)
    await arrive(meta, 500, nowMs + 2, { receivedMs: nowMs - dayMs })
    expect((await stateOf(meta))[1]).toBe('new')
  })

  test('a forecast is wanted for what has events enough, again when it is old', async () => {
    const meta = await fresh()
    await arrive(meta, 150, nowMs - 3 * dayMs, {}, minuteMs)
    await arrive(meta, 5, nowMs - 3 * dayMs, { hashes: [hash(2)] })
    const wanted = async (atMs: number) =>
      (await meta.issues.issuesToForecast(atMs, atMs - 3_600_000, 9)).map((item) => item.id)
    expect(await wanted(nowMs)).toEqual([1])
    await meta.issues.putForecasts(
      [
        { issueId: 1, limits },
        { issueId: 99, limits },
      ],
      nowMs,
    )
    expect([await wanted(nowMs + 60_000), await wanted(nowMs + 3_700_000)]).toEqual([[], [1]])
    await meta.issues.updateIssue(1, { status: 'resolved' }, 'ann', nowMs)
    expect(await wanted(nowMs + 3_700_000)).toEqual([])
  })
}

function clockCases(fresh: () => Promise<MetaStore>): void {
  test('a new issue is due after seven days, an ongoing one never, an archived one at its time', async () => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs)
    const due = async (atMs: number) => (await meta.issues.issuesDue(atMs, 9)).map((item) => item.issue.substatus)
    expect([await due(nowMs + 7 * dayMs - 1), await due(nowMs + 7 * dayMs)]).toEqual([[], ['new']])
    const { rev = 0, count = 0 } = (await meta.issues.issueById(1)) ?? {}
    const turn = { to: 'ongoing', reason: 'age' } as const
    expect(await meta.issues.transitionIssues([{ id: 1, rev: rev + 1, count, transition: turn }], nowMs)).toEqual([])
    expect(
      (await meta.issues.transitionIssues([{ id: 1, rev, count, transition: turn }], nowMs)).map(
        (turnIssue) => turnIssue.substatus,
      ),
    ).toEqual(['ongoing'])
    expect(await typesOf(meta)).toEqual(['first_seen', 'auto_set_ongoing'])
    expect(await due(nowMs + 99 * dayMs)).toEqual([])
    const ignoreUntil = new Date(nowMs + dayMs).toISOString()
    await meta.issues.updateIssue(1, { status: 'ignored', statusDetails: { ignoreUntil } }, 'ann', nowMs)
    expect([await due(nowMs + dayMs - 1), await due(nowMs + dayMs)]).toEqual([[], ['archived_until_condition_met']])
    await meta.issues.transitionIssues(
      [{ id: 1, rev: rev + 2, count, transition: { to: 'unarchived', reason: 'time' } }],
      nowMs + dayMs,
    )
    expect(await stateOf(meta)).toEqual(['unresolved', 'ongoing'])
    expect((await meta.issues.activityOf(1)).at(-1)).toMatchObject({ type: 'set_unresolved', data: { reason: 'time' } })
  })
}

function attentionCases(fresh: () => Promise<MetaStore>): void {
  test('bookmarks and subscriptions are a person’s own; what was asked for outlasts what happens', async () => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs)
    await meta.issues.setUserFlags([1], 'ann', { isBookmarked: true }, nowMs)
    await meta.issues.setUserFlags([1], 'ann', { isBookmarked: true }, nowMs)
    expect([await meta.issues.bookmarkedBy('ann', [1, 2]), await meta.issues.bookmarkedBy('bob', [1])]).toEqual([
      new Set([1]),
      new Set(),
    ])
    await meta.issues.subscribe(1, 'ann', true, 'commented', nowMs)
    await meta.issues.subscribe(1, 'bob', true, 'mentioned', nowMs + 1)
    await meta.issues.subscribe(1, 'ann', false, 'asked', nowMs)
    await meta.issues.subscribe(1, 'ann', true, 'assigned', nowMs)
    expect(await meta.issues.subscribersOf(1)).toEqual(['bob'])
    expect(await meta.issues.subscriptionOf(1, 'ann')).toEqual({ active: false, reason: 'asked' })
    await meta.issues.setUserFlags([1], 'ann', { isBookmarked: false }, nowMs)
    expect(await meta.issues.bookmarkedBy('ann', [1])).toEqual(new Set())
  })

  test('a person’s own marks of many issues are set at once; one that is gone stops nothing', async () => {
    const meta = await fresh()
    const ids = Array.from({ length: 1_200 }, (_, at) => at + 1)
    await commit(meta, { events: ids.map((id) => effect({ hashes: [hash(id)] })) })
    await meta.issues.setUserFlags(
      [...ids, 9_999],
      'ann',
      { hasSeen: true, isBookmarked: true, isSubscribed: false },
      nowMs,
    )
    expect([(await meta.issues.seenBy('ann', ids)).size, (await meta.issues.bookmarkedBy('ann', ids)).size]).toEqual([
      1_200, 1_200,
    ])
    expect([await meta.issues.subscriptionOf(7, 'ann'), (await meta.issues.seenBy('bob', ids)).size]).toEqual([
      { active: false, reason: 'asked' },
      0,
    ])
    await meta.issues.setUserFlags(ids.slice(1), 'ann', { hasSeen: false, isBookmarked: false }, nowMs)
    expect([await meta.issues.seenBy('ann', ids), await meta.issues.bookmarkedBy('ann', ids)]).toEqual([
      new Set([1]),
      new Set([1]),
    ])
  })

  test('bookmarks and subscriptions go with an issue into another one, each person’s once', async () => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs)
    await arrive(meta, 1, nowMs, { hashes: [hash(2)], eventId: 'b'.repeat(32), jpos: 2 })
    for (const [issue, user] of [
      [1, 'ann'],
      [1, 'bob'],
      [2, 'bob'],
    ] as const)
      await meta.issues.setUserFlags([issue], user, { isBookmarked: true }, nowMs)
    await meta.issues.subscribe(1, 'ann', true, 'asked', nowMs)
    const step = await meta.retention.planReprocessStep((await meta.retention.beginReprocessing(1, 'upload', 9)).id, {
      projectId: 1,
      week: '2026-11-16',
      gen: 0,
      positions: [1],
      from: [hash(1)],
      to: [hash(2)],
      hours: [0],
      token: 't',
    })
    await meta.retention.commitReprocessStep(step.id, [
      { fromHash: hash(1), effect: effect({ timestampMs: nowMs, hashes: [hash(2)] }) },
    ])
    expect((await meta.issues.issueById(1))?.id).toBe(2)
    expect(
      await Array.fromAsync(['ann', 'bob'], async (item) => (await meta.issues.bookmarkedBy(item, [2])).size),
    ).toEqual([1, 1])
    expect(await meta.issues.subscribersOf(2)).toEqual(['ann', 'bob'])
  })

  test('who is named has not seen it any more; a notice is tried again or goes', async () => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs)
    for (const item of ['ann', 'bob']) await meta.issues.setUserFlags([1], item, { hasSeen: true }, nowMs)
    const { id } = await meta.issues.addComment(1, 'ann', '@bob', nowMs, ['bob'])
    await meta.issues.addNotices([{ userId: 'bob', kind: 'mention' }], 1, id, nowMs)
    expect(await meta.issues.viewersOf(1)).toEqual([{ userId: 'ann', atMs: nowMs }])
    const [due] = await meta.issues.noticesDue(nowMs, 9)
    expect(due).toMatchObject({ issueId: 1, userId: 'bob', activityId: id, attempts: 0 })
    await meta.issues.endNotice(due?.id ?? 0, nowMs + 5)
    expect([await meta.issues.noticesDue(nowMs, 9), await meta.issues.noticesDue(nowMs + 5, 9)]).toMatchObject([
      [],
      [{ attempts: 1 }],
    ])
    await meta.issues.endNotice(due?.id ?? 0)
    expect(await meta.issues.noticesDue(nowMs + 99, 9)).toEqual([])
  })

  test('a comment changes, and goes', async () => {
    const meta = await fresh()
    await arrive(meta, 1, nowMs)
    const { id } = await meta.issues.addComment(1, 'ann', 'one', nowMs)
    expect((await meta.issues.changeComment(id, ' two ', ['bob'], nowMs + 1)).data).toEqual({
      text: 'two',
      mentions: ['bob'],
      editedMs: nowMs + 1,
    })
    expect(await codeOf(() => meta.issues.changeComment(id, ' ', [], nowMs))).toBe('VALIDATION')
    expect(await codeOf(() => meta.issues.changeComment(1, 'x', [], nowMs))).toBe('NOT_FOUND')
    await meta.issues.deleteComment(id)
    expect([await meta.issues.activityById(id), (await meta.issues.issueById(1))?.comments]).toEqual([undefined, 0])
  })
}

function ownershipCases(fresh: () => Promise<MetaStore>): void {
  test('new issues of a project with rules wait for their owner; those of others do not', async () => {
    const meta = await fresh()
    expect(await meta.projects.ownershipOf(1)).toMatchObject({ text: '', autoAssign: true, rev: 0 })
    await arrive(meta, 1, nowMs)
    expect(await meta.projects.ownersDue(9)).toEqual([])
    const by = { userId: 'ann', rev: 0 }
    expect(await meta.projects.setOwnership(1, { text: 'path:* a@b.c' }, by, nowMs)).toMatchObject({
      rev: 1,
      changedBy: 'ann',
    })
    expect(await codeOf(() => meta.projects.setOwnership(1, { text: '' }, by, nowMs))).toBe('CONFLICT')
    await arrive(meta, 1, nowMs, { hashes: [hash(2)], eventId: 'b'.repeat(32) })
    expect(await meta.projects.ownersDue(9)).toEqual([
      { issueId: 2, projectId: 1, eventId: 'b'.repeat(32), atMs: nowMs },
    ])
    await meta.projects.endOwnerDue([2])
    await meta.projects.setOwnership(1, { autoAssign: false }, { userId: 'ann' }, nowMs)
    await arrive(meta, 1, nowMs, { hashes: [hash(3)] })
    // Nobody is assigned, but the suggested owners are looked up.
    expect((await meta.projects.ownersDue(9)).map((item) => item.issueId)).toEqual([3])
    await meta.projects.endOwnerDue([3])
    await meta.projects.setOwnership(1, { text: '' }, { userId: 'ann' }, nowMs)
    await arrive(meta, 1, nowMs, { hashes: [hash(4)] })
    expect(await meta.projects.ownersDue(9)).toEqual([])
  })
}
