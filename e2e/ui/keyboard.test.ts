// Ten tasks by the keyboard alone: no step uses the pointer.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, password, until } from '../product.ts'

const product = inject('product')
const org = 'keyboard'

describe.skipIf(noChromium)('tasks by the keyboard alone', () => {
  const state = {} as { browser: Browser; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const press = async (...keys: string[]) => {
    for (const key of keys) await state.page.keyboard.press(key)
  }
  const statuses = async () =>
    (
      (await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as {
        id: string
        status: string
      }[]
    )
      .map((issue) => issue.status)
      .sort()
  /** Opens the list and waits until its keys work. */
  const openList = async () => {
    await state.page.goto(at('/issues?q='))
    await state.page.locator('[data-id]').nth(2).waitFor()
    await hydrated(state.page)
  }
  const cursor = () => state.page.locator('[data-id][data-cursor]')

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    for (const type of ['AlphaError', 'BetaError', 'GammaError'])
      await ingest(product, state.project, envelopeOf(errorEvent(type, 'x', { release: 'shop@1.0.0' })))
    await until('three issues', 20_000, async () => (await statuses()).length === 3)
    state.browser = await openBrowser()
    state.page = (await openPage(state.browser, product.url)).page
  })
  afterAll(() => state.browser?.close())

  test('1: sign in', async () => {
    const { page } = state
    await page.goto(`${product.url}/login`)
    await hydrated(page)
    const mail = page.getByLabel(/mail/i)
    const isFocused = () => mail.evaluate((one) => one === one.ownerDocument.activeElement)
    for (let tabs = 0; tabs < 10 && !(await isFocused()); tabs++) await press('Tab')
    await page.keyboard.type(`owner@${org}.test`)
    await press('Tab')
    await page.keyboard.type(password)
    await press('Enter')
    await page.waitForURL(/\/o\//)
  })

  test('2: go from screen to screen', async () => {
    const { page } = state
    await page.goto(at(''))
    await hydrated(page)
    await press('g', 'e')
    await page.waitForURL(/\/releases/)
    await press('g', 'i')
    await page.waitForURL(/\/issues/)
  })

  test('3: open an issue and come back to its row', async () => {
    await openList()
    await press('j', 'j')
    const id = await cursor().getAttribute('data-id')
    await press('Enter')
    await state.page.waitForURL(new RegExp(`/issues/${id}`))
    // The document stays, so only its content tells that the keys of the issue page work.
    await state.page
      .getByText(/in(Alpha|Beta|Gamma)Error/)
      .first()
      .waitFor()
    await press('u')
    await state.page.waitForURL(/\/issues(\?|$)/)
    await state.page.locator(`[data-id="${id}"]`).waitFor()
  })

  test('4: resolve an issue, and 5: undo it', async () => {
    await openList()
    await press('j')
    await cursor().waitFor()
    await press('e')
    await until('one resolved issue', 10_000, async () => (await statuses()).includes('resolved'))
    await press('z')
    await until('no resolved issue', 10_000, async () => !(await statuses()).includes('resolved'))
  })

  test('6: select two issues and resolve both', async () => {
    await openList()
    // The list remembers its cursor: go to the first row.
    await press('j')
    await cursor().waitFor()
    await press('k', 'k', 'k')
    await press('x')
    await state.page
      .getByText(/1 selected/)
      .first()
      .waitFor()
    await press('Shift+J')
    await state.page
      .getByText(/2 selected/)
      .first()
      .waitFor()
    await press('e')
    await until(
      'two resolved issues',
      10_000,
      async () => (await statuses()).filter((one) => one === 'resolved').length === 2,
    )
    await press('z')
    await until('no resolved issue', 10_000, async () => !(await statuses()).includes('resolved'))
  })

  test('7: search', async () => {
    await openList()
    await press('/')
    await until('the focus in the search', 5000, () =>
      state.page.evaluate<boolean>(
        '/INPUT|TEXTAREA/.test(document.activeElement.tagName) || document.activeElement.isContentEditable',
      ),
    )
    await state.page.keyboard.type('BetaError')
    await press('Enter')
    await expect.poll(() => state.page.locator('[data-id]').count()).toBe(1)
  })

  test('8: archive through its dialog', async () => {
    await openList()
    await press('j')
    await cursor().waitFor()
    await press('i')
    await until('the focus in the menu', 5000, () =>
      state.page.evaluate<boolean>(
        "document.activeElement.closest('[role=dialog], dialog, [role=menu], [popover]') !== null",
      ),
    )
    await press('Enter')
    await until('an archived issue', 10_000, async () => (await statuses()).includes('ignored'))
    await press('z')
    await until('no archived issue', 10_000, async () => !(await statuses()).includes('ignored'))
  })

  test('9: jump to a screen by its name', async () => {
    await openList()
    await press('Control+k')
    await state.page.getByRole('dialog').waitFor()
    await state.page.keyboard.type('Releases')
    await press('Enter')
    await state.page.waitForURL(/\/releases/)
  })

  test('10: show the keys, and close them again with the focus where it was', async () => {
    await openList()
    await press('?')
    const help = state.page.getByRole('dialog')
    await help.waitFor()
    expect(await help.textContent()).toMatch(/keys|shortcuts/i)
    await press('Escape')
    await help.waitFor({ state: 'hidden' })
    await press('j')
    await cursor().waitFor()
  })
})
