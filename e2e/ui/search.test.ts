import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { choose, hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'search'

describe.skipIf(noChromium)('search', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const box = () => state.page.getByRole('combobox', { name: 'Search issues' })
  const options = () => state.page.locator('[role=listbox] [role=option]')

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    const send = (type: string, more: object) =>
      ingest(product, state.project, envelopeOf(errorEvent(type, 'broken', { ...more })))
    await send('PlanError', { tags: { plan: 'free' }, environment: 'production' })
    await send('PlanError', { tags: { plan: 'free' }, environment: 'staging' })
    await send('OtherError', { tags: { plan: 'gold "plus"' }, environment: 'production' })
    await until('the issues', 15_000, async () => {
      const found = (await api(product, state.project, `/organizations/${org}/issues/?query=has:plan`))
        .json as unknown[]
      return found.length === 2
    })
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(async () => {
    await state.browser?.close()
    expect([state.watched.errors, state.watched.foreign]).toEqual([[], []])
  })

  test('keys and values are completed by keyboard, and a filter is turned round', async () => {
    const { page } = state
    await page.goto(at('/issues?q='))
    await page.locator('.issue-row').nth(1).waitFor()
    await box().click()
    await page.keyboard.type('pla')
    await options().filter({ hasText: /^plan/ }).waitFor()
    expect(await box().getAttribute('aria-expanded')).toBe('true')
    for (let n = 0; n < 12; n++) {
      await page.keyboard.press('ArrowDown')
      const active = await box().getAttribute('aria-activedescendant')
      if (active && /^plan\b/.test((await page.locator(`[id="${active}"]`).innerText()).trim())) break
    }
    await page.keyboard.press('Enter')
    expect(await box().inputValue()).toBe('plan:')
    await options().filter({ hasText: 'gold "plus"' }).waitFor()
    expect((await options().allInnerTexts()).map((allInnerText) => allInnerText.replace(/\s+/g, ' '))).toEqual([
      'free 2',
      'gold "plus" 1',
    ])
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Tab')
    expect(await box().inputValue()).toBe('plan:"gold \\"plus\\"" ')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=plan/)
    await page.getByText('1 issue', { exact: true }).waitFor()
    await box().click()
    await page.keyboard.press('End')
    await page.keyboard.press('Alt+ArrowLeft')
    await page.keyboard.type('!')
    expect(await box().inputValue()).toBe('!plan:"gold \\"plus\\""')
    // Typing replaces the selected filter.
    await page.keyboard.press('End')
    await page.keyboard.press('Alt+ArrowLeft')
    await page.keyboard.type('plan:free')
    expect(await box().inputValue()).toBe('plan:free')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=plan(?::|%3A)free/)
  })

  test('the searches that were asked stand first in an empty box, the last one before the others', async () => {
    const { page } = state
    await page.goto(at('/issues?q='))
    await page.locator('.issue-row').nth(1).waitFor()
    await box().click()
    await options().filter({ hasText: 'plan:free' }).waitFor()
    const [first, second] = await options().allInnerTexts()
    expect([first, second]).toEqual([expect.stringContaining('plan:free'), expect.stringContaining('gold')])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=plan(?::|%3A)free/)
  })

  test('filters are chips, and the scope controls say the same', async () => {
    const { page } = state
    await page.goto(at('/issues?q=has%3Aplan+environment%3Aproduction'))
    await hydrated(page)
    const chips = page.locator('.search-chip-text')
    const environment = page.locator('[data-popup=environment] > summary')
    expect(await chips.allInnerTexts()).toEqual(['has:plan', 'environment:production'])
    expect(await environment.innerText()).toContain('production')
    await choose(page, 'environment', 'staging')
    await page.waitForURL(/env=production,staging/)
    await until('the chip', 5000, async () => (await chips.nth(1).innerText()) === 'environment:production,staging')
    expect(await box().inputValue()).toBe('has:plan environment:[production,staging]')
    expect(await environment.innerText()).toContain('production + 1')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove the filter environment:[production,staging]' }).click()
    await page.waitForURL((url) => !url.searchParams.has('env'))
    expect(await environment.innerText()).toContain('All environments')
    // Typed filters reach the controls as well.
    await box().fill('has:plan environment:staging')
    await page.keyboard.press('Enter')
    await page.waitForURL(/env=staging/)
    await until('the control', 5000, async () => (await environment.innerText()).includes('staging'))
  })

  test('a wrong search hides nothing and keeps the focus while the code that names its mistakes is loaded', async () => {
    const login = await state.page.context().storageState()
    const { page } = await openPage(state.browser, product.url, { routed: true, login })
    await page.goto(at('/issues?q=has%3Aplan'))
    await page.locator('.issue-row').nth(1).waitFor()
    await hydrated(page)
    const loaded: string[] = []
    await page.route('**/_next/static/**', async (route) => {
      loaded.push(route.request().url())
      await new Promise((done) => setTimeout(done, 1500))
      await route.continue()
    })
    await page.locator('.search-input').fill('has:plan is:unresolvd')
    await page.keyboard.press('Enter')
    await until('its code is asked for', 5000, async () => loaded.length > 0)
    await page.waitForTimeout(300)
    expect(await page.locator('.issue-row').nth(1).isVisible()).toBe(true)
    expect(await page.evaluate('document.activeElement?.className')).toContain('search-input')
    await page.locator('.search-mistakes li').first().waitFor()
    expect(await page.evaluate('document.activeElement?.className')).toContain('search-input')
    await page.context().close()
  })

  test('a wrong search names all mistakes, keeps the rows, and takes suggestions by key', async () => {
    const { page } = state
    await page.goto(at('/issues?q=has%3Aplan'))
    await page.locator('.issue-row').nth(1).waitFor()
    await hydrated(page)
    const url = page.url()
    await box().fill('has:plan is:unresolvd lastSeen:yesterdy project:wbe')
    await page.keyboard.press('Enter')
    const mistakes = page.locator('.search-mistakes li')
    await mistakes.nth(2).waitFor()
    expect((await mistakes.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      expect.stringContaining('unresolvd is no status. Did you mean is:unresolved?'),
      expect.stringContaining('yesterdy is no time. Did you mean lastSeen:-2d?'),
      expect.stringContaining('wbe is no project. Did you mean project:web?'),
    ])
    expect(await page.locator('.search-chip[data-wrong]').count()).toBe(3)
    expect(page.url()).toBe(url)
    expect(await page.locator('.issue-row').count()).toBe(2)
    await page.getByText('showing the last valid search').waitFor()
    expect(await page.locator('.issue-list').getAttribute('data-dimmed')).toBe('true')
    await page.keyboard.press('Shift+Enter')
    await until('two mistakes', 5000, async () => (await mistakes.count()) === 2)
    await page.keyboard.press('Enter')
    await until('one mistake', 5000, async () => (await mistakes.count()) === 1)
    await page.keyboard.press('Enter')
    await page.waitForURL(/project=web/)
    expect(await box().inputValue()).toBe('has:plan is:unresolved lastSeen:-2d project:web')
    // Escape returns to the last valid search.
    await box().fill('is:lost')
    await page.keyboard.press('Enter')
    await mistakes.first().waitFor()
    await page.keyboard.press('Escape')
    await until('no mistake', 5000, async () => (await mistakes.count()) === 0)
    expect(await box().inputValue()).toBe('has:plan is:unresolved lastSeen:-2d project:web')
  })

  test('a part of the volume chart becomes the range, by keys alone', async () => {
    const { page } = state
    await page.goto(at('/issues?q=has%3Aplan'))
    await hydrated(page)
    await page.locator('.volume-start').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('slider', { name: 'Start of the selection' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.locator('.volume-bubble').getByText('3 events, 2 issues').waitFor()
    await page.getByRole('button', { name: 'Show only these' }).click()
    await page.waitForURL(/from=.*to=/)
    await until('the rows', 5000, async () => (await page.locator('.issue-row').count()) === 2)
  })

  test('a view is saved for everybody, leads back to its address, is deleted, and comes back', async () => {
    const { page } = state
    const stored = async () =>
      (await api(product, state.project, `/organizations/${org}/searches/`)).json as { name: string; query: string }[]
    await page.goto(at('/issues?q=plan%3Afree&sort=events'))
    await page.locator('.views > summary').click()
    await page.getByPlaceholder('Name').fill('Free plan')
    await page.getByLabel('for everybody').check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const saved = await until('the view', 10_000, async () => (await stored())[0])
    expect(saved).toMatchObject({ name: 'Free plan', query: 'plan:free', sort: 'freq', visibility: 'organization' })
    await page.goto(at('/issues'))
    await page.locator('.views > summary').click()
    await page
      .locator('.views')
      .getByRole('link', { name: /^Free plan/ })
      .click()
    await page.waitForURL(/q=plan(?::|%3A)free&sort=events/)
    await until('the text', 10_000, async () => (await box().inputValue()) === 'plan:free')
    await page.locator('.views > summary').click()
    await page.getByRole('button', { name: 'Delete the view Free plan' }).click()
    await until('no view', 10_000, async () => (await stored()).length === 0)
    await page.getByRole('button', { name: 'Undo' }).click()
    const { name, query, sort, visibility } = saved as Record<string, unknown>
    const reloaded = await until('the view again', 10_000, async () => (await stored())[0])
    expect(reloaded).toMatchObject({ name, query, sort, visibility })
  })

  test('without scripts: a search, and the events of an issue with theirs', async () => {
    const login = await state.page.context().storageState()
    const context = await state.browser.newContext({ javaScriptEnabled: false, storageState: login })
    const page = await context.newPage()
    await page.goto(at('/issues?t=24h'))
    await page.locator('input[name=q]').fill('plan:free')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=plan%3Afree/)
    expect(new URL(page.url()).searchParams.get('t')).toBe('24h')
    expect(await page.locator('.issue-row').count()).toBe(1)
    const short = (await page.locator('.issue-second code').first().innerText()).trim()
    await page.goto(at(`/issues/${short}/events?q=environment%3Astaging`))
    expect(await page.locator('.event-table tbody tr').count()).toBe(1)
    await page.goto(at(`/issues/${short}/events?q=timesSeen%3Amany`))
    expect(await page.locator('.search-mistakes').innerText()).toContain('many is no number.')
    await page.goto(at(`/issues/${short}/events?from=3000-01-01&to=3001-01-01`))
    expect(await page.locator('.search-error').innerText()).toContain('A date between 1970 and 2106.')
    await context.close()
  })

  test('a filter drops what comes from then on, and says so', async () => {
    const { page } = state
    await page.goto(at('/settings/projects/web/filters'))
    await page.getByLabel('Error messages').fill('*unwanted*')
    await page.getByLabel('Pages on localhost').check()
    await page.getByRole('button', { name: 'Save filters' }).click()
    await page.getByText('Filters saved.').waitFor()
    await ingest(product, state.project, envelopeOf(errorEvent('NoiseError', 'an unwanted thing')))
    await ingest(product, state.project, envelopeOf(errorEvent('KeptError', 'a wanted thing')))
    const path = `/projects/${org}/web/filters/`
    await until('what was dropped', 15_000, async () => {
      const filters = (await api(product, state.project, path)).json as { id: string; dropped: number }[]
      return filters.find((filter) => filter.id === 'error-messages')?.dropped === 1
    })
    const titles = async () =>
      ((await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as { title: string }[]).map(
        (item) => item.title,
      )
    await until('the kept one', 15_000, async () => (await titles()).some((title) => title.startsWith('KeptError')))
    expect((await titles()).some((title) => title.startsWith('NoiseError'))).toBe(false)
    await page.reload()
    expect(await page.locator('#error-messages').innerText()).toContain('1 dropped in the last 7 days')
    expect(await page.getByLabel('Pages on localhost').isChecked()).toBe(true)
  })
})
