import { expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import { row, tsv } from '../events.cases.ts'
import type { Scope } from '../events.ts'
import type { RouteKey } from '../performance-store.ts'
import { encodeSpanRow } from '../traces/encode-span.ts'
import { spanRow } from '../traces/span-rows.cases.ts'

const hour = 3_600_000
const trace = (n: number) => n.toString(16).padStart(32, 'd')

/** Cases for navigation health, with the spans of performance-spans.cases.ts. `streamed`: a project without any. */
export function navigationCases(
  open: () => EventStore,
  { scope, load, web, streamed }: { scope: Scope; load: RouteKey; web: number; streamed: number },
): void {
  const monday = scope.fromMs
  test('navigation health', async () => {
    const found = await open().navigationStats({ scope, release: '', slowUs: 3_800_000, max: 10 })
    const counts = found.map(({ route, pageLoads, navigations, slow, failed }) => [
      route,
      ...[pageLoads, navigations, slow, failed].map(({ samples, count }) => [samples, count]),
    ])
    expect(counts).toEqual([
      // The cut one took longer than its 30 seconds.
      [load.route, [61, 610], [0, 0], [1, 10], [1, 10]],
      ['/cart', [1, 2], [1, 2], [1, 2], [0, 0]],
    ])
    expect(found[1]).toMatchObject({
      backForward: { samples: 1, count: 2 },
      restored: { samples: 1, count: 2 },
      hardNavigations: { samples: 1, count: 2 },
      prefetches: { samples: 2, count: 4 },
      unusedPrefetches: { samples: 1, count: 2 },
    })
    // Three quarters of two loads: the restored page, which takes no time, is none of them.
    expect(found[1]?.p75Ms).toBeGreaterThan(1000)
    const ofRelease = await open().navigationStats({ scope, release: 'web@2', slowUs: 3_800_000, max: 10 })
    expect(ofRelease.map(({ route, pageLoads }) => [route, pageLoads.count])).toEqual([[load.route, 200]])
    // One route by release: the newest first load is first, whichever has more.
    const beside = await open().navigationStats({
      scope,
      release: '',
      ofRoute: load.route,
      slowUs: 3_800_000,
      max: 10,
    })
    expect(beside.map(({ release, pageLoads, p75Ms }) => [release, pageLoads.samples, Math.round(p75Ms ?? 0)])).toEqual(
      [
        ['api@1', 1, 0],
        ['web@1', 40, 300],
        ['web@2', 20, 3000],
      ],
    )
    expect(beside[1]?.firstMs).toBe(monday + hour + 1000)
    expect((await open().navigationReleases(scope, 2)).map(({ release }) => release)).toEqual(['web@1', 'web@2'])
  })

  test('a navigation is as slow as its request on the server, and fails with it', async () => {
    const startUs = (monday + hour) * 1000
    const segment = { projectId: streamed, jpos: 920_000_002, isSegment: true, category: 'browser' as const, startUs }
    const rows = ['/archive', '/export', '/fine'].flatMap((route, n) =>
      ['navigation', 'http.server'].map((op, part) =>
        spanRow(9100 + 2 * n + part, {
          ...segment,
          traceId: trace(9100 + n),
          op,
          route,
          // Of a page that streams, the browser's part ends early and is never "error".
          weight: 1,
          durationUs: part === 1 && n === 0 ? 4_200_000 : 25_000,
          failed: part === 1 && n === 1,
        }),
      ),
    )
    // A cached page: its loads of the next minutes and hours have the trace of the slow request that made it.
    const cached = { ...segment, traceId: trace(9100), op: 'navigation', route: '/archive', weight: 1 }
    for (const minutes of [1, 2, 60])
      rows.push(spanRow(9300 + minutes, { ...cached, startUs: startUs + minutes * 60_000_000, durationUs: 25_000 }))
    // A slow request of the same route in the trace of nobody.
    const nobody = { ...segment, traceId: trace(9200), op: 'http.server', route: '/fine' }
    rows.push(spanRow(9200, { ...nobody, durationUs: 9_000_000 }))
    await open().insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), 'streamed')
    const own = { ...scope, projectIds: [streamed] }
    const found = await open().navigationStats({ scope: own, release: '', slowUs: 3_800_000, max: 10 })
    expect(
      found.map(({ route, navigations, slow, failed }) => [route, navigations.count, slow.count, failed.count]),
    ).toEqual([
      ['/archive', 4, 2, 0],
      ['/export', 1, 0, 1],
      ['/fine', 1, 0, 0],
    ])
  })

  test('hydration failures and skew by route', async () => {
    const at = { projectId: web, transaction: '/cart', timestampUs: (monday + hour) * 1000 }
    await open().insert(
      'events',
      tsv([
        row(83_001, { ...at, message: 'Error\nHydration failed because of x' }),
        row(83_002, { ...at, tags: { 'sign.skew': 'chunk' } }),
        row(83_003, at),
      ]),
      'performance-events',
    )
    const found = await open().routeFailures({ scope, release: '', hydrationTexts: ['Hydration failed'], max: 10 })
    const errors = { projectId: web, route: '/cart', hydration: 1, skew: 1 }
    expect(found).toEqual([{ ...errors, release: '' }])
    const request = { scope, release: '', hydrationTexts: ['Hydration failed because'], max: 10 }
    expect(await open().routeFailures({ ...request, ofRoute: '/cart' })).toEqual([{ ...errors, release: 'web@1.0.0' }])
    expect(await open().routeFailures({ ...request, ofRoute: '/orders/[id]' })).toEqual([])
  })
}
