// Largest contentful paint and layout shift of the issue list and of issues, with cold cache, warm cache and after a
// reload, on a wide screen and on a phone.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Login, loginOf, noChromium, openBrowser } from '../e2e/browser.ts'
import { buildOf, failedEvent } from '../e2e/mapped.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  eventId,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../e2e/product.ts'
import { observeShift, type Shift, shiftOf } from '../e2e/shift.ts'
import { median } from './load.ts'
import type { Row } from './measure.ts'
import { seedIssues } from './scroll.ts'

const issueCount = 1000
const narrowRounds = 2
const paintMaxMs = 1000
/** Late parts (live stream, reporter, charts) must not cause shifts either. */
const watchMs = 3000
const wide = { width: 1440, height: 900 }
const narrow = { width: 390, height: 844 }

// This is text, because a compiled function would use helpers that the page does not have.
const observePaint = `(() => {
  window.painted = { paintMs: 0, element: '' }
  new PerformanceObserver((list) => {
    for (const { startTime, element } of list.getEntries())
      window.painted = { paintMs: startTime, element: (element?.outerHTML ?? '').slice(0, 90) }
  }).observe({ type: 'largest-contentful-paint', buffered: true })
})()`

type Seen = Shift & { paintMs: number; element: string; firstByteMs: number }
type Visit = 'cold' | 'warm' | 'reload'

async function watch(page: Page): Promise<Seen> {
  await page.locator('main h1, main [data-id]').first().waitFor()
  await page.waitForTimeout(watchMs)
  const painted = (await page.evaluate(`({
    ...window.painted,
    firstByteMs: performance.getEntriesByType('navigation')[0].responseStart,
  })`)) as Omit<Seen, keyof Shift>
  return { ...painted, ...(await shiftOf(page)) }
}

/** Visits a page with the cache of the profile, and optionally reloads it. */
async function look(context: BrowserContext, url: string, thenReload: boolean): Promise<Seen[]> {
  const page = await context.newPage()
  await page.addInitScript(observePaint)
  await page.addInitScript(observeShift)
  await page.goto(url, { waitUntil: 'load' })
  const seen = [await watch(page)]
  if (thenReload) {
    await page.reload({ waitUntil: 'load' })
    seen.push(await watch(page))
  }
  await page.close()
  return seen
}

/** Each round uses a new browser profile for the cold cache. The second visit of the profile has a warm cache. */
async function measure(
  browser: Browser,
  login: Login,
  url: string,
  viewport: { width: number; height: number },
  rounds: number,
): Promise<Record<Visit, Seen[]>> {
  const found: Record<Visit, Seen[]> = { cold: [], warm: [], reload: [] }
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport, storageState: login })
    const cold = await look(context, url, false)
    const [warm, reload] = await look(context, url, true)
    found.cold.push(...cold)
    if (warm) found.warm.push(warm)
    if (reload) found.reload.push(reload)
    await context.close()
  }
  return found
}

/** Release, user, breadcrumbs and other data that applications add to events. */
const lived = (traceId: string) => ({
  release: 'shop@1.2.3',
  environment: 'production',
  user: { id: '7', email: 'ada@shop.test' },
  tags: { plan: 'pro', region: 'eu-central-1', build: '20261122' },
  request: { url: 'https://shop.test/checkout', method: 'GET', headers: { 'User-Agent': 'Mozilla/5.0' } },
  breadcrumbs: {
    values: Array.from({ length: 12 }, (_, at) => ({
      timestamp: Date.now() / 1000 - 12 + at,
      category: 'fetch',
      message: `GET /api/cart/${at}`,
    })),
  },
  contexts: { trace: { trace_id: traceId, span_id: traceId.slice(16), op: 'http.server', status: 'internal_error' } },
})

/** Two server errors in a trace. Their frames have source lines, so that the page only requests the trace strip. */
function tracedEvents(): { events: ReturnType<typeof errorEvent>[]; transaction: string } {
  const [traceId, at] = [eventId(), Date.now() / 1000]
  const life = lived(traceId)
  const { trace } = life.contexts
  const frames = [1, 2, 3].map((number) => ({
    filename: `/srv/shop/cart${number}.js`,
    function: `step${number}`,
    lineno: 10 * number,
    in_app: true,
    pre_context: ['const rate = 1.19', ''],
    context_line: 'throw new Error()',
    post_context: ['}', ''],
  }))
  const events = ['TracedError', 'OtherTracedError'].map((type, number) => ({
    ...errorEvent(type, 'the cart is empty', { ...life, timestamp: at - 119 + number / 10, platform: 'node' }),
    exception: { values: [{ type, value: 'the cart is empty', stacktrace: { frames } }] },
  }))
  const span = { ...trace, span_id: 'b'.repeat(16), parent_span_id: trace.span_id, op: 'db', description: 'SELECT 1' }
  const transaction = {
    event_id: eventId(),
    type: 'transaction',
    transaction: 'GET /checkout',
    contexts: life.contexts,
    start_timestamp: at - 120,
    timestamp: at - 118,
    spans: [{ ...span, start_timestamp: at - 119.5, timestamp: at - 119 }],
  }
  const body = `${JSON.stringify({ event_id: eventId() })}\n{"type":"transaction"}\n${JSON.stringify(transaction)}\n`
  return { events, transaction: body }
}

/** Creates the pages to measure. Returns their names and their paths below the organization. */
async function seedPages(product: Product, project: Project): Promise<[name: string, path: string][]> {
  await seedIssues(product, project, issueCount)
  const mapless = failedEvent(await buildOf('paint'), 'cart', lived(eventId()))
  const { events, transaction } = tracedEvents()
  await ingest(product, project, transaction)
  for (const event of [mapless, ...events]) await ingest(product, project, envelopeOf(event))
  const issueOf = (id: string | undefined) =>
    until('the event', 30_000, async () => {
      const { json } = await api(product, project, `/projects/bench/web/events/${id}/`)
      return (json as { groupID: string }).groupID
    })
  return [
    ['the issue list', '/issues'],
    ['an issue with a verdict of the source-map doctor', `/issues/${await issueOf(mapless.event_id)}`],
    ['an issue with a trace strip', `/issues/${await issueOf(events[0]?.event_id)}`],
  ]
}

function rowOf(what: string, goal: string, found: Seen[], narrowFound: Seen[]): Row {
  const paints = found.map((seen) => seen.paintMs)
  const paintMs = median(paints)
  const [shift, narrowShift] = [found, narrowFound].map((some) => Math.max(...some.map((seen) => seen.shift)))
  const moved = [...new Set([...found, ...narrowFound].flatMap((seen) => seen.moved))].slice(0, 5)
  const narrowMs = Math.round(median(narrowFound.map((seen) => seen.paintMs)))
  const firstByteMs = Math.round(median(found.map((seen) => seen.firstByteMs)))
  const elements = [...new Set(found.map((seen) => seen.element))].slice(0, 2)
  console.error(`${what}: largest ${elements.join(' or ')}`)
  return {
    what,
    goal,
    result: `median ${Math.round(paintMs)} ms of ${found.length} (${Math.round(Math.min(...paints))} to ${Math.round(Math.max(...paints))}; first byte ${firstByteMs}), shift ${shift?.toFixed(4)}; at 390 px ${narrowMs} ms, shift ${narrowShift?.toFixed(4)}`,
    met: paintMs < paintMaxMs && shift === 0 && narrowShift === 0,
    ...(moved.length ? { note: `moved: ${moved.join('; ')}` } : {}),
  }
}

/** Rows for each page: the median paint of the rounds (fewer at phone width), and the largest shift. */
export async function benchPaint(rounds: number): Promise<Row[]> {
  const goal = `under ${paintMaxMs / 1000} s, no layout shift`
  const what = `largest contentful paint, ${issueCount.toLocaleString('en')} issues`
  if (noChromium) return [{ what, goal, result: 'not measured: no Chromium', met: false }]
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  let browser: Browser | undefined
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    const pages = await seedPages(product, project)
    browser = await openBrowser()
    const login = await loginOf(browser, product.url, 'owner@bench.test')
    const rows: Row[] = []
    for (const [name, path] of pages) {
      const url = `${product.url}/o/bench${path}`
      const found = await measure(browser, login, url, wide, rounds)
      const narrowFound = await measure(browser, login, url, narrow, Math.min(rounds, narrowRounds))
      for (const visit of ['cold', 'warm', 'reload'] as const) {
        const how = visit === 'reload' ? 'reloaded' : `${visit} cache`
        rows.push(rowOf(`${what}: ${name}, ${how}`, goal, found[visit], narrowFound[visit]))
      }
    }
    return rows
  } finally {
    await browser?.close()
    await discard(product)
  }
}
