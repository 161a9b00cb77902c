import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'people'

describe.skipIf(noChromium)('members, feedback, deleting', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project; nina: Page }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const sent = errorEvent('PeopleError')

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    await ingest(product, state.project, envelopeOf(sent))
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('an invitation’s link is shown once, and lets somebody make an account and join', async () => {
    const { page } = state
    await page.goto(at('/settings/members'))
    await page.getByLabel('E-mail').fill('nina@people.test')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await page.locator('code', { hasText: '/invite/' }).textContent()
    expect(link).toMatch(/\/invite\/[\w-]{43}$/)
    await page.reload()
    await page.getByText('nina@people.test').waitFor()
    expect(await page.content()).not.toContain(link ?? '?')
    // The link has the configured URL of the product. This browser uses another host name.
    const here = `${product.url}${new URL(link ?? '').pathname}`
    const other = await openPage(state.browser, product.url)
    await other.page.goto(here)
    await other.page.getByLabel('Name').fill('Nina')
    await other.page.getByLabel('Password').fill('a long enough password')
    await other.page.getByRole('button', { name: 'Create account and join' }).click()
    await other.page.waitForURL(at('/issues'))
    await other.page.goto(here)
    await other.page.getByText('no longer valid').waitFor()
    await other.page.goto(at('/settings/members'))
    expect(await other.page.getByRole('button', { name: 'Invite', exact: true }).count()).toBe(0)
    state.nina = other.page
  })

  test('two people at one issue: each sees what the other does', async () => {
    const { page, nina } = state
    const [issue] = (await api(product, state.project, `/organizations/${org}/issues/`)).json as { id: string }[]
    const button = (personPage: Page, name: string) => personPage.getByRole('button', { name, exact: true })
    for (const personPage of [page, nina]) {
      await personPage.goto(at(`/issues/${issue?.id}`))
      await button(personPage, 'Resolve').waitFor()
      await hydrated(personPage)
    }
    await button(page, 'Resolve').click()
    await button(nina, 'Unresolve').waitFor()
    await button(nina, 'Unresolve').click()
    await button(page, 'Resolve').waitFor()
    // The comment also appears, with its author.
    await nina.locator('#activity textarea').fill('it came with the last deploy')
    await nina.locator('#activity').getByRole('button', { name: 'Comment' }).click()
    await page.locator('.comment-text', { hasText: 'it came with the last deploy' }).waitFor()
    expect(await page.locator('#activity').innerText()).toContain('Nina')
    await nina.close()
  })

  test('the last owner can’t leave, and is told why', async () => {
    const { page } = state
    await page.goto(at('/settings/members'))
    await page.getByRole('button', { name: 'Leave this organization' }).click()
    await page.getByText('needs at least one owner').waitFor()
  })

  test('what the dialog’s form sends stands in the list and on the issue, as text', async () => {
    const { page } = state
    const query = new URLSearchParams({ dsn: state.project.dsn, eventId: String(sent.event_id) })
    const form = new URLSearchParams({ name: 'Ann', email: 'ann@people.test', comments: '<b>it broke</b>' })
    const answer = await fetch(`${product.url}/api/embed/error-page/?${query}`, { method: 'POST', body: form })
    expect(answer.status).toBe(200)
    const [feedback] = await until('the feedback', 15_000, async () => {
      const rows = (await api(product, state.project, `/organizations/${org}/feedback/`)).json as {
        issue: { id: string; shortId: string } | null
      }[]
      return rows[0]?.issue ? rows : undefined
    })
    await page.goto(at('/feedback'))
    await page.getByText('<b>it broke</b>').waitFor()
    await page.getByRole('button', { name: 'Resolve' }).click()
    await page.getByText('No feedback.').waitFor()
    await page.goto(at(`/issues/${feedback?.issue?.id}`))
    await page.getByText('<b>it broke</b>').waitFor()
  })

  test('an issue goes when its name is typed, and not before', async () => {
    const { page } = state
    const issues = async () =>
      (await api(product, state.project, `/organizations/${org}/issues/?query=PeopleError`)).json as {
        id: string
        shortId: string
      }[]
    const [issue] = await issues()
    await page.goto(at(`/issues/${issue?.id}`))
    await page.locator('summary', { hasText: 'Delete issue' }).click()
    const typed = page.getByLabel(`Type ${issue?.shortId} to confirm`)
    await typed.fill('something else')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('The text does not match').waitFor()
    await typed.fill(issue?.shortId ?? '')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.waitForURL(at('/issues'))
    await until('the end of the issue', 15_000, async () => (await issues()).length === 0 || undefined)
    await page.goto(at('/settings/organization'))
    await page.getByText('done and checked').waitFor()
  })
})
