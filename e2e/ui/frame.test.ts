// The frame: sidebar, project selection, saved views, settings in one place, not-found pages, small screens.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, type Login, loginOf, noChromium, openBrowser, openPage } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'frame'

describe.skipIf(noChromium)('the frame', () => {
  const state = {} as { browser: Browser; login: Login; web: Project; page: Page }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const side = (page: Page) => page.locator('.shell-side')
  const row = (page: Page, name: string) => side(page).getByRole('link', { name, exact: false })

  beforeAll(async () => {
    state.web = bootstrap(product, org, 'web')
    const shop = bootstrap(product, org, 'shop')
    bootstrap(product, 'frame-second', 'web', 'javascript', `owner@${org}.test`)
    for (const type of ['OneError', 'TwoError']) await ingest(product, state.web, envelopeOf(errorEvent(type)))
    await ingest(product, shop, envelopeOf(errorEvent('ShopError')))
    await until('three issues', 20_000, async () => {
      const found = (await api(product, state.web, `/organizations/${org}/issues/?query=`)).json as unknown[]
      return found.length === 3
    })
    const body = JSON.stringify({ name: 'Only one', query: 'is:unresolved OneError' })
    const headers = { 'content-type': 'application/json' }
    const saved = await api(product, state.web, `/organizations/${org}/searches/`, { method: 'POST', body, headers })
    expect(saved.status).toBe(201)
    state.browser = await openBrowser()
    state.login = await loginOf(state.browser, product.url, `owner@${org}.test`)
    state.page = (await openPage(state.browser, product.url, { login: state.login })).page
  })
  afterAll(() => state.browser?.close())

  test('projects and views have the numbers of the list; the status line says that data arrives', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await row(page, 'web 2').waitFor()
    await row(page, 'shop 1').waitFor()
    await row(page, 'Only one 1').waitFor()
    await side(page)
      .getByText(/Receiving \d+ events\/min|No events in the last minute/)
      .waitFor()
  })

  test('an open view is the one filled row; its section is only bold', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    const filled = side(page).locator('[aria-current=page]')
    expect(await filled.count()).toBe(1)
    await hydrated(page)
    await row(page, 'Only one').click()
    await page.waitForURL(/q=/)
    await page.locator('[data-id]').first().waitFor()
    await expect.poll(() => filled.allInnerTexts()).toEqual([expect.stringContaining('Only one')])
    expect(await side(page).locator('[data-section]').innerText()).toContain('Issues')
  })

  test('a project stays selected over screens, a new document and a new tab, until it is cleared', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await hydrated(page)
    await row(page, 'shop').first().click()
    await page.waitForURL(/project=shop/)
    await page.locator('[data-id]', { hasText: 'ShopError' }).waitFor()
    await expect.poll(() => page.locator('[data-id]').count()).toBe(1)
    await row(page, 'Releases').click()
    await page.waitForURL(/releases\?project=shop/)
    await page.goto(at('/settings/account'))
    expect(await side(page).locator('[aria-current=true]', { hasText: 'shop' }).count()).toBe(1)
    await page.goto(at('/issues'))
    expect(new URL(page.url()).searchParams.get('project')).toBe('shop')
    // The address wins over what is remembered.
    await page.goto(at('/issues?q=is%3Aunresolved'))
    await expect.poll(() => page.locator('[data-id]').count()).toBe(3)
    await page.goto(at('/issues'))
    await hydrated(page)
    await side(page).getByRole('link', { name: 'Show all projects' }).click()
    await expect.poll(() => page.locator('[data-id]').count()).toBe(3)
    await page.goto(at('/issues'))
    expect(new URL(page.url()).search).toBe('')
  })

  test('the switch offers the organizations of the person and no other', async () => {
    const { page } = state
    bootstrap(product, 'frame-foreign', 'web', 'javascript', 'stranger@frame.test')
    await page.goto(at('/issues'))
    await hydrated(page)
    await page.locator('.shell-organization').click()
    const names = await page.locator('.shell-organization-panel li').allInnerTexts()
    expect(names.sort()).toEqual(['frame', 'frame-second'])
    await page.keyboard.press('Escape')
    expect(await page.locator('.shell-organization-panel').isVisible()).toBe(false)
    await page.locator('.shell-organization').click()
    await page.locator('.shell-organization-panel').getByText('frame-second').click()
    await page.waitForURL(/\/o\/frame-second/)
  })

  test('a setting is found by its name or by another word, and the project switch keeps the page', async () => {
    const { page } = state
    await page.goto(at('/settings'))
    await page.waitForURL(/settings\/account$/)
    await hydrated(page)
    const menu = page.locator('.settings-nav')
    await menu.getByLabel('Find a setting').fill('password')
    expect(await menu.locator('.settings-row').allInnerTexts()).toEqual(['Sign-in and sessions'])
    await menu.getByLabel('Find a setting').fill('nothing like this')
    await menu.getByText('No setting matches.').waitFor()
    await menu.getByLabel('Find a setting').fill('DSN')
    await menu.getByRole('link', { name: 'Keys' }).click()
    await page.waitForURL(/keys$/)
    await menu.getByLabel('Find a setting').fill('')
    const before = page.url().includes('/shop/') ? 'shop' : 'web'
    const other = before === 'web' ? 'shop' : 'web'
    await menu.locator('.settings-switch').click()
    await menu.locator('.settings-switch-panel').getByRole('link', { name: other }).click()
    await page.waitForURL(`**/projects/${other}/keys`)
    await expect.poll(() => menu.locator('[aria-current=page]').innerText()).toContain('Keys')
  })

  test('a page that is not there is inside the frame, with links that lead on', async () => {
    const { page } = state
    for (const path of [at('/no-such-screen'), `${product.url}/no-such-screen`, `${product.url}/o/nobody/issues`]) {
      expect((await page.goto(path))?.status()).toBe(404)
      await side(page).waitFor()
      await page.locator('main').getByRole('link', { name: 'Issues' }).waitFor()
    }
    await page.goto(at('/no-such-screen'))
    await hydrated(page)
    await page.locator('main').getByRole('link', { name: 'Issues' }).click()
    await page.locator('[data-id]').first().waitFor()
  })

  test('the status begins with one sentence; the internals are folded', async () => {
    const { page } = state
    await page.goto(at('/settings/status'))
    await page.locator('[data-status]').waitFor()
    expect(await page.locator('.internals').count()).toBeLessThanOrEqual(1)
    const order = await page.evaluate(
      "[...document.querySelectorAll('.settings-page > *')].map((one) => one.tagName + (one.dataset.status ? ' status' : ''))",
    )
    expect((order as string[]).slice(0, 2)).toEqual(['HEADER', 'SECTION status'])
  })

  test('between 720 and 1080 px the sidebar has icons, and their words on focus', async () => {
    const { page } = await openPage(state.browser, product.url, { width: 900, login: state.login })
    await page.goto(at('/issues'))
    await hydrated(page)
    expect((await side(page).boundingBox())?.width).toBe(48)
    const word = side(page).getByText('Releases')
    const opacity = () => word.evaluate((shown) => getComputedStyle(shown as Element).opacity)
    expect(await opacity()).toBe('0')
    // The word stays the name of the link.
    expect(await side(page).getByRole('link', { name: 'Releases' }).count()).toBe(1)
    await side(page).locator('a', { hasText: 'Releases' }).focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    expect(await opacity()).toBe('1')
    await page.context().close()
  })

  test('at 390 px: tabs with words, and a menu that the keyboard opens and closes', async () => {
    const { page } = await openPage(state.browser, product.url, { width: 390, height: 844, login: state.login })
    await page.goto(at('/issues'))
    await hydrated(page)
    expect(await side(page).isVisible()).toBe(false)
    const tabs = page.locator('.phone-tabs')
    const words = (await tabs.innerText()).split('\n').filter((word) => !/^\d+$/.test(word))
    expect(words).toEqual(['Overview', 'Issues', 'Performance', 'Logs', 'More'])
    expect((await tabs.boundingBox())?.height).toBe(56)
    await tabs.getByText('More').focus()
    await tabs.locator('a', { hasText: 'More' }).focus()
    await page.keyboard.press('Enter')
    await side(page).waitFor()
    expect(await page.evaluate("document.querySelector('.shell-side').contains(document.activeElement)")).toBe(true)
    await page.keyboard.press('Escape')
    await side(page).waitFor({ state: 'hidden' })
    await tabs.locator('a', { hasText: 'More' }).click()
    await row(page, 'Feedback').click()
    await page.waitForURL(/feedback/)
    await side(page).waitFor({ state: 'hidden' })
    await page.context().close()
  })

  test('without scripts the menu and the settings open by their links', async () => {
    const context = await state.browser.newContext({
      storageState: state.login,
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    })
    const page = await context.newPage()
    await page.goto(at('/settings/members'))
    expect(await side(page).isVisible()).toBe(false)
    await page.locator('.phone-tabs a', { hasText: 'More' }).click()
    expect(await side(page).isVisible()).toBe(true)
    await page.goto(at('/settings/members'))
    expect(await page.locator('.settings-nav').isVisible()).toBe(false)
    await page.locator('.settings-fold').click()
    expect(await page.locator('.settings-nav').isVisible()).toBe(true)
    await context.close()
  })
})
