import { expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import type { Compared, RouteFilter } from '../performance-store.ts'

/** Cases for the search over routes and for the numbers of the tabs, with the spans of performance-spans.cases.ts. */
export function routeFilterCases(
  open: () => EventStore,
  { compared, web, api }: { compared: Compared; web: number; api: number },
): void {
  const { scope } = compared
  const isIn = (projectIds: number[]): RouteFilter => ({ op: 'new', projectIds })
  test.each<[string, RouteFilter, string[]]>([
    ['requests above', { op: 'compare', metric: 'requests', compare: '>', number: 10 }, ['pageload /orders/[id]']],
    ['samples of one', { op: 'compare', metric: 'samples', compare: '=', number: 61 }, ['pageload /orders/[id]']],
    ['p95 above', { op: 'compare', metric: 'p95', compare: '>', number: 3500 }, ['navigation /cart']],
    ['failures', { op: 'compare', metric: 'failureRate', compare: '>', number: 0.01 }, ['pageload /orders/[id]']],
    ['change', { op: 'compare', metric: 'change', compare: '>', number: 1 }, ['pageload /orders/[id]']],
    [
      'time lost a day below',
      { op: 'compare', metric: 'lost', compare: '<', number: 300 },
      ['pageload /orders/[id]', 'http.server /orders/[id]', 'pageload /cart', 'queue.process send_invoice'],
    ],
    ['jobs', { op: 'job' }, ['queue.process send_invoice']],
    [
      'new ones',
      { op: 'and', of: [isIn([web]), { op: 'match', column: 'op', match: 'is', text: 'pageload' }] },
      ['pageload /cart'],
    ],
    ['new ones of a project without data before', isIn([api]), []],
    [
      'either',
      {
        op: 'or',
        of: [
          { op: 'match', column: 'route', match: 'like', text: 'send*' },
          { op: 'compare', metric: 'p75', compare: '>=', number: 3500 },
        ],
      },
      ['navigation /cart', 'queue.process send_invoice'],
    ],
    // 610 page loads in a day are 0.42 a minute.
    ['throughput', { op: 'compare', metric: 'throughput', compare: '>', number: 0.4 }, ['pageload /orders/[id]']],
    [
      'none of these',
      {
        op: 'not',
        of: {
          op: 'or',
          of: [
            { op: 'projects', ids: [api] },
            { op: 'match', column: 'route', match: 'like', text: '*/*' },
          ],
        },
      },
      ['queue.process send_invoice'],
    ],
  ])('finds routes by %s', async (_name, filter, expected) => {
    const found = await open().routeStats({ ...compared, order: 'lost', filter, max: 10, offset: 0 })
    expect(found.routes.map(({ op, route }) => `${op} ${route}`)).toEqual(expected)
    expect(found.all).toBe(expected.length)
    expect(found.samples).toBe(found.routes.reduce((sum, { samples }) => sum + samples, 0))
  })

  test('counts what the tabs show, in rows as in sums of hours', async () => {
    const counts = { routes: 5, jobs: 1, queries: 1, requests: 1, assets: 0, samples: 66, count: 627 }
    expect(await open().performanceCounts(scope)).toEqual(counts)
    const short = { ...scope, toMs: scope.fromMs + 6 * 3_600_000 }
    expect(await open().performanceCounts(short)).toEqual(counts)
  })
}
