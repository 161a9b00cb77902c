import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'tracing'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const hostile = '<img src=x onerror=alert(1)> \u202eevil'

/** A page load of a route with a query, as a transaction of a Python SDK at a sample rate, by default 0.1. */
function transaction(n: number, { environment = 'production', sampleRate = '0.1' } = {}): string {
  const [trace, root] = [hex(16), hex(8)]
  const endS = Date.now() / 1000 - 30 - n
  const durationS = n % 4 === 0 ? 3 : 0.3
  const payload = {
    event_id: hex(16),
    type: 'transaction',
    transaction: n === 1 ? hostile : `GET /orders/${n % 3}`,
    platform: 'python',
    release: `shop@1.${n % 2}`,
    environment,
    start_timestamp: endS - durationS,
    timestamp: endS,
    contexts: {
      trace: { trace_id: trace, span_id: root, op: 'http.server', status: n === 2 ? 'internal_error' : 'ok' },
    },
    spans: [
      {
        trace_id: trace,
        span_id: hex(8),
        parent_span_id: root,
        op: 'db',
        description: 'SELECT 1',
        start_timestamp: endS - 0.2,
        timestamp: endS - 0.1,
        data: { 'db.system': 'postgresql' },
      },
    ],
  }
  const header = { trace: { trace_id: trace, public_key: 'x', sample_rate: sampleRate } }
  return `${JSON.stringify(header)}\n{"type":"transaction"}\n${JSON.stringify(payload)}\n`
}

describe.skipIf(noChromium)('the search over traces', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (search = '') => `${product.url}/o/${org}/traces${search}`
  const rows = (page: Page) => page.locator('.span-row')
  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    return page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('none: how to send traces; the sidebar leads there', async () => {
    const { page } = state
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    await page.getByRole('link', { name: 'Traces' }).first().click()
    await page.waitForURL(/\/traces$/)
    await page.getByRole('heading', { name: 'No spans came in this time range.' }).waitFor()
    expect(await page.locator('pre').textContent()).toContain('tracesSampleRate')
  })

  test('traces with their spans, failures and durations, and how many spans they stand for', async () => {
    const { page } = state
    for (let n = 0; n < 12; n++) await ingest(product, state.project, transaction(n))
    await until('spans', 20_000, async () => {
      const path = `/organizations/${org}/events/?dataset=spans&field=count_sample()&statsPeriod=24h`
      const { data } = (await api(product, state.project, path)).json as { data: { 'count_sample()': number }[] }
      return data[0]?.['count_sample()'] === 24
    })
    await page.goto(at())
    await hydrated(page)
    expect(await rows(page).count()).toBe(12)
    const text = await rows(page).first().textContent()
    expect(text).toContain('GET /orders/0')
    expect(text).toContain('2 spans')
    expect(await page.locator('.stream-count').textContent()).toContain('24')
    // A hostile name is text, and its signs are visible.
    expect(await page.locator('.span-row img').count()).toBe(0)
    expect(await page.locator('.span-row .control-mark').count()).toBeGreaterThan(0)
  })

  test('a facet filters; the toggle lists spans; the address keeps both', async () => {
    const { page } = state
    await page.getByRole('region', { name: 'span.op' }).getByRole('button', { name: /^db/ }).click()
    await page.waitForURL(/q=span\.op/)
    await page.getByRole('radio', { name: 'Spans' }).click()
    await page.waitForURL(/mode=spans/)
    await page.locator('.span-row', { hasText: 'SELECT 1' }).first().waitFor()
    expect(await rows(page).count()).toBe(12)
    await page.getByText('Fewer than 100 samples: the figures are rough.').waitFor()
    await page.reload()
    expect(await rows(page).count()).toBe(12)
  })

  test('a drag over the histogram sets the duration', async () => {
    const { page } = state
    await page.goto(at('?q=is_transaction%3Atrue&mode=spans'))
    await hydrated(page)
    expect(await rows(page).count()).toBe(12)
    const box = await page.locator('.span-bars[data-brush]').boundingBox()
    if (!box) throw new Error('no histogram')
    await page.mouse.move(box.x + box.width * 0.7, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/span\.duration/)
    await until('fewer rows', 10_000, async () => (await rows(page).count()) === 3)
    await page.getByRole('button', { name: 'All durations' }).click()
    await until('all rows', 10_000, async () => (await rows(page).count()) === 12)
  })

  test('keys and values are suggested at the caret', async () => {
    const { page } = state
    await page.goto(at())
    await hydrated(page)
    const field = page.getByRole('combobox', { name: 'Search spans' })
    await field.fill('span.o')
    await page
      .getByRole('option', { name: /span\.op/ })
      .first()
      .waitFor()
    await field.fill('span.op:')
    await page.getByRole('option', { name: /http\.server/ }).waitFor()
    await field.fill('span.duration:soon')
    await field.press('Enter')
    await page.getByText('soon is no duration.').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
  })

  test('j and Enter open a trace', async () => {
    const { page } = state
    await page.goto(at('?q=transaction%3A"GET%20%2Forders%2F2"'))
    await hydrated(page)
    await page.keyboard.press('j')
    await page.locator('.span-row[aria-current]').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/traces\/[0-9a-f]{32}$/)
  })

  test('a view is saved, renamed, shared, opened by default, and deleted', async () => {
    const { page } = state
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(at('?q=span.op%3Adb&mode=spans'))
    await hydrated(page)
    await page.keyboard.press('v')
    await page.getByRole('textbox', { name: 'Save this view' }).fill('Queries')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    // The list is the view now.
    await page.getByRole('heading', { level: 1, name: 'Queries' }).waitFor()
    await page.getByRole('button', { name: 'Rename the view Queries' }).click()
    await page.getByRole('textbox', { name: 'Rename the view Queries' }).fill('Database')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Database' }).waitFor()
    await page.getByRole('button', { name: 'Share the view Database with everybody' }).click()
    await page.getByRole('link', { name: /Database.*everybody/ }).waitFor()
    await page.getByRole('button', { name: 'default: open the list with Database' }).click()
    await page.locator('.views-acts [aria-pressed=true]', { hasText: 'default' }).waitFor()
    expect(await faults(page)).toEqual([])
    await page.goto(at())
    await page.waitForURL(
      (url) => url.searchParams.get('q') === 'span.op:db' && url.searchParams.get('mode') === 'spans',
    )
    await page.getByRole('heading', { level: 1, name: 'Database' }).waitFor()
    await hydrated(page)
    // Without its filter the list stays as the reader left it.
    await page.getByRole('button', { name: 'Remove the filter span.op:db' }).click()
    await page.waitForURL((url) => !url.searchParams.get('q'))
    await page.getByRole('radio', { name: 'Traces' }).click()
    await page.waitForURL((url) => url.search === '?q=' || url.search === '')
    await page.getByRole('heading', { level: 1, name: 'Traces' }).waitFor()
    // Views of issues are another list.
    const list = (await api(product, state.project, `/organizations/${org}/searches/`)).json as unknown[]
    expect(list).toEqual([])
    await page.keyboard.press('v')
    await page.getByRole('button', { name: 'Delete the view Database' }).click()
    await page.getByText('No saved views yet.').waitFor()
    await page.goto(at())
    expect(new URL(page.url()).search).toBe('')
  })

  test.each([
    ['nothing found', '?q=span.op%3Anone', 'No span matches.'],
    ['a wrong search', '?q=span.duration%3Asoon', 'Invalid query'],
  ])('%s says so', async (_name, search, wanted) => {
    const { page } = state
    await page.goto(at(search))
    await page.getByRole('heading', { name: wanted }).waitFor()
    expect(await page.locator('.stream-bar').isVisible()).toBe(true)
  })

  test.each([
    [1440, 900],
    [390, 844],
  ])('nothing is wider than a screen of %i pixels', async (width, height) => {
    const { page } = state
    await page.setViewportSize({ width, height })
    await page.goto(at())
    await hydrated(page)
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(over).toBe(0)
  })

  test.each(['en', 'de'])(
    '390 px: samples and what they stand for have one line, in tables two: %s',
    async (locale) => {
      const { page } = state
      const cookies = await page.context().cookies()
      await page.context().addCookies([{ name: 'locale', value: locale, url: product.url }])
      await page.setViewportSize({ width: 390, height: 844 })
      const linesOf = (selector: string) =>
        page.evaluate<number[]>(`[...document.querySelectorAll('${selector}')].map((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
      })`)
      await page.goto(at('?q=is_transaction%3Atrue'))
      await hydrated(page)
      const notes = await linesOf('.span-charts .span-sampled')
      expect(notes).toEqual([1, 1])
      // The second sentence warns of few samples.
      const count = await linesOf('.stream-count')
      expect(count).toHaveLength(1)
      expect(count[0]).toBeLessThanOrEqual(2)
      expect(await page.locator('.stream-count').textContent()).toMatch(/^12 (?:of about|von etwa) 120 Spans/i)
      await page.goto(`${product.url}/o/${org}/performance?t=24h`)
      await hydrated(page)
      // The rows come after the frame.
      await page.locator('.performance-sampled').first().waitFor()
      const cells = await linesOf('.performance-sampled')
      expect(cells).toContain(2)
      expect(cells.filter((lines) => lines > 2)).toEqual([])
      const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      expect(over).toBe(0)
      await page.context().clearCookies()
      await page.context().addCookies(cookies)
      await page.setViewportSize({ width: 1440, height: 900 })
    },
  )

  test('few spans of which none was sampled warn of percentiles only', async () => {
    const { page, project } = state
    const envelope = transaction(1, { environment: 'unsampled', sampleRate: '1' })
    expect((await ingest(product, project, envelope)).status).toBe(200)
    await until('the warning', 15_000, async () => {
      await page.goto(at('?env=unsampled'))
      return (await page.getByText('Fewer than 100 samples: percentiles are rough.').count()) === 1
    })
  })
})
