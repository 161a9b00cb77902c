// The main path in Firefox, over WebDriver BiDi: Playwright's protocol needs a Firefox of its own.
import { existsSync } from 'node:fs'
import { type Browser, launch, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, password, until } from '../product.ts'

const product = inject('product')
const org = 'firefox'
const path = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'].find(
  (place) => existsSync(place),
)
if (!path)
  console.log('the tests in Firefox are skipped: no Firefox on this machine (Debian: apt-get install firefox-esr)')

describe.skipIf(!path)('the main path in Firefox', () => {
  const state = {} as { browser: Browser; page: Page; project: Project; errors: string[] }
  const status = async () =>
    (
      (await api(product, state.project, `/organizations/${org}/issues/?query=AlphaError`)).json as { status: string }[]
    )[0]?.status
  // Not waitForFunction: it evaluates a text in the page, which the page's policy can refuse.
  const hydrated = () =>
    until('a hydrated screen', 30_000, () => state.page.evaluate<[], () => boolean>('window.mishap?.hydrated === true'))

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    for (const type of ['AlphaError', 'BetaError']) await ingest(product, state.project, envelopeOf(errorEvent(type)))
    await until('the issue', 20_000, async () => (await status()) === 'unresolved')
    state.browser = await launch({ browser: 'firefox', executablePath: path ?? '', headless: true })
    state.page = await state.browser.newPage()
    await state.page.setViewport({ width: 1440, height: 900 })
    state.errors = []
    state.page.on('pageerror', (error) => state.errors.push(String(error)))
  })
  afterAll(() => state.browser?.close())

  test('sign in', async () => {
    const { page } = state
    await page.goto(`${product.url}/login`)
    await page.locator('input[type=email]').fill(`owner@${org}.test`)
    await page.locator('input[type=password]').fill(password)
    await page.keyboard.press('Enter')
    await until('the home screen', 20_000, async () => page.url().includes(`/o/${org}`))
  })

  test('the list has the issues, and one opens', async () => {
    const { page } = state
    await page.goto(`${product.url}/o/${org}/issues?q=AlphaError`)
    await page.waitForSelector('[data-id]')
    await hydrated()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await until('the issue page', 10_000, async () => /\/issues\/[^?/]+/.test(page.url()))
    const text = () => page.evaluate<[], () => string>("document.querySelector('main')?.innerText ?? ''")
    await until('the frame', 30_000, async () => (await text()).includes('inAlphaError'))
  })

  test('resolve and undo', async () => {
    const { page } = state
    await hydrated()
    await page.locator('::-p-aria([name="Resolve"][role="button"])').click()
    await until('resolved', 10_000, async () => (await status()) === 'resolved')
    await page.keyboard.press('z')
    await until('unresolved', 10_000, async () => (await status()) === 'unresolved')
    expect(state.errors).toEqual([])
  })
})
