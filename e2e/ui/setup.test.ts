import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noChromium, openBrowser, openPage } from '../browser.ts'
import { discard, type Product, password, ready, start } from '../product.ts'

/** The five steps: one is open at a time; a step names only files of the platform, and digests are for React. */
async function steps(page: Page): Promise<void> {
  const step = page.locator('.setup-step')
  expect(await step.count()).toBe(5)
  for (const at of [1, 2, 3, 4]) {
    await step.nth(at).locator('summary').first().click()
    expect(await page.locator('.setup-step[open]').count()).toBe(1)
  }
  expect(await page.locator('#digest-hook').count()).toBe(0)
  expect(await step.nth(1).textContent()).toMatch(/http:\/\/[0-9a-f]{32}@/)
}

describe.skipIf(noChromium)('from an empty folder to the first event', () => {
  const state = {} as { product: Product; browser: Browser }
  beforeAll(async () => {
    state.product = await start()
    await ready(state.product)
    state.browser = await openBrowser()
  })
  afterAll(async () => {
    await state.browser?.close()
    await discard(state.product)
  })

  test('two people send the form at once: one is the owner, the other is told', async () => {
    const product = await start()
    try {
      await ready(product)
      const link = /\/setup\?secret=\S+/.exec(product.log())?.[0]
      const fill = async (name: string) => {
        const { page } = await openPage(state.browser, product.url)
        await page.goto(product.url + link)
        await page.locator('[name=name]').fill(name)
        await page.locator('[name=email]').fill(`${name}@example.test`)
        await page.locator('[name=password]').fill(password)
        await page.locator('[name=organization]').fill(`${name} Inc`)
        await page.locator('[name=project]').fill('Web')
        return page
      }
      const pages = [await fill('ada'), await fill('bob')]
      await Promise.all(pages.map((page) => page.locator('button[type=submit]').click()))
      const ends = await Promise.all(
        pages.map(async (page) => {
          const done = page.waitForURL(/\/projects\/[^/]+\/setup/, { timeout: 20_000 }).then(() => 'owner')
          const errorText = page.locator('form [role=alert]').first().innerText({ timeout: 20_000 })
          return Promise.any([done, errorText])
        }),
      )
      expect(ends.filter((end) => end === 'owner')).toHaveLength(1)
      expect(ends.find((end) => end !== 'owner')).toMatch(/somebody else is setting up Mishap|setup is closed/i)
      // The loser's form still has its input.
      const loser = pages[ends.findIndex((end) => end !== 'owner')]
      expect(await loser?.locator('[name=organization]').inputValue()).toMatch(/ Inc$/)
      for (const page of pages) await page.context().close()
    } finally {
      await discard(product)
    }
  })

  test('the setup link, one form, a waiting screen that sees the test event, and its row', async () => {
    const { product } = state
    const secret = /\/setup\?secret=(\S+)/.exec(product.log())?.[1]
    expect(secret).toBeTruthy()
    const watched = await openPage(state.browser, product.url)
    const { page } = watched
    await page.goto(product.url)
    expect(await page.locator('body').innerText()).toMatch(/set.?up/i)
    await page.goto(`${product.url}/setup?secret=${secret}`)
    await page.locator('[name=name]').fill('Ada')
    await page.locator('[name=email]').fill('ada@example.test')
    await page.locator('[name=password]').fill('short')
    await page.locator('[name=organization]').fill('Acme Inc')
    await page.locator('[name=project]').fill('Web shop')
    await page.locator('button[type=submit]').click()
    // The form shows the error at the field and keeps the input.
    await page
      .getByText(/at least 10/i)
      .first()
      .waitFor()
    expect(await page.locator('[name=organization]').inputValue()).toBe('Acme Inc')
    await page.locator('[name=password]').fill(password)
    await page.locator('button[type=submit]').click()
    await page.waitForURL(/\/projects\/[^/]+\/setup/, { timeout: 20_000 })
    expect(await page.locator('main').innerText()).toMatch(/http:\/\/[0-9a-f]{32}@/)
    await page.getByRole('button', { name: /test event/i }).click()
    await page.getByRole('link', { name: /open the issue/i }).waitFor({ timeout: 15_000 })
    for (const [kind, kindState] of [
      ['connection', 'ok'],
      ['errors', 'ok'],
      ['stack', 'ok'],
      ['sessions', 'waiting'],
      ['traces', 'waiting'],
      ['release', 'waiting'],
    ])
      await page.locator(`[data-kind=${kind}][data-state=${kindState}]`).waitFor({ timeout: 5000 })
    await page.locator('.last-requests > li', { hasText: '200' }).getByText('event', { exact: false }).first().waitFor()
    await page.getByRole('heading', { name: 'Nothing arriving?' }).waitFor()
    expect(await page.locator('.setup-help').count()).toBe(3)
    await steps(page)
    await page.goto(`${product.url}/o/acme-inc/issues`)
    await page.locator('[data-id]').first().waitFor({ timeout: 15_000 })
    await page.goBack()
    await page.getByRole('button', { name: /remove the sample/i }).click()
    await page.getByText('The sample issue is removed.').waitFor()
    await page.goto(`${product.url}/o/acme-inc/issues`)
    await page.locator('#content').getByRole('heading', { level: 1 }).waitFor()
    expect(await page.locator('[data-id]').count()).toBe(0)
    expect(watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
    // The link works once. Afterwards the page shows that setup is closed, without a form.
    await page.goto(`${product.url}/setup?secret=${secret}`)
    expect(await page.locator('main').innerText()).toMatch(/setup is closed/i)
    expect(await page.locator('form').count()).toBe(0)
    expect(await page.locator('main a[href="/login"]').count()).toBe(1)
    await page.context().close()
  })
})
