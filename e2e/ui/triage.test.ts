import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { choose, hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'
import { useRoutedPage } from './routed.ts'

const product = inject('product')
const org = 'triage'
type Stood = { id: string; status: string; substatus: string | null; statusDetails: object; priority: string }

describe.skipIf(noChromium)('triage by keys', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const call = (path: string, init: RequestInit = {}) =>
    api(product, state.project, `/organizations/${org}${path}`, init)
  const all = async () => (await call('/issues/?query=')).json as Stood[]
  const ready = async (q = '') => {
    await state.page.goto(at(`/issues?q=${q}`))
    await state.page.locator('[data-id]').nth(2).waitFor()
    await state.page.waitForTimeout(500)
  }
  const put = (id: string, body: object) =>
    call(`/issues/${id}/`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  /** Presses mod+a twice, which selects everything that the search finds. */
  const selectAll = async () => {
    const { page } = state
    await page.keyboard.press('Control+a')
    await page.getByText('3 selected').waitFor()
    await page.keyboard.press('Control+a')
    await page.getByText('All 3 that match').waitFor()
  }
  const cursorId = async () => (await state.page.locator('[data-id][data-cursor]').getAttribute('data-id')) ?? ''
  const statusOf = async (id: string) => (await all()).find((issue) => issue.id === id)?.status

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
    await selectAll()
    await page.keyboard.press('i')
    await page.getByRole('option', { name: /Until it escalates/ }).click()
    await until('archived', 5000, async () =>
      (await all()).every((issue) => issue.substatus === 'archived_until_escalating'),
    )
    await page.getByText('3 issues changed.').waitFor()
    await page.keyboard.press('Escape')
    await until('taken back', 5000, async () => {
      await page.keyboard.press('z')
      return (await all()).every((issue) => issue.status === 'unresolved')
    })
    await page.getByText('3 issues restored.').waitFor()
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0)
  })

  test('all that match goes with its search: the next key is for the row under the cursor', async () => {
    const { page } = state
    await ready('is%3Aunresolved')
    await selectAll()
    await page.getByRole('combobox', { name: 'Search issues' }).fill('AlphaError')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=AlphaError/)
    await page.getByText('1 issue', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Search issues' }).blur()
    await page.goBack()
    await page.locator('[data-id]').nth(2).waitFor()
    // The same rows are selected as before.
    await page.getByText('3 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    const id = await cursorId()
    await page.keyboard.press('e')
    await until('resolved', 5000, async () => (await statusOf(id)) === 'resolved')
    expect((await all()).filter((issue) => issue.status === 'resolved')).toHaveLength(1)
    await put(id, { status: 'unresolved' })
  })

  describe('with requests that it intercepts', () => {
    useRoutedPage(state, product.url)

    test('all that match are meant where nobody knows how many, too', async () => {
      const { page } = state
      const path = /\/api\/0\/organizations\/triage\/issues\/\?/
      // Simulate the answer of a limited list: without a count, and with another page.
      await page.route(path, async (route) => {
        if (route.request().method() !== 'GET') return route.continue()
        if (route.request().url().includes('cursor=')) return
        // Leaving a page aborts its requests.
        const answer = await route.fetch().catch(() => undefined)
        if (!answer) return
        const { 'x-hits': _hits, link = '', ...headers } = answer.headers()
        const more = link.replace(/(rel="next"[^,]*results=)"false"/, '$1"true"')
        await route.fulfill({ response: answer, headers: { ...headers, link: more } }).catch(() => undefined)
      })
      await ready()
      await choose(page, 'sort', 'first')
      await page.getByText('3 issues').waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
      await page.locator('h1').first().click()
      await page.keyboard.press('Control+a')
      await page.getByRole('button', { name: 'Select all that match' }).click()
      await page.getByText('All that match', { exact: true }).waitFor()
      await page.locator('h1').first().click()
      await page.keyboard.press('a')
      await page.getByRole('dialog').getByText('Assign all that match to').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('e')
      await page.getByText('3 issues changed.').waitFor()
      expect((await all()).every((issue) => issue.status === 'resolved')).toBe(true)
      await page.keyboard.press('z')
      await page.getByText('3 issues restored.').waitFor()
      expect((await all()).every((issue) => issue.status === 'unresolved')).toBe(true)
      await page.unroute(path)
    })
  })

  test('the list follows when all that match are changed, and when a colleague reopens one', async () => {
    const { page } = state
    await ready('is%3Aunresolved')
    await selectAll()
    await page.keyboard.press('e')
    await page.getByText('3 issues changed.').waitFor()
    await page.getByText('Everything is resolved').waitFor()
    await page.keyboard.press('z')
    await page.getByText('3 issues restored.').waitFor()
    await page.locator('.issue-row').nth(2).waitFor()
    await page.getByText('Everything is resolved').waitFor({ state: 'detached' })
    const [issue] = await all()
    await put(issue?.id ?? '', { status: 'resolved' })
    await page.reload()
    await page.getByText('2 issues', { exact: true }).waitFor()
    await page.waitForTimeout(1500)
    await put(issue?.id ?? '', { status: 'unresolved' })
    await page.getByRole('button', { name: /1 new/ }).click()
    await page.locator(`[data-id="${issue?.id}"]`).waitFor()
  })

  test('what somebody has decided since is not taken back', async () => {
    const { page } = state
    await ready('is%3Aunresolved')
    await page.keyboard.press('j')
    const id = await cursorId()
    await page.keyboard.press('e')
    await page.getByText('1 issue resolved.').waitFor()
    await put(id, { status: 'ignored' })
    await page.keyboard.press('z')
    await page.getByText(/Not undone: .* changed it since/).waitFor()
    expect(await statusOf(id)).toBe('ignored')
    // The row also shows it.
    await page.locator(`[data-id="${id}"]`).getByText('archived').waitFor()
    await put(id, { status: 'unresolved' })
  })

  test('keys do nothing behind the help', async () => {
    const { page } = state
    await ready('is%3Aunresolved')
    await page.keyboard.press('j')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Merge the selected issues').waitFor()
    // An action with two keys is listed once.
    expect(await page.getByRole('dialog').locator('dt', { hasText: 'Next issue' }).count()).toBe(1)
    for (const key of ['e', 'x', 'i']) await page.keyboard.press(key)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.getByText('1 selected').count()).toBe(0)
    expect((await all()).every((issue) => issue.status === 'unresolved')).toBe(true)
  })

  test('the help has every key of the list and of an issue', async () => {
    const { page } = state
    const keys = async () => {
      await page.keyboard.press('?')
      await page.getByRole('dialog').getByText('Undo the last change').waitFor()
      const shown = await page.evaluate<string[]>(
        "[...document.querySelectorAll('dialog dd, [role=dialog] dd')].map((one) => [...one.querySelectorAll('kbd')].map((key) => key.textContent).join(' '))",
      )
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      return shown
    }
    const everywhere = ['Ctrl+k', '/', '?', 'Ctrl+Shift+l', 'g h', 'g i', 'g e', 'g f', 'g a', 'g s', 't', 'z']
    const deciding = ['e', 'Shift+e', 's', 'i', 'a', 'p']
    await ready()
    expect(await keys()).toEqual(
      expect.arrayContaining([
        ...everywhere,
        ...deciding,
        'j ↓',
        'k ↑',
        'Shift+j Shift+↓',
        'Shift+k Shift+↑',
        'x',
        'Ctrl+a',
        'o Enter',
        'Space',
        'Esc',
        'm',
      ]),
    )
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('#activity textarea').waitFor()
    expect(await keys()).toEqual(
      expect.arrayContaining([
        ...everywhere,
        ...deciding,
        'j',
        'k',
        'u',
        '[',
        ']',
        '{',
        '}',
        'n',
        'Shift+n',
        'f',
        'r',
        'c',
        'y',
      ]),
    )
    // The issue page has no search box. The box of the list gets the focus.
    await page.keyboard.press('/')
    await page.waitForURL(/\/issues(\?|$)/)
    await until('the box', 5000, () =>
      page.evaluate<boolean>("document.activeElement?.getAttribute('role') === 'combobox'"),
    )
  })

  test('the palette does for the row under the cursor what its key would', async () => {
    const { page } = state
    await ready()
    await page.keyboard.press('j')
    const id = (await page.locator('[data-id][data-cursor]').getAttribute('data-id')) ?? ''
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('priority low')
    await page.keyboard.press('Enter')
    await until('low', 5000, async () => (await all()).find((issue) => issue.id === id)?.priority === 'low')
    await page.keyboard.press('Space')
    await page
      .getByRole('complementary', { name: /^Preview of/ })
      .getByText('Open the issue')
      .waitFor()
    await page.keyboard.press('Escape')
  })

  test('a comment is shown as text and elements, never as markup; j goes on in the list', async () => {
    const { page } = state
    await ready()
    // Open the first row: the cursor can be on the last row, which has no next one.
    await page.locator('[data-id] a').first().click()
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

  describe('with requests that it intercepts', () => {
    useRoutedPage(state, product.url)

    test('a comment is sent once, and what is typed meanwhile stays, here and on another event', async () => {
      const { page } = state
      await ready()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      const field = page.locator('#activity > form textarea')
      await field.waitFor()
      let sent = 0
      await page.route(/\/comments\/$/, async (route) => {
        sent++
        await page.waitForTimeout(700)
        await route.continue()
      })
      await field.fill('once')
      for (let n = 0; n < 4; n++) await page.keyboard.press('Control+Enter')
      await field.fill('the next one')
      await page.locator('.comment-text', { hasText: 'once' }).waitFor()
      expect([sent, await field.inputValue()]).toEqual([1, 'the next one'])
      await page.unroute(/\/comments\/$/)
      await page.goto(`${page.url().split('?')[0]}/events/first`)
      await until('the draft', 5000, async () => (await field.inputValue()) === 'the next one')
    })
  })

  test('rules of ownership: a faulty line is named, a good one is saved', async () => {
    const { page } = state
    await page.goto(at('/settings/projects/web/ownership'))
    const field = page.getByLabel('Rules, one per line')
    await field.fill('nonsense')
    await page.getByText(/Line 1: A rule begins with/).waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await field.fill(`path:* owner@${org}.test`)
    await page.getByRole('button', { name: /Try/ }).click()
    await page.getByText('WEB-1').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
  })

  test('whom rules suggest stands at the issue, is found, and is assigned by a click', async () => {
    const { page } = state
    const [issue] = await all()
    const found = async () => (await call('/issues/?query=assigned_or_suggested%3Ame')).json as Stood[]
    await until('suggested', 10_000, async () => (await found()).length === 3)
    await page.goto(at(`/issues/${issue?.id}`))
    const suggested = page.getByTitle('Assign by the rule path:*')
    await suggested.click()
    await page.getByText('Assigned to').first().waitFor()
    await suggested.waitFor({ state: 'detached' })
    await until('assigned', 5000, async () => {
      const { assignedTo } = (await call(`/issues/${issue?.id}/`)).json as { assignedTo: { email: string } | null }
      return assignedTo?.email === `owner@${org}.test`
    })
    await put(issue?.id ?? '', { assignedTo: null })
  })

  test('rules that were typed over others are never saved unseen, after a reload neither', async () => {
    const { page } = state
    const raw = async () =>
      ((await api(product, state.project, `/projects/${org}/web/ownership/`)).json as { raw: string }).raw
    await page.goto(at('/settings/projects/web/ownership'))
    await hydrated(page)
    const field = page.getByLabel('Rules, one per line')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await field.fill('mine is faulty')
    await page.getByText(/Line 1: A rule begins with/).waitFor()
    const theirs = await api(product, state.project, `/projects/${org}/web/ownership/`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ raw: `url:* owner@${org}.test` }),
    })
    expect(theirs.status).toBe(200)
    await page.reload()
    // The page validates the text in the field.
    await until('mine again', 5000, async () => (await field.inputValue()) === 'mine is faulty')
    await page.getByText(/Line 1: A rule begins with/).waitFor()
    await field.fill(`module:mine owner@${org}.test`)
    await save.click()
    await page.getByText(/changed these settings in the meantime/).waitFor()
    expect(await raw()).toBe(`url:* owner@${org}.test`)
    await page.reload()
    await until('mine again', 5000, async () => (await field.inputValue()).startsWith('module:mine'))
    await save.click()
    await page.getByRole('button', { name: 'Save mine anyway' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await raw()).toBe(`module:mine owner@${org}.test`)
    await page.reload()
    await until('saved', 5000, async () => (await field.inputValue()).startsWith('module:mine'))
    await save.click()
    await page.getByText('Saved.', { exact: true }).waitFor()
  })

  test('m makes the selected issues one, after saying which stays', async () => {
    const { page } = state
    await ingest(product, state.project, envelopeOf(errorEvent('BetaError')))
    await until('two events', 15_000, async () =>
      (await all()).some((issue) => 'lifetime' in issue && (issue.lifetime as { count: string }).count === '2'),
    )
    await ready()
    await page.keyboard.press('m')
    await page.getByText('Select two or more issues to merge them.').waitFor()
    await page.keyboard.press('Control+a')
    await page.getByText('3 selected').waitFor()
    await page.locator('[data-id]', { hasText: 'GammaError' }).locator('.issue-check').click()
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Merge 2 issues into one').waitFor()
    expect(await dialog.locator('p', { hasText: 'BetaError' }).count()).toBe(1)
    expect(await dialog.locator('li', { hasText: 'AlphaError' }).count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByText(/1 issue is part of WEB-\d now\./).waitFor()
    await until('two rows', 5000, async () => (await page.locator('[data-id]').count()) === 2)
    expect(await all()).toHaveLength(2)
  })

  test('no policy was violated, no script of the page failed', () => {
    expect(state.watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
  })
})
