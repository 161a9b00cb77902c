import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, type Login, loginOf, noChromium, openBrowser, openPage } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, password, until } from '../product.ts'

const product = inject('product')
/** Maximum first-load JavaScript of screens, in KiB gzipped. */
const firstLoads: [name: string, path: string, maxKiB: number][] = [
  ['the issue stream', '/o/quiet/issues', 225],
  ['the screen of logs', '/o/quiet/logs', 240],
  ['the page of a trace', `/o/quiet/traces/${'ab'.repeat(16)}`, 240],
]

/** The two requests of the frame. It sends them once the page is idle, so that they never delay the content. */
const frameRequest = /^GET \/api\/0\/organizations\/[a-z]+\/(health|issue-counts)\/$/

type RequestEntry = { atMs: number; what: string }

/** Records every request of a page, without the origin and the ids of files. */
function recordRequests(page: Page): RequestEntry[] {
  const requests: RequestEntry[] = []
  page.on('request', (request) => {
    const what = `${request.method()} ${request.url().replace(product.url, '')}`
    requests.push({ atMs: performance.now(), what })
  })
  return requests
}

/** Returns a lock: tests that mostly wait run in parallel, and their busy parts one at a time. */
function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  const last = { done: Promise.resolve() as Promise<unknown> }
  return (work) => {
    const mine = last.done.then(work)
    last.done = mine.catch(() => undefined)
    return mine
  }
}

const addHashLink =
  "(() => { const a = document.createElement('a'); a.href = '#somewhere'; a.id = 'hash'; a.textContent = 'x'; document.body.prepend(a) })()"

describe.skipIf(noChromium)('what the screens ask for by themselves', () => {
  const state = {} as { browser: Browser; full: Project; empty: Project; logins: Record<string, Login> }
  const inTurn = createMutex()

  beforeAll(async () => {
    state.full = bootstrap(product, 'quiet', 'web')
    state.empty = bootstrap(product, 'silent', 'web')
    for (const type of ['AlphaError', 'BetaError'])
      await ingest(product, state.full, envelopeOf(errorEvent(type, 'x', { environment: 'production' })))
    await until('two issues', 20_000, async () => {
      const found = await api(product, state.full, '/organizations/quiet/issues/?query=')
      return (found.json as unknown[]).length === 2
    })
    state.browser = await openBrowser()
    state.logins = {}
    for (const org of ['quiet', 'silent'])
      state.logins[org] = await loginOf(state.browser, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  /** Opens a page with an existing login. */
  async function openAs(org: string): Promise<Page> {
    const login = state.logins[org]
    return (await openPage(state.browser, product.url, login ? { login } : {})).page
  }

  /** Signs in and waits until the overview shows. For half a second, only the frame may ask for something. */
  async function quietSecond(org: string, rate: number): Promise<{ page: Page; requests: RequestEntry[] }> {
    const { page } = await openPage(state.browser, product.url)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate })
    await page.goto(`${product.url}/login`)
    await page.getByLabel(/mail/i).fill(`owner@${org}.test`)
    await page.getByLabel(/password/i).fill(password)
    await page.getByRole('button', { name: /sign in/i }).click()
    await page.waitForURL(`**/o/${org}`)
    const requests = recordRequests(page)
    await page.evaluate(addHashLink)
    await page.click('#hash')
    await page.waitForTimeout(500)
    expect(requests.map((request) => request.what).filter((what) => !frameRequest.test(what))).toEqual([])
    await page.locator('#content').getByRole('heading', { level: 1 }).waitFor()
    return { page, requests }
  }

  // On an overloaded machine, the server is sometimes late and the browser sends a request. So there are three tries here and below.
  test.concurrent.each([
    ['quiet', 1],
    ['quiet', 4],
    ['silent', 1],
    ['silent', 4],
  ])(
    'organization %s, CPU %i times slower: after the sign-in only the frame, once, then the live stream and the reporter',
    { retry: 2 },
    async (org, rate) => {
      const { page, requests } = await inTurn(() => quietSecond(org, rate))
      await page.waitForTimeout(7000)
      const others = requests
        .map((request) => request.what)
        .filter((what) => !/^GET \/_next\/static\/chunks\/[^/]+\.js$|^POST \/api\/\d+\/envelope\//.test(what))
      expect(others.sort()).toEqual([
        `GET /api/0/organizations/${org}/health/`,
        `GET /api/0/organizations/${org}/issue-counts/`,
        expect.stringMatching(`^GET /api/0/organizations/${org}/live/\\?lastEventId=\\d+$`),
      ])
      await page.context().close()
    },
  )

  test.concurrent.each(['quiet', 'silent'])(
    'a document of organization %s has rows, environments and fonts with it',
    { retry: 2 },
    async (org) => {
      const page = await openAs(org)
      const requests = recordRequests(page)
      await inTurn(async () => {
        await page.goto(`${product.url}/o/${org}/issues`)
        await page
          .getByText(org === 'quiet' ? 'AlphaError' : 'No issues')
          .first()
          .waitFor()
      })
      await page.waitForTimeout(2500)
      const whats = requests.map((request) => request.what)
      const asked = whats.filter((what) => what.includes('/api/0/') && !what.includes('/live/'))
      expect(asked.sort()).toEqual([
        `GET /api/0/organizations/${org}/health/`,
        `GET /api/0/organizations/${org}/issue-counts/`,
      ])
      expect(whats.filter((what) => what.includes('_rsc='))).toEqual([])
      const preloaded = await page
        .locator('link[rel=preload][as=font]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
      expect(preloaded).toHaveLength(2)
      const fonts = whats.filter((what) => what.includes('.woff2')).map((what) => what.replace('GET ', ''))
      expect(fonts.sort()).toEqual(preloaded.sort())
      if (org === 'quiet') {
        await page.locator('[data-popup=environment] > summary').click()
        await page.locator('[data-popup=environment] [data-value=production]').waitFor()
      }
      await page.context().close()
    },
  )

  test('a page is asked for when the pointer or the focus turns to its link, once', async () => {
    const page = await openAs('quiet')
    const requests = recordRequests(page)
    const rsc = () =>
      requests.filter((request) => request.what.includes('_rsc=')).map((request) => request.what.split(/[ ?]/)[1] ?? '')
    await page.goto(`${product.url}/o/quiet/issues`)
    await page.waitForTimeout(1500)
    expect(rsc()).toEqual([])
    await page.locator('nav a.shell-entry[href$="/feedback"]').hover()
    await until('the prefetch', 5000, async () => rsc().length > 0)
    await page.locator('nav a.shell-entry[href$="/releases"]').focus()
    await until('the other', 5000, async () => rsc().some((path) => path.endsWith('/releases')))
    await page.waitForTimeout(500)
    const before = rsc().length
    await page
      .locator('nav a[href$="/projects"]')
      .first()
      .evaluate((link) => (link as unknown as { blur(): void }).blur())
    await page.locator('nav a.shell-entry[href$="/feedback"]').hover({ position: { x: 3, y: 3 } })
    await page.waitForTimeout(500)
    expect(rsc().length).toBe(before)
    await page.context().close()
  })

  test('what happens before the live stream is open is told when it opens', async () => {
    const page = await openAs('quiet')
    const requests = recordRequests(page)
    await page.route(/\/live\//, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2000))
      await route.continue()
    })
    await page.goto(`${product.url}/o/quiet/issues`)
    await ingest(product, state.full, envelopeOf(errorEvent('GammaError')))
    await until('three issues', 20_000, async () => {
      const found = await api(product, state.full, '/organizations/quiet/issues/?query=')
      return (found.json as unknown[]).length === 3
    })
    await page.getByRole('button', { name: /1 new/i }).waitFor({ timeout: 15_000 })
    expect(requests.filter((request) => request.what.includes('/issues/?'))).toHaveLength(1)
    await page.context().close()
  })

  test('a second tab hears the changes through the one that holds the stream, and takes over when that closes', async () => {
    const page = await openAs('quiet')
    await page.goto(`${product.url}/o/quiet/issues`)
    await page.waitForTimeout(2500)
    const second = await page.context().newPage()
    const requests = recordRequests(second)
    const live = () => requests.filter((request) => request.what.includes('/live/'))
    await second.goto(`${product.url}/o/quiet/issues`)
    await second.waitForTimeout(2500)
    expect(live()).toEqual([])
    await ingest(product, state.full, envelopeOf(errorEvent('DeltaError')))
    await second.getByRole('button', { name: /1 new/i }).waitFor({ timeout: 10_000 })
    await page.close()
    await until('the stream of the second tab', 3000, async () => live().length === 1)
    await ingest(product, state.full, envelopeOf(errorEvent('EpsilonError')))
    await second.getByRole('button', { name: /2 new/i }).waitFor({ timeout: 10_000 })
    await second.context().close()
  })

  test.each(firstLoads)('first-load JavaScript of %s, %s, is at most %i KiB gzipped', async (name, path, maxKiB) => {
    const page = await openAs('quiet')
    const text = await (await page.request.get(`${product.url}${path}`)).text()
    const scripts = [...text.matchAll(/<script\b[^>]*\bsrc="([^"]+)"[^>]*>/g)].filter(([tag]) => !/nomodule/i.test(tag))
    const paths = [...new Set(scripts.map(([, src]) => src ?? ''))]
    expect(paths.length).toBeGreaterThan(3)
    // Requests of the hydration count. The reporter loads when the page is quiet.
    const requests = recordRequests(page)
    await page.goto(`${product.url}${path}`)
    await hydrated(page)
    for (const { what } of requests) {
      const script = /^GET (\/_next\/static\/.*\.js)/.exec(what)?.[1]
      if (script && !paths.includes(script)) paths.push(script)
    }
    let bytes = 0
    for (const address of paths) {
      const script = await (await page.request.get(product.url + address)).body()
      if (!script.includes('sentry_version')) bytes += gzipSync(script, { level: 9 }).length
    }
    const kiB = bytes / 1024
    console.log(`first-load JavaScript of ${name}: ${kiB.toFixed(1)} KiB gzipped in ${paths.length} files`)
    expect(kiB).toBeLessThanOrEqual(maxKiB)
    await page.context().close()
  })
})
