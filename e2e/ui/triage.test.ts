import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'triage'
type Stood = { id: string; status: string; substatus: string | null; statusDetails: object; priority: string }

describe.skipIf(noChromium)('triage by keys', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const call = (path: string, init: RequestInit = {}) =>
    api(product, state.project, `/organizations/${org}${path}`, init)
  const all = async () => (await call('/issues/?query=')).json as Stood[]
  const ready = async () => {
    await state.page.goto(at('/issues?q='))
    await state.page.locator('[data-id]').nth(2).waitFor()
    await state.page.waitForTimeout(500)
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    for (const type of ['AlphaError', 'BetaError', 'GammaError'])
      await ingest(product, state.project, envelopeOf(errorEvent(type)))
    await until('three issues', 15_000, async () => (await all()).length === 3)
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('all that match are archived until they escalate, and taken back by z', async () => {
    const { page } = state
    await ready()
    await page.keyboard.press('Control+a')
    await page.getByText('3 selected').waitFor()
    await page.keyboard.press('Control+a')
    await page.getByText('All 3 that match').waitFor()
    await page.keyboard.press('i')
    await page.getByRole('option', { name: /Until it escalates/ }).click()
    await until('archived', 5000, async () =>
      (await all()).every((one) => one.substatus === 'archived_until_escalating'),
    )
    await page.getByText('3 issues changed.').waitFor()
    await page.keyboard.press('Escape')
    await until('taken back', 5000, async () => {
      await page.keyboard.press('z')
      return (await all()).every((one) => one.status === 'unresolved')
    })
  })

  test('the palette does for the row under the cursor what its key would', async () => {
    const { page } = state
    await ready()
    await page.keyboard.press('j')
    const id = (await page.locator('[data-id][data-cursor]').getAttribute('data-id')) ?? ''
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'What do you want to do?' }).fill('priority low')
    await page.keyboard.press('Enter')
    await until('low', 5000, async () => (await all()).find((one) => one.id === id)?.priority === 'low')
    await page.keyboard.press('Space')
    await page.getByRole('dialog').getByText('Open the issue').waitFor()
    await page.keyboard.press('Escape')
  })

  test('a comment is shown as text and elements, never as markup; j goes on in the list', async () => {
    const { page } = state
    await ready()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('#activity textarea').fill('**bold** <img src=x onerror=alert(1)> @owner')
    await page.locator('#activity').getByRole('button', { name: 'Comment' }).click()
    await page.locator('.comment-text b', { hasText: 'bold' }).waitFor()
    expect(await page.locator('.comment-text img').count()).toBe(0)
    expect(await page.locator('.comment-text .mention').textContent()).toBe('@owner')
    const before = page.url()
    await page.locator('h1').first().click()
    await page.keyboard.press('j')
    await page.waitForURL((url) => url.toString() !== before)
    await page.keyboard.press('u')
    await page.waitForURL(/\/issues(\?|$)/)
  })

  test('rules of ownership: a faulty line is named, a good one is saved', async () => {
    const { page } = state
    await page.goto(at('/settings/projects/web/ownership'))
    const field = page.getByLabel('Rules, one a line')
    await field.fill('nonsense')
    await page.getByText(/Line 1: A rule begins with/).waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await field.fill(`path:* owner@${org}.test`)
    await page.getByRole('button', { name: /Try/ }).click()
    await page.getByText('WEB-1').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
  })

  test('no policy was violated, no script of the page failed', () => {
    expect(state.watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
  })
})
