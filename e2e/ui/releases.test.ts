import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { choose, hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'shipping'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const markup = '<img src=https://evil.example/x.png onerror=alert(1)>'
const hostile = `shop@9.9.9+${markup.replaceAll('/', '_')}\u202eabc${'z'.repeat(100)}`

const textOf = async (locator: Locator): Promise<string> => (await locator.textContent()) ?? ''

describe.skipIf(noChromium)('releases', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const home = `/organizations/${org}/releases/`

  async function send(path: string, body: unknown): Promise<number> {
    const headers = { 'content-type': 'application/json' }
    return (await api(product, state.project, path, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  const put = (version: string, more: Record<string, unknown> = {}) =>
    send(home, { version, projects: ['web'], ...more })

  async function event(type: string, release: string): Promise<void> {
    const frames = [{ filename: 'webpack://shop/./src/cart.ts', function: 'total', lineno: 12, colno: 3, in_app: true }]
    const exception = { values: [{ type, value: 'x', stacktrace: { frames } }] }
    await ingest(product, state.project, envelopeOf(errorEvent(type, 'x', { release, exception })))
    await until(type, 20_000, async () => {
      const query = encodeURIComponent(`release:"${release}" ${type}`)
      const found = await api(product, state.project, `/organizations/${org}/issues/?query=${query}`)
      return (found.json as unknown[]).length > 0
    })
  }

  const wide = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    return page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('none: the commands of this installation; g e leads there', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await hydrated(page)
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.waitForURL(at('/releases'))
    await page.getByRole('heading', { name: 'No releases yet' }).waitFor()
    const commands = await textOf(page.locator('main pre'))
    expect(commands).toMatch(/--url http:\/\/\S+ releases new/)
    // If this organization is the first one, it also has the product's own project.
    expect(commands).toMatch(/SENTRY_ORG=shipping SENTRY_PROJECT=(web|mishap) /)
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Open the release').first().waitFor()
    await page.keyboard.press('Escape')
  })

  test('made by builds and by events: the list in the order of versions, then the page, by keys', async () => {
    const { page } = state
    const commits = [
      {
        id: 'a'.repeat(40),
        message: 'Cart sums in cents\n\nNo more floats.',
        repository: 'acme/shop',
        author_name: 'Ada',
        author_email: 'ada@shipping.test',
        timestamp: new Date(Date.now() - 2 * 3_600_000).toISOString(),
        patch_set: [
          { path: 'src/cart.ts', type: 'M' },
          { path: 'docs/cart.md', type: 'A' },
        ],
      },
    ]
    expect(await put('shop@1.9.0')).toBe(201)
    expect(await put('shop@1.10.0', { commits, ref: 'main', url: 'https://ci.example.test/7' })).toBe(201)
    const deploys = `${home}${encodeURIComponent('shop@1.10.0')}/deploys/`
    expect(await send(deploys, { environment: 'production', name: 'blue', url: 'https://shop.test' })).toBe(201)
    await event('CartError', 'shop@1.10.0')
    await event('OldError', 'shop@1.2.0')

    await page.goto(at('/releases'))
    const rows = page.locator('.release-row')
    expect(await rows.evaluateAll((all) => all.map((item) => item.getAttribute('data-version')))).toEqual([
      'shop@1.10.0',
      'shop@1.9.0',
      'shop@1.2.0',
    ])
    const first = await textOf(rows.first())
    for (const text of ['1.10.0', 'shop@1.10.0', 'not finalized', '1 commit', 'Ada', 'production'])
      expect(first).toContain(text)
    expect(await textOf(rows.first().locator('.release-events'))).toMatch(/1/)
    expect(await faults(page)).toEqual([])
    await hydrated(page)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    expect(await page.locator('.release-row[data-cursor]').getAttribute('data-version')).toBe('shop@1.10.0')
    await page.keyboard.press('Enter')
    await page.waitForURL(at('/releases/shop%401.10.0'))
    await page.getByRole('heading', { name: '1.10.0', level: 1 }).waitFor()
    const text = await textOf(page.locator('main'))
    for (const item of ['Cart sums in cents', 'CartError', 'production', 'blue', 'main', 'https://ci.example.test/7'])
      expect(text).toContain(item)
    expect(text).not.toContain('OldError')
    await page.locator('summary', { hasText: '2 files' }).click()
    await page.getByText('src/cart.ts', { exact: true }).waitFor()
    expect(await faults(page)).toEqual([])
  })

  test('search, environment and page are part of the address; what is too narrow can be taken out', async () => {
    const { page } = state
    await page.goto(at('/releases'))
    await hydrated(page)
    await page.keyboard.press('/')
    await page.keyboard.type('1.9')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=1\.9/)
    await until('one row', 5000, async () => (await page.locator('.release-row').count()) === 1)
    await choose(page, 'environment', '')
    await page.keyboard.press('Escape')
    await page.goto(at('/releases?q=nothing-like-this&env=nowhere'))
    await page.getByRole('heading', { name: 'No release matches' }).waitFor()
    await page.getByRole('link', { name: 'nothing-like-this' }).click()
    await page.waitForURL((url) => !url.searchParams.has('q'))
    await page.getByRole('link', { name: 'Environment: nowhere' }).click()
    await until('all rows', 5000, async () => (await page.locator('.release-row').count()) === 3)
  })

  test('the issue names its releases and the commit that is suspected, and its chart has the marks', async () => {
    const { page } = state
    await page.goto(at('/releases/shop%401.10.0'))
    await page.locator('.release-issues a', { hasText: 'CartError' }).first().click()
    await page.waitForURL(/\/issues\/\d+/)
    const stats = page.locator('.issue-facts')
    await stats.getByRole('link', { name: 'shop@1.10.0' }).first().waitFor()
    const suspects = page.locator('section[aria-labelledby=suspects-title]')
    await suspects.waitFor()
    expect(await textOf(suspects)).toMatch(/Cart sums in cents/)
    expect(await textOf(suspects)).toMatch(/Changed src\/cart\.ts, the file of the top in-app frame \(.*, line 12\)/)
    // The releases and the deploy happened in this minute, so the chart has one mark for all.
    await hydrated(page)
    const annotation = page.locator('.chart-mark').last()
    await page.locator('[data-popup=range] > summary').focus()
    await page.keyboard.press('Shift+Tab')
    const words = annotation.locator('.chart-mark-words')
    await until('the words', 3000, async () => (await words.evaluate((word) => getComputedStyle(word).opacity)) === '1')
    expect(await textOf(words)).toMatch(/3 releases/)
    expect(await textOf(words)).toMatch(/deployed to production/)
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/releases\//)
  })

  test('many marks are thinned, in words too', async () => {
    const { page } = state
    const day = 86_400_000
    for (let index = 0; index < 60; index++)
      await put(`many@1.0.${index}`, { dateReleased: new Date(Date.now() - day).toISOString() })
    const issues = (await api(product, state.project, `/organizations/${org}/issues/?query=CartError`)).json as {
      id: string
    }[]
    await page.goto(at(`/issues/${issues[0]?.id}?t=24h`))
    await hydrated(page)
    const annotations = page.locator('.issue-facts .chart-mark')
    expect(await annotations.count()).toBeLessThanOrEqual(32)
    expect(await textOf(annotations.last())).toMatch(/6\d releases/)
    expect(await textOf(annotations.last())).toMatch(/and \d\d more/)
  })

  test('finalized by a person; deleted when its name is typed: what events say stays', async () => {
    const { page } = state
    await page.goto(at('/releases/shop%401.10.0'))
    await page.getByRole('button', { name: 'Finalize' }).click()
    await page.getByText(/^Finalized/).waitFor()
    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    await page.goto(at('/releases'))
    await hydrated(page)
    expect(await page.locator('[data-version="shop@1.10.0"]').count()).toBe(0)
    await page.getByRole('combobox', { name: 'Status' }).selectOption('archived')
    await page.locator('[data-version="shop@1.10.0"]').waitFor()
    await page.goto(at('/releases/shop%401.10.0'))
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('button', { name: 'Archive' }).waitFor()
    await page.locator('summary', { hasText: 'Delete this release' }).click()
    await page.getByLabel('Type shop@1.10.0').fill('shop@1.9.0')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('The text does not match.').waitFor()
    await page.getByLabel('Type shop@1.10.0').fill('shop@1.10.0')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No commits are known').waitFor()
    await page.goto(at('/releases/shop%401.9.0'))
    await page.locator('summary', { hasText: 'Delete this release' }).click()
    await page.getByLabel('Type shop@1.9.0').fill('shop@1.9.0')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.waitForURL(at('/releases'))
    expect((await page.request.get(at('/releases/shop%401.9.0'))).status()).toBe(404)
  })

  test.each([
    [1440, false],
    [390, true],
  ])(
    'hostile words at %i pixels (dark: %s): text, no script, no link, nothing wider than the window',
    async (width, dark) => {
      const commits = [
        {
          id: 'b'.repeat(40),
          message: `${markup}\n${markup.repeat(20)}`,
          author_name: markup,
          author_email: 'x',
          repository: markup,
          patch_set: [{ path: `src/${markup}`, type: 'M' }],
        },
      ]
      expect([201, 208]).toContain(await put(hostile, { commits, ref: markup }))
      await put(hostile, { url: 'javascript:alert(4)' })
      await send(`${home}${encodeURIComponent(hostile)}/deploys/`, {
        environment: 'p"><b>',
        name: markup,
        url: 'javascript:alert(5)',
      })
      await event('HostileError', hostile)
      const watched = await openPage(state.browser, product.url, { width, dark })
      const { page } = watched
      await signIn(page, product.url, `owner@${org}.test`)
      const [issue] = (await api(product, state.project, `/organizations/${org}/issues/?query=HostileError`)).json as {
        id: string
      }[]
      const own = `/releases/${encodeURIComponent(hostile)}`
      for (const path of ['/releases', own, '/issues', `/issues/${issue?.id}`, '/releases?q=%3Cb%3E']) {
        await page.goto(at(path))
        await page.waitForTimeout(800)
        const links = await page
          .locator('a[href]')
          .evaluateAll((all) => all.map((anchor) => (anchor as HTMLAnchorElement).href))
        expect(links.filter((href) => !/^(https?|mailto):/.test(href))).toEqual([])
        expect(await page.locator('img[src*="evil"]').count()).toBe(0)
        expect([path, await wide(page)]).toEqual([path, 0])
        expect([path, await faults(page)]).toEqual([path, []])
      }
      await page.goto(at(`/releases/${encodeURIComponent(hostile)}`))
      expect(await textOf(page.locator('h1'))).toContain('U+202E')
      const { errors, foreign, dialogs } = watched
      expect({ errors, foreign, dialogs }).toEqual({ errors: [], foreign: [], dialogs: [] })
      await page.context().close()
    },
  )

  test.each(['no-such-release', '%25', '%ff', '..%2f..'])(
    'a release that nobody made (%s) is not found',
    async (name) => {
      const answer = await state.page.request.get(at(`/releases/${name}`))
      expect([400, 404]).toContain(answer.status())
    },
  )
})
