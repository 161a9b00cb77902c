import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { faults } from '../axe.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, ingest, type Project, root, until } from '../product.ts'

const product = inject('product')
const org = 'metrics'
const traceId = 'aaaabbbbccccddddaaaabbbbccccdddd'
const hostile = '<img src=x onerror=alert(1)>\u202e{{7*7}}'
const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Counts, measures and times with the official SDK. */
const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'shop@1.2.3', environment: 'production', tracesSampleRate: 1 })
await Sentry.startSpan({ name: 'GET /orders', op: 'http.server' }, async () => {
  for (let n = 0; n < 6; n++) Sentry.metrics.count('shop.orders', 1 + n, { attributes: { plan: n % 2 ? 'pro' : 'free' } })
  Sentry.metrics.gauge('shop.queue', 42)
  Sentry.metrics.distribution('shop.latency', 120, { unit: 'millisecond', attributes: { route: '/orders' } })
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

type List = { metrics: { name: string; type: string; unit: string; points: number; last: number }[] }
type Details = { groups: { group: string; value: number }[]; samples: { traceId: string }[] }

const envelope = (items: object[]) =>
  `{}\n{"type":"trace_metric","item_count":${items.length}}\n${JSON.stringify({ items })}\n`

describe.skipIf(noChromium)('metrics', () => {
  const state = {} as { browser: Browser; watched: Watched; project: Project; empty: Project }
  const page = (): Page => state.watched.page
  const open = async (search = '') => {
    await page().goto(`${product.url}/o/${org}/metrics${search}`)
    await hydrated(page())
  }
  const list = async () =>
    (await api(product, state.project, `/organizations/${org}/metrics/?project=${state.project.id}&sort=name`))
      .json as List

  beforeAll(async () => {
    state.empty = bootstrap(product, org, 'empty', 'node')
    state.project = bootstrap(product, org, 'shop', 'node')
    const { dsn } = state.project
    expect(await run(dsn)).toBe(0)
    const metric = (value: number, attributes: object) => ({
      timestamp: Date.now() / 1000,
      trace_id: traceId,
      name: hostile,
      type: 'counter',
      value,
      attributes,
    })
    const attribute = { [hostile]: { value: hostile, type: 'string' } }
    await ingest(product, state.project, envelope([metric(1, attribute), metric(2, attribute)]))
    await until('the metrics', 30_000, async () => (await list()).metrics.length === 4)
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    await signIn(page(), product.url, `owner@${org}.test`)
  }, 120_000)
  afterAll(async () => state.browser?.close())

  test('REST says what the SDK counted', async () => {
    expect((await list()).metrics.filter(({ name }) => name.startsWith('shop.'))).toMatchObject([
      { name: 'shop.latency', type: 'distribution', unit: 'millisecond', points: 1, last: 120 },
      { name: 'shop.orders', type: 'counter', unit: '', points: 6 },
      { name: 'shop.queue', type: 'gauge', points: 1, last: 42 },
    ])
    const path = `/organizations/${org}/metrics/details/?project=${state.project.id}&name=shop.orders&groupBy=plan`
    const details = (await api(product, state.project, path)).json as Details
    expect(details.groups.toSorted((a, b) => a.group.localeCompare(b.group))).toMatchObject([
      { group: 'free', value: 9 },
      { group: 'pro', value: 12 },
    ])
    const filtered = (await api(product, state.project, `${path}&where=plan:pro`)).json as Details
    expect(filtered.groups).toMatchObject([{ group: 'pro', value: 12 }])
    expect((await api(product, state.project, `${path}&where=nothing`)).status).toBe(400)
    expect((await api(product, state.project, path.replace('shop.orders', 'none'))).status).toBe(404)
  })

  test('the list, a metric by attribute, and the trace behind a point', async () => {
    await open(`?project=${state.project.slug}`)
    expect(await page().title()).toContain('Metrics')
    await page().getByText('4 metrics').waitFor()
    await page().getByRole('link', { name: 'shop.orders' }).click()
    const details = page().getByRole('region', { name: 'shop.orders' })
    await details.waitFor()
    await details.getByLabel('by').selectOption('plan')
    await details.getByRole('row', { name: /pro/ }).waitFor()
    expect(await details.locator('.metric-line').count()).toBe(2)
    // The bucket of now is the last one. Arrow keys reach it, Enter opens the points behind it.
    const buckets = details.locator('.metric-buckets button')
    await buckets.last().focus()
    await page().keyboard.press('ArrowLeft')
    await page().keyboard.press('End')
    await page().keyboard.press('ArrowLeft')
    expect(await details.locator('.metric-buckets button:focus').count()).toBe(1)
    const link = details.locator('.metric-samples a').first()
    await link.waitFor()
    expect(await link.getAttribute('href')).toMatch(/\/o\/metrics\/traces\/[0-9a-f]{32}/)
    await details.getByRole('button', { name: /^pro/ }).first().click()
    await page().getByRole('button', { name: 'Remove the filter plan:pro' }).waitFor()
    await link.click()
    await page().waitForURL(/\/traces\/[0-9a-f]{32}/)
  })

  test('the controls beside a search box are as high as it, on each page that has them', async () => {
    for (const path of ['metrics', 'logs', 'explore', 'traces', 'releases']) {
      await page().goto(`${product.url}/o/${org}/${path}`)
      await hydrated(page())
      await page().locator('.stream-bar').first().waitFor()
      const controls =
        '.search-box, .metric-filter-box, .segments, .stream-filters .popup-button, .stream-filters > .input'
      const heights = await page()
        .locator('.stream-bar')
        .first()
        .locator(controls)
        .evaluateAll((all) => all.map((own) => own.getBoundingClientRect().height))
      expect([path, heights.length > 1, [...new Set(heights)]]).toEqual([path, true, [34]])
    }
  })

  test('hostile names are text, and nothing leaves the page', async () => {
    await open(`?project=${state.project.slug}&name=${encodeURIComponent(hostile)}&by=${encodeURIComponent(hostile)}`)
    await page().locator('.metric-details').waitFor()
    expect(await page().locator('.metrics img').count()).toBe(0)
    expect(state.watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
  })

  test('keys move in the list and open a metric', async () => {
    await open(`?project=${state.project.slug}&sort=name`)
    await page().keyboard.press('j')
    await page().keyboard.press('j')
    await page().keyboard.press('Enter')
    await page().locator('.metric-details h2').waitFor()
    await page().keyboard.press('g')
    await page().keyboard.press('k')
    await page().waitForURL(/\/metrics(\?project=[\w-]+)?$/)
  })

  test('an empty range says how to send metrics, an empty filter how to remove it', async () => {
    await open('?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z')
    await page().getByText('No metrics came in this time range.').waitFor()
    const snippets = await page().locator('pre').allInnerTexts()
    expect(snippets[0]).toContain('Sentry.metrics.count(')
    expect(snippets[1]).toMatch(/OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http:.*\/api\/\d+\/integration\/otlp\/v1\/metrics/)
    await open(`?project=${state.empty.slug}`)
    await page().getByText('No metric matches.').waitFor()
  })

  test('the screen says what was folded, why, and where the limit is changed', async () => {
    const project = bootstrap(product, org, 'many', 'node')
    const path = `/projects/${org}/${project.slug}/`
    const put = (metricSeriesMax: number) =>
      api(product, project, path, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ metricSeriesMax }),
      })
    const changed = await put(100)
    expect(changed.json).toMatchObject({ metricSeriesMax: 100 })
    expect((await put(1)).status).toBe(400)
    const items = Array.from({ length: 250 }, (_, n) => ({
      timestamp: Date.now() / 1000,
      trace_id: traceId,
      name: 'visits',
      type: 'counter',
      value: 1,
      attributes: { path: { value: `/p/${n}`, type: 'string' } },
    }))
    await ingest(product, project, envelope(items))
    type Folded = { folded: { project: string; max: number; points: number; names: string[] }[] }
    const folded = await until('the folded points', 30_000, async () => {
      const found = await api(product, project, `/organizations/${org}/metrics/?project=${project.id}`)
      const list = (found.json as Folded).folded
      return list.length > 0 && list
    })
    expect(folded).toMatchObject([{ project: 'many', max: 100, points: 150, names: ['visits'] }])
    await open(`?project=${project.slug}&name=visits`)
    const note = page().getByRole('note')
    await note.getByText('150 points of many lost attributes').waitFor()
    await note.getByText(/likely cause/).waitFor()
    expect(await note.getByRole('link').getAttribute('href')).toContain(`/settings/projects/${project.slug}`)
    // Their values are not lost.
    await page()
      .getByRole('row', { name: /Sum 250/ })
      .waitFor()
  })

  test.each([
    ['a wide screen', 1440, '&name=shop.orders&by=plan'],
    ['a phone', 390, '&name=shop.orders&by=plan'],
  ])('%s shows it without faults', async (name, width, search) => {
    await page().setViewportSize({ width, height: 900 })
    await open(`?project=${state.project.slug}${search}`)
    await page().locator('.metric-details').waitFor()
    expect(await page().evaluate(wide)).toBe(0)
    const folder = process.env['SHOTS']
    if (folder) {
      mkdirSync(folder, { recursive: true })
      await page().screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}.png`), fullPage: true })
      await page().emulateMedia({ colorScheme: 'dark' })
      await page().screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}-dark.png`), fullPage: true })
    }
    expect(await faults(page())).toEqual([])
  })
})
