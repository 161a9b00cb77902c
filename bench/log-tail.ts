// Frame times of the live view of log lines while 1,000 lines/s arrive.
import type { Browser, Page } from 'playwright-core'
import { noChromium, openBrowser, signIn } from '../e2e/browser.ts'
import { bootstrap, discard, ingest, type Product, type Project, ready, start } from '../e2e/product.ts'
import { percentile } from './load.ts'
import type { Row } from './measure.ts'

const linesPerS = 1000
const perEnvelope = 100
const seconds = 20
const goalMs = 50
const shapes = ['GET /api/cart * in * ms', 'cart * loaded', 'pool wait * ms', 'invoice * queued for *', 'retry * of 3']

/** An envelope of lines of 200 bytes with twelve attributes, as an SDK flushes them. */
function envelope(first: number): string {
  const items = Array.from({ length: perEnvelope }, (_, n) => {
    const number = first + n
    const body = (shapes[number % shapes.length] ?? '').replaceAll('*', String(number))
    const attributes = Object.fromEntries(
      Array.from({ length: 12 }, (_unused, at) => [
        `shop.value_${at}`,
        { type: 'string', value: `v${number % (at + 2)}` },
      ]),
    )
    return {
      timestamp: Date.now() / 1000 + n / 1e6,
      trace_id: number.toString(16).padStart(32, '0'),
      level: number % 50 === 0 ? 'error' : number % 10 === 0 ? 'warn' : 'info',
      body: `line ${number} ${body} ${'x'.repeat(Math.max(0, 180 - body.length))}`,
      attributes,
    }
  })
  const header = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
  return `{}\n${JSON.stringify(header)}\n${JSON.stringify({ items })}\n`
}

/** Sends lines at an even rate. Returns the number of the last line. */
async function send(product: Product, project: Project): Promise<number> {
  const count = linesPerS * seconds
  const start = performance.now()
  for (let first = 0; first < count; first += perEnvelope) {
    const waitMs = start + (first / linesPerS) * 1000 - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    const { status } = await ingest(product, project, envelope(first))
    if (status !== 200) throw new Error(`lines from ${first} on were answered ${status}`)
  }
  return count - 1
}

/** Starts to record the time of each frame. This is text, because a compiled function would use helpers that the page does not have. */
const record = `(() => {
  window.frames_ = []
  let before = 0
  const frame = (now) => {
    if (before) window.frames_.push(now - before)
    before = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})()`

async function measure(page: Page, product: Product, project: Project): Promise<Row> {
  await page.goto(`${product.url}/o/bench/logs?q=line&live=1`)
  await page.getByText('Following new lines.').waitFor()
  await page.evaluate(record)
  const last = await send(product, project)
  await page.locator('.log-list', { hasText: `line ${last} ` }).waitFor({ timeout: 10_000 })
  const lengths = ((await page.evaluate('window.frames_')) as number[]).sort((a, b) => a - b)
  const gaps = await page.locator('.log-gap').count()
  const longest = lengths.at(-1) ?? 0
  return {
    what: `Live view of log lines, ${linesPerS.toLocaleString('en')} lines/s for ${seconds} s`,
    goal: `no frame over ${goalMs} ms, no line left out`,
    result: `longest ${longest.toFixed(1)} ms, p99 ${percentile(lengths, 0.99).toFixed(1)} ms, ${lengths.filter((length) => length > goalMs).length} of ${lengths.length} frames over, ${gaps} gaps`,
    met: longest <= goalMs && gaps === 0,
  }
}

/** Measures the frames of a browser that follows 1,000 lines/s, on the machine that also stores them. */
export async function benchLogTail(): Promise<Row[]> {
  if (noChromium)
    return [
      { what: 'Live view of log lines', goal: 'no frame over 50 ms', result: 'not measured: no Chromium', met: false },
    ]
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  let browser: Browser | undefined
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    await ingest(product, project, envelope(0))
    browser = await openBrowser()
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await signIn(page, product.url, 'owner@bench.test')
    // The first visit compiles and caches the scripts of the page.
    await page.goto(`${product.url}/o/bench/logs?q=line`)
    await page.waitForTimeout(2000)
    return [await measure(page, product, project)]
  } finally {
    await browser?.close()
    await discard(product)
  }
}
