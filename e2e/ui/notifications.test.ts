import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { linkIn, openMailServer, type Received } from '../mail.ts'
import {
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'

// The mail server belongs to the whole installation, so this file starts its own product.
describe.skipIf(noChromium)('notifications', () => {
  const mails: Received[] = []
  const state = {} as {
    product: Product
    project: Project
    browser: Browser
    page: Page
    mail: { port: number; close(): void }
  }

  beforeAll(async () => {
    state.product = await start()
    await ready(state.product)
    state.project = bootstrap(state.product)
    state.mail = await openMailServer(mails)
    state.browser = await openBrowser()
    state.page = (await openPage(state.browser, state.product.url)).page
    await signIn(state.page, state.product.url, `owner@${state.project.org}.test`)
    await state.page.goto(`${state.product.url}/o/${state.project.org}/settings/notifications`)
  })
  afterAll(async () => {
    await state.browser?.close()
    state.mail?.close()
    if (state.product) await discard(state.product)
  })

  test('without a channel the page says that nobody is told', async () => {
    await state.page.getByText('Nobody is notified of new issues').waitFor()
    await state.page.getByText('No mail server is configured, so e-mail channels get nothing.').waitFor()
  })

  test('a mail server is set, and a channel for all members tells of a new issue within ten seconds', async () => {
    const { page, product, project, mail } = state
    await page.getByLabel('Host').fill('127.0.0.1')
    await page.getByLabel('Port').fill(String(mail.port))
    await page.getByLabel('Sender').fill('Mishap <mishap@example.test>')
    await page.getByLabel('Encryption').selectOption('none')
    await page.getByRole('button', { name: 'Save mail server' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByLabel('Name').fill('Everybody')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.getByRole('heading', { name: 'Everybody' }).waitFor()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Sent.', { exact: true }).waitFor()
    await until('the test mail', 5000, async () => mails.length === 1)
    const sentMs = performance.now()
    expect((await ingest(product, project, envelopeOf(errorEvent('Mailed', 'look here <b>now</b>')))).status).toBe(200)
    await until('the mail', 10_000, async () => mails.length === 2)
    expect((mails[1]?.atMs ?? 0) - sentMs).toBeLessThan(10_000)
    expect(mails[1]?.to).toEqual([`owner@${project.org}.test`])
    expect(mails[1]?.text).toMatch(/Subject: New issue WEB-1: Mailed/)
    await page.reload()
    await page.getByText('Last messages').click()
    await page.getByRole('link', { name: 'issue 1' }).waitFor()
  })

  test('an address that belongs to no member gets nothing until its owner confirms', async () => {
    const { page, product } = state
    await page.getByLabel('Kind').selectOption('email')
    await page.getByLabel('Name').fill('Outside')
    await page.getByLabel('Addresses').fill('ops@else.test')
    await page.getByRole('button', { name: 'Create channel' }).click()
    const row = page.locator('[data-channel]', { hasText: 'Outside' })
    await row.getByText('ops@else.test has not confirmed yet').waitFor()
    await row.getByText(/^Confirmation sent /).waitFor()
    const received = () => mails.filter((mail) => mail.to.includes('ops@else.test'))
    await until('the mail that asks', 5000, async () => received().length === 1)
    await row.getByRole('button', { name: 'Send test' }).click()
    await row.getByText('Nobody would get it').waitFor()
    await row.getByRole('button', { name: 'Send a confirmation mail to ops@else.test' }).click()
    await until('the second mail', 5000, async () => received().length === 2)
    // The receiver needs no account. The first link is no longer valid.
    const receiver = (await openPage(state.browser, product.url)).page
    await receiver.goto(product.url + linkIn(received()[0], '/confirm-address'))
    await receiver.getByText('This link is no longer valid.').waitFor()
    await receiver.goto(product.url + linkIn(received()[1], '/confirm-address'))
    await receiver.getByRole('button', { name: 'Confirm' }).click()
    await receiver.getByText('Confirmed. ops@else.test now gets notifications').waitFor()
    await receiver.context().close()
    await page.reload()
    await row.getByRole('button', { name: 'Send test' }).click()
    await row.getByText('Sent.', { exact: true }).waitFor()
    expect(await row.getByText('has not confirmed yet').count()).toBe(0)
    expect(received()).toHaveLength(3)
    await row.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
  })

  test('a webhook inside the network is refused, with the reason, and the shell shows that it fails', async () => {
    const { page } = state
    await page.getByLabel('Kind').selectOption('webhook')
    await page.getByLabel('Name').fill('Inside')
    await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:1/hook')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.getByText('It is shown only once').waitFor()
    const row = page.locator('[data-channel]', { hasText: 'Inside' })
    await row.getByRole('button', { name: 'Send test' }).click()
    await row.getByText('a private or reserved address').first().waitFor()
    await page.reload()
    await page.locator('.settings-nav').getByRole('link', { name: '1 failing' }).waitFor()
    // In words, not by colour alone, and on every page.
    await page.locator('.shell-foot').getByRole('link', { name: '1 channel fails' }).waitFor()
    await row.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('.settings-nav').getByRole('link', { name: 'Alert channels' }).waitFor()
    expect(await page.locator('.settings-problem').count()).toBe(0)
  })

  test('each kind explains where its token comes from, and its page has the log and the settings', async () => {
    const { page, project } = state
    await page.getByLabel('Kind').selectOption('telegram')
    await page.getByText('Write /newbot to @BotFather and copy the token.').waitFor()
    await page.getByLabel('Name').fill('Phone')
    await page.getByLabel('Bot token').fill('123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11')
    await page.getByLabel('Chat', { exact: true }).fill('my chat')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.getByText('The number of a chat, such as -1001234567890').waitFor()
    await page.getByLabel('Chat', { exact: true }).fill('-1001234567890')
    await page.getByLabel('Bot token').fill('123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.getByRole('link', { name: 'Log and settings of Phone' }).click()
    await page.waitForURL(new RegExp(`/o/${project.org}/settings/notifications/\\d+$`))
    await page.getByText('Nothing was sent yet.').waitFor()
    // The token is not shown. Left empty, it stays.
    expect(await page.getByLabel('Bot token').inputValue()).toBe('')
    await page.getByLabel('Topic').fill('7')
    await page.getByLabel('Hears of').selectOption('rules')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByText('alert rules only', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/notifications\/?\d*$/)
  })

  test('the log of a channel names the steps of a message, and sends it again', async () => {
    const { page, product, project } = state
    await page.goto(`${product.url}/o/${project.org}/settings/notifications`)
    await page.getByRole('link', { name: 'Log and settings of Everybody' }).click()
    const message = page.locator('[data-delivery]', { hasText: 'issue 1' })
    await message.getByText('Steps').click()
    await message.getByText(/answered: 2\d\d /).waitFor()
    const before = mails.filter((mail) => /WEB-1: Mailed/.test(mail.text)).length
    await message.getByRole('button', { name: /^Send message \d+ again$/ }).click()
    await until(
      'the mail again',
      10_000,
      async () => mails.filter((mail) => /WEB-1: Mailed/.test(mail.text)).length > before,
    )
    const ids = mails
      .filter((mail) => /WEB-1: Mailed/.test(mail.text))
      .map((mail) => /Message-ID: (\S+)/.exec(mail.text)?.[1])
    expect(new Set(ids).size).toBe(1)
    await page.reload()
    await message.getByText('Steps').click()
    await message.getByText('sent again by hand').waitFor()
    await page.goto(`${product.url}/o/${project.org}/settings/notifications`)
  })

  test('what is wrong is said at its field, and what was typed stays', async () => {
    const { page } = state
    await page.getByLabel('Name').fill('Wrong')
    await page.getByLabel('Addresses').fill('nobody')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.getByText('"nobody" is not an e-mail address.').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Wrong')
  })
})
