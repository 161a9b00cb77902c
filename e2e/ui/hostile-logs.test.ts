import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'
import { hostileTexts, hostileTraceId } from '../shots/data.ts'
import { sendHostileMetrics } from '../shots/metrics.ts'
import { sendHostileSpans } from '../shots/spans.ts'

// Log lines and metric points whose every text tries to break a screen, on every screen that shows them.

const product = inject('product')
const org = 'hostilelogs'
const O = `/organizations/${org}`
const [markup] = hostileTexts
const link = 'javascript:alert(4)'
const texts = [
  ...hostileTexts,
  link,
  '\u001b[31mred\u001b[0m\r\n\tnext\u0085line\u2028',
  '{{7*7}} ${7*7} =cmd()',
  '['.repeat(5000),
  'n'.repeat(20_000),
  `{"order":{"items":[{"${'<b>'.repeat(20)}":"${link}"}],"__proto__":{"id":"${link}"}}}`,
]

/** Lines of the traces of the error and of the spans. All fields that a line can have are hostile. */
function linesEnvelope(): string {
  const items = texts.flatMap((body, n) =>
    ['e'.repeat(32), hostileTraceId].map((traceId) => ({
      timestamp: Date.now() / 1000 - 120 - n,
      trace_id: traceId,
      level: n % 3 === 0 ? markup : 'error',
      body,
      attributes: Object.fromEntries(
        [
          'service.name',
          'server.address',
          'logger.name',
          'sentry.environment',
          'sentry.message.template',
          'user.id',
          markup,
          link,
          'constructor',
        ].map((name) => [name, { type: 'string', value: n % 2 === 0 ? markup : link }]),
      ),
    })),
  )
  const head = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
  return `{}\n${JSON.stringify(head)}\n${JSON.stringify({ items })}\n`
}

const send = async (project: Project, path: string, body: unknown) =>
  (
    await api(product, project, `${O}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json as { id: string }

/** A dashboard, a saved query and a saved view of lines, with hostile names. */
async function makeThings(project: Project): Promise<string> {
  const plan = { dataset: 'logs', groupBy: ['service', 'constructor'], series: [{ name: 'a', aggregate: 'count()' }] }
  const tile = (displayType: string, widgetType: string, more: object) => ({
    title: markup,
    displayType,
    widgetType,
    ...more,
  })
  const board = await send(project, 'dashboards/', {
    title: markup,
    widgets: [
      tile('table', 'logs', { plan }),
      tile('table', 'logs', {
        plan: { dataset: 'logs', columns: ['message', 'constructor', 'logger', 'environment'] },
      }),
      tile('heatmap', 'logs', { plan }),
      tile('line', 'logs', { plan }),
      tile('bar', 'tracemetrics', { plan: { ...plan, dataset: 'metrics', groupBy: ['metric.name'] } }),
      tile('text', 'logs', { description: `${markup}\n[x](${link})` }),
    ],
  })
  await send(project, 'explore/saved/', { name: markup.slice(0, 60), plan, visibility: 'organization' })
  await send(project, 'searches/', { scope: 'logs', name: markup.slice(0, 60), visibility: 'organization' })
  return board.id
}

describe.skipIf(noChromium)('hostile lines on every screen', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project; board: string; issue: string }
  const text = encodeURIComponent

  beforeAll(async () => {
    const project = bootstrap(product, org, 'web')
    state.project = project
    const event = {
      ...errorEvent('HostileError', markup),
      contexts: { trace: { trace_id: 'e'.repeat(32), span_id: 'e'.repeat(16) } },
    }
    await ingest(product, project, envelopeOf({ ...event, timestamp: Date.now() / 1000 - 110 }))
    await ingest(product, project, linesEnvelope())
    await sendHostileMetrics(product, project, Date.now())
    await sendHostileSpans(product, project, Date.now())
    await until('the lines', 20_000, async () => {
      const { json } = await api(product, project, `${O}/logs/summary/?statsPeriod=24h`)
      return (json as { samples: number }).samples === 2 * texts.length
    })
    state.issue = await until('the issue', 15_000, async () => {
      const { json } = await api(product, project, `${O}/issues/?query=`)
      return (json as { id: string }[])[0]?.id
    })
    state.board = await makeThings(project)
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  /** What a page must not have, in light at 1440 px and dark at 390 px. */
  async function expectHarmless(path: string): Promise<void> {
    const { page } = state
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((anchor) => (anchor as HTMLAnchorElement).href))
    expect([path, links.filter((href) => !/^(https?|mailto):/.test(href))]).toEqual([path, []])
    expect([path, await page.locator('img[src*="evil"], svg[onload], main script').count()]).toEqual([path, 0])
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      expect([path, width, wide]).toEqual([path, width, 0])
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  }

  test.each<[path: string, shown: string]>([
    ['/logs?columns=constructor,user.id,logger,body.__proto__.id', '.log-list .log-row'],
    // A function is no column: the page says so.
    [`/logs?columns=${text(markup.replaceAll(',', ''))}`, '.log-main [role=alert]'],
    ['/logs?fields=constructor,user.id', '.log-facets li'],
    ['/logs?mode=patterns', '.log-patterns tbody tr'],
    ['/metrics', '.metric-row'],
    [
      `/metrics?name=${text(markup.slice(0, 200))}&by=${text(markup.slice(0, 50))}`,
      '.metric-details .metric-samples li',
    ],
    ['/explore?dataset=logs&by=service&by=constructor&by=user.id', '.explore-table tbody tr'],
    ['/explore?dataset=logs&mode=rows&c=message&c=constructor&c=environment', '.explore-table tbody tr'],
    [`/explore?dataset=logs&by=${text(markup)}`, 'main [role=alert]'],
    ['/explore?dataset=metrics&by=metric.name', '.explore-table tbody tr'],
    [`/explore?q=${text(`"${markup.replaceAll('"', '')}`)}`, 'main'],
    ['/dashboards', '.board-row'],
  ])('%s', async (path, shown) => {
    await state.page.goto(`${product.url}/o/${org}${path}`)
    await hydrated(state.page)
    await state.page.locator(shown).first().waitFor()
    await expectHarmless(path)
  })

  test('open lines: fields, JSON, and the lines around them', async () => {
    const { page } = state
    for (const word of ['evil.example', 'red', 'order', 'nnnn']) {
      await page.goto(`${product.url}/o/${org}/logs?q=${word}`)
      await hydrated(page)
      await page.locator('.log-list .log-row').first().click()
      await page.locator('.log-detail dl').waitFor()
      await expectHarmless(`the fields of ${word}`)
      await page.getByRole('button', { name: '20 lines around it' }).click()
      await page.locator('.log-around .log-row').first().waitFor()
      await page.getByRole('radio', { name: 'JSON' }).click()
      await page.locator('.log-json').waitFor()
      await expectHarmless(`the JSON of ${word}`)
    }
  })

  test('a dashboard, the timeline of an issue, and a trace', async () => {
    const { page, board, issue } = state
    for (const [path, shown, count] of [
      [`/dashboards/${board}`, '.board-tile :is(table, canvas, .board-text)', 6],
      [`/issues/${issue}`, '.timeline li[data-source=log]', 3],
      [`/traces/${hostileTraceId}`, '.tp-row', 3],
    ] as const) {
      await page.goto(`${product.url}/o/${org}${path}`)
      await hydrated(page)
      await expect.poll(() => page.locator(shown).count(), { timeout: 15_000 }).toBeGreaterThanOrEqual(count)
      await expectHarmless(path)
    }
  })

  test('no script ran, nothing left the page, and no dialog opened', () => {
    const { errors, foreign, dialogs } = state.watched
    expect({ errors, foreign, dialogs }).toEqual({ errors: [], foreign: [], dialogs: [] })
  })
})
