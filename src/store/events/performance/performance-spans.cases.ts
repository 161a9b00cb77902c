import { type SpanChanges, spanRow } from '../traces/span-rows.cases.ts'

export const hour = 3_600_000
/** Monday 2026-11-16 10:00 UTC. */
export const monday = Date.UTC(2026, 10, 16, 10)
/** The project of the spans. */
export const web = 820
export const load = { projectId: web, op: 'pageload', route: '/orders/[id]' }
export const id = (n: number) => n.toString(16).padStart(16, 'e')
export const trace = (n: number) => n.toString(16).padStart(32, 'd')

/** Page loads: 40 fast ones and 20 slow ones, which have a flag, a browser and a query that runs six times. */
function pageLoads(): SpanChanges[] {
  return Array.from({ length: 60 }, (_, n): SpanChanges[] => {
    const isSlow = n % 3 === 0
    const startUs = (monday + hour) * 1000 + n * 1_000_000
    const common = {
      traceId: trace(n),
      segmentId: id(n),
      route: load.route,
      startUs,
      weight: 10,
      release: isSlow ? 'web@2' : 'web@1',
    }
    return [
      {
        ...common,
        spanId: id(n),
        parentId: '',
        isSegment: true,
        op: 'pageload',
        category: 'browser',
        statement: '',
        transaction: 'Pageload',
        durationUs: isSlow ? 3_000_000 : 300_000 + n,
        failed: n === 0,
        attributes: {
          'flag.new': isSlow ? 'on' : 'off',
          'url.path': `/orders/${n}`,
          'user_agent.original': isSlow
            ? 'Mozilla/5.0 (iPhone) Mobile/15E Safari/604.1'
            : 'Mozilla/5.0 Chrome/150 Safari/537',
        },
        measurements: { ttfb: 100, fcp: isSlow ? 4000 : 500 },
      },
      ...Array.from({ length: isSlow ? 6 : 1 }, (_child, k) => ({
        ...common,
        spanId: id(1000 + n * 10 + k),
        parentId: id(n),
        startUs: startUs + 10_000 * k,
        durationUs: 50_000,
        op: 'db',
        category: 'db' as const,
        statement: 'SELECT * FROM items WHERE id = ?',
        attributes: {},
      })),
      {
        ...common,
        spanId: id(5000 + n),
        parentId: id(n),
        op: 'ui.webvital.lcp',
        category: 'ui' as const,
        statement: '',
        durationUs: 0,
        measurements: { lcp: isSlow ? 5000 : 800 },
        attributes: { 'browser.web_vital.lcp.element': isSlow ? 'img.hero' : 'h1' },
      },
    ]
  }).flat()
}

const others: SpanChanges[] = [
  // The period before: twice as fast, and the release that was first.
  ...Array.from(
    { length: 60 },
    (_, n): SpanChanges => ({
      isSegment: true,
      category: 'browser',
      op: 'pageload',
      route: load.route,
      startUs: (monday - 2 * hour) * 1000 + n,
      durationUs: 150_000,
      release: 'web@0',
      weight: 1,
    }),
  ),
  // Cut off: it counts, but its 30 seconds count for no percentile.
  {
    isSegment: true,
    category: 'browser',
    op: 'pageload',
    route: load.route,
    durationUs: 30_000_000,
    cut: 'deadline_exceeded',
    weight: 10,
  },
  // The server's part of the same route.
  {
    isSegment: true,
    category: 'browser',
    op: 'http.server',
    route: load.route,
    durationUs: 20_000,
    weight: 10,
    release: 'web@1',
  },
  // A navigation with a failed request of the router, and two requests ahead: one for a page that was opened.
  {
    isSegment: true,
    category: 'browser',
    op: 'navigation',
    route: '/cart',
    durationUs: 4_000_000,
    weight: 2,
    attributes: { 'url.path': '/cart' },
  },
  ...[
    { 'url.full': 'https://shop.test/cart?_rsc=1' },
    { 'url.full': 'https://shop.test/cart?_rsc=2', 'http.request.prefetch': true },
    { 'url.full': 'https://shop.test/help?_rsc=3', 'http.request.prefetch': true },
  ].map(
    (attributes, n): SpanChanges => ({
      op: 'http.client',
      category: 'http',
      statement: 'GET shop.test/cart',
      route: '/cart',
      durationUs: 30_000,
      failed: n === 0,
      httpStatus: n === 0 ? 502 : 200,
      weight: 2,
      attributes,
    }),
  ),
  {
    isSegment: true,
    category: 'browser',
    op: 'pageload',
    route: '/cart',
    durationUs: 200_000,
    weight: 2,
    attributes: { 'browser.navigation.type': 'back-forward' },
  },
  // A page that the browser restored: it takes no time, and is no load.
  {
    isSegment: true,
    category: 'browser',
    op: 'navigation',
    route: '/cart',
    durationUs: 2000,
    weight: 2,
    attributes: { 'browser.navigation.type': 'back-forward-cache' },
  },
  // The largest paint after a navigation without a page load.
  {
    op: 'ui.webvital.lcp',
    category: 'ui',
    statement: '',
    route: '/cart',
    durationUs: 0,
    weight: 2,
    measurements: { 'soft.lcp': 900 },
    attributes: { 'browser.web_vital.lcp.element': 'h2.total' },
  },
  {
    isSegment: true,
    category: 'queue',
    op: 'queue.process',
    route: 'send_invoice',
    durationUs: 70_000,
    weight: 1,
    release: 'web@2',
  },
]

/** Spans of the cases for performance: page loads of two speeds, requests, vitals and statements. */
export const performanceSpans = () =>
  [...pageLoads(), ...others].map((changes, n) =>
    spanRow(n + 1, {
      projectId: web,
      startUs: (monday + 2 * hour) * 1000 + n,
      jpos: 920_000_000,
      receivedMs: monday + 3 * hour,
      ...changes,
    }),
  )
