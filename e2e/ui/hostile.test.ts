import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { routeIdOf } from '../../src/query/performance/ids.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { api, bootstrap, envelopeOf, eventId, ingest, type Project, until } from '../product.ts'
import { hostileTexts, hostileTraceId } from '../shots/data.ts'
import { sendHostileSpans } from '../shots/spans.ts'

const product = inject('product')
const org = 'hostile'
const markup = `"><img src=https://evil.example/x.png onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>`
const link = 'javascript:alert(4)'

/** The page of a route on the performance pages. */
const routePath = (project: Project, text: string) =>
  `/performance/${routeIdOf({ projectId: Number(project.id), op: 'pageload', route: `/${text}` })}`

/** An event with markup and script links in every string field. */
function hostileEvent(): Record<string, unknown> {
  const frame = {
    filename: `${link}//${markup}`,
    abs_path: link,
    function: markup,
    module: markup,
    lineno: 1,
    colno: 1,
    context_line: markup,
    pre_context: [markup],
    post_context: [markup],
    in_app: true,
    vars: { [markup]: markup },
  }
  return {
    event_id: eventId(),
    timestamp: Date.now() / 1000,
    platform: 'javascript',
    level: 'error',
    logger: markup,
    transaction: markup,
    server_name: markup,
    release: 'shop@1.0.0',
    dist: 'd1',
    environment: 'production',
    message: markup,
    culprit: markup,
    exception: {
      values: [
        {
          type: `Hostile${markup}`,
          value: markup,
          module: markup,
          stacktrace: { frames: [frame] },
          mechanism: { type: markup, handled: false, description: markup, help_link: link, data: { [markup]: markup } },
        },
      ],
    },
    request: {
      url: `${link}?${markup}`,
      method: markup,
      headers: { [markup]: markup, Referer: link },
      cookies: { a: markup },
      data: { body: markup },
      query_string: { q: markup },
    },
    user: { id: markup, email: markup, username: markup, ip_address: '10.0.0.1', data: { x: markup } },
    tags: { url: link, digest: '2774530904', plain: markup, bidi: 'abc\u202edcba\u0000\u200b' },
    extra: { [markup]: { deep: [markup, link] } },
    contexts: {
      trace: { trace_id: eventId(), span_id: '1234567890abcdef', op: markup },
      custom: { type: markup, link, [markup]: markup },
    },
    breadcrumbs: {
      values: [
        { type: 'http', category: markup, level: 'info', message: markup, data: { url: link, [markup]: markup } },
      ],
    },
    sdk: { name: markup, version: markup, packages: [{ name: markup, version: link }] },
    modules: { [markup]: link },
    fingerprint: ['hostile'],
  }
}

describe.skipIf(noChromium)('hostile event data on every screen', () => {
  const state = {} as { browser: Browser; project: Project; issue: string }
  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    expect((await ingest(product, state.project, envelopeOf(hostileEvent()))).status).toBe(200)
    const found = await until(
      'the issue',
      15_000,
      async () =>
        ((await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as { id: string }[])[0],
    )
    state.issue = found.id
    const segments = await sendHostileSpans(product, state.project, Date.now())
    await until('the spans', 20_000, async () => {
      const { json } = await api(product, state.project, `/organizations/${org}/performance/?statsPeriod=24h`)
      return (json as { samples: number }).samples >= segments
    })
    state.browser = await openBrowser()
  })
  afterAll(() => state.browser?.close())

  test.concurrent.each([
    [1440, false],
    [390, true],
  ])(
    'at %i pixels (dark: %s): no script runs, no foreign request, no dialog, no link outside the allow-list',
    async (width, dark) => {
      const watched = await openPage(state.browser, product.url, { width, dark })
      const { page } = watched
      await signIn(page, product.url, `owner@${org}.test`)
      for (const path of [
        '/issues',
        `/issues/${state.issue}`,
        `/issues/${state.issue}/events/first`,
        '/settings/status',
        '/projects',
        '/releases',
        '/releases/shop%401.0.0',
      ]) {
        await page.goto(`${product.url}/o/${org}${path}`)
        await page.waitForTimeout(1200)
        for (const button of await page.locator('main button[aria-expanded=false], main summary').all())
          await button.click({ timeout: 1000 }).catch(() => undefined)
        await page.waitForTimeout(300)
        const links = await page
          .locator('a[href]')
          .evaluateAll((all) => all.map((anchor) => (anchor as HTMLAnchorElement).href))
        expect(links.filter((href) => !/^(https?|mailto):/.test(href))).toEqual([])
        expect(await page.locator('img[src*="evil"], svg[onload]').count()).toBe(0)
        const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        expect([path, wide]).toEqual([path, 0])
      }
      expect({ errors: watched.errors, foreign: watched.foreign, dialogs: watched.dialogs }).toEqual({
        errors: [],
        foreign: [],
        dialogs: [],
      })
      await page.context().close()
    },
  )

  test('traces and performance: no script, no foreign request, no dialog, no link outside the allow-list, wide nowhere', async () => {
    const { page, ...watched } = await openPage(state.browser, product.url)
    await signIn(page, product.url, `owner@${org}.test`)
    for (const path of [
      ...['', '/vitals', '/queries', '/requests', '/assets', '/routes'].map((tab) => `/performance${tab}`),
      routePath(state.project, hostileTexts[0]),
      '/traces',
      '/traces?mode=spans',
      `/traces/${hostileTraceId}`,
    ]) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(`${product.url}/o/${org}${path}`)
      await hydrated(page)
      // Tables are streamed, and the rows of a trace come with its data.
      await page.locator('main :is(td, [role=treeitem], .span-row)').first().waitFor()
      const statement = page.locator('main tbody button[aria-expanded=false]')
      if ((await statement.count()) > 0) {
        await statement.first().click()
        // Its callers, or the releases of a route load.
        await page.locator('main tbody :is(.performance-callers li, table td)').first().waitFor()
      }
      const links = await page
        .locator('a[href]')
        .evaluateAll((all) => all.map((anchor) => (anchor as HTMLAnchorElement).href))
      expect(links.filter((href) => !/^(https?|mailto):/.test(href))).toEqual([])
      expect(await page.locator('img[src*="evil"], svg[onload]').count()).toBe(0)
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        expect([path, width, wide]).toEqual([path, width, 0])
      }
    }
    expect(watched).toEqual({ errors: [], foreign: [], dialogs: [] })
    await page.context().close()
  })

  test('the Markdown of the issue fences what it quotes', async () => {
    const answer = await api(
      product,
      state.project,
      `/organizations/${org}/issues/${state.issue}/events/latest/markdown/`,
    )
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/markdown')
    expect(answer.text).toMatch(/```/)
    expect(answer.text).toMatch(/untrusted/i)
  })
})
