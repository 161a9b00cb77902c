// Time from SDK flush to the painted row, at 100 events/s: in a list that a person watches, and in one that was just
// opened and has no live stream yet.
import type { Page } from 'playwright-core'
import { noChromium, openBrowser, signIn } from '../e2e/browser.ts'
import { bootstrap, discard, envelopeOf, errorEvent, ingest, ready, start } from '../e2e/product.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import type { Row } from './measure.ts'

const rounds = 30

/**
 * Runs in the page. Resolves with the time of the frame that paints the first row, in ms since 1970. Playwright's own
 * wait looks every 500 ms after the first 270, which is coarser than what is measured.
 */
const paintedAt = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const timeout = setTimeout(() => reject(new Error('no row in 15 s')), 15_000)
    const look = () => {
      if (!document.querySelector('[data-id]')) return
      watching.disconnect()
      clearTimeout(timeout)
      // A task that a frame's callback posts runs after the frame is painted.
      requestAnimationFrame(() => setTimeout(() => resolve(Date.now()), 0))
    }
    const watching = new MutationObserver(look)
    watching.observe(document.body, { childList: true, subtree: true })
    look()
  })

/** Lists by what their page did when the event is sent. */
const cases = {
  'a list whose live stream is open': async (page: Page, open: () => Promise<unknown>) => {
    await Promise.all([page.waitForResponse((answer) => answer.url().includes('/live/')), open()])
    await page.waitForTimeout(500)
  },
  'a list opened 0.7 s before': async (page: Page, open: () => Promise<unknown>) => {
    await open()
    await page.waitForTimeout(700)
  },
}

/** Sends new issues one by one under load. Times each from its send to its row, or to the bar that announces it. */
export async function benchScreen(): Promise<Row[]> {
  const whatOf = (list: string) => `SDK flush to row painted in ${list}, 100 events/s`
  if (noChromium)
    return Object.keys(cases).map((list) => ({
      what: whatOf(list),
      goal: 'p95 at most 400 ms',
      result: 'not measured: no Chromium',
      met: false,
    }))
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const project = bootstrap(product, 'bench', 'web')
  const quiet = bootstrap(product, 'bench', 'quiet')
  await ready(product)
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await signIn(page, product.url, 'owner@bench.test')
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const loading = runLoad(
    { port: product.port, path, bodies: realBodies().mix, connections: 4, rate: 100 },
    rounds * 5 + 10,
  )
  const times: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++) {
    for (const [list, prepare] of Object.entries(cases)) {
      const type = `Round${round}${list.length}Error`
      // An empty list shows a new row at once. A list with rows announces it in a bar, and one click shows it.
      await prepare(page, async () => {
        await page.goto(`${product.url}/o/bench/issues?project=quiet&q=${type}`)
        await page.getByRole('main').waitFor()
      })
      const painted = page.evaluate(paintedAt)
      await page.evaluate(() => undefined) // The page watches now: it answers one call after the other.
      const began = Date.now()
      await ingest(product, quiet, envelopeOf(errorEvent(type)))
      times[list] = [...(times[list] ?? []), (await painted) - began]
    }
  }
  await loading
  await browser.close()
  await discard(product)
  return Object.entries(times).map(([list, found]) => {
    const sorted = found.sort((a, b) => a - b)
    const p95 = percentile(sorted, 0.95)
    return {
      what: whatOf(list),
      goal: 'p95 at most 400 ms',
      result: `p50 ${Math.round(percentile(sorted, 0.5))} ms, p95 ${Math.round(p95)} ms over ${rounds} new issues`,
      met: p95 <= 400,
    }
  })
}
