import { describe, expect, test } from 'vitest'
import { encodeSpanRow } from './encode-span.ts'
import type { EventStore } from './event-store.ts'
import { monday, row, tsv } from './events.cases.ts'
import type { EventRow } from './events.ts'
import { type SpanChanges, spanRow } from './span-rows.cases.ts'

const hour = 3_600_000
const [web, api] = [810, 811]
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
