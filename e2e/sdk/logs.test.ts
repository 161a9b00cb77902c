import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RestLedger } from '../../src/contract/status.ts'
import { noChromium, openBrowser } from '../browser.ts'
import { api, bootstrap, ingest, type Project, root, until } from '../product.ts'
import { execute } from './otlp/python.ts'
import { type Pages, servePages } from './pages.ts'

// Official SDKs send log lines. They must be found by their words, fields and paths, and the ledger must add up. Those of
// Python and of other languages are in e2e/clients.

const product = inject('product')
const O = '/organizations/sdklogs'
type Line = Record<string, string | number | null>

const fields = ['message', 'severity', 'trace', 'release', 'environment', 'service', 'host', 'logger', 'template']

/** The lines of a project that match, once there are `count`. */
function linesOf(project: Project, count: number, query = '', more: readonly string[] = []): Promise<Line[]> {
  const words = [...fields, ...more].map((field) => `field=${encodeURIComponent(field)}`).join('&')
  const at = `${O}/events/?dataset=logs&${words}&statsPeriod=1h&per_page=100&project=${project.id}`
  return until(`${count} lines of ${query}`, 20_000, async () => {
    const { json } = await api(product, project, `${at}&query=${encodeURIComponent(query)}`)
    const { data = [] } = json as { data?: Line[] }
    return data.length === count && data
  })
}

/** Checks that the ledger counts these lines as stored, and nothing else of this category. */
async function expectCounted(project: Project, stored: number): Promise<void> {
  const rows = await until('the ledger', 20_000, async () => {
    const ledger = (await api(product, project, `${O}/ledger/?range=1h&project=${project.id}`)).json as RestLedger
    const logs = ledger.rows.filter(({ category }) => category === 'log_item')
    return logs.length > 0 && logs
  })
  expect(rows.map(({ outcome, quantity }) => [outcome, quantity])).toEqual([['stored', stored]])
}

const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'shop@1.2.3', environment: 'production', tracesSampleRate: 1 })
Sentry.setUser({ id: '42' })
Sentry.startSpan({ name: 'checkout' }, () => {
  Sentry.logger.info(Sentry.logger.fmt\`order \${17} of \${'ann'} is paid\`, { plan: 'gold', password: 'PLANTED' })
  Sentry.logger.error('payment refused {"order":{"items":[{"id":41}]}}')
})
Sentry.logger.warn('cache is cold', { ratio: 0.25 })
await Sentry.flush(5000)
`

test('@sentry/node 11: levels, templates, attributes and the trace', async () => {
  const project = bootstrap(product, 'sdklogs', 'node', 'node')
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, DSN: project.dsn },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  const lines = await linesOf(project, 3, '', ['plan', 'ratio', 'password'])
  const of = (message: string) => lines.find((line) => line['message'] === message)
  expect(of('order 17 of ann is paid')).toMatchObject({
    severity: 'info',
    template: 'order %s of %s is paid',
    release: 'shop@1.2.3',
    environment: 'production',
    plan: 'gold',
    password: '[Filtered]',
    trace: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  expect(of('cache is cold')).toMatchObject({ severity: 'warning', ratio: 0.25 })
  expect(await linesOf(project, 1, 'refused severity:error')).toHaveLength(1)
  const inTrace = lines.filter((line) => line['trace'] === of('order 17 of ann is paid')?.['trace'])
  expect(inTrace).toContainEqual(expect.objectContaining({ severity: 'error' }))
  expect(await linesOf(project, inTrace.length, `trace:${inTrace[0]?.['trace']}`)).toEqual(expect.any(Array))
  await expectCounted(project, 3)
})

const application = (sdk: string) => `
import * as Sentry from '${sdk}'
Sentry.init({ dsn: new URLSearchParams(location.search).get('dsn'), release: 'shop@1.0.0', environment: 'production', enableLogs: true })
window.log = () => { Sentry.logger.error('cart is lost', { items: 3 }); return Sentry.flush(5000) }
`

describe.skipIf(noChromium)(`in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`, () => {
  const state = {} as { pages: Pages; browser: Browser }
  beforeAll(async () => {
    state.pages = await servePages(application)
    state.browser = await openBrowser()
  })
  afterAll(async () => {
    await state.browser?.close()
    state.pages?.close()
  })
  test('@sentry/browser 11', async () => {
    const project = bootstrap(product, 'sdklogs', 'browser')
    const page = await state.browser.newPage()
    const dsn = encodeURIComponent(project.dsn.replace('localhost', '127.0.0.1'))
    await page.goto(`${state.pages.url}/page/v11?dsn=${dsn}`)
    await page.evaluate('window.log()')
    const [line] = await linesOf(project, 1, 'lost', ['items', 'browser.name'])
    await page.close()
    expect(line).toMatchObject({ message: 'cart is lost', severity: 'error', items: 3, release: 'shop@1.0.0' })
    expect(String(line?.['browser.name'])).toMatch(/Chrom/)
    await expectCounted(project, 1)
  })
})

test.each([
  ['protobuf', 'none'],
  ['protobuf', 'gzip'],
  ['json', 'none'],
  ['json', 'gzip'],
])('OpenTelemetry for Node: %s, compression %s', async (format, compression) => {
  const project = bootstrap(product, 'sdklogs', `otel-${format}-${compression}`, 'node')
  const traceId = randomBytes(16).toString('hex')
  await execute(process.execPath, ['send-logs.js'], {
    OTLP_URL: `${product.url}/api/${project.id}/integration/otlp/v1/logs`,
    OTLP_KEY: project.key,
    OTLP_FORMAT: format,
    OTLP_COMPRESSION: compression,
    TRACE_ID: traceId,
  })
  const lines = await linesOf(project, 3, '', ['cart.items', 'password', 'body.order.items[].id'])
  const common = { release: '2.3.4', environment: 'production', service: 'billing', host: 'b-7', logger: 'shop' }
  expect(lines).toContainEqual(
    expect.objectContaining({
      ...common,
      message: 'no rate for this country',
      severity: 'error',
      trace: traceId,
      'cart.items': 3,
      password: '[Filtered]',
    }),
  )
  expect(lines).toContainEqual(expect.objectContaining({ ...common, message: 'cart.left', severity: 'warning' }))
  expect(await linesOf(project, 2, `trace:${traceId}`)).toHaveLength(2)
  expect(await linesOf(project, 1, 'body.order.items[].id:42')).toHaveLength(1)
  await expectCounted(project, 3)
})

test('log drains of Vercel and Heroku, and lines that are none', async () => {
  const project = bootstrap(product, 'sdklogs', 'drains')
  const send = (path: string, type: string, body: string) =>
    ingest(product, project, body, { path, headers: { 'content-type': type } })
  const entry = { message: 'build is done', level: 'info', timestamp: Date.now(), source: 'build', projectName: 'shop' }
  const vercel = await send('integration/vercel/logs', 'application/x-ndjson', `${JSON.stringify(entry)}\nbroken\n`)
  const frame = `<190>1 ${new Date().toISOString()} host app web.1 - dyno is up`
  const heroku = await send('integration/heroku/logs', 'application/logplex-1', `${frame.length} ${frame}`)
  expect([vercel.status, heroku.status]).toEqual([200, 200])
  expect((await send('integration/heroku/logs', 'application/json', '[]')).status).toBe(415)
  const lines = await linesOf(project, 2)
  expect(lines).toContainEqual(expect.objectContaining({ message: 'build is done', service: 'shop', logger: 'build' }))
  expect(lines).toContainEqual(expect.objectContaining({ message: 'dyno is up', logger: 'web.1', severity: 'info' }))
  const rows = await until('the ledger', 20_000, async () => {
    const ledger = (await api(product, project, `${O}/ledger/?range=1h&project=${project.id}`)).json as RestLedger
    const counts = ledger.rows.map(({ outcome, reason, quantity }) => `${outcome} ${reason} ${quantity}`).sort()
    return counts.length === 3 && counts
  })
  expect(rows).toEqual(['invalid bad_encoding 1', 'invalid bad_json 1', 'stored ok 2'])
})
