import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Login, noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { envelopesOf, pageLoad, request } from '../performance-spans.ts'
import {
  api,
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

const shared = inject('product')

async function untilIssues(product: { url: string }, project: Project, count: number): Promise<void> {
  await until(`${count} issues`, 20_000, async () => {
    const found = await api(product, project, `/organizations/${project.org}/issues/?query=`)
    return (found.json as unknown[]).length === count
  })
}

const textOf = (page: Page, selector = 'body') => page.locator(selector).innerText()
const wider = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

describe.skipIf(noChromium)('states of the screens', () => {
  const org = 'states'
  const state = {} as { browser: Browser; page: Page; project: Project; login: Login }
  const at = (path: string) => `${shared.url}/o/${org}${path}`

  beforeAll(async () => {
    state.browser = await openBrowser()
    state.project = bootstrap(shared, org, 'web')
    state.page = (await openPage(state.browser, shared.url)).page
    await signIn(state.page, shared.url, `owner@${org}.test`)
    state.login = await state.page.context().storageState()
  })
  afterAll(() => state.browser?.close())

  test('an empty project says so and leads to its setup', async () => {
    await state.page.goto(at('/issues'))
    await state.page.getByText('No issues', { exact: true }).waitFor()
    // The first organization of the shared product has a second project, for the product's own errors.
    expect(await state.page.locator(`main a[href^="/o/${org}/projects"]`).count()).toBe(1)
  })

  test('no match: each term can be taken out, and says how many match without it', async () => {
    const { page, project } = state
    await ingest(shared, project, envelopeOf(errorEvent('AlphaError')))
    await ingest(shared, project, envelopeOf(errorEvent('BetaError')))
    await untilIssues(shared, project, 2)
    await page.goto(at(`/issues?q=${encodeURIComponent('is:unresolved level:fatal AlphaError')}`))
    await page.getByText('No issue matches').waitFor()
    const terms = page.locator('main button:has(code)')
    expect(await terms.locator('code').allInnerTexts()).toEqual(['is:unresolved', 'level:fatal', 'AlphaError'])
    const fatal = page.locator('main button:has(code)', { hasText: 'level:fatal' })
    await fatal.getByText('1 without').waitFor({ timeout: 10_000 })
    await fatal.click()
    await page.locator('[data-id]').first().waitFor()
    expect(await page.locator('[data-id]').count()).toBe(1)
    expect(new URL(page.url()).searchParams.get('q')).toBe('is:unresolved AlphaError')
    await page.goto(at(`/issues?q=${encodeURIComponent('detector:cron')}`))
    await page.getByText('No error has detector. A condition on it finds nothing.').waitFor()
  })

  test('a query that nobody understands is refused at the search box, with the rows kept', async () => {
    const { page } = state
    await page.goto(at('/issues'))
    await page.locator('[data-id]').nth(1).waitFor()
    await page.goto(at(`/issues?q=${encodeURIComponent('(level:error')}`))
    await page.locator('.search-mistakes').waitFor()
    expect(await textOf(page, '.search-mistakes')).toContain('A closing ) is missing.')
  })

  test.each([
    '/issues',
    '/issues/1',
    '/releases',
    '/releases/a%401',
    '/settings/status',
    '/projects',
    '/settings/account',
  ])('not signed in: %s leads to the sign-in and back', async (path) => {
    const { page } = await openPage(state.browser, shared.url)
    await page.goto(at(path))
    const url = new URL(page.url())
    expect(url.pathname).toBe('/login')
    expect(url.searchParams.get('next')).toBe(`/o/${org}${path}`)
    expect(await page.locator('nav').count()).toBe(0)
    await page.context().close()
  })

  test.concurrent.each([
    [1440, false],
    [1440, true],
    [390, false],
    [390, true],
  ])('%i px, dark: %s: no screen is wider than its window, and text differs from its ground', async (width, dark) => {
    const { page } = await openPage(state.browser, shared.url, { width, height: 844, dark, login: state.login })
    const found = (await api(shared, state.project, `/organizations/${org}/issues/?query=`)).json as { id: string }[]
    const paths = [
      [
        '/issues',
        '/issues?q=nothing-like-this',
        `/issues/${found[0]?.id}`,
        '/settings/status',
        '/projects',
        '/projects/new',
      ],
      [
        '/releases',
        '/releases?q=nothing-like-this',
        '/projects/web/setup',
        '/settings/account',
        '/settings/projects/web/keys',
        '/no-such-screen',
      ],
    ].flat()
    for (const path of paths) {
      await page.goto(at(path))
      await page.locator('main').waitFor()
      await page.waitForTimeout(400)
      expect([path, await wider(page)]).toEqual([path, 0])
    }
    const [ink, ground] = (await page.evaluate(
      '[getComputedStyle(document.body).color, getComputedStyle(document.documentElement).backgroundColor || getComputedStyle(document.body).backgroundColor]',
    )) as [string, string]
    expect(ink).not.toBe(ground)
    await page.context().close()
  })

  test('an unknown digest is a 404 that says what to look at', async () => {
    const { page } = state
    const answer = await page.goto(`${shared.url}/d/4242424242`)
    expect(answer?.status()).toBe(404)
    await page.getByRole('button', { name: 'Look again' }).waitFor()
    const text = await textOf(page)
    expect(text).toMatch(/not seen yet: 4242424242/i)
    expect(text).toMatch(/onRequestError/)
    expect(await page.getByRole('button', { name: 'Look again' }).count()).toBe(1)
  })

  test('a digest of one issue leads to its event, one of two issues to a choice', async () => {
    const { page, project } = state
    const digest = '1357924680'
    const sent = errorEvent('DigestError', 'on the server', { tags: { digest } })
    await ingest(shared, project, envelopeOf(sent))
    await untilIssues(shared, project, 3)
    await page.goto(`${shared.url}/d/${digest}`)
    await page.waitForURL(new RegExp(`/o/${org}/issues/\\d+/events/${sent.event_id}`))
    await ingest(shared, project, envelopeOf(errorEvent('OtherDigestError', 'on the server', { tags: { digest } })))
    await untilIssues(shared, project, 4)
    await page.goto(`${shared.url}/d/${digest}`)
    expect(await textOf(page)).toMatch(/2 issues have this digest/)
    expect(await page.locator('main li a').count()).toBe(2)
  })
})

describe.skipIf(noChromium)('with a product of its own', () => {
  const org = 'away'
  const state = {} as { product: Product; browser: Browser; page: Page; project: Project }
  const at = (path: string) => `${state.product.url}/o/${org}${path}`
  const enginePid = () =>
    execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' })
      .split('\n')
      .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
      .filter((match) => Number(match?.[2]) === state.product.child.pid && match?.[3]?.includes('engine.ts'))
      .map((match) => Number(match?.[1]))[0]

  beforeAll(async () => {
    state.product = await start()
    await ready(state.product)
    state.project = bootstrap(state.product, org, 'web')
    for (const type of ['AlphaError', 'BetaError'])
      await ingest(state.product, state.project, envelopeOf(errorEvent(type)))
    await untilIssues(state.product, state.project, 2)
    state.browser = await openBrowser()
    state.page = (await openPage(state.browser, state.product.url)).page
    await signIn(state.page, state.product.url, `owner@${org}.test`)
  })
  afterAll(async () => {
    await state.browser?.close()
    if (state.product) await discard(state.product)
  })

  /** Keeps the engine down while `work` runs. It restarts after each kill, so one kill would be over before a check. */
  async function withoutEngine(work: () => Promise<void>): Promise<void> {
    const killing = { on: true }
    const killer = (async () => {
      while (killing.on) {
        const pid = enginePid()
        if (pid) process.kill(pid, 'SIGKILL')
        await pause(100)
      }
    })()
    try {
      await work()
    } finally {
      killing.on = false
      await killer
    }
  }

  test('the engine is away: the list keeps its rows or its shell and says so, and comes back by itself', async () => {
    const { page, product } = state
    await page.goto(at('/issues'))
    await page.locator('[data-id]').nth(1).waitFor()
    await page.waitForTimeout(1000)
    const issue = await page.locator('[data-id]').first().getAttribute('data-id')
    await withoutEngine(async () => {
      const bar = page.locator('.offline', { hasText: 'The events store is down.' })
      await bar.waitFor({ timeout: 10_000 })
      expect(await page.locator('[data-id]').count()).toBe(2)
      // An issue keeps its title and the way back.
      await page.goto(at(`/issues/${issue}`))
      await page.locator('.stream-away', { hasText: 'Retrying' }).waitFor({ timeout: 15_000 })
      expect(await page.locator('#content h1').innerText()).toMatch(/Error: /)
      expect(await page.locator('#content .issue-way a').innerText()).toBe('Issues')
      // A new page load has no rows, but shows the shell, the search and the filters.
      await page.goto(at('/issues'))
      await page.locator('.stream-away', { hasText: 'Retrying' }).waitFor({ timeout: 15_000 })
      expect(await page.locator('.search-input').count()).toBeGreaterThan(0)
      expect(await page.locator('nav').count()).toBeGreaterThan(0)
      expect((await fetch(`${product.url}/api/health/live`)).status).toBe(200)
      expect((await ingest(product, state.project, envelopeOf(errorEvent('GammaError')))).status).toBe(200)
    })
    await page.locator('.offline, .stream-away').first().waitFor({ state: 'detached', timeout: 30_000 })
    await page.locator('[data-id]').nth(1).waitFor({ timeout: 15_000 })
    await ready(product)
    await until('the event that came meanwhile', 20_000, async () => {
      await page.goto(at('/issues'))
      return (await page.locator('[data-id]').count()) === 3
    })
  })

  test('the engine is away while a performance page is open: its rows stay, the others say so, all come back', async () => {
    const { page, product, project } = state
    const startS = Date.now() / 1000 - 60
    const body = envelopesOf([pageLoad('/cart', startS, 800, false), request(startS, true)])
    for (const envelope of body) await ingest(product, project, envelope)
    const rows = page.getByRole('table', { name: 'Routes' }).getByRole('row').filter({ hasText: '/cart' })
    await until('the route', 20_000, async () => {
      await page.goto(at('/performance'))
      return (await rows.count()) === 1
    })
    // A part that comes late stands in the document twice for a moment: once hidden, until React has put it in its place.
    const away = page.getByText('The events store does not answer.').filter({ visible: true })
    const links = page.getByRole('navigation', { name: 'Performance pages' }).getByRole('link')
    await withoutEngine(async () => {
      await page.locator('.offline', { hasText: 'The events store is down.' }).waitFor({ timeout: 15_000 })
      expect(await rows.count()).toBe(1)
      for (const path of ['', '/vitals', '/queries', '/requests', '/assets', '/routes']) {
        await page.goto(at(`/performance${path}`))
        await away.waitFor({ timeout: 15_000 })
        expect(await links.count(), path).toBe(7)
      }
      for (const path of ['/traces', `/traces/${'ab'.repeat(16)}`]) {
        await page.goto(at(path))
        await page
          .getByText(/events store does not answer|Retrying/)
          .first()
          .waitFor({ timeout: 15_000 })
      }
    })
    await ready(product)
    await until('the routes again', 30_000, async () => {
      await page.goto(at('/performance'))
      return (await rows.count()) === 1
    })
  })

  test('a screen that breaks on the server shows its digest, which finds the error in Mishap itself', async () => {
    const { page, product } = state
    const database = new DatabaseSync(join(product.data, 'meta', 'mishap.sqlite'), { timeout: 5000 })
    database.exec('alter table api_token rename to api_token_gone')
    let digest = ''
    try {
      await page.goto(at('/settings/account'))
      const screen = page.locator('[role=alert]', { hasText: 'Application error' })
      await screen.waitFor({ timeout: 10_000 })
      const text = await screen.innerText()
      expect(text).toMatch(/Application error: a server-side exception has occurred/)
      expect(text).not.toMatch(/api_token|no such table|sqlite/i)
      digest = /Digest\s+(\S+)/.exec(text)?.[1] ?? ''
      expect(digest).not.toBe('')
    } finally {
      database.exec('alter table api_token_gone rename to api_token')
      database.close()
    }
    await until('the digest', 20_000, async () => {
      await page.goto(`${product.url}/d/${digest}`)
      return /\/issues\/\d+\/events\//.test(page.url())
    })
    expect(await textOf(page, 'main')).toContain(digest)
    expect((await page.goto(at('/settings/account')))?.status()).toBe(200)
  })
})
