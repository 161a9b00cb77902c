import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'early'
// Scripts only. Styles are in the same folder, and the browser paints nothing before they load.
const scripts = /\/_next\/static\/chunks\/[^?]*\.js/

describe.skipIf(noChromium)('what is done before the page’s scripts have run', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    await ingest(product, state.project, envelopeOf(errorEvent('AlphaError')))
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  /** Opens a page whose scripts load only after `act`. */
  async function before(path: string, act: () => Promise<unknown>): Promise<void> {
    const { page } = state
    const pending: (() => Promise<void>)[] = []
    let isOpen = false
    await page.route(scripts, (route) => (isOpen ? route.continue() : void pending.push(() => route.continue())))
    await page.goto(at(path), { waitUntil: 'commit' })
    await act()
    await until('a script that is held', 5000, async () => pending.length > 0)
    expect(await page.evaluate('window.mishap?.hydrated')).toBeUndefined()
    isOpen = true
    await Promise.all(pending.map((go) => go()))
    await hydrated(page)
    await page.unroute(scripts)
  }

  test('the fields of a form are those of the choice that was made', async () => {
    const { page } = state
    const kind = page.getByLabel('Kind')
    await before('/settings/notifications', () => kind.selectOption('webhook'))
    await page.getByText('The secret that signs the messages is shown once').waitFor()
    expect(await kind.inputValue()).toBe('webhook')
  })

  test('a filter of the list is asked for', async () => {
    const { page } = state
    // The popup opens without scripts, and has its choices when these run.
    await before('/issues', () => page.locator('.stream-bar [data-popup=sort] > summary').click())
    await page.locator('.stream-bar [data-value=events]').click()
    await page.waitForURL(/sort=events/)
    expect(await page.locator('.stream-bar [data-popup=sort] > summary').innerText()).toContain('events')
  })

  test('a choice is kept over a reload, and goes over what was kept before', async () => {
    const { page } = state
    const platform = page.getByLabel('Platform')
    await before('/settings/projects/web', () => platform.selectOption('python'))
    await page.reload()
    await until('python again', 5000, async () => (await platform.inputValue()) === 'python')
    await before('/settings/projects/web', () => platform.selectOption('ruby'))
    expect(await platform.inputValue()).toBe('ruby')
    await page.reload()
    await until('ruby again', 5000, async () => (await platform.inputValue()) === 'ruby')
  })

  test('no policy was violated, no script of the page failed', () => {
    expect(state.watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
  })
})
