// A new deployment under open tabs: two builds of the product on one data folder and port (docs/behaviour.md).
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, type Login, loginOf, noChromium, openBrowser, openPage } from '../browser.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  ready,
  root,
  start,
  until,
} from '../product.ts'
import { makeAnotherBuild } from './another-build.ts'
import { documentsOf } from './behave.ts'

describe.skipIf(noChromium)('a new deployment under open tabs', () => {
  const folder = join(root, 'e2e/out/another-build')
  const state = {} as {
    product: Product
    browser: Browser
    login: Login
    base: string
    tabs: Record<'issue' | 'form' | 'list', Page>
  }

  async function open(path: string): Promise<Page> {
    const { page } = await openPage(state.browser, state.product.url, { login: state.login })
    await page.goto(state.base + path)
    await page.locator('main h1, main [data-id]').first().waitFor()
    await hydrated(page)
    return page
  }
  const comment = (page: Page) => page.getByRole('textbox', { name: 'Comment' })

  beforeAll(async () => {
    makeAnotherBuild(folder)
    const product = await start()
    Object.assign(state, { product, base: `${product.url}/o/acme` })
    await ready(product)
    const project = bootstrap(product)
    await ingest(product, project, envelopeOf(errorEvent()))
    await until('the issue', 20_000, async () => {
      const found = await api(product, project, '/organizations/acme/issues/?query=')
      return (found.json as object[]).length === 1
    })
    state.browser = await openBrowser()
    state.login = await loginOf(state.browser, product.url, 'owner@acme.test')
    const issue = await open('/issues')
    await issue.locator('[data-id] a').first().click()
    await comment(issue).fill('half typed')
    const form = await open('/projects/new')
    await form.getByLabel('Name').fill('From an old tab')
    state.tabs = { issue, form, list: await open('/issues') }
    await product.stop()
    state.product = await start({ data: product.data, port: product.port, tree: folder })
    await ready(state.product)
  })
  afterAll(async () => {
    await state.browser?.close()
    await discard(state.product)
    rmSync(folder, { recursive: true, force: true })
  })

  test('a clicked link loads the document once; the half-typed comment is back', async () => {
    const page = state.tabs.issue
    const documents = documentsOf(page)
    const issue = page.url()
    await page.locator('nav a[href$="/releases"]').first().click()
    await page.getByRole('heading', { name: 'Releases', exact: true }).waitFor()
    expect(documents.count).toBe(1)
    await page.goto(issue)
    await until('the comment', 5000, async () => (await comment(page).inputValue()) === 'half typed')
  })

  test('a server action reloads the page once, filled in; sent again it works', async () => {
    const page = state.tabs.form
    const documents = documentsOf(page)
    await page.locator('main form button[type=submit]').click()
    await until('the reload', 10_000, async () => documents.count === 1)
    await hydrated(page)
    await until('the name', 5000, async () => (await page.getByLabel('Name').inputValue()) === 'From an old tab')
    await page.locator('main form button[type=submit]').click()
    await page.waitForURL(/\/projects\/from-an-old-tab\/setup/)
    expect(documents.count).toBe(1)
  })

  test('a lazy chunk reloads the page once; then it is there', async () => {
    const page = state.tabs.list
    const documents = documentsOf(page)
    await page.keyboard.press('Control+k')
    await until('the reload', 10_000, async () => documents.count === 1)
    await hydrated(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    expect(documents.count).toBe(1)
  })
})
