// Largest contentful paint and layout shift of the issue list and of an issue, with a cold and a warm cache.
import type { Browser, BrowserContext } from 'playwright-core'
import { type Login, loginOf, noChromium, openBrowser } from '../e2e/browser.ts'
import { api, bootstrap, discard, ready, start } from '../e2e/product.ts'
import type { Row } from './measure.ts'
import { seedIssues } from './scroll.ts'

const issueCount = 1000
const rounds = 9
const paintMaxMs = 1000
/** What comes late (live stream, reporter, charts) may not move anything either. */
const watchMs = 3000

// as text: a function would be compiled with helpers that the page does not have
const observe = `(() => {
  const seen = (window.seen = { paintMs: 0, shift: 0, moved: [] })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.paintMs = entry.startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      seen.shift += entry.value
      for (const { node } of entry.sources) seen.moved.push((node?.outerHTML ?? node?.textContent ?? '').slice(0, 120))
    }
  }).observe({ type: 'layout-shift', buffered: true })
})()`

type Seen = { paintMs: number; shift: number; moved: string[] }

async function look(context: BrowserContext, url: string): Promise<Seen> {
  const page = await context.newPage()
  await page.addInitScript(observe)
  await page.goto(url, { waitUntil: 'load' })
  await page.locator('main h1, main [data-id]').first().waitFor()
  await page.waitForTimeout(watchMs)
  const seen = (await page.evaluate('window.seen')) as Seen
  await page.close()
  return seen
}

/** Each round is a new browser profile for the cold cache; the second visit of the same profile is the warm one. */
async function measure(browser: Browser, login: Login, url: string): Promise<Record<'cold' | 'warm', Seen[]>> {
  const found = { cold: [] as Seen[], warm: [] as Seen[] }
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState: login })
    found.cold.push(await look(context, url))
    found.warm.push(await look(context, url))
    await context.close()
  }
  return found
}

/** Rows for both pages: the median paint of the rounds, and the greatest shift of any. */
export async function benchPaint(): Promise<Row[]> {
  const goal = `under ${paintMaxMs / 1000} s, no layout shift`
  const what = `largest contentful paint, ${issueCount.toLocaleString('en')} issues`
  if (noChromium) return [{ what, goal, figure: 'not measured: no Chromium', met: false }]
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  let browser: Browser | undefined
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    await seedIssues(product, project, issueCount)
    const [issue] = (await api(product, project, '/organizations/bench/issues/?limit=1')).json as { id: string }[]
    browser = await openBrowser()
    const login = await loginOf(browser, product.url, 'owner@bench.test')
    const rows: Row[] = []
    for (const [name, path] of [
      ['the issue list', '/issues'],
      ['an issue', `/issues/${issue?.id}`],
    ]) {
      const found = await measure(browser, login, `${product.url}/o/bench${path}`)
      for (const cache of ['cold', 'warm'] as const) {
        const paints = found[cache].map((one) => one.paintMs).sort((a, b) => a - b)
        const shift = Math.max(...found[cache].map((one) => one.shift))
        const median = paints[Math.floor(paints.length / 2)] ?? 0
        const moved = [...new Set(found[cache].flatMap((one) => one.moved))].slice(0, 5)
        rows.push({
          what: `${what}: ${name}, ${cache} cache`,
          goal,
          figure: `median ${Math.round(median)} ms of ${rounds} (${Math.round(paints[0] ?? 0)} to ${Math.round(paints.at(-1) ?? 0)}), shift ${shift.toFixed(4)}`,
          met: median < paintMaxMs && shift === 0,
          ...(moved.length ? { note: `moved: ${moved.join(' ')}` } : {}),
        })
      }
    }
    return rows
  } finally {
    await browser?.close()
    await discard(product)
  }
}
