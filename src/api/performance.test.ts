import { beforeAll, describe, expect, test, vi } from 'vitest'
import { MishapError } from '../base/errors.ts'
import type {
  RestNavigation,
  RestNavigationReleases,
  RestPerformanceCounts,
  RestRoutePage,
  RestRoutes,
  RestStatementCallers,
  RestStatements,
  RestVitals,
  RestWhySlow,
} from '../contract/explore/performance.ts'
import { encodeSpanRow } from '../store/events/traces/encode-span.ts'
import { type SpanChanges, spanRow } from '../store/events/traces/span-rows.cases.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const nowMs = Date.now()
const hour = 3_600_000
const day = 24 * hour
const hostile = '/"><img src=x onerror=alert(1)>/[id]'

const get = async <Answer>(path: string) => {
  const answer = await call('GET', `/organizations/acme/performance/${path}`)
  expect(answer.status, path).toBe(200)
  return answer.json as Answer
}

/** 60 requests at a sample rate of 0.1; the third part is slow, has a flag and runs a query six times. */
const requests = (): SpanChanges[] =>
  Array.from({ length: 60 }, (_, n): SpanChanges[] => {
    const isSlow = n % 3 === 0
    const segmentId = n.toString(16).padStart(16, 'b')
    const common = {
      traceId: n.toString(16).padStart(32, 'b'),
      segmentId,
      route: '/orders/[id]',
      startUs: (nowMs - hour) * 1000 + n * 1000,
      weight: 10,
    }
    return [
      {
        ...common,
        spanId: segmentId,
        isSegment: true,
        op: 'http.server',
        category: 'http',
        statement: '',
        transaction: 'GET /orders/[id]',
        durationUs: isSlow ? 900_000 : 90_000,
        failed: n < 3,
        attributes: { 'flag.new': isSlow ? 'on' : 'off', 'cart.size': n % 2 === 0 ? 'many' : 'few' },
      },
      ...Array.from({ length: isSlow ? 6 : 1 }, (_child, k) => ({
        ...common,
        spanId: (1000 + n * 10 + k).toString(16).padStart(16, 'c'),
        durationUs: 10_000,
        statement: 'SELECT * FROM items WHERE id = ?',
      })),
    ]
  }).flat()

const pages: SpanChanges[] = [
  ...Array.from(
    { length: 60 },
    (_, n): SpanChanges => ({
      isSegment: true,
      op: 'http.server',
      route: '/orders/[id]',
      durationUs: 60_000,
      weight: 10,
      startUs: (nowMs - 8 * day) * 1000 + n,
      receivedMs: nowMs - 8 * day + 1000,
      category: 'http',
      statement: '',
    }),
  ),
  {
    isSegment: true,
    op: 'pageload',
    route: hostile,
    durationUs: 5_000_000,
    weight: 1,
    release: 'api@2',
    category: 'browser',
    statement: '',
    measurements: { lcp: 5000 },
    attributes: { 'lcp.element': 'img' },
  },
  {
    op: 'ui.interaction.click',
    route: '/cart',
    durationUs: 90_000,
    weight: 1,
    category: 'ui',
    statement: '',
    measurements: { 'soft.inp': 90 },
  },
  // The range before: one query that took twice as long, and one interaction.
  {
    route: '/orders/[id]',
    statement: 'SELECT * FROM items WHERE id = ?',
    durationUs: 20_000,
    weight: 5,
    startUs: (nowMs - 8 * day) * 1000,
    receivedMs: nowMs - 8 * day + 1000,
  },
  {
    op: 'ui.interaction.click',
    route: '/cart',
    durationUs: 300_000,
    weight: 1,
    category: 'ui',
    statement: '',
    measurements: { 'soft.inp': 300 },
    startUs: (nowMs - 8 * day) * 1000,
    receivedMs: nowMs - 8 * day + 1000,
  },
]

beforeAll(async () => {
  const { app, project, store } = made()
  const rows = [...requests(), ...pages].map((changes, n) =>
    spanRow(n + 1, {
      projectId: project.id,
      startUs: (nowMs - hour) * 1000 + n,
      receivedMs: nowMs - hour + 1000,
      jpos: 5_000_001,
      ...changes,
    }),
  )
  await app.events.insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), 'spans:performance')
  await store([
    { platform: 'node', timestamp: nowMs / 1000 - 60, transaction: 'GET /orders/[id]', message: 'out of stock' },
    { platform: 'javascript', timestamp: nowMs / 1000 - 60, transaction: hostile, message: 'error while hydrating' },
  ])
}, 30_000)

const idOf = async (route: string) => (await get<RestRoutes>('')).rows.find((row) => row.route === route)?.id ?? ''

describe('performance', () => {
  test('lists routes by what their sample stands for, against the range before', async () => {
    const { rows, all, samples, count } = await get<RestRoutes>('?sort=volume')
    expect([all, samples, count]).toEqual([2, 61, 601])
    expect(rows[0]).toMatchObject({
      project: { slug: 'web' },
      op: 'http.server',
      route: '/orders/[id]',
      samples: 60,
      count: 600,
      failureRate: 0.05,
      p75: 900,
      vitalsScore: null,
      newIn: null,
      // Every one of them took 60 ms.
      previous: { samples: 60, count: 600, p50: 60, p75: 60, p95: 60, failureRate: 0, apdex: 1 },
    })
    expect(rows[0]?.perMinute).toBeCloseTo(600 / (7 * 24 * 60), 4)
    expect(rows[0]?.p75Change).toBeCloseTo(14, 1)
    expect(rows[0]?.timePerDayMs).toBeCloseTo((400 * 90 + 200 * 900) / 7, -3)
    // 20 of 900 ms stand for 200, each 600 ms above the target of requests.
    expect(rows[0]?.lostPerDayMs).toBeCloseTo((200 * 600) / 7, -2)
    // A page load of 5 s is 1.2 s above 3.8 s.
    expect(rows[1]?.lostPerDayMs).toBeCloseTo(1200 / 7, 0)
    expect(rows[0]?.series.at(-1)?.[1]).toBe(900)
    // Its project has segments before, and the route has none.
    expect(rows[1]).toMatchObject({ route: hostile, newIn: 'api@2', p75Change: null })
    expect(rows[1]?.vitalsScore).toBeLessThan(0.1)
  })

  test('is filtered, ordered, paged and compared with the week before', async () => {
    expect((await get<RestRoutes>('?query=ORDERS')).rows.map(({ route }) => route)).toEqual(['/orders/[id]'])
    expect((await get<RestRoutes>('?sort=slow&limit=1')).rows[0]?.route).toBe(hostile)
    expect((await get<RestRoutes>('?sort=slow&limit=1&offset=1')).rows[0]?.route).toBe('/orders/[id]')
    expect((await get<RestRoutes>('?statsPeriod=24h')).rows[0]?.previous.samples).toBe(0)
    const [week] = (await get<RestRoutes>('?statsPeriod=2d&against=week&query=orders')).rows
    expect(week?.previous.samples).toBe(60)
    expect((await get<RestRoutes>('?environment=staging')).rows).toEqual([])
  })

  test('a route has its figures, where the time goes, breakdowns and issues', async () => {
    const page = await get<RestRoutePage>(`routes/${await idOf('/orders/[id]')}/`)
    expect(page).toMatchObject({ route: '/orders/[id]', op: 'http.server', samples: 60, count: 600, p50: 90 })
    expect(page.perMinute).toBeCloseTo(600 / (7 * 24 * 60), 4)
    expect(page.vitalsScoreBefore).toBeNull()
    expect(page.distribution.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(600)
    expect(page.slowest[0]?.duration).toBe(900)
    expect(page.typical[0]?.duration).toBe(90)
    const [part] = page.time.parts
    expect(part).toMatchObject({ category: 'db', statement: 'SELECT * FROM items WHERE id = ?', segments: 1 })
    expect(part?.perSegment).toBeCloseTo(160 / 60, 5)
    expect(part?.share).toBeCloseTo(1600 / (20 * 900 + 40 * 90), 3)
    expect(page.time.outside).toBeCloseTo(1 - (part?.share ?? 0), 5)
    expect(page.breakdowns.map(({ kind }) => kind)).toEqual(['release', 'environment', 'browser', 'device'])
    expect(page.issues.map(({ title, events }) => [title, events])).toEqual([['out of stock', 1]])
    expect(page.vitals).toEqual([])
  })

  test('a hostile name is one route with its vitals', async () => {
    const page = await get<RestRoutePage>(`routes/${await idOf(hostile)}/`)
    expect(page.route).toBe(hostile)
    expect(page.vitals[0]).toMatchObject({ vital: 'lcp', p75: 5000, poor: 1, cause: { element: 'img' } })
    expect(page.issues).toHaveLength(1)
  })

  test('why slow: flag and repeated query, by the rules of an issue’s values in common', async () => {
    const found = await get<RestWhySlow>(`routes/${await idOf('/orders/[id]')}/why-slow/?from=500`)
    expect([found.own, found.others]).toEqual([20, 40])
    expect(found.attributes[0]).toMatchObject({ key: 'flag.new', value: 'on', ownShare: 1, otherShare: 0 })
    expect(found.spans).toEqual([
      expect.objectContaining({ key: '5+ × db', value: 'SELECT * FROM items WHERE id = ?' }),
    ])
    expect(found.traces).toHaveLength(3)
    // Half of both sides have either cart, which is said once. All have one environment, which says nothing.
    expect(found.alike.map(({ key, ownShare }) => [key, ownShare])).toEqual([['cart.size', 0.5]])
    // Traces can be narrowed to a value: all slow ones have the flag, every second of them a large cart.
    const narrowed = async (key: string, value: string) => {
      const query = new URLSearchParams({ from: '500', key, value })
      const { traces } = await get<RestWhySlow>(`routes/${await idOf('/orders/[id]')}/why-slow/?${query}`)
      return traces.map(({ traceId }) => traceId.replace(/^b+/, ''))
    }
    expect(await narrowed('flag.new', 'on')).toHaveLength(3)
    expect(await narrowed('flag.new', 'off')).toEqual([])
    // The newest slow ones are 57, 54 and 51: hexadecimal 39, 36 and 33. Even ones have a large cart.
    expect(await narrowed('cart.size', 'many')).toEqual(['36', '30', '2a'])
    expect(await narrowed('environment', 'production')).toHaveLength(3)
    expect(await narrowed('cart.size', "' OR 1=1 --")).toEqual([])
    // Fewer than 20 samples say more about chance.
    const few = await get<RestWhySlow>(`routes/${await idOf('/orders/[id]')}/why-slow/?from=5000`)
    expect(few).toMatchObject({ own: 0, attributes: [], spans: [] })
  })

  test('why slow: a part of the range against the rest of it', async () => {
    const path = `routes/${await idOf('/orders/[id]')}/why-slow/?from=0&statsPeriod=14d`
    const since = new Date(nowMs - day).toISOString()
    const found = await get<RestWhySlow>(`${path}&since=${since}`)
    expect([found.own, found.others]).toEqual([60, 60])
    expect(found.attributes[0]).toMatchObject({ key: 'flag.new', value: 'off', otherShare: 0 })
    expect(found.traces).toHaveLength(3)
    const before = await get<RestWhySlow>(`${path}&until=${since}`)
    expect([before.own, before.others]).toEqual([60, 60])
    expect(before.attributes.some(({ key }) => key === 'flag.new')).toBe(false)
    // Nothing is selected outside of the range.
    expect(await get<RestWhySlow>(`${path}&since=2001-01-01T00:00:00Z&until=2001-01-02T00:00:00Z`)).toMatchObject({
      own: 0,
      others: 120,
      traces: [],
    })
  })

  test('vitals by route and of all together', async () => {
    const { rows, totals } = await get<RestVitals>('vitals/')
    expect(rows.map(({ route }) => route)).toEqual([hostile])
    expect(totals.map(({ vital, samples }) => [vital, samples])).toEqual([['lcp', 1]])
  })

  test('queries with their callers', async () => {
    const { rows } = await get<RestStatements>('queries/')
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      statement: 'SELECT * FROM items WHERE id = ?',
      count: 1600,
      callers: 1,
      failureRate: 0,
      previous: { samples: 1, count: 5, totalMs: 100, p75: 20, p95: 20, failureRate: 0 },
    })
    const found = await get<RestStatementCallers>(`queries/${rows[0]?.id}/`)
    expect(found.callers).toEqual([expect.objectContaining({ route: '/orders/[id]', count: 1600 })])
    expect(found.statement).toEqual(rows[0])
    // The range before a day has none.
    const [today] = (await get<RestStatements>('queries/?statsPeriod=24h')).rows
    expect(today?.previous).toEqual({ samples: 0, count: 0, totalMs: 0, p75: null, p95: null, failureRate: null })
    expect((await get<RestStatements>('assets/')).rows).toEqual([])
  })

  test('what is in the first hour of a range is not also in the range before', async () => {
    const { app, project } = made()
    // The range begins in the middle of an hour, and all was sent behind that.
    const fromMs = Math.floor(nowMs / hour) * hour - 40 * day - hour / 2
    const sent = [{ statement: 'SELECT 1' }, { ...pages.find(({ op }) => op === 'pageload') }]
    const rows = sent.map((changes, n) =>
      spanRow(9000 + n, {
        projectId: project.id,
        ...changes,
        startUs: (fromMs + 60_000 + n) * 1000,
        receivedMs: fromMs + 61_000,
        jpos: 5_000_002,
      }),
    )
    await app.events.insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), 'spans:border')
    const range = `start=${new Date(fromMs).toISOString()}&end=${new Date(fromMs + day).toISOString()}`
    const none = { samples: 0, count: 0, totalMs: 0, p75: null, p95: null, failureRate: null }
    expect((await get<RestStatements>(`queries/?${range}`)).rows).toMatchObject([{ samples: 1, previous: none }])
    const { rows: vitals, totals } = await get<RestVitals>(`vitals/?${range}`)
    expect(vitals).toMatchObject([{ samples: 1, scoreBefore: null, vitals: [{ vital: 'lcp', previous: null }] }])
    expect(totals).toMatchObject([{ samples: 1, previous: null }])
    const page = await get<RestRoutePage>(`routes/${vitals[0]?.id}/?${range}`)
    expect(page).toMatchObject({
      samples: 1,
      previous: { samples: 0 },
      vitalsScoreBefore: null,
      vitals: [{ previous: null }],
    })
  })

  test('searches routes by their figures, and counts what the tabs show', async () => {
    const found = async (query: string) => {
      const { rows } = await get<RestRoutes>(`?query=${encodeURIComponent(query)}`)
      return rows.map(({ route }) => route)
    }
    expect(await found('requests:>=600 p95:>500ms failure_rate:>0.01')).toEqual(['/orders/[id]'])
    expect(await found('requests:>600')).toEqual([])
    // The project has segments in the range before, but no page load.
    expect(await found('new:yes')).toEqual([hostile])
    expect(await found('!new:yes project:web')).toEqual(['/orders/[id]'])
    expect(await found('ORDERS OR op:pageload')).toHaveLength(2)
    expect((await get<RestRoutes>('?kind=jobs')).rows).toEqual([])
    expect(await get<RestPerformanceCounts>('counts/')).toMatchObject({
      routes: 2,
      jobs: 0,
      queries: 1,
      requests: 0,
      assets: 0,
      samples: 61,
      count: 601,
    })
  })

  test('a wrong search names each mistake and its place', async () => {
    const answer = await call('GET', '/organizations/acme/performance/?query=cart%20requets:%3E5%20p95:fast')
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({
      code: 'QUERY_TYPE',
      mistakes: [
        { reason: 'key', position: 6 },
        { reason: 'duration', position: 21 },
      ],
    })
    expect((await call('GET', '/organizations/acme/performance/?query=%20%20cart%20requets:%3E5')).json).toMatchObject({
      mistakes: [{ reason: 'key', position: 8 }],
    })
    expect((await call('GET', '/organizations/acme/performance/?query=cart%20requets:%3E5')).json).toMatchObject({
      code: 'QUERY_TYPE',
      detail: expect.stringContaining('at position 6, expected one of requests, throughput, samples'),
      mistakes: [{ reason: 'key', position: 6, suggestion: 'requests' }],
    })
  })

  test('vitals of navigations are apart from those of page loads', async () => {
    expect((await get<RestVitals>('vitals/?loads=navigation')).rows).toMatchObject([
      { route: '/cart', samples: 1, vitals: [{ vital: 'inp', p75: 90, previous: { samples: 1, p75: 300 } }] },
    ])
    const soft = await get<RestVitals>('vitals/?loads=navigation')
    // 90 ms scores more than 300.
    expect(soft.scoreBefore).toBeLessThan(soft.score ?? 0)
    expect(soft.rows[0]?.scoreBefore).toBe(soft.scoreBefore)
    expect((await get<RestVitals>('vitals/')).rows).toMatchObject([
      { route: hostile, scoreBefore: null, vitals: [{ vital: 'lcp', previous: null }] },
    ])
  })

  test('navigation health has errors of hydration beside', async () => {
    const { rows, slowMs } = await get<RestNavigation>('navigation/')
    expect(slowMs).toBe(3800)
    const one = { samples: 1, count: 1 }
    expect(rows).toEqual([
      expect.objectContaining({ route: hostile, pageLoads: one, slow: one, hydration: 1, skew: 0 }),
    ])
    expect((await get<RestNavigation>('navigation/?release=api@9')).rows).toEqual([])
    const beside = `navigation/releases/?route=${encodeURIComponent(hostile)}`
    expect(await get<RestNavigationReleases>(beside)).toMatchObject({
      route: hostile,
      slowMs: 3800,
      rows: [{ release: 'api@2', project: { slug: 'web' }, pageLoads: one, slow: one, p75: 5000 }],
    })
    expect((await get<RestNavigationReleases>('navigation/releases/?route=none')).rows).toEqual([])
  })

  test.each([
    ['routes/none/', 404],
    ['routes/MCAgLw/', 404],
    ['queries/1-00000000000000aa/', 404],
    ['?sort=wrong', 400],
    ['?against=never', 400],
    ['?offset=-1', 400],
    ['?project=none', 404],
    ['routes/MCAgLw/why-slow/', 400],
    ['routes/MCAgLw/why-slow/?from=0&since=yesterday', 400],
  ])('%s answers %d', async (path, status) => {
    expect((await call('GET', `/organizations/acme/performance/${path}`)).status).toBe(status)
  })

  test('says that the store is away', async () => {
    const spy = vi.spyOn(made().app.events, 'routeStats').mockRejectedValue(new MishapError('QUERY_TIMEOUT'))
    try {
      const answer = await call('GET', '/organizations/acme/performance/')
      expect(answer.json).toMatchObject({ code: 'QUERY_TIMEOUT' })
    } finally {
      spy.mockRestore()
    }
  })

  test('a viewer reads it, a stranger does not', async () => {
    const { token } = await personAs('viewer')
    expect((await call('GET', '/organizations/acme/performance/', { token })).status).toBe(200)
    const stranger = await personAs(null)
    expect((await call('GET', '/organizations/acme/performance/', { token: stranger.token })).status).toBe(404)
  })
})
