import { describe, expect, test } from 'vitest'
import { commit, effect, hash, nowMs } from '../fixture.cases.ts'
import { missingMapCases } from '../ingest/missing-source-maps.cases.ts'
import { leaving } from '../issues/merge.cases.ts'
import type { EventEffect } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'
import type { ReprocessingMove } from './reprocessing.ts'

const minified = { title: 'TypeError: t is undefined', culprit: 'n(app.min)', hashes: [hash(1)] }
const idOf = (n: number) => n.toString(16).padStart(32, '0')

/** An event of the minified group. Its number, time and position derive from `n`. */
const event = (n: number, more: Partial<EventEffect> = {}): EventEffect =>
  effect({ ...minified, eventId: idOf(n), jpos: n, timestampMs: nowMs + n, ...more })

/** The same event with other hashes and readable frames. */
const moveOf = (eventEffect: EventEffect, to: number, more: Partial<EventEffect> = {}): ReprocessingMove => ({
  fromHash: eventEffect.hashes[0] ?? '',
  effect: { ...eventEffect, hashes: [hash(to)], title: `readable ${to}`, culprit: 'pay(cart)', ...more },
})

const rewrite = {
  projectId: 1,
  week: '2026-11-16',
  gen: 0,
  positions: [1],
  from: [hash(1)],
  to: [hash(2)],
  hours: [0],
  token: 't',
}

/** Commits moves as one step of a run. */
async function moved(meta: MetaStore, moves: ReprocessingMove[], ofRun?: number) {
  const runId = ofRun ?? (await meta.retention.beginReprocessing(1, 'upload', 9)).id
  const step = await meta.retention.planReprocessStep(runId, rewrite)
  return { ...(await meta.retention.commitReprocessStep(step.id, moves)), step: step.id }
}

const counts = async (meta: MetaStore) =>
  (await meta.issues.listIssues({ projectIds: [1], sort: 'first', max: 99 }))
    .map((issue) => [issue.shortId, issue.count])
    .sort()
const owner = async (meta: MetaStore, n: number) =>
  (await meta.issues.issueIdsOf([{ projectId: 1, groupHash: hash(n) }])).get(`1:${hash(n)}`)

/** Cases of the issue of reprocessed events. */
function moveCases(fresh: () => Promise<MetaStore>): void {
  test('an issue stays what it is under the first hash that its events are mapped to', async () => {
    const meta = await fresh()
    const events = [event(1), event(2)]
    await commit(meta, { events })
    await meta.issues.updateIssue(1, { assigneeUserId: 'ann' }, 'ann', nowMs)
    const result = await moved(
      meta,
      events.map((item) => moveOf(item, 2)),
    )
    expect(result).toMatchObject({ organizationId: 1, issues: [1], merged: [], moved: 0 })
    expect(await meta.issues.issueById(1)).toMatchObject({
      shortId: 'WEB-1',
      title: 'readable 2',
      culprit: 'pay(cart)',
      count: 2,
      assigneeUserId: 'ann',
    })
    expect([await owner(meta, 1), await owner(meta, 2)]).toEqual([1, 1])
    const told = (await meta.issues.activityOf(1)).filter((item) => item.type === 'mapped_again')
    expect(told.map((item) => item.data)).toEqual([{ regrouping: 1, events: 2 }])
    expect(await meta.retention.reprocessingRuns(9)).toMatchObject([{ mapped: 2, moved: 0, issues: 1 }])
  })

  test('an older event does not name the issue', async () => {
    const meta = await fresh()
    const [eventEffect, two] = [event(1), event(2)]
    await commit(meta, { events: [eventEffect, two] })
    await moved(meta, [moveOf(eventEffect, 2)])
    expect((await meta.issues.issueById(1))?.title).toBe(minified.title)
  })

  test('events that map to something else leave, with what was decided about their issue', async () => {
    const meta = await fresh()
    const events = [event(1), event(2), event(3, { digest: '77' })]
    await commit(meta, { events })
    await meta.issues.updateIssue(1, { status: 'ignored', assigneeUserId: 'ann' }, 'ann', nowMs)
    const [item, two, three] = events.map((own, at) => moveOf(own, at === 0 ? 2 : 3))
    const run = (await meta.retention.beginReprocessing(1, 'upload', 3)).id
    await moved(meta, [item as ReprocessingMove], run)
    const result = await moved(meta, [two as ReprocessingMove, three as ReprocessingMove], run)
    expect(result).toMatchObject({ merged: [], moved: 2 })
    expect(await counts(meta)).toEqual([
      ['WEB-1', 1],
      ['WEB-2', 2],
    ])
    expect(await meta.issues.issueById(2)).toMatchObject({
      status: 'ignored',
      assigneeUserId: 'ann',
      title: 'readable 3',
      firstSeenMs: nowMs + 2,
      lastSeenMs: nowMs + 3,
    })
    expect((await meta.retention.reprocessingSteps()).map((step) => step.stale)).toEqual([[], [1]])
    expect([await meta.issues.digestsOf(1), await meta.issues.digestsOf(2)]).toEqual([[], ['77']])
    const told = async (id: number) => (await meta.issues.activityOf(id)).filter((each) => each.type === 'mapped_again')
    expect(await Array.fromAsync([1, 2], async (id) => (await told(id)).map((each) => each.data))).toEqual([
      [{ regrouping: run, events: 1, left: 2 }],
      [{ regrouping: run, events: 2, came: 2, from: ['WEB-1'] }],
    ])
    expect(
      await meta.retention.setIssueEdges(
        1,
        { events: 1, firstMs: 5, lastMs: 6, firstRelease: 'a', lastRelease: 'b' },
        1,
      ),
    ).toBe(true)
    expect(await meta.issues.issueById(1)).toMatchObject({
      firstSeenMs: 5,
      lastSeenMs: 6,
      firstRelease: 'a',
      lastRelease: 'b',
    })
    // Some events are no longer stored, so the others do not tell when the issue began. Another event arrived
    // meanwhile, so the older result does not apply.
    const early = { events: 9, firstMs: 1, lastMs: 2, firstRelease: 'z', lastRelease: 'z' }
    const { count = 0 } = (await meta.issues.issueById(2)) ?? {}
    expect([
      await meta.retention.setIssueEdges(2, early, count - 1),
      await meta.retention.setIssueEdges(99, early, 0),
    ]).toEqual([false, false])
    await meta.retention.setIssueEdges(
      2,
      { events: 1, firstMs: 5, lastMs: nowMs + 2, firstRelease: 'a', lastRelease: 'b' },
      count,
    )
    expect(await meta.issues.issueById(2)).toMatchObject({
      firstSeenMs: nowMs + 2,
      lastSeenMs: nowMs + 2,
      firstRelease: '',
    })
  })

  test('an issue all of whose events belong to another goes into that one: its link, its words, its person', async () => {
    const meta = await fresh()
    const events = [event(1), event(2)]
    await commit(meta, { events: [...events, event(3, { hashes: [hash(2)], title: 'readable 2' })] })
    await meta.issues.addComment(1, 'ann', 'look at the cart', nowMs)
    await meta.issues.updateIssue(1, { assigneeUserId: 'ann' }, 'ann', nowMs)
    const result = await moved(
      meta,
      events.map((item) => moveOf(item, 2)),
    )
    expect(result).toMatchObject({ issues: [2], merged: [1], moved: 2 })
    expect(await counts(meta)).toEqual([['WEB-2', 3]])
    expect([await owner(meta, 1), await owner(meta, 2)]).toEqual([2, 2])
    expect((await meta.issues.issueById(1))?.shortId).toBe('WEB-2')
    expect((await meta.issues.issueByShortId(1, 'web-1'))?.id).toBe(2)
    expect(await meta.issues.issueByShortId(2, 'web-1')).toBeUndefined()
    expect(await meta.issues.issueById(2)).toMatchObject({
      title: 'readable 2',
      comments: 1,
      assigneeUserId: 'ann',
      firstSeenMs: nowMs + 1,
      lastSeenMs: nowMs + 3,
    })
    expect((await meta.issues.activityOf(2)).map((item) => item.type)).toEqual([
      'first_seen',
      'note',
      'assigned',
      'mapped_again',
    ])
    expect(await meta.snapshots.faults()).toEqual([])
    // Later events with the old hash go there at once.
    await commit(meta, { events: [event(4)] })
    expect(await counts(meta)).toEqual([['WEB-2', 4]])
  })

  test('links lead on when an issue goes into one that goes into another', async () => {
    const meta = await fresh()
    const [eventEffect, two, three] = [event(1), event(2, { hashes: [hash(2)] }), event(3, { hashes: [hash(3)] })]
    await commit(meta, { events: [eventEffect, two, three] })
    await moved(meta, [moveOf(eventEffect, 2)])
    expect((await meta.issues.issueById(1))?.shortId).toBe('WEB-2')
    await moved(meta, [{ ...moveOf(eventEffect, 3), fromHash: hash(2) }, moveOf(two, 3)])
    expect([(await meta.issues.issueById(1))?.shortId, (await meta.issues.issueById(2))?.shortId]).toEqual([
      'WEB-3',
      'WEB-3',
    ])
    expect(await counts(meta)).toEqual([['WEB-3', 3]])
    // Also in one transaction, in either order.
    const other = await fresh()
    const [a, b, c] = [event(1), event(2, { hashes: [hash(2)] }), event(3, { hashes: [hash(3)] })]
    await commit(other, { events: [a, b, c] })
    const both = await moved(other, [moveOf(b, 3), moveOf(a, 3)])
    expect([both.merged.sort(), both.issues]).toEqual([[1, 2], [3]])
    expect([(await other.issues.issueById(1))?.id, (await other.issues.issueById(2))?.id]).toEqual([3, 3])
  })

  test('an event that was later than its new issue’s resolution brings that back', async () => {
    const meta = await fresh()
    const late = event(9)
    await commit(meta, { events: [late, event(1, { hashes: [hash(2)] })] })
    await meta.issues.updateIssue(2, { status: 'resolved' }, 'ann', nowMs + 5)
    await moved(meta, [moveOf(late, 2)])
    expect(await meta.issues.issueById(2)).toMatchObject({ status: 'unresolved', substatus: 'regressed', count: 2 })
    expect((await meta.issues.activityOf(2)).map((item) => item.type)).toContain('set_regression')
  })

  test('nothing moves while a removal in the project is open', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1)] })
    const { id } = await meta.retention.requestRemoval({ kind: 'issue', projectId: 1, issueId: 1, userId: 'ann' })
    await expect(moved(meta, [moveOf(event(1), 2)])).rejects.toMatchObject({ code: 'CONFLICT' })
    expect([await counts(meta), await meta.retention.reprocessingSteps()]).toMatchObject([
      [['WEB-1', 1]],
      [{ stage: 'planned' }],
    ])
    await meta.retention.setRemoval(id, { stage: 'done', endedMs: nowMs })
    expect(await moved(meta, [moveOf(event(1), 2)])).toMatchObject({ issues: [1] })
  })

  test('a step counts once; steps and runs are found again and end', async () => {
    const meta = await fresh()
    const events = [event(1), event(2, { hashes: [hash(2)] })]
    await commit(meta, { events })
    const run = await meta.retention.beginReprocessing(1, 'upload', 7)
    await meta.retention.updateReprocessing(run.id, { looked: 3, error: 'away' })
    const move = moveOf(event(1), 2)
    const { step } = await moved(meta, [move], run.id)
    expect(await meta.retention.commitReprocessStep(step, [move])).toMatchObject({ issues: [], moved: 0 })
    expect(await counts(meta)).toEqual([['WEB-2', 2]])
    expect(await meta.retention.reprocessingSteps()).toMatchObject([{ id: step, rewrite, stage: 'counted' }])
    expect(await meta.retention.reprocessingSteps('open')).toMatchObject([{ id: step }])
    expect(await meta.retention.reprocessingSteps({ fromMs: Number.MAX_SAFE_INTEGER, apartMs: 5 })).toEqual([])
    await meta.retention.setReprocessStep(step, 'cut')
    expect(await meta.retention.reprocessingSteps()).toMatchObject([{ stage: 'cut' }])
    const madeMs = (await meta.retention.reprocessingSteps())[0]?.madeMs ?? 0
    const due = await Array.fromAsync(
      [madeMs + 4, madeMs + 5, madeMs - 4, madeMs - 5],
      async (fromMs) => (await meta.retention.reprocessingSteps({ fromMs, apartMs: 5 })).length,
    )
    expect([await meta.retention.reprocessingSteps('open'), due]).toEqual([[], [0, 1, 0, 1]])
    await meta.retention.dropReprocessStep(step)
    // An aborted run continues with the same id and starts counting again.
    expect(await meta.retention.beginReprocessing(1, 'upload', 6)).toMatchObject({
      id: run.id,
      looked: 0,
      total: 6,
      mapped: 1,
    })
    expect((await meta.retention.beginReprocessing(1, 'late', 1)).id).not.toBe(run.id)
    expect(await meta.retention.openReprocessingRuns()).toHaveLength(2)
    await meta.retention.endReprocessing(run.id)
    expect(
      (await meta.retention.reprocessingRuns(9, [1])).map((regrouping) => [
        regrouping.cause,
        regrouping.endedMs,
        regrouping.error,
      ]),
    ).toEqual([
      ['late', null, ''],
      ['upload', nowMs, ''],
    ])
    expect([
      await meta.retention.reprocessingRuns(9, []),
      await meta.retention.reprocessingRuns(9, [2]),
      await meta.retention.reprocessingRuns(1),
    ]).toMatchObject([[], [], [{}]])
    expect((await meta.retention.beginReprocessing(1, 'upload', 1)).id).not.toBe(run.id)
  })

  test('a move without an issue is refused, and nothing of its transaction stays', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1)] })
    const step = await meta.retention.planReprocessStep(
      (await meta.retention.beginReprocessing(1, 'upload', 9)).id,
      rewrite,
    )
    const stray = { ...moveOf(event(2), 3), fromHash: hash(9) }
    await expect(meta.retention.commitReprocessStep(step.id, [moveOf(event(1), 2), stray])).rejects.toThrow(
      'belongs to no issue',
    )
    expect([await owner(meta, 2), (await meta.retention.reprocessingSteps())[0]?.stage]).toEqual([undefined, 'planned'])
  })
}

/** Cases of merges and decisions by people, which reprocessing must preserve. */
function decidedCases(fresh: () => Promise<MetaStore>): void {
  test.each([
    ['those that were merged', [2, 1]],
    ['its own', [1, 2]],
  ])('maps take nothing apart that people merged: %s first', async (_, order) => {
    const meta = await fresh()
    const own = [event(1), event(2), event(3)]
    const other = [event(4, { hashes: [hash(2)] }), event(5, { hashes: [hash(2)] })]
    await commit(meta, { events: [...own, ...other] })
    await meta.merges.mergeIssues(1, [2], 'ann', nowMs)
    for (const n of order) {
      const moves = (n === 1 ? own : other).map((item) => moveOf(item, n + 0x10))
      expect(await moved(meta, moves)).toMatchObject({ issues: [1], merged: [], moved: 0 })
    }
    expect(await counts(meta)).toEqual([['WEB-1', 5]])
    // An unmerge takes their new hashes along.
    expect(await meta.merges.issueHashes(1)).toEqual([
      { hash: hash(1), mergedFrom: null },
      { hash: hash(2), mergedFrom: 'WEB-2' },
      { hash: hash(0x11), mergedFrom: null },
      { hash: hash(0x12), mergedFrom: 'WEB-2' },
    ])
    const { created: made } = await meta.merges.unmergeHashes(1, leaving([hash(2), hash(0x12)], 2), null, nowMs)
    expect([made?.shortId, await counts(meta)]).toEqual([
      'WEB-2',
      [
        ['WEB-1', 3],
        ['WEB-2', 2],
      ],
    ])
    // Its own events with other new hashes leave as usual, from either hash.
    await moved(meta, [{ ...moveOf(event(1), 0x21), fromHash: hash(0x11) }])
    expect(await counts(meta)).toContainEqual(['WEB-3', 1])
  })

  test('a rest of a merged issue stays where it is', async () => {
    const meta = await fresh()
    const rest = event(2, { hashes: [hash(2)] })
    await commit(meta, { events: [event(1), rest, event(3, { hashes: [hash(3), hash(2)] })] })
    await meta.merges.mergeIssues(1, [2], 'ann', nowMs)
    await meta.merges.unmergeHashes(1, leaving([hash(3)], 1), null, nowMs)
    await moved(meta, [moveOf(event(1), 0x11)])
    await moved(meta, [moveOf(rest, 0x12)])
    expect(await counts(meta)).toEqual([
      ['WEB-1', 2],
      ['WEB-2', 1],
    ])
  })

  test('an issue whose mapped hash was taken out takes the next one', async () => {
    const meta = await fresh()
    const [eventEffect, two] = [event(1), event(2)]
    await commit(meta, { events: [eventEffect, two] })
    await moved(meta, [moveOf(eventEffect, 2)])
    await meta.merges.unmergeHashes(1, leaving([hash(2)], 1), null, nowMs)
    await moved(meta, [moveOf(two, 3)])
    expect([await counts(meta), await owner(meta, 3)]).toEqual([
      [
        ['WEB-1', 1],
        ['WEB-2', 1],
      ],
      1,
    ])
  })

  test('events that move are none that an archive waits for; an issue that begins so waits for as many', async () => {
    const meta = await fresh()
    const events = [event(1), event(2), event(3)]
    await commit(meta, { events: [...events, event(4, { hashes: [hash(4)] })] })
    for (const id of [1, 2])
      await meta.issues.updateIssue(id, { status: 'ignored', statusDetails: { ignoreCount: 2 } }, 'ann', nowMs)
    const before = async () =>
      await Array.fromAsync([1, 2, 3], async (id) => (await meta.issues.issueById(id))?.statusDetails.eventsBefore)
    expect(await before()).toEqual([3, 1, undefined])
    const [item, two, three] = events.map((own, at) => moveOf(own, [2, 3, 4][at] ?? 0))
    await moved(meta, [item as ReprocessingMove, two as ReprocessingMove, three as ReprocessingMove])
    expect(await before()).toEqual([1, 2, 1])
    expect(await meta.issues.issueById(3)).toMatchObject({ count: 1, statusDetails: { ignoreCount: 2 } })
  })
}

/** Cases of reprocessing, for every meta store. */
export function reprocessingCases(fresh: () => Promise<MetaStore>): void {
  describe('mapping again', () => {
    missingMapCases(fresh)
    moveCases(fresh)
    decidedCases(fresh)
  })
}
