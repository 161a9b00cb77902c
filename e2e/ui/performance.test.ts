import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RestRoutes } from '../../src/contract/explore/performance.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { envelopesOf, job, navigation, pageLoad, request, restored, softNavigation } from '../performance-spans.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, root, until } from '../product.ts'

const product = inject('product')
const org = 'fastlane'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const hostile = '/"><img src=https://evil.example/x.png onerror=alert(1)>/[id]'

/** Requests of the official SDK, whose default is streamed spans: the last of each three is slow. */
const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'mail@1.0.0', environment: 'production', tracesSampleRate: 1 })
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
for (let n = 0; n < 6; n++)
  await Sentry.startSpan({ name: 'POST /mail', op: 'http.server', forceTransaction: true, attributes: { 'http.route': '/mail/[list]' } }, async () => {
    await Sentry.startSpan({ name: 'SELECT', op: 'db', attributes: { 'db.system.name': 'postgresql', 'db.query.text': 'SELECT * FROM lists WHERE id = ' + n } }, () => wait(5))
  })
await Sentry.flush(5000)
`

function runSdk(dsn: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, DSN: dsn },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.once('exit', resolve))
}

describe.skipIf(noChromium)('the performance pages', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; shop: Project }
  const at = (path = '') => `${product.url}/o/${org}/performance${path}`
  const open = async (path = '') => {
    await state.page.goto(at(path))
    await hydrated(state.page)
  }
  const row = (table: string, text: string) =>
    state.page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text })
  async function faults(): Promise<string[]> {
    await state.page.evaluate(axe)
    return state.page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }

  beforeAll(async () => {
    state.shop = bootstrap(product, org, 'shop')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  }, 60_000)
  afterAll(() => state.browser?.close())

  test('without spans, the page says how to send them', async () => {
    const { page } = state
    await open()
    await page.getByRole('heading', { name: 'No traces yet' }).waitFor()
    await page.getByRole('region', { name: 'Settings of the SDK' }).getByText('tracesSampleRate: 0.1').waitFor()
    expect(await faults()).toEqual([])
  })

  test('spans of SDK 11 are routes, statements, vitals and route loads', async () => {
    expect(await runSdk(state.shop.dsn)).toBe(0)
    const now = Date.now() / 1000 - 120
    const segments = Array.from({ length: 120 }, (_, n) => request(now - n * 60, n % 4 === 0))
    const loads = Array.from({ length: 40 }, (_, n) =>
      pageLoad(n === 0 ? hostile : '/checkout/[id]', now - n * 60, n % 4 === 0 ? 5000 : 800, n % 4 === 0),
    )
    const moves = Array.from({ length: 12 }, (_, n) => navigation('/cart', now - n * 60, 300, n < 2))
    const runs = Array.from({ length: 10 }, (_, n) => job(now - n * 60, 900))
    const soft = Array.from({ length: 3 }, (_, n) => softNavigation('/cart', now - n * 60))
    const all = [...segments, ...loads, ...moves, ...runs, ...soft, restored('/cart', now)]
    for (const body of envelopesOf(all)) await ingest(product, state.shop, body)
    const event = errorEvent('StockError', 'none left', { transaction: 'GET /orders/[id]' })
    await ingest(product, state.shop, envelopeOf(event))
    const unloaded = errorEvent('Error', 'Hydration failed because', { transaction: '/unloaded' })
    await ingest(product, state.shop, envelopeOf(unloaded))
    const routes = await until('the routes', 30_000, async () => {
      const path = `/organizations/${org}/performance/?project=shop&statsPeriod=24h`
      const found = (await api(product, state.shop, path)).json as RestRoutes
      return found.samples === 6 + 120 + 40 + 12 + 10 + 3 + 1 && found
    })
    expect(routes.rows.find(({ route }) => route === '/orders/[id]')).toMatchObject({ samples: 120, count: 1200 })
    expect(routes.rows.find(({ samples }) => samples === 6)).toMatchObject({ op: 'http.server', count: 6 })
  }, 90_000)

  test('the list says what a sample stands for, and explains the slow part of the selected route', async () => {
    const { page } = state
    await open('?project=shop&t=24h')
    const orders = row('Routes', '/orders/[id]')
    await orders.getByText('120 of about 1.2K').waitFor()
    expect(await orders.getByText('120 of about 1.2K').getAttribute('title')).toBe('120 of about 1,200')
    // 1,200 requests in 1,440 minutes.
    await orders.getByText('0.833').waitFor()
    await page.getByText('192 of about 1,362 page loads, requests and jobs').waitFor()
    const selected = page.getByRole('region', { name: 'Selected route' })
    await selected.getByText('120 of about 1,200').waitFor()
    await selected.getByText('flag.new-cart').waitFor()
    await selected.getByText('5+ × db').waitFor()
    // A click on an attribute narrows the traces to it, and the link to all of them has it.
    const flag = selected.getByTitle(/^Show only traces with flag\.new-cart/)
    await flag.click()
    await until('the flag in the link', 10_000, async () => {
      const href = await selected.getByRole('link', { name: 'Open in Traces' }).getAttribute('href')
      return /flag\.new-cart/.test(new URLSearchParams(href?.split('?')[1]).get('q') ?? '')
    })
    expect(await flag.getAttribute('aria-pressed')).toBe('true')
    await selected.getByRole('img', { name: /^p50, p75 and p95/ }).waitFor()
    expect(await faults()).toEqual([])
  })

  test('the routes are searched by their figures, and a wrong key is named at its place', async () => {
    const { page } = state
    const box = page.getByRole('combobox', { name: 'Search routes' })
    await box.fill('requests:>1000 p95:>500ms')
    await box.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('q') === 'requests:>1000 p95:>500ms')
    await until('one route', 10_000, async () => (await row('Routes', '/').count()) === 1)
    await row('Routes', '/orders/[id]').waitFor()
    await box.fill('requets:>5 p95:fast')
    await box.press('Enter')
    const mistakes = page.getByRole('alert', { name: 'Mistakes in the search' })
    await mistakes.getByText('requets is no key of this list.').waitFor()
    await mistakes.getByText('fast is no duration').waitFor()
    expect(await faults()).toEqual([])
    await box.press('Escape')
    await open('?project=shop&t=24h&q=requets%3A%3E5')
    await page.getByRole('heading', { name: /at position 1, expected one of requests/ }).waitFor()
  })

  test('segments that an SDK cut off are counted on request, on all pages', async () => {
    const { page } = state
    await open('?project=shop&t=24h')
    await page.locator('summary', { hasText: 'Cut-off' }).click()
    await page.getByRole('option', { name: 'counted' }).click()
    await page.waitForURL((url) => url.searchParams.get('cut') === '1')
    await page.locator('summary', { hasText: 'Cut-off' }).getByText('counted').waitFor()
    const tabs = page.getByRole('navigation', { name: 'Performance pages' })
    expect(await tabs.getByRole('link', { name: /^Web vitals/ }).getAttribute('href')).toContain('cut=1')
    expect(await faults()).toEqual([])
  })

  test('jobs have a tab of their own, with its count', async () => {
    const { page } = state
    await open('?project=shop&t=24h')
    const tab = page.getByRole('navigation', { name: 'Performance pages' }).getByRole('link', { name: 'Jobs 1' })
    await tab.click()
    await page.waitForURL(/\/performance\/jobs/)
    const run = row('Jobs', 'send_invoice')
    await run.getByText('10 of about 100').waitFor()
    await page.getByText('Only 10 samples in this range.').waitFor()
    expect(await page.getByRole('table', { name: 'Jobs' }).getByRole('columnheader', { name: 'Apdex' }).count()).toBe(0)
    expect(await faults()).toEqual([])
  })

  test('in one click from a percentile to its route, and from a route to the query that made it slow', async () => {
    const { page } = state
    await open('?project=shop&t=24h')
    await row('Routes', '/orders/[id]').getByTitle('What is slower than the p95').click()
    await page.waitForURL(/\/performance\/[\w-]+\?.*brush=/)
    await page.getByRole('heading', { level: 2, name: /\/orders\/\[id\]/ }).waitFor()
    await page.getByRole('button', { name: 'Clear the selection' }).waitFor()
    const time = page.getByRole('region', { name: 'Where the time goes' })
    await time.getByRole('link', { name: 'SELECT * FROM items WHERE order_id = ?' }).click()
    await page.waitForURL(/\/performance\/queries\?/)
    // The query is open: its callers and its slowest trace are there without another click.
    await page.getByText('Called by one route').waitFor()
    await page.getByRole('link', { name: 'Slowest trace' }).waitFor()
    // And back from the query to the route that calls it.
    await page
      .locator('.performance-callers')
      .getByRole('link', { name: /\/orders\/\[id\]/ })
      .click()
    await page.waitForURL((url) => url.searchParams.get('q') === 'route:"/orders/[id]"')
    await page.getByRole('region', { name: 'Selected route' }).getByText('/orders/[id]').waitFor()
  })

  test('in one click from what is slow to the query behind it', async () => {
    const { page } = state
    await open('?project=shop&t=24h')
    const selected = page.getByRole('region', { name: 'Selected route' })
    await selected.getByRole('link', { name: 'SELECT * FROM items WHERE order_id = ?' }).first().click()
    await page.waitForURL(/\/performance\/queries\?/)
    await page.getByText('Called by one route').waitFor()
  })

  test('j, k and Enter move and open; the address of a route survives brackets and slashes', async () => {
    const { page } = state
    await open('?project=shop&t=24h')
    const rows = page.getByRole('table', { name: 'Routes' }).locator('tbody tr')
    await rows.nth(1).waitFor()
    const isSelected = async (n: number) => (await rows.nth(n).getAttribute('aria-current')) === 'true'
    // The streamed table takes keys a moment after it is shown.
    await until('j to move', 10_000, async () => {
      await page.keyboard.press('j')
      return !(await isSelected(0))
    })
    await until('k to move back', 10_000, async () => {
      await page.keyboard.press('k')
      return isSelected(0)
    })
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/performance\/[\w-]+\?/)
    await page.getByRole('heading', { level: 2, name: /\/orders\/\[id\]/ }).waitFor()
    const time = page.getByRole('region', { name: 'Where the time goes' })
    await time.getByText('SELECT * FROM items WHERE order_id = ?').waitFor()
    await page.getByRole('link', { name: /StockError/ }).waitFor()
    const slowest = page.getByRole('region', { name: 'Slowest traces' }).getByRole('link').first()
    expect(await slowest.getAttribute('href')).toMatch(
      new RegExp(`^/o/${org}/traces/[0-9a-f]{32}\\?span=[0-9a-f]{16}$`),
    )
    expect(await faults()).toEqual([])
  })

  test('a selection by keys is in the URL and stays after a reload', async () => {
    const { page } = state
    const handle = page.getByRole('slider', { name: 'Shortest selected duration' })
    await handle.press('ArrowLeft')
    await page.waitForURL(/brush=/)
    await page.reload()
    await hydrated(page)
    await page.getByRole('button', { name: 'Clear the selection' }).waitFor()
  })

  test('why slow explains a part of the range, chosen by keys or by a drag', async () => {
    const { page } = state
    const trend = page.getByRole('slider', { name: 'Select a part of the range' })
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await page.waitForURL((url) => !url.searchParams.has('brush'))
    await trend.press('ArrowLeft')
    await trend.press('Enter')
    await page.waitForURL(/during=\d+-\d+/)
    await trend.press('Escape')
    await page.waitForURL((url) => !url.searchParams.has('during'))
    const box = await trend.boundingBox()
    if (!box) throw new Error('the trend has no box')
    await page.mouse.move(box.x + 2, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, box.y + 20)
    await page.mouse.up()
    await page.waitForURL(/during=\d+-\d+/)
    await page.reload()
    await hydrated(page)
    // All of the range is selected, so nothing is left to compare with.
    await page.getByText(/ 0 others\. At least 20 of each are needed\./).waitFor()
    expect(await faults()).toEqual([])
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await page.waitForURL((url) => !url.searchParams.has('during'))
  })

  test('from a query to its callers', async () => {
    const { page } = state
    await open('/queries?project=shop&t=24h')
    await page.getByRole('button', { name: /SELECT \* FROM items/ }).click()
    await page.getByText('Called by one route').waitFor()
    await page.getByRole('link', { name: 'Slowest trace' }).waitFor()
    expect(await faults()).toEqual([])
    await open('/requests?project=shop&t=24h')
    await row('Requests', 'stock.example').waitFor()
    await open('/assets?project=shop&t=24h')
    await row('Assets', '319 kB').waitFor()
  })

  test('vitals name the element that caused them; broken navigations are seen', async () => {
    await open('/vitals?project=shop&t=24h')
    await row('Web vitals', '/checkout/[id]').getByText('img.hero').waitFor()
    expect(await faults()).toEqual([])
    await open('/routes?project=shop&t=24h')
    // The table is streamed into the page.
    await row('Route loads', '/cart').waitFor()
    // 15 navigations, two of them broken, and one page that the browser restored from its cache.
    expect(await row('Route loads', '/cart').locator('td').allTextContents()).toEqual(
      expect.arrayContaining(['15', '2 13%', '2', '1 100%']),
    )
    // Its releases are beside each other, with the same columns.
    const { page } = state
    await page.getByRole('button', { name: 'Releases of /cart' }).click()
    const releases = page.getByRole('table', { name: 'Releases of /cart' })
    await releases.getByText('2 13%').first().waitFor()
    expect(await releases.getByRole('columnheader').count()).toBe(10)
    await page.getByRole('button', { name: 'Releases of /unloaded' }).click()
    await page.getByText('This route was not loaded in this range. Only errors of it are known.').waitFor()
    expect(await faults()).toEqual([])
  })

  test('vitals of navigations without a page load are apart', async () => {
    const { page } = state
    await open('/vitals?project=shop&t=24h')
    expect(await row('Web vitals', '/cart').count()).toBe(0)
    await page
      .getByRole('radio', { name: 'Navigations' })
      .or(page.getByRole('button', { name: 'Navigations' }))
      .click()
    await page.waitForURL(/loads=navigation/)
    await row('Web vitals', '/cart').getByText('img.hero').waitFor()
    await row('Web vitals', '/cart').getByText('button#buy').waitFor()
    expect(await page.getByRole('columnheader', { name: 'TTFB' }).count()).toBe(0)
    expect(await faults()).toEqual([])
  })

  test('a hostile name is text, and every page fits a phone in both themes', async () => {
    const { page } = state
    await open(`?project=shop&t=24h&q=img`)
    await row('Routes', '<img src=https://evil.example').waitFor()
    const isTooWide = () => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const path of ['', '/vitals', '/queries', '/requests', '/assets', '/jobs', '/routes'])
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        await open(`${path}?project=shop&t=24h`)
        expect(await isTooWide(), `${path} ${width}`).toBe(false)
        expect(await faults(), `${path} ${width}`).toEqual([])
      }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('nothing found offers to remove the filter', async () => {
    const { page } = state
    await open('?project=shop&q=nowhere')
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page
      .getByRole('main')
      .getByRole('link', { name: /nowhere/ })
      .click()
    await page.waitForURL((url) => !url.searchParams.has('q'))
  })

  test('made no foreign request and ran no foreign script', () => {
    const { errors, foreign, dialogs } = state.watched
    expect({ errors, foreign, dialogs }).toEqual({ errors: [], foreign: [], dialogs: [] })
  })
})
