import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { choose, hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'stream'

describe.skipIf(noChromium)('the stream of issues in the browser', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project; issue: string }
  const at = (path: string) => `${product.url}/o/${org}${path}`

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    for (const type of ['AlphaError', 'BetaError', 'GammaError'])
      await ingest(product, state.project, envelopeOf(errorEvent(type)))
    const issues = await until('three issues', 15_000, async () => {
      const found = (await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as { id: string }[]
      return found.length === 3 && found
    })
    state.issue = issues[0]?.id ?? ''
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('an organization of somebody else is a 404, as one that does not exist', async () => {
    bootstrap(product, 'strangers', 'web', 'javascript', 'stranger@strangers.test')
    for (const path of ['/o/strangers/issues', '/o/nobody/issues'])
      expect((await state.page.goto(product.url + path))?.status()).toBe(404)
  })

  test('without a login every screen leads to the sign-in, and back', async () => {
    const { page } = await openPage(state.browser, product.url)
    await page.goto(at('/settings/status'))
    expect(page.url()).toContain('/login')
    await page.context().close()
  })

  test('the rows come with the document, before any script runs', async () => {
    const text = await (await state.page.request.get(at('/issues'))).text()
    expect([...text.matchAll(/<li class="issue-row"/g)]).toHaveLength(3)
    for (const type of ['Alpha', 'Beta', 'Gamma']) expect(text).toContain(`>${type}Error</b>`)
    const none = await (await state.page.request.get(at('/issues?q=NothingLikeThis'))).text()
    expect(none).not.toContain('issue-row')
  })

  test('the environment is chosen from those in use, and stands in the address', async () => {
    const { page } = state
    const event = errorEvent('AlphaError', 'x is undefined', { environment: 'staging-7' })
    await ingest(product, state.project, envelopeOf(event))
    await until('the environment', 15_000, async () =>
      (await api(product, state.project, `/organizations/${org}/environments/`)).text.includes('staging-7'),
    )
    await page.goto(at('/issues'))
    await page.locator('[data-id]').nth(2).waitFor()
    await hydrated(page)
    await choose(page, 'environment', 'staging-7')
    await page.waitForURL(/env=staging-7/)
    await until('one row', 5000, async () => (await page.locator('[data-id]').count()) === 1)
    await page.goto(at('/issues?env=never-seen'))
    expect(await page.locator('[data-popup=environment] > summary').innerText()).toContain('never-seen')
  })

  test('j and enter open an issue, its page shows the stack, and back returns to the same row', async () => {
    const { page } = state
    await page.goto(at('/issues?sort=new'))
    await page.locator('[data-id]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/issues\/[^?/]+/)
    await page
      .getByText(/in(Alpha|Beta|Gamma)Error/)
      .first()
      .waitFor()
    await page.goBack()
    await page.locator('[data-id][data-cursor]').first().waitFor()
  })

  test('resolve marks the row in its place and says so; undo restores status and substatus', async () => {
    const { page, project } = state
    const statusOf = async (id: string) => {
      const { status, substatus } = (await api(product, project, `/organizations/${org}/issues/${id}/`)).json as {
        status: string
        substatus: string | null
      }
      return { status, substatus }
    }
    await page.goto(at('/issues'))
    const rows = page.locator('[data-id]')
    await rows.nth(2).waitFor()
    await page.waitForTimeout(500)
    await page.keyboard.press('j')
    const cursor = page.locator('[data-id][data-cursor]')
    await cursor.waitFor()
    const id = (await cursor.getAttribute('data-id')) ?? ''
    const before = await statusOf(id)
    expect(before).toEqual({ status: 'unresolved', substatus: 'new' })
    await page.keyboard.press('e')
    const done = page.locator(`[data-id="${id}"][data-done]`)
    await done.waitFor({ timeout: 5000 })
    await page.getByText('1 issue resolved.').waitFor()
    expect(await rows.count()).toBe(3)
    expect(await statusOf(id)).toEqual({ status: 'resolved', substatus: null })
    await page.getByRole('button', { name: /undo/i }).first().click()
    await done.waitFor({ state: 'detached', timeout: 5000 })
    await until('the undo on the server', 5000, async () => (await statusOf(id)).status === 'unresolved')
    expect(await statusOf(id)).toEqual(before)
  })

  test('on a phone issues are selected by a touch of their box, and whose a view is stands beside a long name', async () => {
    const name = 'Everything that broke at the checkout since the release'
    await api(product, state.project, `/organizations/${org}/searches/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, query: '', visibility: 'organization' }),
    })
    const { page } = state
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(at('/issues'))
    await hydrated(page)
    await page.locator('[data-id] [data-check]').first().click()
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.views > summary').click()
    const line = page.locator('.views-line').filter({ hasText: name })
    // A box is measured at once, and the list of views may still be opening.
    await line.locator('a').waitFor()
    const [whole, chip] = [await line.locator('a').boundingBox(), await line.locator('.chip').boundingBox()]
    const right = (box: typeof whole) => (box ? box.x + box.width : Number.NaN)
    expect(right(chip)).toBeLessThanOrEqual(right(whole) + 0.5)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('a new error appears in the open list within seconds, behind the bar', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await page.locator('[data-id]').first().waitFor()
    await page.waitForTimeout(1000)
    await ingest(product, state.project, envelopeOf(errorEvent('DeltaError')))
    await page.getByRole('button', { name: /1 new/i }).waitFor({ timeout: 5000 })
    await page.getByRole('button', { name: /1 new/i }).click()
    await page.getByText('DeltaError').first().waitFor({ timeout: 5000 })
  })

  test('one scale for all rows stands over the trends, and its choice is kept', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await hydrated(page)
    const head = page.locator('.trend-head')
    expect(await head.innerText()).toMatch(/^14 days, 0–\d+ a day \(√\)$/)
    const paths = () => page.locator('.trend path').evaluateAll((all) => all.map((path) => path.getAttribute('d')))
    const before = await paths()
    await head.click()
    expect(await head.innerText()).toContain('(log)')
    await until('other heights', 5000, async () => JSON.stringify(await paths()) !== JSON.stringify(before))
    await page.reload()
    await hydrated(page)
    await until('the choice', 5000, async () => (await head.innerText()).includes('(log)'))
  })

  test('the bulk bar floats over the rows: the heads stay and no row moves', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await hydrated(page)
    const row = page.locator('.issue-row').first()
    const before = await row.boundingBox()
    await page.locator('[data-id] [data-check]').first().click()
    const bar = page.getByRole('toolbar', { name: 'Selected issues' })
    await bar.waitFor()
    expect(await row.boundingBox()).toEqual(before)
    expect(await page.locator('.issue-columns').isVisible()).toBe(true)
    const box = await bar.boundingBox()
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(900 - 16)
    expect(await bar.getByRole('button', { name: 'Merge' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'detached' })
  })

  test('space previews beside the list, j and k go on, escape closes it and keeps the place', async () => {
    const { page } = state
    await page.goto(at('/issues?sort=new'))
    await hydrated(page)
    await page.keyboard.press('j')
    await page.keyboard.press('Space')
    const peek = page.locator('.peek')
    const shown = () => peek.locator('code').first().innerText()
    await peek
      .getByText(/in\w+Error/)
      .first()
      .waitFor()
    const first = await shown()
    await page.keyboard.press('j')
    await until('the next issue', 5000, async () => (await shown()) !== first)
    await page.keyboard.press('k')
    await until('the first again', 5000, async () => (await shown()) === first)
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
    await page.keyboard.press('Escape')
    await peek.waitFor({ state: 'detached' })
    expect(await page.locator('[data-id][data-cursor]').count()).toBe(1)
  })

  test('a suggested owner is a button that assigns; a number of React is a title in words', async () => {
    const { page, project } = state
    const path = `/projects/${org}/${project.slug}/ownership/`
    const body = JSON.stringify({ raw: `path:* owner@${org}.test`, autoAssignment: false })
    await api(product, project, path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body })
    const minified = 'Minified React error #418; visit https://react.dev/errors/418?args[]=text&args[]= for the full'
    await ingest(product, project, envelopeOf(errorEvent('Error', minified)))
    type Row = { id: string; title: string; suggestedOwner: object | null; assignedTo: { email: string } | null }
    const found = await until('the suggestion', 20_000, async () =>
      ((await api(product, project, `/organizations/${org}/issues/?query=418`)).json as Row[]).find(
        (row) => row.suggestedOwner,
      ),
    )
    expect(found.title).toContain('Minified React error #418')
    await page.goto(at('/issues'))
    await hydrated(page)
    const row = page.locator(`[data-id="${found.id}"]`)
    expect((await row.locator('.issue-link').innerText()).replace(/\s+/g, ' ')).toBe('Hydration mismatch text differs')
    await row.getByRole('button', { name: /^Assign to/ }).click()
    await until('assigned', 5000, async () => {
      const [issue] = (await api(product, project, `/organizations/${org}/issues/?query=418`)).json as Row[]
      return issue?.assignedTo?.email === `owner@${org}.test`
    })
    await row.getByRole('button').waitFor({ state: 'detached' })
    expect(page.url()).toBe(at('/issues'))
  })

  test('a finger that rests on a row selects it; a tap opens it', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await hydrated(page)
    const press = (ms: number) =>
      page
        .locator('.issue-main')
        .first()
        .evaluate(async (row, restMs) => {
          const init = { bubbles: true, cancelable: true, pointerType: 'touch', clientX: 90, clientY: 200 }
          row.dispatchEvent(new PointerEvent('pointerdown', init))
          await new Promise((resolve) => setTimeout(resolve, restMs))
          row.dispatchEvent(new PointerEvent('pointerup', init))
          row.dispatchEvent(new MouseEvent('click', init))
        }, ms)
    await press(600)
    await page.getByText('1 selected').waitFor()
    expect(page.url()).toBe(at('/issues'))
    await press(20)
    await page.waitForURL(/\/issues\/\d+/)
  })

  test('no policy was violated, no script of the page failed, nothing went elsewhere', () => {
    expect(state.watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
  })
})
