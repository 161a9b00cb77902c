import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'noisy'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Listed = { id: string; shortId: string; noise: { kind: string } | null; metadata: { type?: string } }

describe.skipIf(noChromium)('noise and skew', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project; ids: Map<string, string> }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const get = async <Answer>(path: string) => (await api(product, state.project, path)).json as Answer
  const filter = async () =>
    (await get<{ id: string; active: boolean }[]>(`/projects/${org}/web/filters/`)).find(
      (item) => item.id === 'browser-extensions',
    )?.active

  /** Sends a browser error that was thrown in `file`. */
  function send(type: string, file: string, more: Record<string, unknown> = {}, value = 'x') {
    const frames = [{ abs_path: file, filename: file, function: 'f', lineno: 1, colno: 2, in_app: true }]
    const exception = { values: [{ type, value, stacktrace: { frames } }] }
    const request = { url: 'https://shop.test/cart' }
    const sent = errorEvent(type, value, { platform: 'javascript', request, exception, ...more })
    return ingest(product, state.project, envelopeOf(sent))
  }

  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    return page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }
  const wide = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  /** Checks that nothing is wider than the window at three widths, and that both themes are legible on a phone. */
  async function fits(page: Page): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [768, 2560, 390]) {
        await page.setViewportSize({ width, height: 900 })
        expect([width, await wide(page)]).toEqual([width, 0])
      }
      expect(await faults(page)).toEqual([])
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    const inject = 'chrome-extension://abcdefgh/inject.js'
    await send('ExtensionError', inject)
    await send('ExtensionError', inject)
    await send('OwnError', 'https://shop.test/app.js')
    await send('TagError', 'https://www.googletagmanager.com/gtm.js')
    const rows = await until('the issues', 30_000, async () => {
      const found = await get<Listed[]>(`/organizations/${org}/issues/?query=Error`)
      return found.length >= 3 && found
    })
    state.ids = new Map(rows.map((row) => [row.metadata.type ?? '', row.id]))
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  }, 60_000)
  afterAll(() => state.browser?.close())

  test('the list: a chip, its reason with the focus, and a search that leaves it out', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await hydrated(page)
    const row = page.locator('.issue-row', { hasText: 'ExtensionError' })
    await row.getByText('noise: extension').waitFor()
    const why = row.getByText('A browser extension threw it.')
    expect(await why.isVisible()).toBe(false)
    await row.getByRole('link').focus()
    await why.waitFor()
    expect(await faults(page)).toEqual([])
    await row.hover()
    await fits(page)
    await page.goto(at(`/issues?q=${encodeURIComponent('is:unresolved !is:noise')}`))
    await page.locator('.issue-row', { hasText: 'OwnError' }).waitFor()
    expect(await page.locator('.issue-row', { hasText: 'noise:' }).count()).toBe(0)
    await hydrated(page)
    await page.getByRole('combobox').first().fill('is:noi')
    await page.getByRole('option', { name: /noise/ }).first().waitFor()
  })

  test('one click drops such events from now on, undo takes it back, and the state stays to be switched', async () => {
    const { page } = state
    await page.goto(at(`/issues/${state.ids.get('ExtensionError')}`))
    await hydrated(page)
    const bar = page.getByRole('region', { name: /Your team cannot fix this/ })
    await bar.getByText('A browser extension threw it.').waitFor()
    await bar.getByText('Each of its 2 events so far shows this.').waitFor()
    expect(await faults(page)).toEqual([])
    await fits(page)
    await bar.getByRole('button', { name: 'Drop events like these from now on' }).click()
    await page.getByText('Events like these are now dropped.').waitFor()
    await bar.getByText(/drops events like these/).waitFor()
    expect(await filter()).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Events like these are stored again.').waitFor()
    await bar.getByRole('button', { name: 'Drop events like these from now on' }).waitFor()
    expect(await filter()).toBe(false)
    await bar.getByRole('button', { name: 'Drop events like these from now on' }).click()
    const off = bar.getByRole('button', { name: 'Turn it off' })
    await off.waitFor()
    await page.reload()
    await hydrated(page)
    await fits(page)
    await off.click()
    await until('the filter', 10_000, async () => (await filter()) === false)
  })

  test('a kind without a filter is archived instead, and comes back by undo', async () => {
    const { page } = state
    await page.goto(at(`/issues/${state.ids.get('TagError')}`))
    await hydrated(page)
    const bar = page.getByRole('region', { name: /Your team cannot fix this/ })
    await bar.getByRole('button', { name: 'Archive this issue' }).click()
    await bar.getByText(/The issue is archived/).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await bar.getByRole('button', { name: 'Archive this issue' }).waitFor()
    const status = async () =>
      (await get<{ status: string }>(`/organizations/${org}/issues/${state.ids.get('TagError')}/`)).status
    await until('the issue is open again', 10_000, async () => (await status()) === 'unresolved')
  })

  test('an event of the own takes the verdict from the open page', async () => {
    const { page } = state
    await page.goto(at(`/issues/${state.ids.get('OwnError')}`))
    expect(await page.getByText('Your team cannot fix this').count()).toBe(0)
  })

  test('a release shows what old tabs ran into after its deploy', async () => {
    const { page } = state
    const nowS = Date.now() / 1000
    const home = `/organizations/${org}/releases/`
    const post = (path: string, body: object) =>
      api(product, state.project, path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const version = 'shop@2.0.0'
    const path = `${home}${encodeURIComponent(version)}/`
    expect((await post(home, { version, projects: ['web'] })).status).toBe(201)
    await page.goto(at(`/releases/${encodeURIComponent(version)}`))
    await page.getByText('No old tab failed after this release').filter({ visible: true }).waitFor()
    const dateFinished = new Date((nowS - 100 * 60) * 1000).toISOString()
    expect((await post(`${path}deploys/`, { environment: 'production', dateFinished })).status).toBe(201)
    const hit = (user: string, minutesAgo: number, type = 'ChunkLoadError', value = 'Loading chunk 418 failed.') =>
      send(
        type,
        'https://shop.test/webpack.js',
        {
          release: 'shop@1.0.0',
          environment: 'production',
          user: { id: user },
          timestamp: nowS - minutesAgo * 60,
        },
        value,
      )
    for (let n = 0; n < 24; n++) await hit(`u${n % 12}`, 99 - Math.floor((n * n) / 9))
    await hit('u50', 80, 'Error', 'Failed to find Server Action "abc". This request might be from an older deployment.')
    await until('the skew', 30_000, async () => {
      const [panel] = await get<{ events: number }[]>(`${path}skew/`)
      return panel?.events === 25
    })
    await page.goto(at(`/releases/${encodeURIComponent(version)}`))
    await page.getByRole('heading', { name: 'Old tabs after the deploy' }).waitFor()
    // Streamed HTML is briefly in the page, hidden, next to the rendered copy.
    const panel = page.locator('.skew-panel').filter({ visible: true })
    await panel.getByText('Deployed to production').waitFor()
    for (const text of ['decays', 'Recovered', 'Stuck', 'shop@1.0.0', 'The server does not know an action'])
      await panel.getByText(text).first().waitFor()
    expect(await panel.getByRole('link', { name: /Loading chunk|ChunkLoadError/ }).count()).toBe(1)
    expect(await faults(page)).toEqual([])
    await panel.scrollIntoViewIfNeeded()
    await fits(page)
    expect(state.watched.errors).toEqual([])
  })
})
