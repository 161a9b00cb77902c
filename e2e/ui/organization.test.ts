import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'
import { answeredAfter } from './behave.ts'

const product = inject('product')
const org = 'ending'

describe.skipIf(noChromium)('environments and the end of an organization', () => {
  const state = {} as { browser: Browser; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    for (const environment of ['production', 'ci-4711'])
      await ingest(product, state.project, envelopeOf(errorEvent('AlphaError', 'x', { environment })))
    await until('the events', 20_000, async () => {
      const path = `/projects/${org}/web/environments/`
      return ((await api(product, state.project, path)).json as unknown[]).length === 2
    })
    state.browser = await openBrowser()
    state.page = (await openPage(state.browser, product.url)).page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('a hidden environment leaves the choices; named, its events are found', async () => {
    const { page } = state
    const choices = async () => {
      await page.locator('[data-id]').first().waitFor()
      await hydrated(page)
      await page.locator('[data-popup=environment] > summary').click()
      return page.locator('[data-popup=environment] [role=option]').allTextContents()
    }
    await page.goto(at('/settings/projects/web'))
    await page.getByRole('link', { name: 'Environments' }).click()
    await page.getByRole('button', { name: 'Hide ci-4711' }).click()
    await page.getByRole('button', { name: 'Show ci-4711' }).waitFor()
    await page.goto(at('/issues'))
    expect(await choices()).toEqual(['All environments', 'production'])
    await page.goto(at('/issues?env=ci-4711'))
    expect(await choices()).toEqual(['All environments', 'ci-4711', 'production'])
    await page.goto(at('/settings/projects/web/environments'))
    await page.getByRole('button', { name: 'Show ci-4711' }).click()
    await page.getByRole('button', { name: 'Hide ci-4711' }).waitFor()
    await page.goto(at('/issues'))
    expect(await choices()).toEqual(['All environments', 'ci-4711', 'production'])
  })

  test('the rejected data is one step away from keys and settings', async () => {
    const { page } = state
    for (const path of ['/settings/projects/web/keys', '/settings/projects/web']) {
      await page.goto(at(path))
      await page
        .getByRole('link', { name: /rejected data/i })
        .last()
        .click()
      await page.waitForURL(/\/projects\/web\/rejected-data$/)
      await page.locator('main table').first().waitFor()
    }
  })

  test('two people change its settings: the second sees who was quicker, and may save anyway', async () => {
    const { page, project } = state
    const path = `/organizations/${org}/settings/`
    const stored = async () => (await api(product, project, path)).json as { name: string; revision: number }
    await page.goto(at('/settings/organization'))
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    const theirs = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"name":"Theirs"}' }
    expect((await api(product, project, path, theirs)).status).toBe(200)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(/changed these settings in the meantime/).waitFor()
    await answeredAfter(page, () => page.getByLabel('Name', { exact: true }).press('Enter'))
    expect((await stored()).name).toBe('Theirs')
    // After a reload, the form still sends the revision that the user typed over.
    await page.reload()
    await until(
      'mine again',
      5000,
      async () => (await page.getByLabel('Name', { exact: true }).inputValue()) === 'Mine',
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Save mine anyway' }).click()
    await until('mine', 5000, async () => (await stored()).name === 'Mine')
    await page.getByText(/changed these settings/).waitFor({ state: 'detached' })
    await page.getByLabel('Name', { exact: true }).fill('Dropped')
    expect((await api(product, project, path, theirs)).status).toBe(200)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Discard mine, load theirs' }).click()
    await until(
      'theirs',
      10_000,
      async () => (await page.getByLabel('Name', { exact: true }).inputValue()) === 'Theirs',
    )
  })

  test('it goes when its name is typed; who deleted it keeps the proof', async () => {
    const { page, project } = state
    const path = `/organizations/${org}/settings/`
    const { name } = (await api(product, project, path)).json as { name: string }
    await page.goto(at('/settings/organization'))
    const typed = page.getByLabel(`Type ${name} to confirm`)
    await typed.fill('something else')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('The text does not match.').waitFor()
    expect((await api(product, project, `/organizations/${org}/`)).status).toBe(200)
    await typed.fill(name)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'You are not a member of any organization' }).waitFor({ timeout: 30_000 })
    await until('the proof', 30_000, async () => {
      await page.reload()
      return page.getByText('done and checked', { exact: true }).isVisible()
    })
    expect((await ingest(product, project, envelopeOf(errorEvent()))).status).toBe(403)
    expect((await page.goto(at('/issues')))?.status()).toBe(404)
  })
})
