import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { goodToken, startVendor, type Vendor } from '../../src/trackers/vendors.cases.ts'
import { faults } from '../axe.ts'
import { noChromium, openBrowser, openPage, signIn } from '../browser.ts'
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

// A tracker on this machine needs a product that may call this machine.
describe.skipIf(noChromium)('integrations', () => {
  const state = {} as {
    product: Product
    project: Project
    vendor: Vendor
    browser: Browser
    page: Page
    secret: string
    hook: string
  }
  const path = (rest: string) => `${state.product.url}/o/${state.project.org}${rest}`
  const shots = process.env.MISHAP_E2E_PICTURES
  const picture = async (name: string) => {
    if (!shots) return
    mkdirSync(shots, { recursive: true })
    await state.page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })
  }

  beforeAll(async () => {
    state.product = await start({ env: { MISHAP_OUTGOING_NETWORKS: '127.0.0.0/8' } })
    await ready(state.product)
    state.project = bootstrap(state.product)
    state.vendor = await startVendor('gitlab')
    await ingest(state.product, state.project, envelopeOf(errorEvent('Broken', 'hello @tanuki\n/close #1')))
    state.browser = await openBrowser()
    state.page = (await openPage(state.browser, state.product.url)).page
    await signIn(state.page, state.product.url, `owner@${state.project.org}.test`)
  })
  afterAll(async () => {
    await state.browser?.close()
    if (state.product) await discard(state.product)
  })

  /** Sends a webhook as GitLab does. */
  const deliver = (token: string, attributes: object, delivery: string) =>
    fetch(state.hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gitlab-token': token, 'idempotency-key': delivery },
      body: JSON.stringify({
        object_kind: 'issue',
        user: { id: 8, username: 'eve' },
        project: { path_with_namespace: 'acme/web' },
        object_attributes: attributes,
      }),
    })

  test('the page says that nothing is connected, and a refused token has the words of the service', async () => {
    const { page, vendor } = state
    await page.goto(path('/settings/integrations'))
    await page.getByText('No tracker is connected.').waitFor()
    await page.getByLabel('Service').selectOption('gitlab')
    await page.getByLabel('Address', { exact: true }).fill(vendor.url)
    await page.getByLabel('Project', { exact: true }).fill('acme/web')
    await page.getByLabel('Token', { exact: true }).fill('wrong-token-99')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('401: 401 Unauthorized').waitFor()
    expect(await page.getByLabel('Project', { exact: true }).inputValue()).toBe('acme/web')
    expect(await page.content()).not.toContain('wrong-token-99')
  })

  test('a connection shows its secret once, and what the service answers', async () => {
    const { page } = state
    await page.getByLabel('Token', { exact: true }).fill(goodToken)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('It is shown only now.').waitFor()
    state.secret = (await page.locator('.box code').first().textContent()) ?? ''
    expect(state.secret).toMatch(/^mht_/)
    await page.reload()
    expect(await page.content()).not.toContain(state.secret)
    await page.getByText('Acts as tanuki').waitFor()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('the token belongs to tanuki').waitFor()
    await page.getByText('Settings', { exact: true }).last().click()
    state.hook = (await page.locator('[data-integration] code').first().textContent()) ?? ''
    expect(state.hook).toMatch(/\/api\/0\/trackers\/1\/webhook\/$/)
    await picture('connected')
    expect(await faults(page)).toEqual([])
  })

  test('the issue page creates a tracker issue with an inert text', async () => {
    const { page, vendor } = state
    await page.goto(path('/issues/1'))
    await page.getByText('No tracker issue is linked.').waitFor()
    await page.getByRole('button', { name: 'Link an issue' }).click()
    const title = page.getByLabel('Title')
    await title.waitFor()
    expect(await title.inputValue()).toContain('WEB-1: Broken')
    await picture('dialog')
    expect(await faults(page)).toEqual([])
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.locator('[data-external]', { hasText: 'acme/web#1' }).waitFor()
    expect(vendor.issues.length).toBe(1)
    expect(`${vendor.issues[0]?.title}${vendor.issues[0]?.body}`).not.toMatch(/@tanuki|#1\b|^\/close/m)
    await picture('linked')
  })

  test('resolving closes there, and a signed webhook reopens here', async () => {
    const { page, vendor, secret } = state
    await page.getByRole('button', { name: 'Resolve', exact: true }).first().click()
    await until('the tracker issue to close', 15_000, async () => vendor.issues[0]?.state === 'closed')
    expect((await deliver('wrong', { iid: 1, action: 'reopen' }, 'delivery-1')).status).toBe(401)
    const answer = await deliver(secret, { iid: 1, action: 'reopen' }, 'delivery-2')
    expect([answer.status, await answer.json()]).toEqual([202, { outcome: 'accepted' }])
    expect(await (await deliver(secret, { iid: 1, action: 'reopen' }, 'delivery-2')).json()).toEqual({
      outcome: 'repeated',
    })
    await page.reload()
    await page.getByText('(as acme/web#1 in the tracker)').waitFor()
    await page.goto(path('/settings/integrations'))
    await page.getByText('1 applied, 0 without effect, 1 repeated, 1 refused').waitFor()
  })

  test('a kill loses no change: the tracker issue closes after the restart', async () => {
    const { page, vendor, product } = state
    // The webhook before only said that it was reopened.
    const [there] = vendor.issues
    if (there) there.state = 'open'
    vendor.fail.push({ status: 500, body: { message: 'oops' } })
    await page.goto(path('/issues/1'))
    await page.getByRole('button', { name: 'Resolve', exact: true }).first().click()
    await until('the failed call', 15_000, async () => vendor.fail.length === 0)
    await product.stop('SIGKILL')
    state.product = await start({
      data: product.data,
      port: product.port,
      env: { MISHAP_OUTGOING_NETWORKS: '127.0.0.0/8' },
    })
    await ready(state.product)
    await until('the tracker issue to close', 30_000, async () => vendor.issues[0]?.state === 'closed')
  })

  test('a refused token is shown everywhere, until somebody reconnects', async () => {
    const { page, vendor } = state
    vendor.fail.push({ status: 401, body: { message: '401 Unauthorized' } })
    await page.goto(path('/settings/integrations'))
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('GitLab refuses the token since').waitFor()
    await page.getByText('must reconnect.').first().waitFor()
    await picture('refused')
    await page.goto(path('/issues/1'))
    await page.getByText('The tracker refuses the token since').waitFor()
    await page.goto(path('/settings/integrations'))
    await page.getByLabel('New token').fill(goodToken)
    await page.getByRole('button', { name: 'Reconnect' }).click()
    await page.getByText('refuses the token since').waitFor({ state: 'detached' })
  })

  test('a commit is pasted, and the pages fit a phone', async () => {
    const { page } = state
    const sha = 'c'.repeat(40)
    const body = {
      object_kind: 'push',
      ref: 'refs/heads/x',
      project: { path_with_namespace: 'acme/web', default_branch: 'main' },
    }
    const commits = [{ id: sha, message: 'Mend it', author: { name: 'Eve', email: 'e@x.test' } }]
    await fetch(state.hook, {
      method: 'POST',
      headers: { 'x-gitlab-token': state.secret },
      body: JSON.stringify({ ...body, commits }),
    })
    await page.setViewportSize({ width: 390, height: 844 })
    for (const rest of ['/settings/integrations', '/issues/1']) {
      await page.goto(path(rest))
      await page.getByRole('heading').first().waitFor()
      await picture(`phone${rest.replaceAll('/', '-')}`)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(path('/issues/1'))
    await page.keyboard.press('Shift+u')
    await page.keyboard.press('Shift+r')
    await page.getByText('Resolved in a commit', { exact: false }).click()
    await page.getByText('Mend it').click()
    await page.getByText('cccccccccccc').first().waitFor()
  })
})
