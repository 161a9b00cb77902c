import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { linkIn, openMailServer, type Received } from '../mail.ts'
import { api, bootstrap, discard, type Product, type Project, password, ready, start, until } from '../product.ts'

const forgotten = 'a second good password'
const changed = 'a third good password'

// The mail server belongs to the whole installation, so this file starts its own product.
describe.skipIf(noChromium)('password and sessions', () => {
  const mails: Received[] = []
  const state = {} as {
    product: Product
    project: Project
    browser: Browser
    watched: Watched
    page: Page
    mail: { port: number; close(): void }
  }
  const email = () => `owner@${state.project.org}.test`
  const at = (path: string) => `${state.product.url}${path}`
  const account = () => at(`/o/${state.project.org}/settings/account/security`)

  /** Signs in with the password `secret` instead of the shared test password. */
  async function signInWith(page: Page, secret: string): Promise<void> {
    await page.getByLabel('E-mail').fill(email())
    await page.getByLabel('Password').fill(secret)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/o\//)
  }

  /** Requests a link and waits for the answer, which is always the same. */
  async function askFor(page: Page, address: string): Promise<void> {
    await page.goto(at('/forgot-password'))
    await hydrated(page)
    await page.getByLabel('E-mail').fill(address)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('If this address has an account, a link is on its way.').waitFor()
  }

  beforeAll(async () => {
    state.product = await start()
    await ready(state.product)
    state.project = bootstrap(state.product)
    state.mail = await openMailServer(mails)
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, state.product.url)
    state.page = state.watched.page
  })
  afterAll(async () => {
    await state.browser?.close()
    state.mail?.close()
    if (state.product) await discard(state.product)
  })

  test('without a mail server the page says which command sets a password', async () => {
    const { page } = state
    await page.goto(at('/login'))
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByText('This installation has no mail server').waitFor()
    await page.getByText('mishap user reset-password').waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
  })

  test('the answer is the same for every address; a mail goes to one that has an account', async () => {
    const { page, product, project, mail } = state
    const body = JSON.stringify({ host: '127.0.0.1', port: mail.port, security: 'none', from: 'mishap@example.test' })
    expect((await api(product, project, '/mail-server/', { method: 'PUT', body })).status).toBe(200)
    await askFor(page, 'nobody@example.test')
    await askFor(page, email())
    await until('the mail', 10_000, async () => mails.length > 0)
    expect(mails.map((mail) => mail.to)).toEqual([[email()]])
    expect(mails[0]?.text).toMatch(/Subject: Set a new Mishap password/)
  })

  test('the link sets a new password once and ends all sessions', async () => {
    const { page, product } = state
    const signed = await openPage(state.browser, product.url)
    await signIn(signed.page, product.url, email())
    const link = at(linkIn(mails[0], '/reset-password'))
    await page.goto(link)
    await page.getByLabel('New password').fill('too short')
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByText('Use at least 10 characters.').waitFor()
    await page.getByLabel('New password').fill(forgotten)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByText('Your password is changed. Sign in with the new one.').waitFor()
    await signed.page.goto(account())
    await signed.page.waitForURL(/\/login/)
    await signed.page.context().close()
    await signInWith(page, forgotten)
    await page.goto(link)
    await page.getByText('This link is no longer valid.').waitFor()
  })

  test('sessions are listed; one ends, then all others', async () => {
    const { page, product } = state
    const others = await Promise.all([1, 2].map(() => openPage(state.browser, product.url)))
    for (const other of others) {
      await other.page.goto(at('/login'))
      await signInWith(other.page, forgotten)
    }
    await page.goto(account())
    await hydrated(page)
    const rows = page.locator('#sessions tbody tr')
    await expect.poll(() => rows.count()).toBe(3)
    const first = await rows.first().innerText()
    expect(first).toContain('This session')
    expect(first).toMatch(/on Linux/)
    expect(first).toContain('127.0.0.1')
    // Use the keyboard only.
    await rows.nth(1).getByRole('button').focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('button', { name: 'End the other session' }).click()
    await page.getByText('You have no other sessions.').waitFor()
    for (const other of others) {
      await other.page.goto(account())
      await other.page.waitForURL(/\/login/)
      await other.page.context().close()
    }
  })

  test('the password is changed: a wrong one is said at its field, tokens end where asked, this session goes on', async () => {
    const { page, product, project } = state
    await page.goto(account())
    await hydrated(page)
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill(changed)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This is not your current password.').waitFor()
    expect(await page.getByLabel('New password').inputValue()).toBe(changed)
    await page.getByLabel('Current password').fill(forgotten)
    await page.getByLabel('Also end my API tokens').check()
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Your password is changed. Your other sessions have ended.').waitFor()
    expect((await api(product, project, '/auth/')).status).toBe(401)
    await page.goto(account())
    await page.locator('#sessions').waitFor()
    await page.locator('.shell-person').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/\/login/)
    await signInWith(page, changed)
  })

  test('more links than three are refused, for whatever address', async () => {
    const { page } = state
    for (const address of [email(), 'nobody@example.test']) {
      for (let asked = 1; asked < 3; asked++) await askFor(page, address)
      await page.goto(at('/forgot-password'))
      await hydrated(page)
      await page.getByLabel('E-mail').fill(address)
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByText('Too many links were requested.').waitFor()
    }
  })

  test('in the dark and in German', async () => {
    const dark = await openPage(state.browser, state.product.url, { dark: true })
    await dark.page.context().addCookies([{ name: 'locale', value: 'de', url: state.product.url }])
    await dark.page.goto(at('/forgot-password'))
    await dark.page.getByRole('button', { name: 'Link senden' }).waitFor()
    expect([...dark.errors, ...dark.foreign, ...state.watched.errors, ...state.watched.foreign]).toEqual([])
    await dark.page.context().close()
  })
})
