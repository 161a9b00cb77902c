import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RestReleaseCompare } from '../../src/contract/release-compare.ts'
import type { RestSessions } from '../../src/contract/release-health.ts'
import { choose, hydrated, noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'healthy'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const minuteMs = 60_000

describe.skipIf(noChromium)('release health', () => {
  const state = {} as { browser: Browser; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`

  /** Sends session counts of a release, as a server counted them `minutesAgo`. */
  async function count(release: string, minutesAgo: number, exited: number, crashed: number): Promise<void> {
    const started = new Date(Math.floor(Date.now() / minuteMs - minutesAgo) * minuteMs).toISOString()
    const body = { aggregates: [{ started, exited, crashed }], attrs: { release, environment: 'production' } }
    const answer = await ingest(product, state.project, `{}\n{"type":"sessions"}\n${JSON.stringify(body)}\n`)
    expect(answer.status).toBe(200)
  }

  async function sessionsOf(query: string): Promise<RestSessions> {
    const path = `/organizations/${org}/sessions/?statsPeriod=14d&interval=1d&field=sum(session)&${query}`
    return (await api(product, state.project, path)).json as RestSessions
  }

  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    return page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }
  const wide = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  /** Texts of the list that lie outside the cell they belong to. */
  const outside = (page: Page) =>
    page.evaluate<string[]>(
      "[...document.querySelectorAll('.release-row > :is(.release-health, .release-adoption)')].flatMap((cell) => [...cell.querySelectorAll('.release-second')].filter((text) => { const range = document.createRange(); range.selectNodeContents(text); return range.getBoundingClientRect().width > 0 && range.getBoundingClientRect().left < cell.getBoundingClientRect().left - 1 }).map((text) => text.textContent))",
    )

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    state.browser = await openBrowser()
    state.page = (await openPage(state.browser, product.url)).page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('without sessions the list and the page say why, and what sends them', async () => {
    const { page } = state
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ version: 'web@0.9.0', projects: ['web'] })
    await api(product, state.project, `/organizations/${org}/releases/`, { method: 'POST', headers, body })
    await page.goto(at('/releases'))
    await page.locator('#content').getByText('crash-free figures and adoption are hidden').waitFor()
    expect(await page.locator('#content').getByText('Crash-free', { exact: true }).count()).toBe(0)
    await page.goto(at('/releases/web@0.9.0'))
    await page.locator('#content').getByText('This release has no sessions in the last 90 days').waitFor()
    await page.locator('#content').getByText('auto_session_tracking').waitFor()
  })

  test('the list has crash-free sessions with their interval and number, and adoption', async () => {
    const { page } = state
    // Sessions of yesterday and today, because adoption covers the last 24 hours.
    await count('web@1.0.0', 36 * 60, 61_538, 334)
    await count('web@1.0.0', 30, 3600, 0)
    await count('web@2.0.0', 20, 6300, 100)
    await until('all sessions', 20_000, async () => {
      const { groups } = await sessionsOf('')
      return groups[0]?.totals['sum(session)'] === 61_872 + 3600 + 6400
    })
    await page.goto(at('/releases'))
    const row = page.locator('#content [data-version="web@2.0.0"]')
    await row.waitFor()
    const text = (await row.textContent()) ?? ''
    expect(text).toContain('98.43%')
    expect(text).toContain('98.10–98.72, 6,400 sessions')
    expect(text).toContain('64%')
    expect(await page.locator('#content [data-version="web@0.9.0"]').textContent()).toContain('no sessions')
    expect(await faults(page)).toEqual([])
  })

  test('the page says that it is worse than the one before it, how much and how sure', async () => {
    const { page } = state
    await page.goto(at('/releases'))
    await hydrated(page)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(at('/releases/web%402.0.0'))
    await page.getByRole('heading', { name: 'Worse than 1.0.0, over 99% sure' }).waitFor()
    const verdict = (await page.locator('#content .verdict').textContent()) ?? ''
    expect(verdict).toMatch(/Crash-free sessions fell by 1\.\d+ points \(between 0\.\d+ and 1\.\d+, 95% sure\)/)
    expect(verdict).toContain('the first 6,400 sessions of each')
    const table = (await page.locator('#content .health-intervals').textContent()) ?? ''
    expect(table).toContain('65,472')
    expect(await page.locator('#content .health-figures').textContent()).toContain('of 10,000 sessions in 24 hours')
    expect(await faults(page)).toEqual([])
  })

  test('two releases are compared: what is new, what is gone, how sure that is', async () => {
    const { page } = state
    const event = (type: string, release: string, user: number) => {
      const exception = {
        values: [{ type, value: 'x', stacktrace: { frames: [{ filename: `${type}.js`, lineno: 1 }] } }],
      }
      const body = errorEvent(type, 'x', { release, environment: 'production', exception, user: { id: `${user}` } })
      return ingest(product, state.project, envelopeOf(body))
    }
    for (let user = 0; user < 30; user++) await event('CartError', 'web@2.0.0', user)
    for (let user = 0; user < 2; user++) await event('OldError', 'web@1.0.0', user)
    const path = '/releases/compare?a=web%401.0.0&b=web%402.0.0'
    await until('the events', 20_000, async () => {
      const { json } = await api(product, state.project, `/organizations/${org}${path.replace('?', '/?')}`)
      const { a, b } = json as RestReleaseCompare
      return a.events === 2 && b.events === 30
    })
    await page.goto(at('/releases/web%402.0.0'))
    await page.getByRole('link', { name: 'Compare with 1.0.0' }).click()
    await page.waitForURL(at(path))
    await page.getByRole('heading', { name: '2.0.0 against 1.0.0', level: 1 }).waitFor()
    const rowOf = async (list: string, type: string) =>
      (await page.getByRole('region', { name: list }).getByRole('row').filter({ hasText: type }).textContent()) ?? ''
    expect(await rowOf('New', 'CartError')).toMatch(/no event.*4\.69.*30 events.*\+4\.69.*per 1,000 sessions, 99%: \+/)
    expect(await rowOf('Gone', 'OldError')).toContain('No difference seen yet')
    await page.locator('#content').getByText('No issue is certainly more frequent.').waitFor()
    const stats = (await page.locator('#content .compare-stats').textContent()) ?? ''
    for (const text of ['98.43%', '64%', '65,472', 'points']) expect(stats).toContain(text)
    await hydrated(page)
    await choose(page, 'release', 'web@0.9.0')
    await page.locator('#content').getByText('0.9.0 and 1.0.0 compared by their issues only').waitFor()
    await page.goto(at('/releases/compare?a=none&b=web%402.0.0'))
    await page.locator('#content').getByText('There is no release none').waitFor()
  })

  test.each([
    ['light', 390],
    ['dark', 390],
    ['dark', 1280],
    ['light', 1440],
    ['light', 800],
  ] as const)('in %s and %i pixels wide nothing is cut off and axe finds nothing', async (colorScheme, width) => {
    const { page } = state
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 844 })
    for (const [path, last] of [
      ['/releases', '[data-version="web@2.0.0"]'],
      ['/releases/web%402.0.0', '.health-figures'],
      ['/releases/compare?a=web%401.0.0&b=web%402.0.0', '.compare-hint'],
    ] as const) {
      await page.goto(at(path))
      // Streamed parts are in the document twice for a moment.
      await page.locator('#content').locator(last).waitFor()
      expect(await wide(page)).toBe(0)
      expect(await outside(page)).toEqual([])
      expect(await faults(page)).toEqual([])
      const folder = process.env.MISHAP_E2E_PICTURES
      if (folder)
        await page.screenshot({ path: `${folder}/health-${colorScheme}-${width}-${path.length}.png`, fullPage: true })
    }
  })

  test('in German it says so in German', async () => {
    const { page } = state
    await page.context().addCookies([{ name: 'locale', value: 'de', url: product.url }])
    await page.goto(at('/releases/web%402.0.0'))
    await page.getByRole('heading', { name: 'Schlechter als 1.0.0' }).waitFor()
    expect(await page.locator('#content .health-figures').textContent()).toContain('98,43')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(at('/releases'))
    await page.locator('#content [data-version="web@2.0.0"]').waitFor()
    expect(await outside(page)).toEqual([])
    const cut = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.release-columns > span')].filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent)",
    )
    expect(cut).toEqual([])
  })
})
