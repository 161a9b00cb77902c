// Errors that the screens report with the official SDK, and how SDKs obey the pauses of rate limits. This is the second
// half of the table in docs/behaviour.md.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { hydrated, type Login, loginOf, noChromium, openBrowser, openPage } from '../browser.ts'
import { api, bootstrap, type Project, until } from '../product.ts'
import { type Pages, type Sdk, servePages } from '../sdk/pages.ts'
import {
  act,
  actsIn,
  envelopesOf,
  isEnvelope,
  ofType,
  reportError,
  type Sent,
  startReporter,
  stopClock,
} from './behave.ts'

const product = inject('product')
const org = 'reporting'

/** A user's application that captures an error on command. */
const application = (sdk: string) => `
import * as Sentry from '${sdk}'
const integrations = (usual) => usual.filter(({ name }) => name !== 'BrowserSession')
const dsn = new URLSearchParams(location.search).get('dsn')
Sentry.init({ dsn, integrations, autoSessionTracking: false, sendClientReports: false })
window.mishap = { hydrated: true, report: (error) => Sentry.captureException(error) }
`

/** The project for the product's own errors, with a token to read it. */
function ownProject(): Project {
  const database = new DatabaseSync(join(product.data, 'meta', 'mishap.sqlite'), { readOnly: true, timeout: 5000 })
  const { slug } = database
    .prepare(
      'select organization.slug from organization join project on project.organization_id = organization.id where project.slug = ?',
    )
    .get('mishap') as { slug: string }
  database.close()
  return bootstrap(product, slug, 'web')
}

describe.skipIf(noChromium)('what the screens report of themselves', () => {
  const state = {} as { browser: Browser; login: Login; pages: Pages }

  beforeAll(async () => {
    bootstrap(product, org, 'web')
    state.browser = await openBrowser()
    state.login = await loginOf(state.browser, product.url, `owner@${org}.test`)
    state.pages = await servePages(application)
  })
  afterAll(async () => {
    await state.browser?.close()
    state.pages?.close()
  })

  /** Opens a screen with a running reporter and a clock that the test controls. `routed`: see `openPage`. */
  async function open(routed = false): Promise<{ page: Page; sent: Sent[][] }> {
    const { page } = await openPage(state.browser, product.url, { login: state.login, routed })
    onTestFinished(() => page.context().close())
    const sent = envelopesOf(page)
    await page.clock.install()
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    await stopClock(page)
    await startReporter(page)
    return { page, sent }
  }
  /** Waits for the trace of the page load, which the SDK sends when the page is quiet (3 s). */
  async function pageLoad(page: Page, sent: Sent[][]): Promise<Sent['body']> {
    return until('the trace', 10_000, async () => {
      await page.clock.runFor(1000)
      return ofType(sent, 'transaction').find((transaction) => transaction.contexts?.trace?.op === 'pageload')
    })
  }

  test('an error arrives in the project "mishap", from production, with the last 100 of 120 breadcrumbs', async () => {
    const { page, sent } = await open()
    await page.evaluate("for (let at = 1; at <= 120; at++) console.info('crumb ' + at)")
    const sentence = `planted for ${org} ${Date.now()}`
    await reportError(page, sentence)
    const event = await until('the event', 5000, async () => ofType(sent, 'event')[0])
    expect(event.environment).toBe('production')
    expect(event.release).toMatch(/^mishap@\d/)
    expect(event.breadcrumbs?.map((breadcrumb) => breadcrumb.message)).toEqual(
      Array.from({ length: 100 }, (_, at) => `crumb ${at + 21}`),
    )
    const own = ownProject()
    const issue = await until('the issue', 15_000, async () => {
      const path = `/organizations/${own.org}/issues/?project=mishap&query=${encodeURIComponent(`"${sentence}"`)}`
      return ((await api(product, own, path)).json as { id: string; project: { slug: string } }[])[0]
    })
    expect(issue.project.slug).toBe('mishap')
    // A list without a project leaves Mishap's own issues out.
    const path = `/organizations/${own.org}/issues/?query=${encodeURIComponent(`"${sentence}"`)}`
    expect((await api(product, own, path)).json).toEqual([])
  })

  test('what the policy keeps from a screen arrives in the project "mishap", too', async () => {
    const { page } = await open()
    const host = `planted-${Date.now()}.example`
    await page.evaluate(`new Image().src = 'https://${host}/pixel.png'`)
    const own = ownProject()
    const issue = await until('the report', 15_000, async () => {
      const path = `/organizations/${own.org}/issues/?project=mishap&query=${encodeURIComponent(host)}`
      return ((await api(product, own, path)).json as { title: string; project: { slug: string } }[])[0]
    })
    expect([issue.project.slug, issue.title]).toEqual(['mishap', `Blocked 'image' from '${host}'`])
  })

  test('the trace of a page load ends 1 s after the last activity', async () => {
    const { page, sent } = await open()
    await page.clock.runFor(900)
    await act(page, 'within')
    await page.clock.runFor(900)
    await act(page, 'again')
    await page.clock.runFor(1100)
    await act(page, 'late')
    const trace = await pageLoad(page, sent)
    expect(actsIn(trace)).toEqual(['within', 'again'])
    expect(trace.contexts?.trace?.data).toMatchObject({ 'sentry.idle_span_finish_reason': 'idleTimeout' })
  })

  test('it ends after 30 s at the latest, cut off', async () => {
    const { page, sent } = await open()
    for (let at = 1; at <= 40; at++) {
      await page.clock.runFor(800)
      await act(page, `at-${at * 800}`)
    }
    const trace = await pageLoad(page, sent)
    const last = Number(actsIn(trace).at(-1)?.replace('at-', ''))
    expect(last).toBeGreaterThan(26_000)
    expect(last).toBeLessThanOrEqual(30_000)
    expect(trace.contexts?.trace).toMatchObject({ status: 'deadline_exceeded' })
    expect(trace.contexts?.trace?.data).toMatchObject({ 'sentry.idle_span_finish_reason': 'finalTimeout' })
  })

  test('it ends 5 s after the last sign of life of a span that never ends', async () => {
    const { page, sent } = await open(true)
    await page.route(/\/live\?never$/, () => undefined)
    await page.evaluate("void fetch('/api/health/live?never')")
    await page.clock.runFor(4800)
    await act(page, 'alive')
    await page.clock.runFor(5200)
    await act(page, 'late')
    const trace = await pageLoad(page, sent)
    expect(actsIn(trace)).toContain('alive')
    expect(actsIn(trace)).not.toContain('late')
    expect(trace.contexts?.trace?.data).toMatchObject({ 'sentry.idle_span_finish_reason': 'heartbeatFailed' })
  })

  /** Captures errors at these times after the first one, in ms. Returns the times whose errors the SDK sent. */
  async function sentAt(page: Page, sent: Sent[][], times: readonly number[]): Promise<number[]> {
    const values = () =>
      ofType(sent, 'event').flatMap((event) => event.exception?.values.map(({ value }) => value) ?? [])
    const before = values().length
    const answer = page.waitForResponse(
      (response) => isEnvelope(response.url()) && response.request().method() === 'POST',
    )
    await reportError(page, 'at 0')
    expect((await answer).status()).toBe(429)
    let now = 0
    for (const time of times) {
      await page.clock.runFor(time - now)
      now = time
      await reportError(page, `at ${time}`)
    }
    // All sent errors are recorded when the last one arrives, which the SDK always sends.
    await until('the last one', 5000, async () => values().includes(`at ${times.at(-1)}`))
    return values()
      .slice(before + 1)
      .map((value) => Number(value.replace('at ', '')))
  }

  const answers: [string, Record<string, string>, number[], number[]][] = [
    ['names nothing', {}, [1000, 59_000, 61_000], [61_000]],
    ['names 7 s', { 'retry-after': '7' }, [6000, 8000], [8000]],
    ['limits errors for 5 s', { 'x-sentry-rate-limits': '5:error:key' }, [4000, 6000], [6000]],
  ]
  const openSdk = async (sdk: Sdk, dsn: string) => {
    const page = await state.browser.newPage()
    onTestFinished(() => page.close())
    const sent = envelopesOf(page)
    await page.clock.install()
    await page.goto(`${state.pages.url}/page/${sdk}?dsn=${encodeURIComponent(dsn.replace('localhost', '127.0.0.1'))}`)
    await stopClock(page)
    return { page, sent }
  }
  const exposed = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'retry-after, x-sentry-rate-limits',
  }

  describe.each(['our screens', 'v7', 'v11'] as const)('after a 429, %s', (who) => {
    test.each(answers)('that %s', async (_name, headers, times, expected) => {
      const { page, sent } =
        who === 'our screens' ? await open(true) : await openSdk(who, bootstrap(product, org, 'web').dsn)
      const reported = { times: 0 }
      // Limit only once: the trace of the page load comes later, and a second 429 would start a second pause.
      await page.route(/\/envelope\//, (route) => {
        reported.times += 1
        const once = reported.times === 1 ? { status: 429, headers: { ...exposed, ...headers } } : { headers: exposed }
        return route.fulfill({ ...once, body: '{}' })
      })
      expect(await sentAt(page, sent, times)).toEqual(expected)
    })
  })

  test.each(['v7', 'v11'] as const)('%s reads across origins how long our own 429 lasts', async (sdk) => {
    const project = bootstrap(product, org, `limited-${sdk}`)
    const limit = { rateLimit: { count: 1, window: 10 } }
    const body = JSON.stringify(limit)
    const headers = { 'content-type': 'application/json' }
    const path = `/projects/${org}/${project.slug}/keys/${project.key}/`
    expect((await api(product, project, path, { method: 'PUT', headers, body })).status).toBe(200)
    const { page, sent } = await openSdk(sdk, project.dsn)
    // Ingest learns the limit of the key within a second. Until then it accepts everything.
    await until('the first 429', 20_000, async () => {
      const answer = page.waitForResponse(
        (response) => isEnvelope(response.url()) && response.request().method() === 'POST',
      )
      await reportError(page, `warm ${Math.random()}`)
      return (await answer).status() === 429
    })
    const count = () => ofType(sent, 'event').length
    const before = count()
    await reportError(page, 'within the pause')
    await page.clock.runFor(11_000)
    await reportError(page, 'after it')
    await until('the next one', 5000, async () => count() > before)
    expect(ofType(sent, 'event').at(-1)?.exception?.values[0]?.value).toBe('after it')
    expect(count()).toBe(before + 1)
  })
})
