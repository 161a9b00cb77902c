import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, type Login, loginOf, noChromium, openBrowser, openPage } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'issuepage'

const message = "Cannot read properties of null (reading 'total')"
const lines = [
  'export function computeTotals(cart: Cart, order: Order) {',
  "  const totals = { net: 0, currency: 'EUR' }",
  '  for (const item of cart.items) {',
  '    totals.net += cart.summary.total * item.quantity',
  '  }',
  '  return withTax(totals) // <img src=x onerror=alert(1)>',
]
const library = (at: number) => ({
  filename: 'react-dom.js',
  abs_path: 'https://shop.test/node_modules/react-dom/react-dom.js',
  function: `render${at}`,
  lineno: at,
  in_app: false,
})
const cart = { items: [{ sku: 'A1' }], summary: null, note: '<script>alert(2)</script>' }
const crash = {
  filename: 'checkout/CartSummary.tsx',
  function: 'computeTotals',
  lineno: 87,
  in_app: true,
  pre_context: lines.slice(0, 3),
  context_line: lines[3],
  post_context: lines.slice(4),
  vars: { cart, order: { id: 8812 } },
}
const page = { filename: 'app/page.tsx', function: 'Page', lineno: 2, in_app: true, context_line: 'return <Cart />' }
const frames = [page, ...Array.from({ length: 11 }, (_, at) => library(at + 1)), crash]

/** A typical error of a browser: stack with source, breadcrumbs, request, tags. */
const typical = () => ({
  ...errorEvent('TypeError', message),
  release: 'shop@1.0.0',
  environment: 'production',
  tags: { route: '/checkout', locale: 'de-DE' },
  request: { url: 'https://shop.test/checkout', method: 'GET' },
  breadcrumbs: {
    values: [
      { category: 'http', type: 'http', message: 'GET /cart' },
      { category: 'ui.click', message: 'Pay' },
    ],
  },
  exception: {
    values: [
      { type: 'TypeError', value: message, mechanism: { type: 'onerror', handled: false }, stacktrace: { frames } },
    ],
  },
})

describe.skipIf(noChromium)('the issue page', () => {
  const state = {} as { browser: Browser; project: Project; login: Login; issue: string }
  const open = async (width = 1440, height = 900) => {
    const watched = await openPage(state.browser, product.url, { width, height, login: state.login })
    await watched.page.goto(`${product.url}/o/${org}/issues/${state.issue}`)
    await hydrated(watched.page)
    return watched
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    expect((await ingest(product, state.project, envelopeOf(typical()))).status).toBe(200)
    expect((await ingest(product, state.project, envelopeOf(typical()))).status).toBe(200)
    const found = await until('the issue', 15_000, async () => {
      const issues = (await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as {
        id: string
        count: string
      }[]
      return issues[0]?.count === '2' && issues[0]
    })
    state.issue = found.id
    state.browser = await openBrowser()
    state.login = await loginOf(state.browser, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test.each([
    [1440, 900, 400],
    [390, 844, 600],
  ])('at %i x %i the first frame begins within %i px, with or without scripts', async (width, height, most) => {
    const { page } = await open(width, height)
    const top = async () => (await page.locator('.frame').first().boundingBox())?.y ?? Number.NaN
    expect(await top()).toBeLessThanOrEqual(most)
    expect(await top()).toBeGreaterThan(0)
    if (width < 720) expect((await page.locator('.event-tags').boundingBox())?.height).toBeLessThan(60)
    const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(wide).toBe(0)
    await page.context().close()
    const context = await state.browser.newContext({
      viewport: { width, height },
      storageState: state.login,
      javaScriptEnabled: false,
    })
    const plain = await context.newPage()
    await plain.goto(`${product.url}/o/${org}/issues/${state.issue}`)
    expect((await plain.locator('.frame').first().boundingBox())?.y).toBeLessThanOrEqual(most)
    await plain.getByText('cart.summary = null').waitFor({ state: width > 720 ? 'visible' : 'attached' })
    await context.close()
  })

  test('code is coloured after the first paint, as text only, with the value that was missing', async () => {
    const { page, errors, foreign, dialogs } = await open()
    const code = page.getByRole('region', { name: 'Source of checkout/CartSummary.tsx:87' })
    await code.locator('.syn-key', { hasText: 'export' }).waitFor()
    expect((await code.locator('.code-line > code').allTextContents()).join('\n')).toBe(lines.join('\n'))
    expect((await code.locator('[data-marked]').allTextContents()).join('')).toBe('cart.summary')
    expect(await code.locator('.failing-value').textContent()).toBe('cart.summary = null')
    const failing = code.locator('[data-failing] .code-number')
    expect(await failing.textContent()).toBe('87')
    const variables = page.getByRole('region', { name: 'Variables' })
    await variables.getByText('"<script>alert(2)</script>"').waitFor()
    await variables.getByRole('button', { name: /^items/ }).click()
    await variables.getByRole('button', { name: /^0/ }).click()
    await variables.getByText('"A1"').waitFor()
    expect(await page.locator('.frame img, .frame script').count()).toBe(0)
    expect({ errors, foreign, dialogs }).toEqual({ errors: [], foreign: [], dialogs: [] })
    await page.context().close()
  })

  test('frames: counts, folded libraries, copy, and keys', async () => {
    const { page } = await open()
    const stack = page.getByRole('region', { name: 'Stack', exact: true })
    await stack.getByText('2 of 13 frames in your code').waitFor()
    expect(await stack.locator('.frame').count()).toBe(3)
    await page.keyboard.press('n')
    await page.keyboard.press('n')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('11 frames of react-dom')
    await page.keyboard.press('Shift+N')
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^computeTotals/)
    await stack.getByRole('radio', { name: 'All 13' }).click()
    expect(await stack.locator('.frame').count()).toBe(13)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: product.url })
    await stack.locator('.frame-row').first().hover()
    await stack.getByRole('button', { name: 'Copy the frame' }).first().click()
    const copied = await until('the copy', 5000, () => page.evaluate<string>('navigator.clipboard.readText()'))
    expect(copied).toContain('computeTotals checkout/CartSummary.tsx:87\n')
    expect(copied).toContain(`>    87 ${lines[3]}`)
    await page.context().close()
  })

  test('section links and their keys, the event switch, and the large chart', async () => {
    const { page } = await open()
    const sections = page.getByRole('navigation', { name: 'Sections' })
    expect(await sections.getByRole('link').allInnerTexts()).toEqual(
      expect.arrayContaining(['Stack', 'Timeline 2', 'Request', expect.stringMatching(/^Tags \d+$/), 'Activity 1']),
    )
    await page.keyboard.press('2')
    await page.waitForURL(/#breadcrumbs$/)
    await until('the section in sight', 5000, () =>
      page.evaluate<boolean>(`(() => { const { top } = document.getElementById('breadcrumbs').getBoundingClientRect()
        return top >= 0 && top < innerHeight })()`),
    )
    await page.keyboard.press('1')
    await page.waitForURL(/#exceptions$/)
    await page.getByText('Event 2 of 2').waitFor()
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('Event 1 of 2').waitFor()
    await page.getByRole('button', { name: /peak 2/ }).click()
    await page.getByRole('region', { name: 'Events over time' }).getByRole('img').waitFor()
    await page.context().close()
  })

  test('from the list: the place in it, and the next issue', async () => {
    expect((await ingest(product, state.project, envelopeOf(errorEvent('OtherError')))).status).toBe(200)
    await until('both issues', 15_000, async () => {
      const issues = (await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as unknown[]
      return issues.length === 2
    })
    const { page } = await openPage(state.browser, product.url, { login: state.login })
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    await page.locator('.issue-row').nth(1).waitFor()
    await page.locator('.issue-row').first().getByRole('link').click()
    await page.getByText('1 of 2', { exact: true }).waitFor()
    const first = await page.getByRole('heading', { level: 1 }).textContent()
    await page.getByRole('link', { name: /^Next issue/ }).click()
    await page.getByText('2 of 2', { exact: true }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe(first)
    await page.context().close()
  })
})
