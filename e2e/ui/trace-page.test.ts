import { spawn } from 'node:child_process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { faults } from '../axe.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, eventId, ingest, type Project, root, until } from '../product.ts'

const product = inject('product')
const org = 'tracepage'
const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** A request with a run of queries, a wait without spans, a nested call and an error, by SDK 11: streamed span v2. */
const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'shop@1.2.3', environment: 'production', tracesSampleRate: 1 })
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const span = (name, op, work, attributes) => Sentry.startSpan({ name, op, attributes }, work)
await span('GET /orders', 'http.server', async () => {
  for (let n = 0; n < Number(process.env.QUERIES); n++)
    await span('SELECT * FROM items WHERE id = ' + n, 'db', () => wait(3), { 'db.system.name': 'postgresql', 'shop.shard': n % 2 ? 'odd' : 'even' })
  await wait(80)
  await span('render page', 'template', async () => {
    await span('load user', 'cache.get', () => wait(5), { 'cache.hit': true })
    Sentry.captureException(Object.assign(new Error('gone'), { name: 'StockError' }))
    await wait(40)
  })
})
await Sentry.flush(5000)
`

function run(dsn: string, queries: number): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, DSN: dsn, QUERIES: String(queries) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.once('exit', resolve))
}

type View = { spanCount: number; events: { span: number }[] }

describe.skipIf(noChromium)('the page of a trace', () => {
  const state = {} as { browser: Browser; watched: Watched; project: Project; trace: string; issue: string }
  const page = (): Page => state.watched.page
  const rows = () => page().getByRole('treeitem')
  const selected = () => page().locator('[role=treeitem][aria-selected=true]')
  const drawer = () => page().getByRole('complementary', { name: 'Details of the span' })
  const search = () => page().getByRole('searchbox', { name: 'Search spans' })
  const open = async (query = '', trace = state.trace) => {
    await page().goto(`${product.url}/o/${org}/traces/${trace}${query}`)
    await hydrated(page())
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'api', 'node')
    state.browser = await openBrowser()
    expect(await run(state.project.dsn, 8)).toBe(0)
    const issue = await until('the issue', 20_000, async () => {
      const found = await api(product, state.project, `/organizations/${org}/issues/?query=StockError`)
      return (found.json as { id: string }[])[0]?.id
    })
    const event = await api(product, state.project, `/organizations/${org}/issues/${issue}/events/latest/`)
    const trace = (event.json as { traceId: string }).traceId
    await until('the spans', 20_000, async () => {
      const answer = await api(product, state.project, `/organizations/${org}/trace-view/${trace}/`)
      const view = answer.json as View
      return view.spanCount === 11 && (view.events[0]?.span ?? -1) >= 0
    })
    Object.assign(state, { issue, trace })
    state.watched = await openPage(state.browser, product.url)
    await signIn(page(), product.url, `owner@${org}.test`)
  }, 90_000)
  afterAll(() => state.browser?.close())

  test('is one click away from the issue, at the span of the error, and /t/ leads to it', async () => {
    await page().goto(`${product.url}/o/${org}/issues/${state.issue}`)
    // The link has the span once the strip knows it.
    await page().locator('a[href*="/traces/"][href*="?span="]', { hasText: 'Open trace' }).click()
    await page().waitForURL(`**/o/${org}/traces/${state.trace}?span=*`)
    await selected().getByText('render page').waitFor()
    await page().goto(`${product.url}/t/${state.trace}?view=list`)
    await page().waitForURL(`**/o/${org}/traces/${state.trace}?view=list`)
    await page().getByRole('columnheader', { name: 'Self time' }).waitFor()
  })

  test('a run of queries is one row, a gap and the error are rows, in the order of time', async () => {
    await open()
    await rows().first().waitFor()
    const texts = (await rows().allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
    const forms = [
      /^http.server GET \/orders/,
      /^8 × db SELECT/,
      /^no span for/,
      /^template render page/,
      /^cache.get load user/,
      /^StockError .* gone/,
    ]
    // Before the first query there can be a gap, too: the SDK's first span is slow.
    const run = texts.findIndex((text) => /^8 × db/.test(text))
    const places = forms.map((words, form) =>
      texts.findIndex((text, at) => words.test(text) && at >= (form < 2 ? 0 : run)),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(await page().getByRole('heading', { level: 1 }).innerText()).toBe('GET /orders')
  })

  test('keys move, open and close rows, jump to the error and zoom', async () => {
    await open()
    await rows().first().waitFor()
    const press = async (...keys: string[]) => {
      for (const key of keys) await page().keyboard.press(key)
    }
    const texts = await rows().allInnerTexts()
    for (let row = 0; row <= texts.findIndex((text) => text.includes('8 ×')); row++) await press('ArrowDown')
    await selected().getByText('8 ×').waitFor()
    await press('ArrowRight')
    expect(await rows().filter({ hasText: 'SELECT' }).count()).toBe(9)
    await press('ArrowRight')
    await selected().getByText('id = 0').waitFor()
    await press('ArrowLeft', 'ArrowLeft')
    expect(await rows().filter({ hasText: 'SELECT' }).count()).toBe(1)
    await press('Shift+N')
    await selected().getByText('StockError').waitFor()
    await drawer()
      .getByRole('link', { name: /^Open API-/ })
      .waitFor()
    const zoomed = () => new URL(page().url()).searchParams.has('from')
    await press('+')
    await until('the zoom in the address', 5000, async () => zoomed())
    await press('0')
    await until('no zoom in the address', 5000, async () => !zoomed())
    await press('Escape')
    await drawer().waitFor({ state: 'detached' })
  })

  test('search by words and by an attribute, next and previous, and the attribute of the drawer as a filter', async () => {
    await open()
    await page().keyboard.press('/')
    await page().keyboard.type('db slower:1ms')
    await page().getByText('8 matches').waitFor()
    await page().keyboard.press('Enter')
    await page().getByText('1 of 8').waitFor()
    await page().keyboard.press('Shift+Enter')
    await page().getByText('8 of 8').waitFor()
    await search().blur()
    await page().keyboard.press('n')
    await page().getByText('1 of 8').waitFor()
    await drawer().getByRole('button', { name: 'even' }).click()
    await page().getByText('1 of 4').waitFor()
    expect(await search().inputValue()).toBe('shop.shard:even')
    await page().keyboard.press('n')
    await selected().getByText('id = 2').waitFor()
    await search().fill('cache.hit:true')
    await page().getByText('one match').waitFor()
    // All attributes must match: four of eight queries, of which the second is selected.
    await search().fill('db.system.name:postgresql shop.shard:even')
    await page().getByText('2 of 4').waitFor()
    await search().fill('cache.hit:true shop.shard:even')
    await page().getByText('no match').waitFor()
  })

  test('a link holds span, view, search and zoom', async () => {
    await open()
    await rows().filter({ hasText: 'load user' }).click()
    await drawer().getByText('cache.hit').waitFor()
    await page().keyboard.press('.')
    await search().fill('user')
    await until('the address', 5000, async () => /span=.*q=user&from=\d+&to=\d+/.test(page().url()))
    const { searchParams } = new URL(page().url())
    await page().goto('about:blank')
    await open(`?${searchParams}`)
    await selected().getByText('load user').waitFor()
    expect(await search().inputValue()).toBe('user')
    await until(
      'the same zoom',
      5000,
      async () => new URL(page().url()).searchParams.get('from') === searchParams.get('from'),
    )
    for (const view of ['Flame', 'List']) {
      await page().getByRole('radio', { name: view }).click()
      await until(`the view ${view}`, 5000, async () => page().url().includes(`view=${view.toLowerCase()}`))
    }
  })

  test('two traces of a route side by side, from the menu, with keys, as Markdown and on a phone', async () => {
    expect(await run(state.project.dsn, 2)).toBe(0)
    type Peers = { previous: unknown; slowest: { traceId: string } | null }
    const peers = `/organizations/${org}/trace/${state.trace}/peers/`
    const other = await until('the other trace', 20_000, async () => {
      const { slowest } = (await api(product, state.project, peers)).json as Peers
      return slowest?.traceId
    })
    await until('its spans', 20_000, async () => {
      const answer = await api(product, state.project, `/organizations/${org}/trace-view/${other}/`)
      return (answer.json as View).spanCount === 5
    })
    await open()
    await page().locator('[data-popup=compare] summary').click()
    await page()
      .getByRole('link', { name: /^slowest of the route/ })
      .click()
    await page().waitForURL(`**/traces/${state.trace}?compare=${other}`)
    const row = page().getByRole('row').filter({ hasText: 'SELECT' })
    await row.getByText(/^8 ×/).waitFor()
    await row.getByText(/^2 ×/).waitFor()
    const count = () => page().getByRole('row').count()
    const all = await count()
    await page().keyboard.press('d')
    await until('only differences', 5000, async () => (await count()) < all || (await row.count()) === 1)
    await page().keyboard.press('d')
    await page().keyboard.press('n')
    await page().locator('tr[aria-selected=true]').waitFor()
    expect(await faults(page())).toEqual([])
    const text = await page().request.get(`${product.url}/o/${org}/traces/${state.trace}.md?compare=${other}`)
    expect(await text.text()).toMatch(/db SELECT .* \[api\] \(A 8 x .*, B 2 x /)
    await page().setViewportSize({ width: 390, height: 844 })
    expect(await page().evaluate(wide)).toBe(0)
    await page().setViewportSize({ width: 1280, height: 800 })
    await page().keyboard.press('x')
    await page().waitForURL(`**/traces/${other}?compare=${state.trace}`)
    await page().goto(`${product.url}/o/${org}/traces/${state.trace}?compare=${'9'.repeat(32)}`)
    await page().getByRole('heading', { name: 'Nothing to compare' }).waitFor()
    // An id that is none: the page says that this is one trace, and the Markdown of one trace would mislead its reader.
    await page().setViewportSize({ width: 390, height: 844 })
    await open('?compare=nonsense')
    await page().getByText('The trace to compare with cannot be found').waitFor()
    const none = await page().request.get(`${product.url}/o/${org}/traces/${state.trace}.md?compare=nonsense`)
    expect(none.status()).toBe(404)
    await page().locator('[data-popup=compare] summary').click()
    const panel = await page().locator('[data-popup=compare] .popup-panel').boundingBox()
    expect(panel).toMatchObject({ x: 12, width: 366 })
    expect(await page().evaluate(wide)).toBe(0)
    await page().setViewportSize({ width: 1280, height: 800 })
  })

  test('an unknown trace, one with errors only, and hostile names', async () => {
    await open('', eventId())
    await page().getByRole('heading', { name: 'No trace with this id' }).waitFor()
    const traceId = eventId()
    const name = '"><img src=x onerror=alert(1)>\u202egpj'
    const trace = { trace_id: traceId, span_id: traceId.slice(16), op: name }
    const event = {
      event_id: eventId(),
      timestamp: Date.now() / 1000,
      contexts: { trace },
      exception: { values: [{ type: name, value: name }] },
    }
    await ingest(product, state.project, envelopeOf(event))
    await until('the error', 20_000, async () => {
      const answer = await api(product, state.project, `/organizations/${org}/trace-view/${traceId}/`)
      return (answer.json as View).events.length === 1
    })
    await open('', traceId)
    await page().getByText('This trace is known only by its errors.').waitFor()
    const at = Date.now() / 1000
    const spans = [
      {
        span_id: '1'.repeat(16),
        op: name,
        description: name,
        start_timestamp: at - 1,
        timestamp: at,
        data: { [name]: name },
      },
    ]
    const transaction = {
      type: 'transaction',
      transaction: name,
      start_timestamp: at - 1,
      timestamp: at,
      contexts: { trace },
      spans,
    }
    await ingest(
      product,
      state.project,
      `${JSON.stringify({ event_id: eventId() })}\n{"type":"transaction"}\n${JSON.stringify(transaction)}\n`,
    )
    // The page asks again by itself.
    await rows().nth(2).waitFor({ timeout: 20_000 })
    for (const width of [390, 1440]) {
      await page().setViewportSize({ width, height: 900 })
      expect([width, await page().evaluate(wide)]).toEqual([width, 0])
    }
    expect([state.watched.errors, state.watched.foreign, state.watched.dialogs]).toEqual([[], [], []])
  }, 60_000)

  test('web vitals are at their spans, with their rating', async () => {
    const traceId = eventId()
    const at = Date.now() / 1000 - 10
    const transaction = {
      type: 'transaction',
      transaction: '/cart',
      start_timestamp: at,
      timestamp: at + 5,
      contexts: { trace: { trace_id: traceId, span_id: traceId.slice(16), op: 'pageload' } },
      measurements: { lcp: { value: 4170, unit: 'millisecond' }, cls: { value: 0.02, unit: '' } },
      spans: [],
    }
    const body = `${JSON.stringify({ event_id: eventId() })}\n{"type":"transaction"}\n${JSON.stringify(transaction)}\n`
    await ingest(product, state.project, body)
    await until('the page load', 20_000, async () => {
      const answer = await api(product, state.project, `/organizations/${org}/trace-view/${traceId}/`)
      return (answer.json as View).spanCount === 1
    })
    await open('', traceId)
    await rows().filter({ hasText: 'CLS' }).getByText('0.02, good').waitFor()
    await rows().filter({ hasText: 'LCP' }).click()
    await selected().getByText('4.17 s, poor').waitFor()
    await drawer().getByText('Good up to 2.5 s, poor above 4 s.').waitFor()
    expect(await faults(page())).toEqual([])
    await drawer().getByRole('button', { name: 'Show its span' }).click()
    await drawer().getByRole('button', { name: 'LCP 4.17 s, poor' }).waitFor()
  })

  test('events and links of a span are in its details, and a link leads to the other trace', async () => {
    const traceId = eventId()
    const startMs = Date.now() - 10_000
    const nanos = (ms: number) => String(BigInt(startMs + ms) * 1_000_000n)
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    const span = {
      traceId,
      spanId: '1'.repeat(16),
      name: 'process order',
      kind: 5,
      startTimeUnixNano: nanos(0),
      endTimeUnixNano: nanos(500),
      events: [
        { name: 'exception', timeUnixNano: nanos(120), attributes: [text('exception.message', 'no <b>rate</b>')] },
      ],
      links: [{ traceId: state.trace, spanId: '2'.repeat(16), flags: 1, attributes: [text('queue', 'orders')] }],
    }
    const answer = await fetch(`${product.url}/api/${state.project.id}/integration/otlp/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-sentry-auth': `sentry sentry_key=${state.project.key}` },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    })
    expect(answer.status).toBe(200)
    await until('the span', 20_000, async () => {
      const view = await api(product, state.project, `/organizations/${org}/trace-view/${traceId}/`)
      return (view.json as View).spanCount === 1
    })
    await open(`?span=${span.spanId}`, traceId)
    const events = drawer().getByRole('region', { name: 'Span events' })
    await events.getByText('120 ms after the start').waitFor()
    await events.getByText('no <b>rate</b>').waitFor()
    const links = drawer().getByRole('region', { name: 'Linked spans' })
    await links.getByText('orders').waitFor()
    expect(await faults(page())).toEqual([])
    await links.getByRole('link').click()
    await page().waitForURL(`**/traces/${state.trace}?span=${'2'.repeat(16)}`)
  })

  test('axe has no findings, and Markdown answers who may read it', async () => {
    await open()
    await rows().first().waitFor()
    expect(await faults(page())).toEqual([])
    await rows().filter({ hasText: 'load user' }).click()
    await drawer().getByRole('button', { name: 'Copy JSON' }).waitFor()
    expect(await faults(page())).toEqual([])
    const markdown = await page().request.get(`${product.url}/o/${org}/traces/${state.trace}.md`)
    expect(markdown.headers()['content-type']).toBe('text/markdown; charset=utf-8')
    expect(await markdown.text()).toMatch(/8 x db SELECT \* FROM items/)
    const other = await openPage(state.browser, product.url)
    const refused = await other.page.request.get(`${product.url}/o/${org}/traces/${state.trace}.md`)
    expect(refused.status()).toBe(401)
    await other.page.context().close()
  }, 60_000)
})
