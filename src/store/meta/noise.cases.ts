import { describe, expect, test } from 'vitest'
import { type SignCounts, type SignKey, verdictOf } from '../../domain/noise.ts'
import { commit, effect, hash, nowMs } from './fixture.cases.ts'
import { leaving } from './issues/merge.cases.ts'
import type { EventEffect } from './meta.ts'
import type { MetaStore } from './meta-store.ts'
import type { ReprocessingMove } from './retention/reprocessing.ts'

const idOf = (n: number) => n.toString(16).padStart(32, '0')
/** An event of group `n` with these diagnostics. Without any, it is an error of the team's own code. */
const event = (n: number, signs?: SignKey[], more: Partial<EventEffect> = {}): EventEffect =>
  effect({ hashes: [hash(n)], ...(signs ? { diagnostics: signs } : {}), ...more })
const times = (count: number, eventEffect: EventEffect) => Array.from({ length: count }, () => eventEffect)
const own = (n: number) => event(n)
const shown = async (meta: MetaStore) =>
  (await meta.issues.listIssues({ projectIds: [1], sort: 'first', max: 99 })).map((issue) => [
    issue.shortId,
    issue.noise,
    issue.diagnosticCounts,
  ])
const found = async (meta: MetaStore, not = false) => {
  const noise = { op: 'noise' } as const
  const filter = not ? ({ op: 'not', of: noise } as const) : noise
  const request = { projectIds: [1], filter }
  const ids = (await meta.issues.listIssues({ ...request, sort: 'last', max: 99 })).map((issue) => issue.id)
  expect(await meta.issues.countIssues(request)).toBe(ids.length)
  return ids.sort((a, b) => a - b)
}

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
async function regroup(meta: MetaStore, moves: ReprocessingMove[]) {
  const step = await meta.retention.planReprocessStep(
    (await meta.retention.beginReprocessing(1, 'upload', 9)).id,
    rewrite,
  )
  await meta.retention.commitReprocessStep(step.id, moves)
  // A repeated commit after a crash changes nothing.
  await meta.retention.commitReprocessStep(step.id, moves)
}

/** Cases of the noise verdict, which must stay correct when events move. */
export function noiseCases(fresh: () => Promise<MetaStore>): void {
  describe('noise', () => {
    verdictCases(fresh)
    moveCases(fresh)
    test.each([1, 2, 3, 4])('whatever is done, counts and verdict are those of the events (%i)', async (seed) =>
      play(await fresh(), seed),
    )
  })
}

function verdictCases(fresh: () => Promise<MetaStore>): void {
  test('comes with the first event of a sure kind, and goes with the first of the team’s own', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, ['extension']), own(2)] })
    expect(await shown(meta)).toEqual([
      ['WEB-2', null, {}],
      ['WEB-1', 'extension', { extension: 1 }],
    ])
    expect([await found(meta), await found(meta, true)]).toEqual([[1], [2]])
    await commit(meta, { events: [...times(3, event(1, ['extension'])), own(2)] })
    expect(await meta.issues.issueById(1)).toMatchObject({
      noise: 'extension',
      diagnosticCounts: { extension: 4 },
      count: 4,
    })
    await commit(meta, { events: [own(1)] })
    expect(await meta.issues.issueById(1)).toMatchObject({ noise: null, diagnosticCounts: { extension: 4 }, count: 5 })
    await commit(meta, { events: times(9, event(1, ['extension'])) })
    expect([await found(meta), await found(meta, true)]).toEqual([[], [1, 2]])
  })

  test('of those who only ran the page it takes five, in one batch or several', async () => {
    const meta = await fresh()
    await commit(meta, { events: times(5, event(1, ['bot'])) })
    await commit(meta, { events: times(4, event(2, ['localhost', 'skew'])) })
    expect([(await meta.issues.issueById(1))?.noise, (await meta.issues.issueById(2))?.noise]).toEqual(['bot', null])
    await commit(meta, { events: [event(2, ['localhost', 'unfiltered'])] })
    expect(await meta.issues.issueById(2)).toMatchObject({
      noise: 'localhost',
      diagnosticCounts: { localhost: 5, skew: 4, unfiltered: 1 },
    })
  })

  test('a person’s change leaves it', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, ['web-view'])] })
    await meta.issues.updateIssue(1, { status: 'resolved' }, 'ann', nowMs)
    expect(await meta.issues.issueById(1)).toMatchObject({ status: 'resolved', noise: 'web-view' })
  })

  test('a hash of a removed issue begins with nothing', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, ['extension']), event(1, ['extension'])] })
    const { id } = await meta.retention.requestRemoval({ kind: 'issue', projectId: 1, issueId: 1, userId: null })
    await meta.retention.removeRows(id, 2)
    await commit(meta, { events: [event(1, ['extension']), own(2)] })
    await meta.merges.mergeIssues(3, [2], null, nowMs)
    expect((await meta.merges.unmergeHashes(3, leaving([hash(1)], 1), null, nowMs)).created).toMatchObject({
      diagnosticCounts: { extension: 1 },
      noise: 'extension',
    })
  })
}

function moveCases(fresh: () => Promise<MetaStore>): void {
  test('merged with one of the team’s own it goes; taken out again it is back', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, ['extension']), ...times(2, event(2, ['ad-blocker'])), own(3)] })
    expect((await meta.merges.mergeIssues(1, [2], null, nowMs)).issue).toMatchObject({
      noise: 'ad-blocker',
      diagnosticCounts: { extension: 1, 'ad-blocker': 2 },
    })
    expect((await meta.merges.mergeIssues(1, [3], null, nowMs)).issue.noise).toBe(null)
    const first = await meta.merges.unmergeHashes(1, leaving([hash(3)], 1), null, nowMs)
    expect([first.issue.noise, first.created?.noise]).toEqual(['ad-blocker', null])
    const second = await meta.merges.unmergeHashes(1, leaving([hash(2)], 2), null, nowMs)
    expect([second.issue, second.created]).toMatchObject([
      { noise: 'extension', diagnosticCounts: { extension: 1 } },
      { noise: 'ad-blocker', diagnosticCounts: { 'ad-blocker': 2 } },
    ])
    expect((await meta.issues.issueById(2))?.noise).toBe('ad-blocker')
  })

  test('hashes whose events are gone are forgotten, and numbers that do not agree give no verdict', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, ['extension']), event(2, ['extension'])] })
    await meta.merges.mergeIssues(1, [2], null, nowMs)
    // Retention deleted its events, so their number is unknown and the issue still counts them.
    expect((await meta.merges.unmergeHashes(1, leaving([hash(2)], 0), null, nowMs)).issue).toMatchObject({
      count: 2,
      noise: null,
    })
    await commit(meta, { events: [event(2, ['extension'])] })
    expect(await meta.issues.issueById(3)).toMatchObject({ diagnosticCounts: { extension: 1 }, noise: 'extension' })
  })

  test('an event that is mapped again and turns out to be the team’s own takes it away, and brings it', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, ['third-party']), event(1, ['third-party'], { eventId: idOf(2) })] })
    const move = (signs: SignKey[] | undefined): ReprocessingMove => ({
      fromHash: hash(1),
      fromDiagnostics: ['third-party'],
      effect: event(1, signs),
    })
    await regroup(meta, [move(undefined)])
    expect(await meta.issues.issueById(1)).toMatchObject({
      count: 2,
      diagnosticCounts: { 'third-party': 1 },
      noise: null,
    })
    await regroup(meta, [{ fromHash: hash(1), effect: event(1, ['third-party']) }])
    expect(await meta.issues.issueById(1)).toMatchObject({
      count: 2,
      diagnosticCounts: { 'third-party': 2 },
      noise: 'third-party',
    })
  })

  test('events that were refined before signs were counted never bring a count below nothing', async () => {
    const meta = await fresh()
    await commit(meta, { events: [own(1), own(1)] })
    await regroup(meta, [{ fromHash: hash(1), fromDiagnostics: ['extension'], effect: event(2, ['extension']) }])
    // The first new hash takes over the issue with its link.
    expect(await meta.issues.issueById(1)).toMatchObject({ count: 2, noise: null })
  })
}

type Stored = { hash: number; signs: SignKey[] | undefined }

/** Commits, merges, unmerges and reprocesses at random, and compares every issue with its events. */
async function play(meta: MetaStore, seed: number): Promise<void> {
  let state = seed
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const signSets: (SignKey[] | undefined)[] = [undefined, ['extension'], ['bot', 'unfiltered'], ['third-party', 'skew']]
  const signs = () => signSets[random(3) === 0 ? 0 : 1 + random(3)]
  const events: Stored[] = []
  const hashes = Array.from({ length: 12 }, (_, n) => n + 1)
  const issueOf = () => meta.issues.issueIdsOf(hashes.map((n) => ({ projectId: 1, groupHash: hash(n) })))
  const ids = async () => [...new Set((await issueOf()).values())]
  const eventsOf = (wanted: readonly string[]) => events.filter((item) => wanted.includes(hash(item.hash)))
  const steps: (() => Promise<void>)[] = [
    async () => {
      const made = Array.from({ length: 1 + random(6) }, () => ({ hash: 1 + random(12), signs: signs() }))
      events.push(...made)
      await commit(meta, { events: made.map((item) => event(item.hash, item.signs)) })
    },
    async () => {
      const all = await ids()
      const [into, from] = [all[random(all.length)], all[random(all.length)]]
      if (into !== undefined && from !== undefined && into !== from)
        await meta.merges.mergeIssues(into, [from], null, nowMs)
    },
    async () => {
      const open = await ids()
      const id = open[random(open.length)] ?? 0
      const all = (await meta.merges.issueHashes(id)).map((issueHash) => issueHash.hash)
      const some = all.slice(0, random(all.length))
      if (some.length > 0) await meta.merges.unmergeHashes(id, leaving(some, eventsOf(some).length), null, nowMs)
    },
    async () => {
      const moves = Array.from({ length: 1 + random(4) }, () => events[random(events.length)])
      const made = [...new Set(moves)].flatMap((move): ReprocessingMove[] => {
        if (!move) return []
        const before = { fromHash: hash(move.hash), fromDiagnostics: move.signs }
        Object.assign(move, { hash: 1 + random(12), signs: signs() })
        return [{ ...before, effect: event(move.hash, move.signs) }]
      })
      await regroup(meta, made)
    },
  ]
  for (let at = 0; at < 120; at++) {
    await steps[random(steps.length)]?.()
    const expected = new Map((await ids()).map((id) => [id, { count: 0, signs: {} as SignCounts }]))
    const owners = await issueOf()
    for (const item of events) {
      const sum = expected.get(owners.get(`1:${hash(item.hash)}`) ?? 0)
      if (!sum) throw new Error('an event belongs to no issue')
      sum.count++
      for (const key of item.signs ?? []) sum.signs[key] = (sum.signs[key] ?? 0) + 1
    }
    for (const [id, sum] of expected)
      expect({ at, ...(await meta.issues.issueById(id)) }).toMatchObject({
        at,
        id,
        count: sum.count,
        diagnosticCounts: sum.signs,
        noise: verdictOf(sum.signs, sum.count) ?? null,
      })
  }
}
