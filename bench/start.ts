// Time from the start of a built product to the first painted event.
import { noChromium, openBrowser, signIn } from '../e2e/browser.ts'
import { bootstrap, discard, envelopeOf, errorEvent, ingest, ready, start } from '../e2e/product.ts'
import type { Row } from './measure.ts'

/** Starts with an empty folder, sends one event as soon as a key exists, and waits for its row in the list. */
export async function benchStart(): Promise<Row[]> {
  if (noChromium)
    return [
      {
        what: 'start to first painted event, from a built state',
        goal: '15 s',
        result: 'not measured: no Chromium',
        met: false,
      },
    ]
  const browser = await openBrowser()
  const began = performance.now()
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const healthMs = performance.now() - began
  const project = bootstrap(product, 'bench', 'web')
  await ingest(product, project, envelopeOf(errorEvent('FirstError')))
  await ready(product)
  const page = await browser.newPage()
  await signIn(page, product.url, 'owner@bench.test')
  await page.getByText('FirstError').first().waitFor({ timeout: 30_000 })
  const seconds = (performance.now() - began) / 1000
  await browser.close()
  await discard(product)
  return [
    {
      what: 'start to first painted event, from a built state',
      goal: '15 s',
      result: `${seconds.toFixed(1)} s with bootstrap and sign-in; health after ${Math.round(healthMs)} ms`,
      met: seconds <= 15,
    },
  ]
}
