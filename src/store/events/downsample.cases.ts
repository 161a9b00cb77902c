import { describe, expect, test } from 'vitest'
import type { Cut } from './downsample.ts'
import { encodeEventRow } from './encode.ts'
import type { EventStore } from './event-store.ts'
import { monday, row } from './events.cases.ts'
import type { EventRow } from './events.ts'

const hour = 3_600_000
const day = 24 * hour
const week = 7 * day
const tsv = (rows: EventRow[]) => Buffer.from(rows.map(encodeEventRow).join(''))
const [hash, other] = ['f000000000000001', 'f000000000000002']
const idOf = (n: number) => n.toString(16).padStart(32, '0')
const numberOf = (id: string) => Number.parseInt(id, 16)
/** Date of a week's Monday, which names the week. */
const nameOf = (ms: number) => new Date(ms - 10 * hour).toISOString().slice(0, 10)

/** 300 rows of one group over two weeks, an hour apart, and 3 of another in the first. Positions are their numbers. */
async function fill(store: EventStore, projectId: number): Promise<{ base: number }> {
  const base = projectId * 10_000
  const at = (n: number, changes: Partial<EventRow> = {}) =>
    row(base + n, {
      projectId,
      timestampUs: (monday - week + n * hour) * 1000,
      jpos: base + n,
      userHash: String(n % 7).padStart(16, '0'),
      ...changes,
    })
  const rows = Array.from({ length: 300 }, (_, n) => at(n))
  const others = [301, 302, 303].map((n) => at(n, { groupHash: other, timestampUs: (monday - week) * 1000 }))
  await store.insert('events', tsv([...rows, ...others]), `thin-${projectId}`)
  return { base }
}

async function numbersOf(store: EventStore, projectId: number) {
  const scope = { projectIds: [projectId], environments: [], fromMs: monday - 10 * week, toMs: monday + 2 * week }
  const groups = await store.groups({ scope, order: 'events', max: 9, users: true })
  const series = await store.series(scope, 24 * hour, [{ projectId, groupHash: hash }])
  return {
    groups,
    series,
    together: await store.togetherOf(scope, [[{ projectId, groupHash: hash }]]),
    rows: (await store.ofIssue({ projectId, hashes: [hash], order: 'oldest', max: 1000 })).map((item) => item.eventId),
  }
}

const checkOf = async (store: EventStore, projectId: number, open?: Parameters<EventStore['check']>[0]) => {
  const { groups, rollups } = await store.check(open)
  const own = groups.filter((group) => group.projectId === projectId)
  return { own: own.map(({ groupHash, rows, thinned }) => [groupHash, rows, thinned]).sort(), rollups }
}

/** Cases for the downsampling of events, on the same store. */
export function downsampleCases(open: () => EventStore): void {
  describe('thinning', () => {
    test('weeks, groups that have more than is kept, the heaviest first, and their crowds', async () => {
      const store = open()
      const { base } = await fill(store, 171)
      const [first, newest] = [nameOf(monday - week), nameOf(monday)]
      expect(await store.weeks()).toEqual(expect.arrayContaining([first, newest]))
      const ask = { before: base + 10_000, newest, max: 1000 }
      const all = await store.largeGroups(ask)
      // 300 rows since the week before. The group of three is too small.
      expect(all.filter((item) => item.projectId === 171)).toEqual([
        { projectId: 171, groupHash: hash, rows: 300, weight: 278 * 2 },
      ])
      const weights = all.map((item) => item.weight)
      expect(weights).toEqual([...weights].sort((a, b) => b - a))
      const pages: typeof all = []
      for (let after = all[0]; after; after = pages.at(-1) === after ? undefined : pages.at(-1))
        pages.push(...(await store.largeGroups({ ...ask, max: 1, after })))
      expect([all[0], ...pages]).toEqual(all)
      const own = async (before: number) =>
        (await store.largeGroups({ ...ask, before: base + before })).filter(
          (largeGroup) => largeGroup.projectId === 171,
        ).length
      expect([await own(22), await own(23)]).toEqual([0, 1])
      expect(await store.rowsByWeekOf(171, [hash, other], base + 10_000)).toEqual([
        { week: first, projectId: 171, groupHash: hash, rows: 158 },
        { week: first, projectId: 171, groupHash: other, rows: 3 },
        { week: newest, projectId: 171, groupHash: hash, rows: 142 },
      ])
      expect(await store.rowsByWeekOf(171, [hash], base + 5)).toMatchObject([{ rows: 5 }])
      await expect(store.largeGroups({ ...ask, newest: "x' --" })).rejects.toThrow('not a week')
      expect(await store.replacedBytes()).toBeGreaterThanOrEqual(0)
    })

    test('an issue keeps its first, its latest and 20 spread between', async () => {
      const store = open()
      const { base } = await fill(store, 172)
      const { rows, keep } = await store.retainedEventsOf(172, [hash], base + 10_000)
      const hashNumbers = keep.map((id) => numberOf(id) - base).sort((a, b) => a - b)
      expect([rows, keep.length, hashNumbers[0], hashNumbers.at(-1)]).toEqual([300, 22, 0, 299])
      const gaps = hashNumbers.slice(1).map((item, at) => item - (hashNumbers[at] ?? 0))
      expect(Math.max(...gaps)).toBeLessThan(31)
      // Rows after the position are ignored.
      const before = await store.retainedEventsOf(172, [hash], base + 100)
      expect([before.rows, before.keep.length, before.keep.includes(idOf(base + 99))]).toEqual([100, 22, true])
      expect(await store.retainedEventsOf(172, ['00000000000000ff'], 1e9)).toEqual({ rows: 0, keep: [] })
      expect(await store.retainedEventsOf(172, [], 1e9)).toEqual({ rows: 0, keep: [] })
    })

    test('a cut takes rows and nothing of what is counted; each state of it can be checked', async () => {
      const store = open()
      const { base } = await fill(store, 173)
      const { keep } = await store.retainedEventsOf(173, [hash], base + 10_000)
      const cut: Cut = { week: nameOf(monday - week), before: base + 150, projectId: 173, hashes: [hash, other], keep }
      const before = await numbersOf(store, 173)
      const kept = keep.filter((id) => numberOf(id) - base < 150).length
      const gone = 150 - kept
      expect(await store.rowsOfCut(cut)).toEqual([{ groupHash: hash, rows: gone }])
      expect(await store.eventsInCut(cut, [idOf(base + 3), idOf(base + 149), idOf(base + 150), keep[0] ?? ''])).toEqual(
        [idOf(base + 3), idOf(base + 149)].filter((id) => !keep.includes(id)),
      )
      const half = await store.quantileOfCut(cut, 0.5)
      expect(Math.abs(half - base - 75)).toBeLessThan(15)
      expect(await store.quantileOfCut(cut, 2)).toBe(base + 150)
      await store.countCutRows(17301, cut)
      await store.countCutRows(17301, cut)
      const whole = [
        [hash, 300, 0],
        [other, 3, 0],
      ]
      const cutNow = [
        [hash, 300 - gone, gone],
        [other, 3, 0],
      ]
      expect((await checkOf(store, 173, { step: 17301, counted: false, cut })).own).toEqual(whole)
      expect((await checkOf(store, 173, { step: 17301, counted: true, cut })).own).toEqual(cutNow)
      await store.deleteCut(cut)
      await store.deleteCut(cut)
      await store.rewriteWeeks([cut.week])
      expect(await store.rowsOfCut(cut)).toEqual([])
      const checked = await checkOf(store, 173)
      expect(checked.own).toEqual(cutNow)
      expect(checked.rollups).toEqual({
        issue_hour: 0,
        issue_day: 0,
        issue_week: 0,
        hour_issue: 0,
        project_hour: 0,
        project_day: 0,
        project_week: 0,
        log_rollup: 0,
        segments: 0,
        span_hour: 0,
        span_day: 0,
      })
      const after = await numbersOf(store, 173)
      expect(after.rows).toHaveLength(300 - gone)
      expect({ ...after, rows: 0 }).toEqual({ ...before, rows: 0 })
      expect((await store.rowsByProject()).find((item) => item.projectId === 173)).toEqual({
        projectId: 173,
        rows: 303 - gone,
        thinned: gone,
      })
    })

    test('hours that are counted anew keep what was thinned of them; a removed issue takes it along', async () => {
      const store = open()
      const { base } = await fill(store, 174)
      const { keep } = await store.retainedEventsOf(174, [hash], base + 10_000)
      const cut: Cut = { week: nameOf(monday - week), before: base + 150, projectId: 174, hashes: [hash], keep }
      await store.countCutRows(17401, cut)
      await store.deleteCut(cut)
      const before = await numbersOf(store, 174)
      // As after an insert with an unknown result: the hours of its rows are recounted.
      await store.settle('events', 'no-such-insert', base, base + 400)
      expect(await numbersOf(store, 174)).toEqual(before)
      expect((await checkOf(store, 174)).rollups).toEqual({
        issue_hour: 0,
        issue_day: 0,
        issue_week: 0,
        hour_issue: 0,
        project_hour: 0,
        project_day: 0,
        project_week: 0,
        log_rollup: 0,
        segments: 0,
        span_hour: 0,
        span_day: 0,
      })
      await store.remove(174, [hash])
      expect((await checkOf(store, 174)).own).toEqual([[other, 3, 0]])
      expect(await store.rowsOf(174, [hash])).toBe(0)
      await store.removeBefore('events', [174], -3 * week)
      expect(await store.rowsOf(174)).toBeGreaterThan(0)
      await store.removeBefore('events', [174], Date.parse(`${nameOf(monday)}T00:00:00Z`))
      expect(await store.rowsOf(174)).toBe(0)
    })
  })
}
