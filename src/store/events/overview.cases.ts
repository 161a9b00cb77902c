import { describe, expect, test } from 'vitest'
import type { EventStore } from './event-store.ts'
import { monday, row, tsv } from './events.cases.ts'
import type { EventRow } from './events.ts'
import { encodeSpanRow } from './traces/encode-span.ts'
import { type SpanChanges, spanRow } from './traces/span-rows.cases.ts'

const hour = 3_600_000
const [web, api, shop] = [810, 811, 812]
const userOf = (n: number) => n.toString(16).padStart(16, '0')

/** Cases for the queries of the overview. */
export function overviewCases(open: () => EventStore): void {
  describe('the overview', () => {
    const environments: string[] = []
    const long = { projectIds: [web, api], environments, fromMs: monday, toMs: monday + 24 * hour }

    test('counts events by project and users by bucket, with both periods', async () => {
      const store = open()
      const rows: EventRow[] = []
      const add = (projectId: number, atHours: number, user: number, change: Partial<EventRow> = {}) =>
        rows.push(
          row(81_000 + rows.length, {
            projectId,
            userHash: user === 0 ? '' : userOf(user),
            timestampUs: (monday + atHours * hour + 1000) * 1000,
            ...change,
          }),
        )
      add(web, 0, 1)
      add(web, 1, 2)
      add(web, 7, 1)
      add(api, 7, 1)
      add(api, 8, 0) // nobody is known
      add(web, -3, 3) // the period before
      add(web, -2, 4)
      add(web, 2, 9, { environment: 'staging' })
      await store.insert('events', tsv(rows), 'overview')
      const series = await store.projectSeries({ ...long, environments: ['production'] }, 6 * hour)
      // Buckets begin at multiples of their length: 06:00, 12:00 and 18:00. The test's day begins at 10:00.
      expect(series).toEqual([
        { projectId: web, startMs: monday - 4 * hour, events: 2 },
        { projectId: web, startMs: monday + 2 * hour, events: 1 },
        { projectId: api, startMs: monday + 2 * hour, events: 1 },
        { projectId: api, startMs: monday + 8 * hour, events: 1 },
      ])
      const both = { ...long, environments: ['production'], fromMs: monday - 24 * hour }
      expect(await store.userSeries(both, 6 * hour, monday)).toEqual({
        buckets: [
          { startMs: monday - 4 * hour, users: 2 },
          { startMs: monday + 2 * hour, users: 1 },
        ],
        now: 2,
        before: 2,
      })
      expect((await store.projectSeries(long, 24 * hour)).reduce((sum, { events }) => sum + events, 0)).toBe(6)
    })

    test('counts over days and weeks as over hours, and forgets removed groups with their users', async () => {
      const store = open()
      const days = 20
      // The test's Monday begins at 10:00 UTC.
      const midnight = monday - 10 * hour
      const [kept, removed] = ['c000000000000001', 'c000000000000002']
      const rows = Array.from({ length: days * 2 }, (_, n) => {
        const day = n >> 1
        return row(82_000 + n, {
          projectId: shop,
          groupHash: n % 2 === 0 ? kept : removed,
          // The kept group has 5 users. The removed one has one more each day, and one that both have.
          userHash: userOf(n % 2 === 0 ? 1 + (day % 5) : day === 3 ? 1 : 100 + day),
          timestampUs: (midnight + day * 24 * hour + 5000) * 1000,
        })
      })
      await store.insert('events', tsv(rows), 'overview-removal')
      const scope = { projectIds: [shop], environments, fromMs: midnight, toMs: midnight + days * 24 * hour }
      const split = midnight + 10 * 24 * hour
      const numbers = async (bucketMs: number) => {
        const { buckets, now, before } = await store.userSeries(scope, bucketMs, split)
        const events = await store.projectSeries(scope, bucketMs)
        return {
          now,
          before,
          users: buckets.map(({ users }) => users),
          events: events.map((point) => point.events),
        }
      }
      const each = (count: number, value: number) => Array.from({ length: count }, () => value)
      for (const bucketMs of [12 * hour, 24 * hour])
        expect(await numbers(bucketMs)).toEqual({ now: 15, before: 14, users: each(10, 2), events: each(days, 2) })
      await store.remove(shop, [removed])
      for (const bucketMs of [12 * hour, 24 * hour])
        expect(await numbers(bucketMs)).toEqual({ now: 5, before: 5, users: each(10, 1), events: each(days, 1) })
      expect((await store.rowsByProject()).find(({ projectId }) => projectId === shop)).toEqual({
        projectId: shop,
        rows: days,
        thinned: 0,
      })
      // As after a crash: the rows of the groups are gone, and the project's rows are rebuilt by the next call.
      await store.remove(shop, [removed])
      expect((await store.check()).rollups).toMatchObject({ project_hour: 0, project_day: 0, project_week: 0 })
      await store.remove(shop)
      expect(await numbers(24 * hour)).toEqual({ now: 0, before: 0, users: [], events: [] })
    })

    test('counts a short range from the rows', async () => {
      const short = { ...long, fromMs: monday + 7 * hour, toMs: monday + 7 * hour + 30_000 }
      expect(await open().projectSeries(short, 60_000)).toEqual([
        { projectId: web, startMs: monday + 7 * hour, events: 1 },
        { projectId: api, startMs: monday + 7 * hour, events: 1 },
      ])
    })

    test('sums segments by project and names slow routes', async () => {
      const store = open()
      const rows = [
        ...Array.from({ length: 4 }, (_, n): SpanChanges => ({ transaction: '/slow', durationUs: 800_000 + n })),
        ...Array.from({ length: 4 }, (): SpanChanges => ({ transaction: '/fast', durationUs: 10_000 })),
        { transaction: '/fast', durationUs: 10_000, status: 'internal_error' },
        { transaction: '/rare', durationUs: 9_000_000 },
        { transaction: '/slow', durationUs: 400_000, startUs: (monday - hour) * 1000 },
        { transaction: '/slow', durationUs: 1, isSegment: false },
      ].map((changes: SpanChanges, n) =>
        spanRow(n + 1, { projectId: web, isSegment: true, jpos: 910_000_000, startUs: monday * 1000 + n, ...changes }),
      )
      await store.insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), 'overview-spans')
      const scope = { ...long, fromMs: monday - 24 * hour }
      const found = await store.segmentStats({ scope, splitMs: monday, countMin: 4, routesMax: 5, seconds: 20 })
      const brief = found.map(({ projectId, transaction, now, before }) => [
        projectId,
        transaction,
        now.count,
        now.failed,
        before.count,
        before.p75Ms,
      ])
      expect(brief).toEqual(
        expect.arrayContaining([
          [0, '', 10, 1, 1, 400],
          [web, '', 10, 1, 1, 400],
          [web, '/slow', 4, 0, 1, 400],
          [web, '/fast', 5, 1, 0, null],
        ]),
      )
      expect(brief).toHaveLength(4)
      expect(brief.slice(-2).map(([, route]) => route)).toEqual(['/slow', '/fast'])
      expect(found.find(({ transaction }) => transaction === '/fast')?.now.p75Ms).toBeCloseTo(10, 3)
    })

    test('answers nothing for no projects', async () => {
      const nothing = { ...long, projectIds: [] }
      expect(await open().projectSeries(nothing, hour)).toEqual([])
      expect(await open().userSeries(nothing, hour, monday)).toEqual({ buckets: [], now: 0, before: 0 })
      expect(
        await open().segmentStats({ scope: nothing, splitMs: monday, countMin: 1, routesMax: 1, seconds: 1 }),
      ).toEqual([])
    })
  })
}
