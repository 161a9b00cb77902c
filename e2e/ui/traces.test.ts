import { spawn } from 'node:child_process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, eventId, ingest, type Project, root, until } from '../product.ts'

const product = inject('product')
const org = 'traces'
const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** The height of the trace without spans, px, and the room that is kept for it while it loads. */
const roomOfTrace = `(() => {
  const part = document.querySelector('#trace > div:last-child')
  part.className = 'trace-room'
  const room = parseFloat(getComputedStyle(part).minHeight)
  part.style.minHeight = '0'
  const { height } = part.getBoundingClientRect()
  part.style.minHeight = ''
  return { height, room }
})()`

/** Sends two transactions of one trace with two errors, by the official SDK. `static`: it sends transaction items. */
const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'shop@1.2.3', tracesSampleRate: 1, traceLifecycle: process.env.LIFECYCLE })
// each an issue of its own: an error is told by its type and its frames
const failure = (name) => Object.assign(new Error('gone'), { name: name + process.env.LIFECYCLE })
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
await Sentry.startSpan({ name: 'GET /orders', op: 'http.server' }, async () => {
  await Sentry.startSpan({ name: 'SELECT * FROM orders', op: 'db' }, () => wait(40))
  Sentry.captureException(failure('Stock-'))
  await wait(30)
  Sentry.captureException(failure('Mail-'))
  await wait(20)
})
await Sentry.flush(5000)
`

function run(dsn: string, lifecycle: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, DSN: dsn, LIFECYCLE: lifecycle },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.once('exit', resolve))
}

type Meta = { segments: { name: string; op: string; spans: number }[]; events: unknown[]; span_count: number }

describe.skipIf(noChromium)('the trace strip', () => {
  const state = {} as { browser: Browser; watched: Watched; project: Project }
  const page = (): Page => state.watched.page
  const strip = () => page().getByRole('region', { name: 'Trace' })
  const text = async () => (await strip().innerText()).replace(/\s+/g, ' ')
  const issueOf = (title: string) =>
    until(`the issue ${title}`, 20_000, async () => {
      const path = `/organizations/${org}/issues/?query=${encodeURIComponent(`"${title}"`)}`
      const found = (await api(product, state.project, path)).json as { id: string }[]
      return found[0]?.id
    })
  const traceOf = async (issue: string) => {
    const path = `/organizations/${org}/issues/${issue}/events/latest/`
    return ((await api(product, state.project, path)).json as { traceId: string }).traceId
  }
  const open = async (issue: string) => {
    await page().goto(`${product.url}/o/${org}/issues/${issue}`)
    await hydrated(page())
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'api', 'node')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    await signIn(page(), product.url, `owner@${org}.test`)
  }, 60_000)
  afterAll(() => state.browser?.close())

  test.each(['static', 'stream'])(
    'of a real trace that came as %s: bar, mark, the other error',
    async (lifecycle) => {
      expect(await run(state.project.dsn, lifecycle)).toBe(0)
      const issue = await issueOf(`Stock-${lifecycle}`)
      const trace = await traceOf(issue)
      const meta = await until('the spans', 20_000, async () => {
        const found = (await api(product, state.project, `/organizations/${org}/trace-meta/${trace}/`)).json as Meta
        return found.segments.length > 0 && found.events.length === 2 && found
      })
      expect(meta).toMatchObject({ segments: [{ name: 'GET /orders', op: 'http.server', spans: 1 }], span_count: 2 })
      await open(issue)
      await strip().getByText('GET /orders').first().waitFor()
      expect(await text()).toMatch(
        /This event in GET \/orders [\s\S]*GET \/orders server request · api [\d.]+ ms Other errors of this trace \(1\)/,
      )
      await expect(strip().getByRole('img').getAttribute('aria-label')).resolves.toMatch(/This event, [\d.]+ ms after/)
      const other = strip().getByRole('link', { name: `Mail-${lifecycle}: gone` })
      await other.focus()
      await page().keyboard.press('Enter')
      await page()
        .getByRole('heading', { level: 1, name: `Mail-${lifecycle}` })
        .waitFor()
      await strip()
        .getByRole('link', { name: `Stock-${lifecycle}: gone` })
        .waitFor()
    },
    60_000,
  )

  test('a page load that was cut off, hostile names, and a trace without spans', async () => {
    const [id, traceId] = [eventId(), eventId()]
    const at = Date.now() / 1000
    const contexts = {
      trace: { trace_id: traceId, span_id: traceId.slice(16), op: 'pageload', status: 'deadline_exceeded' },
    }
    const exception = { values: [{ type: 'CutError', value: 'x' }] }
    const event = { event_id: id, timestamp: at, platform: 'javascript', contexts, exception }
    await ingest(product, state.project, envelopeOf(event))
    const issue = await issueOf('CutError: x')
    for (const [locale, said] of [
      ['de', 'Von diesem Trace sind keine Spans gespeichert'],
      ['en', 'No spans of this trace are stored'],
    ] as const) {
      await page()
        .context()
        .addCookies([{ name: 'locale', value: locale, url: product.url }])
      await open(issue)
      await strip().getByText(said).waitFor()
      for (const width of [390, 1440]) {
        await page().setViewportSize({ width, height: 900 })
        const { height, room } = (await page().evaluate(roomOfTrace)) as { height: number; room: number }
        expect([locale, width, height > 40, height <= room]).toEqual([locale, width, true, true])
      }
    }
    const name = '"><img src=x onerror=alert(1)>'
    const transaction = { type: 'transaction', transaction: name, start_timestamp: at - 30, timestamp: at, contexts }
    await ingest(
      product,
      state.project,
      `${JSON.stringify({ event_id: eventId() })}\n{"type":"transaction"}\n${JSON.stringify(transaction)}\n`,
    )
    // The page asks again by itself.
    await strip().getByText('cut off at its time limit').waitFor({ timeout: 20_000 })
    expect(await text()).toContain(`${name} page load · api 30 s`)
    for (const width of [390, 1440]) {
      await page().setViewportSize({ width, height: 900 })
      expect([width, await page().evaluate(wide)]).toEqual([width, 0])
    }
    expect([state.watched.errors, state.watched.foreign, state.watched.dialogs]).toEqual([[], [], []])
  }, 60_000)
})
