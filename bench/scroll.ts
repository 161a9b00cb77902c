// Frame times of the issue list with 10,000 issues, scrolled by 100 px per frame.
import type { Browser, Page } from 'playwright-core'
import { noChromium, openBrowser, signIn } from '../e2e/browser.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../e2e/product.ts'
import { percentile } from './load.ts'
import type { Row } from './measure.ts'

const issueCount = 10_000
const senders = 16
const frames = 240
const stepPx = 100
const goalMs = 33.5 // two refreshes at 60 Hz: frames take whole refreshes, and times are in tenths of ms

/** Sends one event with its own exception type per issue. Resolves when all issues exist. */
export async function seedIssues(product: Product, project: Project, issueCount: number): Promise<void> {
  let sent = 0
  const sender = async () => {
    while (sent < issueCount) {
      const number = sent++
      const event = errorEvent(`Scroll${number}Error`, `cart ${number % 97} has no price for "${number % 13} apples"`)
      const answer = await ingest(product, project, envelopeOf(event))
      if (answer.status !== 200) throw new Error(`event ${number} was answered ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: senders }, sender))
  await until(`${issueCount} issues`, 180_000, async () => {
    const found = await api(product, project, `/organizations/${project.org}/issues/?limit=1`)
    return Number(found.headers.get('x-hits')) >= issueCount
  })
}

/** Opens the list, waits until it is idle, scrolls it, and returns the time of each frame in ms. */
async function scroll(page: Page, url: string): Promise<number[]> {
  await page.goto(url)
  await page.locator('[data-id]').nth(10).waitFor()
  await page.waitForTimeout(2000)
  // This is text, because a compiled function would use helpers that the page does not have.
  return (await page.evaluate(`new Promise((resolve) => {
    const lengths = []
    let before = 0
    const frame = (now) => {
      if (before) lengths.push(now - before)
      before = now
      if (lengths.length >= ${frames}) return resolve(lengths)
      window.scrollBy(0, ${stepPx})
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })`)) as number[]
}

/** Scrolls 24,000 px of the list: about 460 rows and five fetched pages. The median of three rounds counts. */
export async function benchScroll(): Promise<Row[]> {
  const what = `Scrolling ${issueCount.toLocaleString('en')} issues, ${stepPx} px a frame, ${frames} frames`
  const goal = 'no frame over 33 ms'
  if (noChromium) return [{ what, goal, result: 'not measured: no Chromium', met: false }]
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  let browser: Browser | undefined
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    await seedIssues(product, project, issueCount)
    browser = await openBrowser()
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await signIn(page, product.url, 'owner@bench.test')
    const rounds: { longestMs: number; p95Ms: number; over: number }[] = []
    for (let round = 0; round < 3; round++) {
      const lengths = (await scroll(page, `${product.url}/o/bench/issues`)).sort((a, b) => a - b)
      rounds.push({
        longestMs: lengths.at(-1) ?? 0,
        p95Ms: percentile(lengths, 0.95),
        over: lengths.filter((length) => length > goalMs).length,
      })
    }
    rounds.sort((a, b) => a.longestMs - b.longestMs)
    const median = rounds[1] ?? { longestMs: 0, p95Ms: 0, over: 0 }
    const all = rounds.map((round) => round.longestMs.toFixed(1)).join(', ')
    return [
      {
        what,
        goal,
        result: `longest ${median.longestMs.toFixed(1)} ms, p95 ${median.p95Ms.toFixed(1)} ms, ${median.over} frames over (longest of each round: ${all})`,
        met: median.longestMs <= goalMs,
      },
    ]
  } finally {
    await browser?.close()
    await discard(product)
  }
}
