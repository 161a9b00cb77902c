import { describe, expect, test } from 'vitest'
import { encodeEventRow } from './encode.ts'
import type { EventStore } from './event-store.ts'
import { monday, row } from './events.cases.ts'
import type { EventRow } from './events.ts'
import type { Rewrite } from './reprocess.ts'

const hourMs = 3_600_000
const [minified, mapped, other] = ['e000000000000001', 'e000000000000002', 'e000000000000003']
const week = '2026-11-16'
const tsv = (rows: EventRow[]) => Buffer.from(rows.map(encodeEventRow).join(''))

/** Six rows of one group over three hours and one of another. Positions start at projectId * 1000. */
async function fill(store: EventStore, projectId: number): Promise<EventRow[]> {
  const rows = Array.from({ length: 6 }, (_, n) =>
    row(projectId * 1000 + n, {
      projectId,
      jpos: projectId * 1000 + n,
      groupHash: minified,
      userHash: String(n % 2).padStart(16, '1'),
      timestampUs: (monday + Math.floor(n / 2) * hourMs) * 1000,
      release: n < 4 ? 'shop@1' : 'shop@2',
      payload: `{"debug_meta":{"images":[{"debug_id":"${n === 5 ? 'ABCD0000ABCD0000ABCD0000ABCD0000' : 'none'}"}]}}\n{}`,
    }),
  )
  const last = row(projectId * 1000 + 9, { projectId, jpos: projectId * 1000 + 9, groupHash: other })
  await store.insert('events', tsv([...rows, last]), `regroup-fill-${projectId}`)
  return rows
}

const rewriteOf = (rows: EventRow[], to = mapped): Rewrite => ({
  projectId: rows[0]?.projectId ?? 0,
  week,
  gen: 0,
  positions: rows.map((item) => item.jpos),
  from: [minified],
  to: [to],
  token: `regroup:${rows[0]?.jpos}:${to}`,
  hours: [...new Set(rows.map((item) => Math.floor(item.timestampUs / 1000 / hourMs) * 3600))],
})
const nextOf = (rows: EventRow[], groupHash = mapped) =>
  tsv(rows.map((item) => ({ ...item, groupHash, hashes: [groupHash], gen: 1, message: 'mapped' })))

async function numbersOf(store: EventStore, projectId: number, ...open: Parameters<EventStore['check']>) {
  const scope = {
    projectIds: [projectId],
    environments: [],
    fromMs: monday - 24 * hourMs,
    toMs: monday + 7 * 24 * hourMs,
  }
  const { groups, rollups, twice } = await store.check(...open)
  const counted = await store.groups({ scope, order: 'events', max: 9, users: true })
  return {
    rows: groups
      .filter((group) => group.projectId === projectId)
      .map((group) => [group.groupHash, group.rows])
      .sort(),
    rollup: counted.map((item) => [item.groupHash, item.events, item.users]).sort(),
    rollups,
    twice,
  }
}

const sound = {
  rollups: {
    issue_hour: 0,
    issue_day: 0,
    issue_week: 0,
    hour_issue: 0,
    log_rollup: 0,
    project_hour: 0,
    project_day: 0,
    project_week: 0,
    segments: 0,
    span_hour: 0,
    span_day: 0,
  },
  twice: 0,
}

/** Cases for the rewriting of rows, on the same store. */
export function reprocessingCases(open: () => EventStore): void {
  describe('writing rows again', () => {
    test('rows are found by release or by a debug id in any spelling, up to a position and a time', async () => {
      const store = open()
      const rows = await fill(store, 181)
      const base = { projectId: 181, hashes: [minified], fromJpos: 0, before: 1e9, sinceMs: 0, max: 100 }
      const marks = async (more: object) =>
        (await store.rowRefsOf({ ...base, releases: [], debugIds: [], ...more })).map((mark) => mark.jpos - 181_000)
      expect(await marks({})).toEqual([0, 1, 2, 3, 4, 5])
      expect(await marks({ releases: ['shop@1'] })).toEqual([0, 1, 2, 3])
      expect(await marks({ debugIds: ['abcd0000-abcd-0000-abcd-0000abcd0000'] })).toEqual([5])
      const both = { debugIds: ['abcd0000-abcd-0000-abcd-0000abcd0000'], releases: ['shop@1'] }
      expect(await marks({ ...both, fromJpos: 181_003 })).toEqual([3, 5])
      expect(await marks({ before: 181_002 })).toEqual([0, 1])
      expect(await marks({ max: 2 })).toEqual([0, 1])
      expect(await marks({ sinceMs: monday + 400 * 24 * hourMs })).toEqual([])
      expect(await marks({ hashes: [other] })).toEqual([9])
      expect((await store.rowRefsOf({ ...base, releases: [], debugIds: [] }))[0]).toEqual({
        jpos: 181_000,
        gen: 0,
        week,
      })
      const at = { projectId: 181, week, gen: 0, hashes: [minified], positions: [181_001, 181_004, 5] }
      expect(await store.rowsAt(at)).toEqual([rows[1], rows[4]])
      expect(await store.rowsAt({ ...at, gen: 1 })).toEqual([])
      expect(await store.rowsAt({ ...at, positions: [] })).toEqual([])
    })

    test('some rows move: each stands once, and both rollups count them where they are', async () => {
      const store = open()
      const rows = (await fill(store, 182)).slice(1)
      const rewrite = rewriteOf(rows)
      await store.insertRewritten(rewrite, [nextOf(rows.slice(0, 2)), nextOf(rows.slice(2))])
      // After a crash here the rewrite counts as not begun or, once it is counted, as done.
      expect(await numbersOf(store, 182, undefined, { counted: false, rewrite })).toMatchObject({
        rows: [
          [minified, 6],
          [other, 1],
        ],
        ...sound,
      })
      expect(await numbersOf(store, 182, undefined, { counted: true, rewrite })).toMatchObject({
        rows: [
          [minified, 1],
          [mapped, 5],
          [other, 1],
        ],
        ...sound,
      })
      expect((await store.presentPositions(rewrite)).sort()).toEqual(rewrite.positions)
      const done = {
        rows: [
          [minified, 1],
          [mapped, 5],
          [other, 1],
        ],
        rollup: [
          [minified, 1, 1],
          [mapped, 5, 2],
          [other, 1, 1],
        ],
        ...sound,
      }
      await store.replace(rewrite)
      expect(await numbersOf(store, 182)).toEqual(done)
      await store.replace(rewrite)
      expect(await numbersOf(store, 182)).toEqual(done)
      expect(await store.presentPositions(rewrite)).toEqual([])
      const found = await store.byEventId([182], rows[0]?.eventId ?? '')
      expect(found.map((item) => [item.groupHash, item.jpos])).toEqual([[mapped, rows[0]?.jpos]])
      expect(await store.edgesOf(182, [minified])).toMatchObject({ events: 1, firstMs: monday, lastRelease: 'shop@1' })
      expect(await store.edgesOf(182, [mapped])).toEqual({
        events: 5,
        firstMs: monday,
        lastMs: monday + 2 * hourMs,
        firstRelease: 'shop@1',
        lastRelease: 'shop@2',
      })
      expect(await store.edgesOf(182, ['e00000000000000f'])).toBeUndefined()
    })

    test('what was written is taken back as if it had never been, and can be written later', async () => {
      const store = open()
      const rows = await fill(store, 183)
      const before = await numbersOf(store, 183)
      const rewrite = rewriteOf(rows)
      await store.revert(rewrite)
      await store.insertRewritten(rewrite, [nextOf(rows)])
      await store.revert(rewrite)
      expect(await numbersOf(store, 183)).toEqual(before)
      const again = { ...rewrite, token: `${rewrite.token}:later` }
      await store.insertRewritten(again, [nextOf(rows)])
      await store.replace(again)
      expect(await numbersOf(store, 183)).toMatchObject({
        rows: [
          [mapped, 6],
          [other, 1],
        ],
        ...sound,
      })
    })

    test('a row may keep its group, and what was thinned of it goes on counting', async () => {
      const store = open()
      const rows = await fill(store, 184)
      const cut = { week, before: 184_002, projectId: 184, hashes: [minified], keep: [] }
      await store.countCutRows(18_400, cut)
      await store.deleteCut(cut)
      const left = rows.slice(2)
      const rewrite = rewriteOf(left, minified)
      await store.insertRewritten(rewrite, [nextOf(left, minified)])
      await store.replace(rewrite)
      const hashNumbers = await numbersOf(store, 184)
      expect(hashNumbers).toMatchObject({
        rows: [
          [minified, 4],
          [other, 1],
        ],
        ...sound,
      })
      expect(hashNumbers.rollup).toEqual([
        [minified, 6, 2],
        [other, 1, 1],
      ])
      const at = { projectId: 184, week, gen: 1, hashes: [minified], positions: rewrite.positions }
      expect((await store.rowsAt(at)).map((item) => item.message)).toEqual(Array(4).fill('mapped'))
    })
  })
}
