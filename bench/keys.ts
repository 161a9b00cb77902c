// Time from a press of `j` in the issue list to the frame that shows the next row, with a CPU four times slower.
import type { Page } from 'playwright-core'
import { noChromium, openBrowser, signIn } from '../e2e/browser.ts'
import { bootstrap, discard, ready, start } from '../e2e/product.ts'
import { percentile } from './load.ts'
import type { Row } from './measure.ts'
import { seedIssues } from './scroll.ts'

const issueCount = 1000
const presses = 120
const slower = 4
const goalMs = 32

/** Presses `j` and returns the time of each press until its frame was painted, in ms. */
async function press(page: Page): Promise<number[]> {
  // This is text, because a compiled function would use helpers that the page does not have. A message that a frame
  // callback posts arrives after the paint of that frame.
  await page.evaluate(`{
    window.pressed = []
    addEventListener('keydown', (event) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => window.pressed.push(performance.now() - event.timeStamp)
        port2.postMessage(0)
      })
    }, { capture: true })
  }`)
  for (let at = 0; at < presses; at++) {
    await page.keyboard.press('j')
    await page.waitForTimeout(120)
  }
  return (await page.evaluate('window.pressed')) as number[]
}

/** One row: p50 and p95 of the key in a list of 1,000 issues. */
export async function benchKeys(): Promise<Row[]> {
  const what = `\`j\` to the painted frame, ${issueCount.toLocaleString('en')} issues, CPU ${slower} times slower`
  const goal = `p95 at most ${goalMs} ms`
  if (noChromium) return [{ what, goal, result: 'not measured: no Chromium', met: false }]
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const project = bootstrap(product, 'keys', 'web')
  await ready(product)
  await seedIssues(product, project, issueCount)
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await signIn(page, product.url, 'owner@keys.test')
  await page.goto(`${product.url}/o/keys/issues`)
  await page.locator('[data-id]').nth(10).waitFor()
  await page.waitForTimeout(2000)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  const times = (await press(page)).sort((a, b) => a - b)
  await browser.close()
  await discard(product)
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
  return [
    {
      what,
      goal,
      result: `p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of ${times.length} presses`,
      met: times.length === presses && p95 <= goalMs,
    },
  ]
}
