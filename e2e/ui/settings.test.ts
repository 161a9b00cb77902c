import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'
import { answeredAfter } from './behave.ts'
import { useRoutedPage } from './routed.ts'

const product = inject('product')
const org = 'settle'

describe.skipIf(noChromium)('project settings', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const put = (path: string, body: object) =>
    api(product, state.project, path, { method: 'PUT', body: JSON.stringify(body) })
  const project = async () =>
    (await api(product, state.project, `/projects/${org}/web/`)).json as { revision: number; name: string }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    await ingest(product, state.project, envelopeOf(errorEvent('AlphaError')))
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('an error stands at its field and keeps what was typed; saved settings reach the API', async () => {
    const { page } = state
    await page.goto(at('/projects'))
    await page.getByRole('link', { name: 'Settings' }).last().click()
    await page.waitForURL(/settings\/projects\/[^/]+$/)
    await page.goto(at('/settings/projects/web'))
    await page.getByLabel('Allowed origins').fill('shop.example\nhttps://shop.example/path')
    await page.getByLabel('Sensitive fields').fill('colour')
    await page.getByLabel('Default rules').uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('"https://shop.example/path" has a path').waitFor()
    expect(await page.getByLabel('Sensitive fields').inputValue()).toBe('colour')
    expect(await page.getByLabel('Default rules').isChecked()).toBe(false)
    await page.getByLabel('Allowed origins').fill('shop.example\n*.test')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    expect((await api(product, state.project, `/projects/${org}/web/`)).json).toMatchObject({
      allowedDomains: ['shop.example', '*.test'],
      sensitiveFields: ['colour'],
      dataScrubberDefaults: false,
      dataScrubber: true,
    })
    // Ingest uses the new settings by now.
    const refused = await ingest(product, state.project, envelopeOf(errorEvent('BetaError')), {
      headers: { origin: 'https://elsewhere.example' },
    })
    expect(refused.status).toBe(403)
    // Processing does too: the former secret is kept, and the new one is scrubbed.
    const sent = errorEvent('ScrubbedError', 'x', { extra: { colour: 'crimson', password: 'open sesame' } })
    await ingest(product, state.project, envelopeOf(sent))
    const stored = await until('the event', 15_000, async () => {
      const answer = await api(product, state.project, `/projects/${org}/web/events/${sent.event_id}/`)
      return answer.status === 200 && answer.text
    })
    expect(stored).not.toContain('crimson')
    expect(stored).toContain('open sesame')
    await put(`/projects/${org}/web/`, { allowedDomains: ['*'], sensitiveFields: [], dataScrubberDefaults: true })
  })

  test('somebody else was quicker: the form says so and gives both ways out', async () => {
    const { page } = state
    for (const way of ['theirs', 'mine'] as const) {
      await page.goto(at('/settings/projects/web'))
      await page.getByLabel('Name').fill(`Mine ${way}`)
      await put(`/projects/${org}/web/`, { name: `Theirs ${way}` })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText(/changed these settings/).waitFor()
      await answeredAfter(page, () => page.getByLabel('Name').press('Enter'))
      expect([await page.getByLabel('Name').inputValue(), (await project()).name]).toEqual([
        `Mine ${way}`,
        `Theirs ${way}`,
      ])
      await page
        .getByRole('button', { name: way === 'mine' ? 'Save mine anyway' : 'Discard mine, load theirs' })
        .click()
      if (way === 'mine') {
        await page.getByText('Saved.').waitFor()
        expect((await project()).name).toBe('Mine mine')
      } else
        await until('their name in the form', 10_000, async () => {
          return (await page.getByLabel('Name').inputValue()) === 'Theirs theirs'
        })
    }
  })

  test('a key that somebody else changed is shown as it stands, and the change can be sent again', async () => {
    const { page } = state
    await page.goto(at('/settings/projects/web/keys'))
    const disable = page.getByRole('button', { name: 'Disable' })
    await disable.waitFor()
    await put(`/projects/${org}/web/keys/${state.project.key}/`, { name: 'Renamed by another' })
    await disable.click()
    await page.getByText(/changed this key in the meantime/).waitFor()
    await page.getByText('Renamed by another').waitFor()
    await disable.click()
    await page.getByRole('button', { name: 'Enable' }).click()
    await disable.waitFor()
  })

  test('a renamed project: its page moves, every old address leads there', async () => {
    const { page } = state
    bootstrap(product, org, 'shop', 'javascript', `owner@${org}.test`)
    await page.goto(at('/settings/projects/shop'))
    await page.getByLabel('Slug').fill('Not good')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Use 1 to 50 of a-z, 0-9 and -.').waitFor()
    await page.getByLabel('Slug').fill('store')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(at('/settings/projects/store'))
    for (const path of ['/settings/projects/shop', '/settings/projects/shop/keys', '/projects/shop/setup']) {
      const answer = await page.goto(at(path))
      expect([answer?.status(), page.url()]).toEqual([200, at(path.replace('shop', 'store'))])
    }
    await page.goto(at('/issues?project=shop'))
    await page.locator('main h1').waitFor()
    const renamed = await fetch(`${product.url}/api/0/projects/${org}/shop/`, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${state.project.token}` },
    })
    expect([renamed.status, renamed.headers.get('location')]).toEqual([302, `/api/0/projects/${org}/store/`])
    expect((await api(product, state.project, `/projects/${org}/shop/`)).json).toMatchObject({ slug: 'store' })
  })

  test('an issue is assigned by key and by name, and taken back', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    const row = page.locator('[data-id]').filter({ hasText: 'AlphaError' })
    await row.waitFor()
    const id = await row.getAttribute('data-id')
    const assignee = async () =>
      (
        (await api(product, state.project, `/organizations/${org}/issues/${id}/`)).json as {
          assignedTo: { email: string } | null
        }
      ).assignedTo?.email
    await row.locator('input[type=checkbox]').click()
    await page.keyboard.press('a')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    // The field has the focus, so that the user can type on.
    await page.keyboard.type('owner')
    expect(await page.getByRole('combobox', { name: /name or e-mail/i }).inputValue()).toBe('owner')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/assigned to owner/i).waitFor()
    expect(await assignee()).toBe(`owner@${org}.test`)
    await page.keyboard.press('z')
    await until('the assignment taken back', 5000, async () => (await assignee()) === undefined)
    await page.goto(at(`/issues/${id}`))
    await page.getByRole('button', { name: 'unassigned' }).click()
    await page.getByRole('dialog').getByRole('option').first().click()
    await until('the assignment', 5000, async () => (await assignee()) === `owner@${org}.test`)
    await page
      .getByText(/assigned it to themselves/)
      .first()
      .waitFor()
    // Opening the page marked the issue as seen.
    await until('seen', 10_000, async () => {
      const rows = (await api(product, state.project, `/organizations/${org}/issues/`)).json as {
        id: string
        hasSeen: boolean
      }[]
      return rows.find((row) => row.id === id)?.hasSeen
    })
    expect(state.watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
  })

  describe('with requests that it intercepts', () => {
    useRoutedPage(state, product.url)

    test('a stale change of an issue says who was there, and can be applied anyway', async () => {
      const { page } = state
      await page.goto(at('/issues'))
      const id = await page.locator('[data-id]').filter({ hasText: 'AlphaError' }).getAttribute('data-id')
      // The page must not learn of the other change before its own.
      await page.route(/\/live\//, (route) => route.abort())
      await page.goto(at(`/issues/${id}`))
      const resolve = page.getByRole('button', { name: 'Resolve', exact: true })
      await resolve.waitFor()
      await put(`/organizations/${org}/issues/${id}/`, { status: 'ignored' })
      await resolve.click()
      await page.getByText(/changed it in the meantime\. Your change was not applied/).waitFor()
      const status = async () =>
        ((await api(product, state.project, `/organizations/${org}/issues/${id}/`)).json as { status: string }).status
      expect(await status()).toBe('ignored')
      await page.getByRole('button', { name: 'Apply anyway' }).click()
      await until('resolved', 5000, async () => (await status()) === 'resolved')
      await page.unroute(/\/live\//)
    })
  })
})
