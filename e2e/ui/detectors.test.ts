import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RestEvent } from '../../src/contract/events.ts'
import type { RestTraceSpan } from '../../src/contract/explore/traces.ts'
import type { RestIssue } from '../../src/contract/issues.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, type Project, root, until } from '../product.ts'

const product = inject('product')
const org = 'detected'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A request of the official SDK with a planted N+1: a list, then one query for each of its rows. */
const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'orders@1.0.0', environment: 'production', tracesSampleRate: 1 })
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const query = (text) => Sentry.startSpan({ name: text, op: 'db', attributes: { 'db.system.name': 'postgresql', 'db.query.text': text } }, () => wait(14))
await Sentry.startSpan({ name: 'GET /orders', op: 'http.server', forceTransaction: true, attributes: { 'http.route': '/orders' } }, async () => {
  await query('SELECT id FROM orders LIMIT $1')
  for (let n = 0; n < 12; n++) await query('SELECT * FROM order_items WHERE order_id = $1')
})
await Sentry.flush(5000)
`

function run(dsn: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, DSN: dsn },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.once('exit', resolve))
}

describe.skipIf(noChromium)('detectors of performance issues', () => {
  const state = {} as { browser: Browser; watched: Watched; project: Project }
  const issues = async (query: string) =>
    (await api(product, state.project, `/organizations/${org}/issues/?query=${encodeURIComponent(query)}`))
      .json as RestIssue[]
  const found = (query: string, count: string) =>
    until(`an issue with ${count} events`, 60_000, async () => {
      const [issue] = await issues(query)
      return issue?.count === count && issue
    })

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'orders', 'node')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    await signIn(state.watched.page, product.url, `owner@${org}.test`)
  }, 60_000)
  afterAll(() => state.browser?.close())

  test('a planted N+1 becomes an issue with its evidence, which regresses after it was resolved', async () => {
    const { project, watched } = state
    const { page } = watched
    expect(await run(project.dsn)).toBe(0)
    const issue = await found('issue.category:performance', '1')
    expect(issue).toMatchObject({
      issueType: 'performance_n_plus_one_db_queries',
      issueCategory: 'performance',
      type: 'generic',
      culprit: '/orders',
      level: 'info',
      substatus: 'new',
    })
    expect(issue.title).toMatch(/^N\+1 query: SELECT \* FROM order_items WHERE order_id = \? \(12 times, \d+ ms\)$/)
    expect(await issues('issue.category:error')).toEqual([])
    const event = (await api(product, project, `/organizations/${org}/issues/${issue.id}/events/latest/`))
      .json as RestEvent
    expect(event.occurrence).toMatchObject({
      count: 12,
      storedSpans: 12,
      route: '/orders',
      detector: 'nPlusOneQueries',
    })

    await page.goto(`${product.url}/o/${org}/issues?q=issue.category:performance`)
    await page.getByRole('link', { name: /N\+1 query/ }).click()
    await hydrated(page)
    const evidence = page.getByRole('region', { name: 'Evidence' })
    await evidence.getByText('Read all rows with one query').waitFor()
    expect(
      await evidence.getByRole('list', { name: 'The spans in the order of time' }).getByRole('listitem').count(),
    ).toBe(12)
    for (const missing of ['Stack', 'Breadcrumbs', 'The SDK did not send'])
      expect(await page.getByText(missing, { exact: true }).count()).toBe(0)
    const markdown = await (await page.request.get(`${product.url}/o/${org}/issues/${issue.id}.md`)).text()
    expect(markdown).toContain('- Spans: `12`')
    expect(markdown).toContain('SELECT * FROM order_items WHERE order_id = ?')
    await evidence.getByRole('link', { name: 'Show them in the trace' }).click()
    await page.waitForURL(/\/traces\/[0-9a-f]{32}\?.*span=[0-9a-f]{16}/)
    const traceId = /traces\/([0-9a-f]{32})/.exec(page.url())?.[1]
    const trees = (await api(product, project, `/organizations/${org}/trace/${traceId}/`)).json as RestTraceSpan[]
    const lists = trees.flatMap(({ children }) => children.map(({ occurrences }) => occurrences))
    expect(lists.flat()).toMatchObject([{ event_type: 'occurrence', short_id: issue.shortId, title: issue.title }])
    // The trace names the issue at its spans, and leads back.
    const row = page.getByRole('treeitem').filter({ hasText: 'N+1 query' })
    await row.getByRole('link', { name: issue.shortId }).waitFor()
    await row.getByText(/^SELECT \* FROM order_items .* \(12 times, /).click()
    await page
      .getByRole('complementary')
      .getByRole('link', { name: `Open ${issue.shortId}` })
      .waitFor()

    await page.goto(`${product.url}/o/${org}/issues/${issue.id}`)
    await hydrated(page)
    await page
      .getByRole('button', { name: /^Resolve/ })
      .first()
      .click()
    await until('the issue is resolved', 10_000, async () => (await issues('is:resolved')).length === 1)
    expect(await run(project.dsn)).toBe(0)
    await found('is:regressed issue.category:performance', '2')
    expect(watched.errors).toEqual([])
  }, 180_000)

  test('the settings switch a detector off, and name a wrong threshold', async () => {
    const { page } = state.watched
    await page.goto(`${product.url}/o/${org}/settings/projects/orders/detectors`)
    await hydrated(page)
    await page.evaluate(axe)
    expect(
      await page.evaluate<string[]>(
        "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
      ),
    ).toEqual([])
    await page.getByLabel('N+1 queries').uncheck()
    await page.getByLabel('Repeats, at least').fill('12')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Detectors saved.').waitFor()
    const settings = (await api(product, state.project, `/projects/${org}/orders/`)).json as {
      detectors: Record<string, { active: boolean; thresholds: Record<string, number> }>
    }
    expect(settings.detectors.nPlusOneQueries).toEqual({ active: false, thresholds: { countMin: 12, totalMs: 50 } })
    const put = await api(product, state.project, `/projects/${org}/orders/`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ detectors: { slowQueries: { thresholds: { durationMs: 1 } } } }),
    })
    expect([put.status, put.text]).toEqual([400, expect.stringContaining('slowQueries')])
  }, 60_000)
})
