import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, eventId, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'parts'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" onload="fetch(\'/hit\')"><script>alert(1)</script></svg>',
)

type Row = { id: string; shortId: string; metadata: { type?: string }; status: string }

/** An envelope with an event and its attachments. */
function withFiles(event: Record<string, unknown>, files: [name: string, type: string, bytes: Buffer][]): Buffer {
  const parts = files.flatMap(([filename, content_type, bytes]) => [
    Buffer.from(`${JSON.stringify({ type: 'attachment', length: bytes.length, filename, content_type })}\n`),
    bytes,
    Buffer.from('\n'),
  ])
  return Buffer.concat([Buffer.from(`${envelopeOf(event).trimEnd()}\n`), ...parts])
}

describe.skipIf(noChromium)('the parts of an issue', () => {
  const state = {} as { browser: Browser; page: Page; project: Project; problems: string[] }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const call = (path: string) => api(product, state.project, `/organizations/${org}${path}`)
  const all = async () => (await call('/issues/?query=&statsPeriod=90d')).json as Row[]
  const named = async (type: string) => {
    const found = (await all()).find((issue) => issue.metadata.type === type)
    if (!found) throw new Error(`no issue ${type}`)
    return found
  }
  const open = async (type: string, path = '') => {
    await state.page.goto(at(`/issues/${(await named(type)).shortId}${path}`))
    await hydrated(state.page)
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    const now = Date.now() / 1000
    const crumb = (secondsBefore: number, more: object) => ({ timestamp: now - secondsBefore, level: 'info', ...more })
    for (const [plan, release] of [
      ['free', 'shop@1'],
      ['gold', 'shop@1'],
      ['free', 'shop@2'],
    ]) {
      const event = {
        ...errorEvent('PlanError', `for ${plan}`),
        event_id: eventId(),
        timestamp: now,
        release,
        fingerprint: ['plan'],
        user: { id: `${plan}-${release}` },
        tags: { plan },
        contexts: { browser: { name: 'Firefox', version: '140.0' } },
        breadcrumbs: {
          values: [
            crumb(250, { category: 'navigation', type: 'navigation', data: { from: '/cart', to: '/pay' } }),
            crumb(0.25, {
              category: 'fetch',
              type: 'http',
              data: { method: 'POST', url: '/totals', status_code: 504 },
            }),
            crumb(-5, { category: 'console', message: 'after the error' }),
          ],
        },
      }
      const files: [string, string, Buffer][] = [
        ['shot.png', 'image/png', png],
        ['evil.png', 'image/png', svg],
      ]
      await ingest(product, state.project, withFiles(event, files))
    }
    for (const type of ['OneError', 'TwoError']) await ingest(product, state.project, envelopeOf(errorEvent(type)))
    await until('three issues', 20_000, async () => (await all()).length === 3)
    await until('all events', 20_000, async () => {
      const { id } = await named('PlanError')
      return ((await call(`/issues/${id}/events/`)).json as object[]).length === 3
    })
    state.browser = await openBrowser()
    const watched = await openPage(state.browser, product.url)
    state.page = watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  }, 120_000)
  afterAll(() => state.browser?.close())

  test('the timeline ends with the error, and the clock shows what came after it', async () => {
    const { page } = state
    await open('PlanError')
    const rows = page.locator('#breadcrumbs .timeline > li')
    expect(await rows.count()).toBe(3)
    expect(await rows.nth(0).innerText()).toMatch(/-4 min 10 s\s+navigation\s+\/cart → \/pay/)
    expect(await rows.nth(1).innerText()).toMatch(/-0\.2\d s\s+fetch\s+POST \/totals\s+504/)
    expect(await rows.nth(2).getAttribute('data-source')).toBe('error')
    await page.getByText('1 entry is later than the error.').waitFor()
    await page.locator('#breadcrumbs').getByRole('radio', { name: 'Clock' }).click()
    await page.locator('#breadcrumbs').getByText('after the error').waitFor()
    expect(await rows.count()).toBe(4)
    await page.getByRole('searchbox', { name: 'Search the timeline' }).fill('totals')
    await until('two rows', 5000, async () => (await rows.count()) === 2)
  })

  test('a tag appears once, and a click on a value shows the events of this issue', async () => {
    const { page } = state
    await open('PlanError')
    const tags = page.locator('#tags')
    expect(await tags.locator('h3', { hasText: /^browser$/ }).count()).toBe(1)
    expect(await tags.locator('h3', { hasText: /^browser\.name$/ }).count()).toBe(0)
    const heads = await tags.locator('h3').allInnerTexts()
    for (const key of ['release', 'user', 'plan']) expect(heads.filter((head) => head === key)).toEqual([key])
    const gold = tags.locator('.tag-pair', { hasText: 'gold' }).filter({ hasNotText: 'shop' })
    const everywhere = gold.locator('.tag-everywhere')
    expect(await everywhere.getAttribute('href')).toMatch(/\/issues\?q=plan%3Agold/)
    await gold.locator('a').first().click()
    await page.waitForURL(/\/issues\/[^/]+\/events\?q=plan%3Agold/)
    expect(await page.locator('.event-table tbody tr').count()).toBe(1)
    await open('PlanError')
    await page
      .locator('#tags .tag-pair', { hasText: 'gold' })
      .filter({ hasNotText: 'shop' })
      .locator('a')
      .first()
      .click({ modifiers: ['Alt'] })
    await page.waitForURL(/\/issues\?q=plan%3Agold/)
  })

  test('few events are not compared, and a line says so', async () => {
    await open('PlanError')
    expect(await state.page.locator('#in-common').innerText()).toContain('3 events so far.')
  })

  test('a frame opens in the repository of its release and in the chosen editor', async () => {
    const { page } = state
    const post = (path: string, body: unknown) =>
      api(product, state.project, `/organizations/${org}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    const url = 'https://code.example/acme/shop'
    expect((await post('/repos/', { name: 'acme/shop', url })).status).toBe(201)
    const commit = { id: 'c'.repeat(40), repository: 'acme/shop', message: 'Add the cart' }
    expect((await post('/releases/', { version: 'cart@1', projects: ['web'], commits: [commit] })).status).toBe(201)
    const frames = [{ filename: './src/cart.ts', function: 'total', lineno: 14, in_app: true }]
    const values = [{ type: 'CartError', value: 'empty', stacktrace: { frames } }]
    await ingest(product, state.project, envelopeOf({ ...errorEvent(), exception: { values }, release: 'cart@1' }))
    await until('the issue', 20_000, async () => (await all()).some(({ metadata }) => metadata.type === 'CartError'))
    await open('CartError')
    const repository = page.locator('#content').getByRole('link', { name: 'Open in the repository' })
    expect(await repository.getAttribute('href')).toBe(`${url}/blob/${commit.id}/src/cart.ts#L14`)
    const editor = page.locator('#content').getByRole('link', { name: 'Open in Zed' })
    expect(await editor.count()).toBe(0)
    await page.goto(at('/settings/account/appearance'))
    await hydrated(page)
    await page.locator('#editor').selectOption('zed')
    await page.locator('#editor-folder').fill('code')
    await page.getByText('Enter an absolute path').waitFor()
    await page.locator('#editor-folder').fill('/home/ada/{project}')
    await open('CartError')
    expect(await editor.getAttribute('href')).toBe('zed://file/home/ada/web/src/cart.ts:14')
  })

  test('an image is shown, and a file that only says so is not', async () => {
    const { page } = state
    await open('PlanError')
    const images = page.locator('#attachments img')
    await until('one image', 10_000, async () => (await images.count()) === 1)
    expect(await images.first().getAttribute('alt')).toBe('Image shot.png')
    await until('its pixels', 10_000, () =>
      images.first().evaluate((image) => (image as HTMLImageElement).naturalWidth === 1),
    )
    expect(await page.locator('#attachments .plain-list li').count()).toBe(2)
  })

  test('columns that differ are shown, and chosen ones are kept', async () => {
    const { page } = state
    await open('PlanError', '/events')
    const heads = () => page.locator('.event-table th').allInnerTexts()
    expect(await heads()).toEqual(['Event', 'When', 'release', 'user', 'plan'])
    await page.locator('.column-choice > summary').click()
    for (const column of ['release', 'user']) await page.getByRole('checkbox', { name: column, exact: true }).uncheck()
    await page.getByRole('checkbox', { name: 'level', exact: true }).check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/columns=/)
    expect(await heads()).toEqual(['Event', 'When', 'level', 'plan'])
    await open('PlanError', '/events')
    expect(await heads()).toEqual(['Event', 'When', 'level', 'plan'])
    await page.locator('.column-choice > summary').click()
    await page.getByRole('link', { name: 'Columns that differ' }).click()
    await until('the default', 10_000, async () => (await heads()).includes('release'))
  })

  test('the events of a search are a CSV file', async () => {
    const { page } = state
    await open('PlanError', '/events?q=plan%3Afree')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/-events\.csv$/)
    const pieces: Buffer[] = []
    for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer)
    const lines = Buffer.concat(pieces).toString().split('\r\n')
    expect(lines[0]).toMatch(/^event_id,timestamp,title,message,/)
    expect(lines).toHaveLength(4)
  })

  test('a merge is undone in the activity', async () => {
    const { page } = state
    const [one, two] = [await named('OneError'), await named('TwoError')]
    await page.goto(at('/issues'))
    await hydrated(page)
    for (const { id } of [one, two]) await page.locator(`[data-id="${id}"] input[type=checkbox]`).check()
    await page.keyboard.press('m')
    const before = (await all()).length
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Merge/ })
      .click()
    await until('one issue less', 15_000, async () => (await all()).length === before - 1)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await until('all issues', 15_000, async () => (await all()).length === before)
    const ids = `id=${one.id}&id=${two.id}`
    const merged = await api(product, state.project, `/organizations/${org}/issues/?${ids}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ merge: 1 }),
    })
    expect(merged.status).toBe(200)
    await page.goto(at(`/issues/${one.shortId}`))
    await hydrated(page)
    await page.locator('#activity').getByRole('button', { name: 'Undo the merge' }).first().click()
    await page.locator('#activity').getByText('(undone)').nth(1).waitFor()
    await until('both issues', 15_000, async () => {
      const ids = (await all()).map((issue) => issue.id)
      return ids.includes(one.id) && ids.includes(two.id)
    })
  })
})
