import { createHash } from 'node:crypto'
import {
  type Attributes,
  attribute,
  envelopesOf,
  type Made,
  navigation,
  pageLoad,
  type Segment,
  spanEnvelope,
} from '../performance-spans.ts'
import { ingest, type Product, type Project } from '../product.ts'
import { fixedMs, hostileTexts, hostileTraceId, idOf, release, releaseBefore, traceErrorMs, traceId } from './data.ts'

// Two weeks of traces of a shop for the pictures: sampled, the same in each run, on the fixed time of the screens.

const fixedS = fixedMs / 1000
const dayS = 86_400
/** A number from 0 to below 1, always the same for a name. */
const partOf = (name: string): number => createHash('sha256').update(name).digest().readUInt32BE(0) / 2 ** 32

type Profile = {
  route: string
  op: 'pageload' | 'navigation' | 'http.server'
  /** Segments in two weeks, and their usual length. */
  times: number
  ms: number
  rate: number
  /** Length in the new release, as a multiple of `ms`. */
  worse?: number
  failing?: number
  /** Only the new release has it. */
  isNew?: boolean
  queries?: readonly string[]
  calls?: string
}

const prices = "SELECT amount, currency FROM prices WHERE sku = 'A-1009'"
const profiles: readonly Profile[] = [
  { route: '/checkout/[orderId]', op: 'pageload', times: 320, ms: 1500, rate: 0.25, worse: 1.6 },
  { route: '/', op: 'pageload', times: 420, ms: 900, rate: 0.1 },
  { route: '/products/[slug]', op: 'pageload', times: 360, ms: 1150, rate: 0.1, worse: 0.85 },
  { route: '/gift-cards', op: 'pageload', times: 70, ms: 1900, rate: 0.25, isNew: true },
  { route: '/cart', op: 'navigation', times: 260, ms: 340, rate: 0.25, failing: 0.08 },
  { route: '/products/[slug]', op: 'navigation', times: 300, ms: 280, rate: 0.1 },
  {
    route: 'POST /api/cart',
    op: 'http.server',
    times: 340,
    ms: 310,
    rate: 0.25,
    worse: 2.4,
    failing: 0.03,
    queries: ['SELECT * FROM carts WHERE id = 77', ...Array<string>(9).fill(prices)],
    calls: 'https://stock.acme.test/levels/7',
  },
  {
    route: 'GET /api/search',
    op: 'http.server',
    times: 400,
    ms: 95,
    rate: 0.1,
    queries: ["SELECT id, title FROM products WHERE title ILIKE '%lamp%' LIMIT 20"],
  },
  {
    route: 'POST /api/pay',
    op: 'http.server',
    times: 150,
    ms: 780,
    rate: 0.5,
    failing: 0.06,
    queries: ['UPDATE orders SET paid_at = now() WHERE id = 4711'],
    calls: 'https://pay.example/v2/charges',
  },
  {
    route: 'GET /api/orders/[orderId]',
    op: 'http.server',
    times: 180,
    ms: 140,
    rate: 0.25,
    queries: ['SELECT * FROM orders WHERE id = 4711', 'SELECT * FROM order_items WHERE order_id = 4711'],
  },
]

/** Spans of a request: its queries one after the other, then its call. */
function childrenOf({ queries = [], calls }: Profile, ms: number): Made[] {
  const each = (ms * (calls ? 0.45 : 0.7)) / Math.max(1, queries.length) / 1000
  const made = queries.map(
    (text, n): Made => ({
      name: text,
      op: 'db',
      startS: 0.004 + n * each,
      ms: each * 920,
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': text, 'db.namespace': 'shop' },
    }),
  )
  if (!calls) return made
  const attributes = { 'url.full': calls, 'http.request.method': 'POST', 'http.response.status_code': 200 }
  return [...made, { name: `POST ${calls}`, op: 'http.client', startS: ms * 0.0005, ms: ms * 0.42, attributes }]
}

const heroes: Readonly<Record<string, string>> = {
  '/': 'main > section.hero > img',
  '/products/[slug]': 'main > div.gallery > img',
  '/checkout/[orderId]': 'form > section.summary',
  '/gift-cards': 'main > h1',
}

/** A page load with vitals of its own: they grow with its length and differ by route. */
function varied(load: Segment, route: string, length: number): Segment {
  const scale = (0.7 + 0.6 * partOf(`vitals ${route}`)) * (0.75 + length / 4)
  const vary = (attributes: Attributes = {}) =>
    Object.fromEntries(
      Object.entries(attributes).map(([key, value]): [string, string | number | boolean] => {
        if (key === 'browser.web_vital.lcp.element') return [key, heroes[route] ?? value]
        return [key, typeof value === 'number' && /web_vital.*value$/.test(key) ? value * scale : value]
      }),
    )
  const children = (load.children ?? []).map((child) => ({ ...child, attributes: vary(child.attributes) }))
  return { ...load, attributes: vary(load.attributes), children }
}

/** One segment of a profile. `number` decides its time, its length and its release. */
function segmentOf(profile: Profile, number: number): Segment {
  const name = `${profile.op} ${profile.route} ${number}`
  // The new release came five days ago.
  const ageS = (profile.isNew ? 4.8 : 13.9) * dayS * partOf(`age ${name}`)
  const isNew = ageS < 5 * dayS
  const length = 0.55 + 0.6 * partOf(`ms ${name}`) + (partOf(`slow ${name}`) < 0.12 ? 1.9 : 0)
  const ms = profile.ms * length * (isNew ? (profile.worse ?? 1) : 1)
  const failed = partOf(`failed ${name}`) < (profile.failing ?? 0)
  const own = { release: isNew ? release : releaseBefore, rate: profile.rate }
  const startS = fixedS - 600 - ageS
  if (profile.op === 'pageload')
    return {
      ...varied(pageLoad(profile.route, startS, ms, length > 1.8, profile.rate), profile.route, length),
      ...own,
      failed,
    }
  if (profile.op === 'navigation') return { ...navigation(profile.route, startS, ms, failed), ...own }
  const flags = {
    'flag.new-pricing': isNew && length > 0.8 ? 'on' : 'off',
    'server.address': `api-${(number % 3) + 1}`,
  }
  const { route, op } = profile
  return { name: route, op, route, startS, ms, failed, attributes: flags, children: childrenOf(profile, ms), ...own }
}

type Row = [id: string, parent: string, op: string, name: string, fromMs: number, ms: number, more?: Attributes]

/** The spans of one trace. Rows without a parent or with `segment` are segments. Times are after its start. */
function traceOf(id: string, startMs: number, rows: readonly Row[]): Record<string, unknown>[] {
  const spanId = (name: string) => idOf(`${id} ${name}`).slice(0, 16)
  return rows.map(([name, parent, op, text, fromMs, ms, { segment = false, failed = false, ...more } = {}]) => ({
    trace_id: id,
    span_id: spanId(name),
    ...(parent ? { parent_span_id: spanId(parent) } : {}),
    name: text,
    status: failed ? 'error' : 'ok',
    is_segment: parent === '' || segment === true,
    start_timestamp: (startMs + fromMs) / 1000,
    end_timestamp: (startMs + fromMs + ms) / 1000,
    attributes: Object.fromEntries(
      Object.entries<string | number | boolean>({
        'sentry.op': op,
        'sentry.release': release,
        'sentry.environment': 'production',
        'sentry.sample_rate': 1,
        ...more,
      }).map(([key, value]) => [key, attribute(value)]),
    ),
  }))
}

/** One of the queries of a run. The API's clock is 740 ms behind. */
const priceQuery = (n: number): Row => [
  `price ${n}`,
  'cart',
  'db',
  `SELECT amount, currency FROM prices WHERE sku = 'A-${1000 + n}'`,
  -600 + n * 11,
  10,
  {
    'db.system.name': 'postgresql',
    'db.query.text': `SELECT amount, currency FROM prices WHERE sku = 'A-${1000 + n}'`,
  },
]

const cartRows: readonly Row[] = [
  ['cart', 'call', 'http.server', 'POST /api/cart', -690, 840, { segment: true, 'http.route': 'POST /api/cart' }],
  [
    'load',
    'cart',
    'db',
    'SELECT * FROM carts WHERE id = 77',
    -680,
    24,
    { 'db.system.name': 'postgresql', 'db.query.text': 'SELECT * FROM carts WHERE id = 77' },
  ],
  ...Array.from({ length: 38 }, (_, n) => priceQuery(n)),
  [
    'stock',
    'cart',
    'http.client',
    'GET https://stock.acme.test/levels/7',
    -150,
    190,
    { 'url.full': 'https://stock.acme.test/levels/7', 'http.response.status_code': 200 },
  ],
  ['publish', 'cart', 'queue.publish', 'cart.priced', 60, 12],
]

const serverRows: readonly Row[] = [
  [
    'server',
    '',
    'http.server',
    'GET /checkout/[orderId]',
    0,
    1620,
    { 'http.route': '/checkout/[orderId]', failed: true },
  ],
  [
    'page',
    'server',
    'pageload',
    '/checkout/[orderId]',
    -40,
    2600,
    { segment: true, 'url.template': '/checkout/[orderId]', 'browser.web_vital.fcp.value': 1700 },
  ],
  [
    'lcp',
    'page',
    'ui.webvital.lcp',
    'Largest contentful paint',
    2100,
    0,
    { 'browser.web_vital.lcp.value': 2140, 'browser.web_vital.lcp.element': 'main > section.summary' },
  ],
  [
    'script',
    'page',
    'resource.script',
    'cdn.acme.test/_next/static/chunks/checkout.js',
    1690,
    320,
    { 'url.full': 'https://cdn.acme.test/_next/static/chunks/checkout.js' },
  ],
  ['task', 'page', 'ui.long_animation_frame', 'Main UI thread blocked', 2050, 180],
  ['session', 'server', 'cache.get', 'session:u-61', 6, 3, { 'cache.hit': true }],
  [
    'call',
    'server',
    'http.client',
    'POST http://api.acme.test/cart',
    30,
    880,
    { 'url.full': 'http://api.acme.test/cart', 'http.request.method': 'POST', 'http.response.status_code': 200 },
  ],
  // 290 ms before it have no span.
  [
    'render',
    'server',
    'function',
    'render CartSummary',
    1200,
    380,
    { failed: true, 'code.function.name': 'CartSummary' },
  ],
  ['totals', 'render', 'function', 'totals', 1460, 60, { failed: true }],
]

/**
 * The trace of the shop's first error: a page load, the server that renders it, and an API whose clock is 740 ms behind,
 * so its part begins before the call. It has a run of queries, time without spans and the error.
 */
const shopTrace = (): Record<string, unknown>[] => traceOf(traceId, traceErrorMs - 1500, [...serverRows, ...cartRows])

async function send(product: { url: string }, project: Project, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    const answer = await ingest(product, project, body)
    if (answer.status !== 200) throw new Error(`the spans were refused with ${answer.status}`)
  }
}

/** Ids that count up, always the same in each run. */
function countedIds(name: string): (bytes: number) => string {
  let number = 0
  return (bytes) => idOf(`${name} ${number++}`).slice(0, 2 * bytes)
}

const sentAt = new Date(fixedMs)

/** Sends the traces of the shop. Returns the number of their segments. */
export async function sendShopSpans(product: Product, project: Project): Promise<number> {
  const segments = profiles.flatMap((profile) =>
    Array.from({ length: profile.times }, (_, number) => segmentOf(profile, number)),
  )
  await send(product, project, envelopesOf(segments, { newId: countedIds('shop'), sentAt }))
  await send(product, project, [spanEnvelope(shopTrace(), sentAt)])
  return segments.length + 3
}

/** Sends traces of the hour before `nowMs` whose every name is markup, very long, against the direction, or has control characters. */
export async function sendHostileSpans(product: { url: string }, project: Project, nowMs = fixedMs): Promise<number> {
  const texts = [...hostileTexts, 'n'.repeat(10_000), '\u0007\u001b[31mred\u001b[0m\r\n\tnext\u0085line']
  const startS = nowMs / 1000 - 1800
  const sentAt = new Date(nowMs)
  const segments = texts.flatMap((text, n): Segment[] => {
    const own = { release: text.slice(0, 200), rate: 0.5 }
    const path = `/${text}`
    const load = pageLoad(path, startS - n * 60, 900 + n, false)
    const children = (load.children ?? []).map((child) => ({
      ...child,
      name: text,
      attributes: Object.fromEntries(
        Object.entries(child.attributes ?? {}).map(([key, value]) => [
          key,
          /element|target|source/.test(key) ? text : value,
        ]),
      ),
    }))
    const db = { 'db.system.name': text, 'db.query.text': `SELECT ${text}`, [text.slice(0, 100)]: text }
    const calls = { 'url.full': `https://evil.example/${text}`, 'http.request.method': text.slice(0, 40) }
    const asset = { 'url.full': `javascript:alert(5)//${text}`, 'http.response.size': 1e15 }
    return [
      { ...load, ...own, name: text, children },
      { ...navigation(path, startS - n * 50, 4000, n % 2 === 0), ...own, name: text },
      {
        name: text,
        op: 'http.server',
        route: path,
        startS: startS - n * 40,
        ms: 700,
        failed: true,
        ...own,
        attributes: { 'flag.x': text },
        children: [
          { name: text, op: 'db', startS: 0.1, ms: 300, attributes: db },
          { name: text, op: 'http.client', startS: 0.4, ms: 100, attributes: calls },
          { name: text, op: 'resource.script', startS: 0.5, ms: 100, attributes: asset },
        ],
      },
    ]
  })
  await send(product, project, envelopesOf(segments, { newId: countedIds('hostile'), sentAt }))
  const rows: Row[] = texts.map((text, n) => [
    `${n}`,
    n === 0 ? '' : '0',
    text,
    text,
    n * 50,
    400 - n * 50,
    { [text.slice(0, 100)]: text },
  ])
  await send(product, project, [spanEnvelope(traceOf(hostileTraceId, nowMs - 5_000_300, rows), sentAt)])
  return segments.length + 1
}
