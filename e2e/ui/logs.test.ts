import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, ingest, type Project, root, until } from '../product.ts'

const product = inject('product')
const org = 'logging'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Lines of the official SDK: a request with an error between its lines, a repeated line, and hostile lines. */
const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'shop@2.0.0', environment: 'production', serverName: 'web-1', tracesSampleRate: 1 })
const { logger } = Sentry
await Sentry.startSpan({ name: 'GET /checkout', op: 'http.server' }, async () => {
  for (let n = 0; n < 12; n++) logger.info('before ' + 'abcdefghijkl'[n], { step: n })
  logger.warn(logger.fmt\`cart \${8812} loaded without summary\`, { 'cart.id': 8812, 'user.id': 'ada' })
  Sentry.captureException(Object.assign(new Error('pool timeout'), { name: 'PoolError' }))
  logger.error('pool timeout on db-3.internal', { 'pool.size': 20, 'server.address': 'db-3' })
  for (let n = 0; n < 12; n++) logger.info('after ' + 'abcdefghijkl'[n], { step: n })
})
for (let n = 0; n < 30; n++) logger.info('GET /api/cart ' + n + ' in ' + n * 7 + ' ms')
logger.info(JSON.stringify({ order: { items: [{ id: 'A-1' }, { id: 'B-2' }] } }))
logger.error('<img src=x onerror=alert(1)> \\u001b[31mred\\u001b[0m \\u202eevil\\nsecond line')
logger.fatal('x'.repeat(20000))
logger.info('[' .repeat(5000))
await Sentry.flush(5000)
`
const sdkLines = 60

function run(dsn: string, text: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    cwd: root,
    env: { ...process.env, DSN: dsn },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.once('exit', resolve))
}

/** An envelope with lines, as an SDK sends it. */
function linesEnvelope(
  lines: readonly { body: string; level?: string; attributes?: Record<string, unknown> }[],
): string {
  const items = lines.map(({ body, level = 'info', attributes = {} }) => ({
    timestamp: Date.now() / 1000,
    trace_id: 'c'.repeat(32),
    level,
    body,
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        { type: typeof value === 'number' ? 'double' : 'string', value },
      ]),
    ),
  }))
  const item = JSON.stringify({ items })
  const header = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
  return `{}\n${JSON.stringify(header)}\n${item}\n`
}

describe.skipIf(noChromium)('the screen of logs', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (search = '') => `${product.url}/o/${org}/logs${search}`
  const rows = (page: Page) => page.locator('.log-list .log-row')
  const line = (page: Page, text: string) => page.locator('.log-list .log-row', { hasText: text })
  const counted = async (count: number) =>
    until(`${count} lines`, 20_000, async () => {
      const { json } = await api(product, state.project, `/organizations/${org}/logs/summary/?statsPeriod=24h`)
      if (process.env['LOGS_DEBUG']) console.log(JSON.stringify(json).slice(0, 400))
      return (json as { samples: number }).samples === count
    })
  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    return page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }
  const search = async (text: string) => {
    const { page } = state
    await page.keyboard.press('/')
    await page.locator('[data-search]').fill(text)
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('none: how to send lines; the key g l leads there', async () => {
    const { page } = state
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.waitForURL(/\/logs/)
    await page.getByRole('heading', { name: 'No log lines came in this time range.' }).waitFor()
    expect(await page.locator('pre').textContent()).toContain('Sentry.logger.info')
    await page.getByRole('radio', { name: 'Heroku' }).click()
    expect(await page.locator('pre').textContent()).toContain('heroku drains:add')
  })

  test('lines of an SDK, folded, with counts by level; hostile lines are text in one row', async () => {
    const { page, project } = state
    expect(await run(project.dsn, program)).toBe(0)
    await counted(sdkLines)
    await page.goto(at())
    await hydrated(page)
    expect(await page.locator('.stream-count').textContent()).toContain(`${sdkLines} lines`)
    const fold = page.locator('.log-fold')
    expect(await fold.first().textContent()).toMatch(/30 ×\s*GET \/api\/cart/)
    expect(await fold.first().locator('.log-star').count()).toBe(2)
    expect(await page.locator('.log-row img').count()).toBe(0)
    const hostile = line(page, '<img src=x')
    expect(await hostile.textContent()).toContain('U+001B')
    expect(await hostile.textContent()).toContain('U+202E')
    expect((await hostile.boundingBox())?.height).toBe(24)
    const level = page.getByRole('region', { name: 'level' })
    expect((await level.locator('label', { hasText: 'fatal' }).textContent())?.trim()).toBe('fatal1')
    expect((await level.locator('label', { hasText: 'warning' }).textContent())?.trim()).toBe('warning1')
    await fold.first().click()
    expect(await line(page, 'GET /api/cart').count()).toBeGreaterThanOrEqual(20)
    expect(await faults(page)).toEqual([])
  })

  test('the chart marks releases, and a mark leads to its release', async () => {
    const mark = state.page.locator('.log-plot .chart-mark').first()
    await mark.waitFor({ state: 'attached' })
    expect([await mark.textContent(), await mark.getAttribute('href')]).toEqual([
      expect.stringContaining('shop@2.0.0'),
      `/o/${org}/releases/shop%402.0.0`,
    ])
  })

  test('a search runs while it is typed, and a facet narrows it', async () => {
    const { page } = state
    await search('timeout')
    await until('one line', 5000, async () => (await rows(page).count()) === 1)
    expect(await rows(page).first().textContent()).toContain('pool timeout on db-3.internal')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=timeout/)
    await search('')
    await page.keyboard.press('Enter')
    await until('all', 5000, async () => (await rows(page).count()) > 10)
    await page.getByRole('region', { name: 'level' }).getByLabel('warning').check()
    await page.waitForURL(/level(%3A|:)warning/)
    await until('warnings', 5000, async () => (await rows(page).count()) === 1)
    await page.getByRole('region', { name: 'level' }).getByLabel('error').check()
    await until('errors, too', 5000, async () => (await rows(page).count()) === 3)
    await page.reload()
    await hydrated(page)
    expect(await rows(page).count()).toBe(3)
  })

  test('a path into the JSON of a line finds it, and is a column', async () => {
    const { page } = state
    await page.goto(
      at(
        `?q=${encodeURIComponent('body.order.items[].id:"B-2"')}&columns=${encodeURIComponent('body.order.items[].id')}`,
      ),
    )
    await hydrated(page)
    await until('one line', 5000, async () => (await rows(page).count()) === 1)
    expect(await page.locator('.log-cell').first().textContent()).toContain('B-2')
  })

  test('an open line has its attributes as filters and columns, and links', async () => {
    const { page } = state
    await page.goto(at('?q=cart.id:8812'))
    await hydrated(page)
    await line(page, 'loaded without summary').click()
    const field = page.locator('.log-field', { has: page.locator('dt', { hasText: /^cart\.id$/ }) })
    await field.waitFor()
    expect(await page.locator('.log-field', { hasText: 'template' }).first().textContent()).toContain('cart')
    expect(await page.locator('.log-field', { hasText: 'span_id' }).textContent()).toMatch(
      /http\.server · GET \/checkout, [\d.]+ m?s/,
    )
    expect(await page.getByRole('link', { name: /^Trace [0-9a-f]{8}/ }).getAttribute('href')).toMatch(
      /\/traces\/[0-9a-f]{32}/,
    )
    expect(await page.getByRole('link', { name: /^WEB-\d+$/ }).count()).toBe(1)
    expect(await page.getByRole('link', { name: 'Issues of this user' }).getAttribute('href')).toContain('user.id')
    await field.hover()
    await field.getByRole('button', { name: /^column/ }).click()
    await page.waitForURL(/columns=cart\.id/)
    await until('the cell', 5000, async () => (await page.locator('.log-cell').first().textContent()) === '8812')
    await page.getByRole('radio', { name: 'JSON' }).click()
    expect(await page.locator('.log-json').textContent()).toContain('"cart.id": 8812')
    await page.getByRole('radio', { name: 'Fields' }).click()
    await field.hover()
    await field.getByRole('button', { name: /^without/ }).click()
    await page.waitForURL(/%21cart\.id|!cart\.id/)
  })

  test('a saved view keeps its columns and added facets', async () => {
    const { page } = state
    await page.goto(at('?q=cart.id:8812&columns=cart.id,service&fields=pool.size'))
    await hydrated(page)
    await page.keyboard.press('v')
    await page.getByRole('textbox', { name: 'Save this view' }).fill('Carts')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Carts' }).waitFor()
    await page.goto(at('?q='))
    await hydrated(page)
    expect(await page.locator('.log-head-columns code').count()).toBe(0)
    expect(await page.getByRole('region', { name: 'pool.size' }).count()).toBe(0)
    await page.keyboard.press('v')
    await page.getByRole('link', { name: 'Carts' }).click()
    await page.getByRole('heading', { level: 1, name: 'Carts' }).waitFor()
    expect(await page.locator('.log-head-columns code').allTextContents()).toEqual(['cart.id', 'service'])
    await page.getByRole('region', { name: 'pool.size' }).waitFor()
    await until('the cell', 5000, async () => (await page.locator('.log-cell').first().textContent()) === '8812')
    const left = async (selector: string) => (await page.locator(selector).last().boundingBox())?.x
    expect(await left('.log-head-columns code')).toBe(await left('.log-cell'))
    await page.keyboard.press('v')
    await page.getByRole('button', { name: 'Delete the view Carts' }).click()
    await page.getByText('No saved views yet.').waitFor()
  })

  test('lines that cannot be listed say why, and the counts stay', async () => {
    const { page } = state
    await page.goto(at('?columns=count()'))
    await hydrated(page)
    const alert = page.locator('.log-main [role=alert]')
    await alert.waitFor()
    expect(await alert.textContent()).toContain('"count()" is a function')
    expect(await page.locator('.stream-count').textContent()).toContain(`${sdkLines} lines`)
  })

  test('a page of lines that fails says so once, and can be asked again', async () => {
    const { page, project } = state
    const bodies = Array.from({ length: 150 }, (_, n) => ({
      body: `paged ${String.fromCharCode(97 + (n % 26))}${n % 7 ? ' x' : ''} ${n}y`,
    }))
    await ingest(product, project, linesEnvelope(bodies.map(({ body }, n) => ({ body, attributes: { n } }))))
    await until('the lines', 20_000, async () => {
      const { json } = await api(product, project, `/organizations/${org}/logs/summary/?statsPeriod=24h&query=paged`)
      return (json as { samples: number }).samples === 150
    })
    const asked: string[] = []
    await page.route(/\/logs\/\?.*cursor=/, (route) => {
      asked.push(route.request().url())
      return route.fulfill({ status: 504, json: { detail: 'Too much.', code: 'QUERY_TIMEOUT' } })
    })
    await page.goto(at('?q=paged'))
    await hydrated(page)
    await rows(page).first().waitFor()
    const alert = page.locator('.log-main [role=alert]')
    for (let n = 0; n < 20 && (await alert.count()) === 0; n++) {
      await page.mouse.wheel(0, 1000)
      await page.waitForTimeout(200)
    }
    await alert.waitFor()
    await page.waitForTimeout(1000)
    expect(asked).toHaveLength(1)
    await page.unroute(/\/logs\/\?.*cursor=/)
    await alert.getByRole('button').click()
    await alert.waitFor({ state: 'detached' })
  })

  test('ten lines before and after a line, of its trace', async () => {
    const { page } = state
    await page.goto(at('?q=timeout'))
    await hydrated(page)
    await line(page, 'pool timeout').click()
    await page.getByRole('button', { name: '20 lines around it' }).click()
    const around = page.locator('.log-around .log-row')
    await until('21 lines', 5000, async () => (await around.count()) === 21)
    expect(await around.first().textContent()).toContain('before d')
    expect(await around.nth(10).textContent()).toContain('pool timeout on db-3.internal')
    expect(await around.last().textContent()).toContain('after j')
    await page.getByRole('radio', { name: 'Host' }).click()
    await until('the host', 5000, async () => (await page.locator('.log-around-head code').textContent()) === 'web-1')
  })

  test('the issue has the lines of its trace in its timeline, the trace has them as rows, and so has the Markdown', async () => {
    const { page } = state
    await page.goto(at('?q=timeout'))
    await hydrated(page)
    await line(page, 'pool timeout').click()
    const trace = await page.getByRole('link', { name: /^Trace [0-9a-f]{8}/ }).getAttribute('href')
    await page.getByRole('link', { name: /^WEB-\d+$/ }).click()
    await page.waitForURL(/\/issues\/\d+/)
    const entry = page.locator('.timeline li[data-source=log]', { hasText: 'loaded without summary' })
    await entry.waitFor()
    expect(await page.locator('.timeline li').last().getAttribute('data-source')).toBe('error')
    expect(await page.locator('.timeline li[data-source=span]', { hasText: 'GET /checkout' }).count()).toBe(1)
    const path = new URL(page.url()).pathname
    expect(await (await page.request.get(`${product.url}${path}.md`)).text()).toContain('## Log lines of the trace')
    await page.goto(product.url + (trace ?? ''))
    await page.locator('.tp-row', { hasText: 'cart 8812 loaded without summary' }).first().waitFor()
    expect(await page.locator('.fact', { hasText: 'Log lines' }).locator('.fact-value').textContent()).toMatch(/^\d+$/)
    const markdown = await page.request.get(`${product.url}${(trace ?? '').replace(/\?.*/, '')}.md`)
    expect(await markdown.text()).toContain('## Log lines')
  })

  test('keys: j and Enter open a line, Escape closes it', async () => {
    const { page } = state
    await page.goto(at('?q=before'))
    await hydrated(page)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.log-detail dl').waitFor()
    expect(page.url()).toContain('line=')
    await page.keyboard.press('Escape')
    await until('closed', 3000, async () => (await page.locator('.log-detail').count()) === 0)
  })

  test('patterns count repeated shapes, and one shows its lines', async () => {
    const { page } = state
    await page.goto(at())
    await hydrated(page)
    const tab = page.getByRole('radio', { name: 'Patterns' })
    await until('a count', 5000, async () => /^Patterns \d+$/.test((await tab.textContent()) ?? ''))
    await tab.click()
    await page.locator('.log-patterns').waitFor()
    const total = /of (\d+) patterns/.exec((await page.locator('.log-patterns .log-note').textContent()) ?? '')?.[1]
    expect(await tab.textContent()).toBe(`Patterns ${total}`)
    const pattern = page.locator('.log-patterns tr', { hasText: 'GET /api/cart' })
    expect(await pattern.textContent()).toContain('30')
    await pattern.getByRole('button').click()
    await page.waitForURL(/pattern(%3A|:)/)
    await until('30 lines', 5000, async () => (await page.locator('.stream-count').textContent())?.includes('30 lines'))
  })

  test('the live view follows, pauses while the reader reads, and resumes', async () => {
    const { page, project } = state
    await page.goto(at('?q=live'))
    await hydrated(page)
    await page.keyboard.press('l')
    await page.waitForURL(/live=1/)
    await page.getByText('Following new lines.').waitFor()
    await ingest(product, project, linesEnvelope([{ body: 'live one' }, { body: 'quiet' }]))
    await line(page, 'live one').waitFor({ timeout: 5000 })
    expect(await line(page, 'quiet').count()).toBe(0)
    await line(page, 'live one').click()
    await page.getByText('Paused while you read.').waitFor()
    await ingest(product, project, linesEnvelope([{ body: 'live two' }, { body: 'live three' }]))
    await page.getByText('2 new lines').waitFor({ timeout: 5000 })
    expect(await line(page, 'live two').count()).toBe(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await line(page, 'live two').waitFor({ timeout: 3000 })
    await page.keyboard.press('l')
    await page.waitForURL((url) => !url.search.includes('live=1'))
  })

  test('scrolling pauses the live view, and its button says so', async () => {
    const { page } = state
    await page.goto(at('?live=1&q='))
    await hydrated(page)
    await page.getByText('Following new lines.').waitFor()
    const button = page.locator('.log-live')
    expect(await button.innerText()).not.toContain('paused')
    await page.mouse.move(700, 600)
    await page.mouse.wheel(0, 400)
    await page.getByText('Paused while you read.').waitFor()
    expect(await button.innerText()).toContain('Live, paused')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Following new lines.').waitFor()
    expect(await button.innerText()).not.toContain('paused')
    await page.goto(at())
  })

  test('390 px: no sideways scroll, facets behind a button, the tab Logs', async () => {
    const { page } = state
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(at())
    await hydrated(page)
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
    expect(await page.locator('.log-facets').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Facets' }).click()
    expect(await page.locator('.log-facets').isVisible()).toBe(true)
    expect(await page.locator('.phone-tabs').getByRole('link', { name: 'Logs' }).getAttribute('aria-current')).toBe(
      'page',
    )
    expect(await faults(page)).toEqual([])
    await page.goto(at('?mode=patterns'))
    await hydrated(page)
    const pattern = page.locator('.log-patterns tr', { hasText: 'GET /api/cart' })
    await pattern.waitFor()
    expect(await pattern.getByText('30 lines').isVisible()).toBe(true)
    expect(await pattern.getByText(/^\d+(\.\d)?%$/).isVisible()).toBe(true)
    expect(await pattern.locator('.log-spark').isVisible()).toBe(true)
    expect(await pattern.getByText('First seen').isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
    expect(await faults(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('nothing failed in the browser', () => {
    expect([state.watched.errors, state.watched.foreign, state.watched.dialogs]).toEqual([[], [], []])
  })
})
