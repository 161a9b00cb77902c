import { describe, expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import type { RouteFilter, RouteOrder } from '../performance-store.ts'
import { encodeSpanRow } from '../traces/encode-span.ts'
import { spanRow } from '../traces/span-rows.cases.ts'
import { navigationCases } from './navigation.cases.ts'
import { hour, id, load, monday, performanceSpans, trace, web } from './performance-spans.cases.ts'
import { routeFilterCases } from './route-filter.cases.ts'

const day = 24 * hour
const [api, other, streamed] = [821, 822, 823]
const scope = { projectIds: [web, api], environments: [], fromMs: monday, toMs: monday + day }
const beforeMs = { fromMs: monday - day, toMs: monday }
const compared = { scope, beforeMs, withCut: false }

/** Cases for the queries of the performance pages. */
export function performanceCases(open: () => EventStore): void {
  describe('performance', () => {
    test('inserts its rows', async () => {
      const rows = performanceSpans()
      rows.push(
        spanRow(9000, {
          projectId: other,
          isSegment: true,
          category: 'browser',
          jpos: 920_000_001,
          startUs: (monday + hour) * 1000,
        }),
      )
      await open().insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), 'performance')
      expect(await open().projectsBefore({ ...compared, scope: { ...scope, projectIds: [web, api, other] } })).toEqual([
        web,
      ])
    })

    test('routes have weighted counts, percentiles and their change', async () => {
      const { routes, all } = await open().routeStats({
        ...compared,
        order: 'lost',
        filter: undefined,
        max: 10,
        offset: 0,
      })
      expect(all).toBe(5)
      expect(routes.map(({ op, route }) => `${op} ${route}`)).toEqual([
        // Only four seconds are above the target of 3.8. The rest is ordered by its number.
        'navigation /cart',
        'pageload /orders/[id]',
        'http.server /orders/[id]',
        'pageload /cart',
        'queue.process send_invoice',
      ])
      expect(routes[0]?.lostMs).toBeCloseTo(2 * 200, 5)
      const first = routes[1]
      expect(first).toMatchObject({ projectId: web, firstRelease: 'web@1' })
      // 60 and the cut one, each for ten.
      expect([first?.samples, first?.count, first?.failed]).toEqual([61, 610, 10])
      expect(first?.p50Ms).toBeCloseTo(300, -1)
      expect(first?.p75Ms).toBeCloseTo(3000, -1)
      expect(first?.totalMs).toBeCloseTo(20 * 10 * 3000 + 40 * 10 * 300, -2)
      // 40 of 60 are satisfied, 20 tolerate three seconds, of which one failed.
      expect(first?.apdex).toBeCloseTo((40 + 19 / 2) / 60, 3)
      // Only the routes that are asked for, and only those that have segments there.
      const before = await open().routesBefore({ ...compared, keys: routes.slice(0, 2) })
      expect(before).toEqual([
        {
          ...load,
          lostMs: 0,
          samples: 60,
          count: 60,
          failed: 0,
          totalMs: 9000,
          p50Ms: 150,
          p75Ms: 150,
          p95Ms: 150,
          apdex: 1,
          firstRelease: 'web@0',
        },
      ])
      const short = { ...compared, scope: { ...scope, toMs: scope.fromMs + 6 * hour } }
      expect(await open().routesBefore({ ...short, keys: [load] })).toEqual(before)
      // One route by itself, in both ranges.
      expect(await open().routeCompared({ ...compared, key: load })).toEqual({ now: first, before: before[0] })
      const nothingBefore = { ...compared, beforeMs: { fromMs: scope.fromMs, toMs: scope.fromMs } }
      const onlyNow = { now: first, before: undefined }
      expect(await open().routeCompared({ ...nothingBefore, key: load })).toEqual(onlyNow)
      const { now } = await open().routeCompared({ ...short, key: load })
      expect(now).toEqual(
        (await open().routeStats({ ...short, order: 'volume', filter: undefined, max: 1, offset: 0 })).routes[0],
      )
    })

    test.each([
      ['slow', 'navigation /cart'],
      ['worse', 'pageload /orders/[id]'],
      ['failing', 'pageload /orders/[id]'],
      ['volume', 'pageload /orders/[id]'],
    ] as const)('the order %s begins with %s', async (order, expected) => {
      const { routes } = await open().routeStats({ ...compared, order, filter: undefined, max: 1, offset: 0 })
      expect(routes.map(({ op, route }) => `${op} ${route}`)).toEqual([expected])
    })

    test.each<[what: string, RouteOrder, RouteFilter | undefined]>([
      ['the order by change', 'worse', undefined],
      ['a condition on the change', 'lost', { op: 'compare', metric: 'change', compare: '>', number: -2 }],
      ['a condition on new routes', 'lost', { op: 'not', of: { op: 'new', projectIds: [] } }],
    ])('%s has the range before of its routes, as a question for them has it', async (_what, order, filter) => {
      const found = await open().routeStats({ ...compared, order, filter, max: 10, offset: 0 })
      const asked = await open().routesBefore({ ...compared, keys: found.routes })
      expect(found.before?.length).toBeGreaterThan(0)
      expect(found.before).toEqual(asked.map(({ totalMs: _total, lostMs: _lost, firstRelease: _first, ...own }) => own))
      const other = await open().routeStats({ ...compared, order: 'lost', filter: undefined, max: 10, offset: 0 })
      expect(other.before).toBeUndefined()
    })

    test('finds routes by a part in any case, and asks for cut ones', async () => {
      const found = await open().routeStats({
        ...compared,
        withCut: true,
        order: 'lost',
        filter: { op: 'match', column: 'route', match: 'like', text: '*ORDERS*' },
        max: 10,
        offset: 0,
      })
      expect(found.all).toBe(2)
      expect(found.routes[0]?.totalMs).toBeCloseTo(20 * 10 * 3000 + 40 * 10 * 300 + 10 * 30_000, -2)
      expect(found.routes[0]?.lostMs).toBeCloseTo(10 * (30_000 - 3800), -2)
      const staging = { ...compared, scope: { ...scope, environments: ['staging'] } }
      expect(await open().routeStats({ ...staging, order: 'lost', filter: undefined, max: 10, offset: 0 })).toEqual({
        routes: [],
        all: 0,
        samples: 0,
        count: 0,
      })
    })

    routeFilterCases(open, { compared, web, api })

    test('percentiles by bucket', async () => {
      const series = await open().routeSeries({ scope, keys: [load], bucketMs: hour, withCut: false })
      expect(series.map(({ startMs, samples, count }) => [startMs, samples, count])).toEqual([
        [monday + hour, 60, 600],
        [monday + 2 * hour, 1, 10],
      ])
      expect(series[0]?.p95Ms).toBeCloseTo(3000, -1)
      // Only a cut one: no percentile.
      expect(series[1]?.p75Ms).toBeNull()
    })

    test('vitals of a route with score, ratings and cause', async () => {
      const { now: found } = await open().vitalStats({ scope, beforeMs, route: load, loads: 'pageload' })
      expect(found.filter(({ projectId }) => projectId === 0)).toHaveLength(3)
      const vitals = found.filter(({ projectId }) => projectId === web)
      expect(vitals.map(({ vital, samples, count }) => [vital, samples, count])).toEqual([
        ['fcp', 60, 600],
        ['lcp', 60, 600],
        ['ttfb', 60, 600],
      ])
      const lcp = vitals.find(({ vital }) => vital === 'lcp')
      expect(lcp?.good).toBeCloseTo(2 / 3, 5)
      expect(lcp?.poor).toBeCloseTo(1 / 3, 5)
      expect(lcp?.p75).toBeCloseTo(5000, -1)
      // 800 ms: z = (ln 800 - ln 2400) / sigma, with sigma = ln 2 / 1.2816.
      expect(lcp?.score).toBeCloseTo((2 * 0.9788 + 0.0874) / 3, 2)
      // The same scores without the rest, in sums of hours as in rows.
      const scores = await open().vitalScores(scope)
      expect(scores).toEqual(vitals.map(({ projectId, route, vital, score }) => ({ projectId, route, vital, score })))
      const rows = await open().vitalScores({ ...scope, toMs: scope.fromMs + 6 * hour })
      expect(rows.map(({ vital }) => vital)).toEqual(['fcp', 'lcp', 'ttfb'])
      for (const [at, { score }] of rows.entries()) expect(score).toBeCloseTo(scores[at]?.score ?? 0, 2)
      const [cause] = await open().vitalCauses({ scope, route: load, loads: 'pageload' })
      expect(cause).toMatchObject({ vital: 'lcp', element: 'img.hero', samples: 20, count: 200 })
    })

    test.each([
      ['sums of hours', day, { now: 0, before: 60 }],
      // The hour of the loads is in both ranges.
      ['sums of hours that both ranges touch', 1.5 * hour, { now: 60, before: 60 }],
      ['rows', 1.5 * hour, { now: 0, before: 60 }],
    ])('vitals of the range before, from %s', async (of, shiftMs, expected) => {
      const lengthMs = of === 'rows' ? 6 * hour : day
      const fromMs = monday + shiftMs
      const { now, before } = await open().vitalStats({
        scope: { ...scope, fromMs, toMs: fromMs + lengthMs },
        beforeMs: { fromMs: fromMs - lengthMs, toMs: fromMs },
        route: load,
        loads: 'pageload',
      })
      const samplesOf = (found: typeof now) => found.map(({ projectId, samples }) => [projectId, samples])
      const each = (samples: number) => [0, web].flatMap((id) => Array(samples > 0 ? 3 : 0).fill([id, samples]))
      expect({ now: samplesOf(now), before: samplesOf(before) }).toEqual({
        now: each(expected.now),
        before: each(expected.before),
      })
      const { now: itself } = await open().vitalStats({ scope, beforeMs, route: load, loads: 'pageload' })
      if (of !== 'rows') expect(before).toEqual(itself)
    })

    test('vitals of navigations without a page load count apart', async () => {
      const { now: found } = await open().vitalStats({ scope, beforeMs, loads: 'navigation' })
      expect(
        found.map(({ projectId, route, vital, samples, count, p75 }) => [projectId, route, vital, samples, count, p75]),
      ).toEqual([
        [0, '', 'lcp', 1, 2, 900],
        [web, '/cart', 'lcp', 1, 2, 900],
      ])
      expect(await open().vitalCauses({ scope, loads: 'navigation' })).toMatchObject([
        { route: '/cart', element: 'h2.total' },
      ])
      const { now: loads } = await open().vitalStats({ scope, beforeMs, loads: 'pageload' })
      expect(loads.some(({ route }) => route === '/cart')).toBe(false)
    })

    test('one route: durations, traces, names and breakdowns', async () => {
      const request = { key: load, scope, withCut: false }
      const durations = await open().routeDurations(request)
      expect(durations.reduce((sum, { samples }) => sum + samples, 0)).toBe(60)
      for (const { fromUs, toUs } of durations) expect(toUs / fromUs).toBeCloseTo(10 ** 0.05, 2)
      const slowest = await open().routeTraces({ ...request, order: 'slowest', max: 3 })
      expect(slowest.map(({ durationMs }) => durationMs)).toEqual([3000, 3000, 3000])
      const typical = await open().routeTraces({
        ...request,
        order: 'newest',
        durations: { fromUs: 290_000, toUs: 310_000 },
        max: 2,
      })
      expect(typical[0]).toMatchObject({ traceId: trace(59), spanId: id(59), release: 'web@1', failed: false })
      const asked = { kinds: ['browser', 'device', 'release'] as const, max: 5, namesMax: 5 }
      const { breakdowns, names, ...summary } = await open().routeSummary({ ...request, ...asked })
      expect(summary).toEqual({ durations })
      expect(names).toEqual(['Pageload', 'GET /cart'])
      const of = (wanted: string) => breakdowns.find(({ kind }) => kind === wanted)?.rows ?? []
      const browsers = of('browser')
      expect(browsers.map(({ value, count }) => [value, count])).toEqual([
        ['Chrome', 400],
        ['Safari', 200],
      ])
      expect(of('device').map(({ value }) => value)).toEqual(['desktop', 'mobile'])
      expect(of('release')[1]).toMatchObject({
        value: 'web@2',
        p75Ms: 3000,
      })
      // The cut segment counts for its name only, unless it is asked for.
      const cut = await open().routeSummary({ ...request, ...asked, withCut: true, max: 1, namesMax: 1 })
      expect(cut.durations).toEqual(await open().routeDurations({ ...request, withCut: true }))
      expect(cut.durations.reduce((sum, { samples }) => sum + samples, 0)).toBe(61)
      expect([cut.names, cut.breakdowns.map(({ rows }) => rows.length)]).toEqual([['Pageload'], [1, 1, 1]])
    })

    test('where the time goes', async () => {
      const found = await open().routeParts({ key: load, scope, withCut: false, segmentsMax: 100, max: 10 })
      expect(found.segments).toBe(60)
      expect(found.totalMs).toBeCloseTo(20 * 3000 + 40 * 300, -1)
      expect(found.parts[0]).toMatchObject({
        category: 'db',
        op: 'db',
        statement: 'SELECT * FROM items WHERE id = ?',
        spans: 160,
        segments: 60,
      })
      expect(found.parts[0]?.selfMs).toBeCloseTo(160 * 50, 5)
      const newest = await open().routeParts({ key: load, scope, withCut: false, segmentsMax: 3, max: 10 })
      expect([newest.segments, newest.parts[0]?.spans]).toEqual([3, 8])
    })

    test('why slow: attributes and spans of both sides', async () => {
      const found = await open().slowValues({
        key: load,
        scope,
        withCut: false,
        durations: { fromUs: 2_000_000, toUs: 10_000_000 },
        segmentsMax: 1000,
        spanSegmentsMax: 1000,
        max: 50,
      })
      expect([found.attributes.own, found.attributes.others, found.attributes.ownCount]).toEqual([20, 40, 200])
      const value = (of: keyof typeof found, key: string, text: string) =>
        found[of].values.find((candidate) => candidate.key === key && candidate.value === text)
      expect(value('attributes', 'flag.new', 'on')).toMatchObject({ own: 20, others: 0 })
      expect(value('attributes', 'browser', 'Safari')).toMatchObject({ own: 20, others: 0 })
      expect(value('attributes', 'environment', 'production')).toMatchObject({ own: 20, others: 40 })
      expect(found.attributes.values.some(({ key }) => key === 'url.path')).toBe(false)
      expect(value('spans', 'db', 'SELECT * FROM items WHERE id = ?')).toMatchObject({ own: 20, others: 40 })
      expect(value('spans', '5+ × db', 'SELECT * FROM items WHERE id = ?')).toMatchObject({ own: 20, others: 0 })
    })

    test('what a part of the range has more often, of all durations and of some', async () => {
      const request = { key: load, scope, withCut: false, segmentsMax: 1000, spanSegmentsMax: 1000, max: 50 }
      const first = monday + hour
      const sidesOf = async (fromUs: number, fromMs: number, toMs: number) => {
        const selected = { ...request, durations: { fromUs, toUs: 10_000_000 }, times: { fromMs, toMs } }
        const { attributes, spans } = await open().slowValues(selected)
        return [attributes.own, attributes.others, spans.own, spans.others]
      }
      expect(await sidesOf(0, first, first + 30_000)).toEqual([30, 30, 30, 30])
      expect(await sidesOf(2_000_000, first, first + 30_000)).toEqual([10, 50, 10, 50])
    })

    test('statements with their callers', async () => {
      const request = { scope, text: '', order: 'total', max: 10, offset: 0 } as const
      const { statements, all } = await open().statementStats({ ...request, kind: 'queries' })
      expect([all, statements.length]).toEqual([1, 1])
      const [query] = statements
      expect(query).toMatchObject({ samples: 160, count: 1600, failed: 0, callers: 1, bytes: null, p95Ms: 50 })
      expect(query?.totalMs).toBeCloseTo(1600 * 50, 5)
      const { hash = '', statement = '' } = query ?? {}
      const one = await open().statementStats({ ...request, kind: 'queries', hash })
      expect(one.statements[0]?.statement).toBe('SELECT * FROM items WHERE id = ?')
      const callers = await open().statementCallers({ scope, kind: 'queries', statement, max: 5 })
      expect(callers).toHaveLength(1)
      expect(callers[0]).toMatchObject({ route: load.route, samples: 160, count: 1600 })
      const requests = await open().statementStats({ ...request, kind: 'requests' })
      expect(requests.statements[0]).toMatchObject({ statement: 'GET shop.test/cart', count: 6, failed: 2 })
      expect((await open().statementStats({ ...request, kind: 'assets' })).all).toBe(0)
    })

    navigationCases(open, { scope, load, web, streamed })

    test('answers nothing for no projects', async () => {
      const nothing = { ...scope, projectIds: [] }
      expect(
        await open().routeStats({ ...compared, scope: nothing, order: 'lost', filter: undefined, max: 1, offset: 0 }),
      ).toEqual({ routes: [], all: 0, samples: 0, count: 0 })
      expect(await open().vitalStats({ scope: nothing, beforeMs, loads: 'pageload' })).toEqual({ now: [], before: [] })
      expect(await open().navigationStats({ scope: nothing, release: '', slowUs: 1, max: 1 })).toEqual([])
    })
  })
}
