import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RestNavigation, RestStatements } from '../../src/contract/explore/performance.ts'
import { noPostgres, startPostgres, type TestServer } from '../../src/store/meta/database/postgres/server.cases.ts'
import { noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, freePort, type Project, root, until } from '../product.ts'
import { clean, copyOf, run } from './build.ts'
import { findQuery, findRouteLoad, traceRows } from './finding.ts'
import { preparePython, python } from './otlp/python.ts'

// Applications with planted faults, traced by official SDKs. A person finds each fault on the screens by clicking only.

const product = inject('product')
/** The orders of e2e/apps/orders. The query that runs once for each of them is the N+1. */
const orders = 12
const paths = ['/orders', '/report', '/archive', '/export']
const items = 'SELECT name FROM items WHERE order_id = ?'

/** Opens a browser's page that is signed in to an organization of its own. */
async function openMishap(browser: Browser, org: string): Promise<Watched> {
  const watched = await openPage(browser, product.url)
  await signIn(watched.page, product.url, `owner@${org}.test`)
  return watched
}

/** Waits until an answer of the performance pages is complete. */
const complete = <T>(project: Project, path: string, isComplete: (answer: T) => boolean) =>
  until(path, 60_000, async () => {
    const { json } = await api(product, project, `/organizations/${project.org}/performance/${path}/?statsPeriod=1h`)
    return isComplete(json)
  })

const missing = noChromium ?? noPostgres()
describe.skipIf(missing)(
  `@sentry/nextjs 11 with Next.js and PostgreSQL${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const state = {} as {
      project: Project
      postgres: TestServer
      child: ChildProcess
      visitors: Browser
      browser: Browser
      mishap: Watched
      url: string
    }
    const next = join(root, 'node_modules/next/dist/bin/next')

    /** Starts PostgreSQL, and the application on it. */
    async function startOrders(): Promise<void> {
      const project = bootstrap(product, 'faults', 'shop', 'javascript-nextjs')
      const postgres = await startPostgres({})
      Object.assign(state, { project, postgres })
      await postgres.sql(
        'postgres',
        `CREATE TABLE orders AS SELECT id, 'Ada' AS customer FROM generate_series(1, ${orders}) AS id`,
      )
      await postgres.sql('postgres', `CREATE TABLE items AS SELECT id AS order_id, 'lamp' AS name FROM orders`)
      const folder = copyOf('orders', 'orders')
      const env = {
        NEXT_PUBLIC_DSN: project.dsn.replace('localhost', '127.0.0.1'),
        DATABASE_URL: postgres.url('postgres'),
        NEXT_TELEMETRY_DISABLED: '1',
        SENTRY_LOAD_DOTENV: '0',
      }
      await run([next, 'build'], folder, env)
      const port = await freePort()
      const words = [next, 'start', '--port', `${port}`, '--hostname', '127.0.0.1']
      state.child = spawn(process.execPath, words, { cwd: folder, env: { ...clean(), ...env }, stdio: 'ignore' })
      state.url = `http://shop.test:${port}`
      await until('the application', 60_000, async () => (await fetch(`http://127.0.0.1:${port}`)).ok)
    }

    async function open(path: string): Promise<Page> {
      const page = await (await state.visitors.newContext()).newPage()
      await page.goto(state.url + path)
      return page
    }

    beforeAll(async () => {
      await startOrders()
      // A host name of its own: data from pages on localhost counts as noise of a developer.
      state.visitors = await openBrowser(['--host-resolver-rules=MAP shop.test 127.0.0.1'])
      state.browser = await openBrowser()
      state.mishap = await openMishap(state.browser, 'faults')
    }, 180_000)
    afterAll(async () => {
      state.child?.kill()
      await Promise.all([state.visitors?.close(), state.browser?.close(), state.postgres?.remove()])
    })

    test('visitors load each page, and come to each by a link', async () => {
      await Promise.all(paths.map(open))
      const homes = await Promise.all(paths.map(() => open('/')))
      for (const [index, page] of homes.entries()) {
        await until('hydration', 20_000, () => page.evaluate<boolean>('!!window.next?.router'))
        await page.click(`a[href="${paths[index]}"]`)
      }
      await complete<RestNavigation>(state.project, 'navigation', ({ rows }) =>
        paths.every((path) =>
          rows.some(
            ({ route, pageLoads, navigations }) => route === path && pageLoads.count === 1 && navigations.count === 1,
          ),
        ),
      )
      await complete<RestStatements>(state.project, 'queries', ({ rows }) =>
        rows.some(({ statement, count }) => statement === items && count === 2 * orders),
      )
    }, 120_000)

    // Each way ends at a trace that shows the fault.
    test('a slow statement', async () => {
      const { page } = state.mishap
      const statement = 'SELECT count(*) AS sold, pg_sleep(?) FROM items'
      await findQuery(page, { statement, route: '/report', count: 2, kind: 'request' })
      expect(await traceRows(page)).toContainEqual(expect.stringMatching(/^db SELECT items/))
    })

    test('a query for each row: N+1', async () => {
      const { page } = state.mishap
      await findQuery(page, { statement: items, route: '/orders', count: 2 * orders, kind: 'request' })
      expect(await traceRows(page)).toContainEqual(expect.stringMatching(new RegExp(`^${orders} × db SELECT items`)))
    })

    test.each(['page load', 'request'])('a slow route load: its slowest %s', async (kind) => {
      const { page } = state.mishap
      // Both loads: SDK 11 ends the navigation with the first bytes, and only the server's part shows how long it took.
      await findRouteLoad(page, { route: '/archive', column: 'Slow', count: 2, kind })
      expect(await traceRows(page)).toContainEqual(expect.stringMatching(/^http.server GET \/archive/))
    })

    test('a failed route load', async () => {
      const { page } = state.mishap
      await findRouteLoad(page, { route: '/export', column: 'Failed', count: 2, kind: 'request' })
      expect(await traceRows(page)).toContainEqual(expect.stringContaining('the export has no columns'))
    })

    test('no script of the screens failed', () => {
      expect(state.mishap.errors).toEqual([])
    })
  },
)

describe.skipIf(noChromium)('OpenTelemetry for Python over OTLP', async () => {
  const reason = await preparePython()
  if (reason !== undefined) console.error(`Python is skipped: ${reason}`)
  const state = {} as { browser: Browser; mishap: Watched }
  const lines = 'SELECT name FROM lines WHERE invoice = ?'

  beforeAll(async () => {
    if (reason !== undefined) return
    const project = bootstrap(product, 'otlp-faults', 'billing', 'python')
    const keys = (await api(product, project, '/projects/otlp-faults/billing/keys/')).json as {
      dsn: { otlp_traces: string }
    }[]
    await python('faults.py', { OTLP_URL: keys[0]?.dsn.otlp_traces ?? '', OTLP_KEY: project.key })
    await complete<RestStatements>(project, 'queries', ({ rows }) => rows.length === 3)
    state.browser = await openBrowser()
    state.mishap = await openMishap(state.browser, 'otlp-faults')
  }, 240_000)
  afterAll(() => state.browser?.close())

  test.skipIf(reason)('a slow statement', async () => {
    const { page } = state.mishap
    const statement = 'SELECT count(*), sleep(?) FROM lines'
    await findQuery(page, { statement, route: '/statistics', count: 1, kind: 'request' })
    expect(await traceRows(page)).toContainEqual(expect.stringMatching(/^db SELECT lines/))
  })

  test.skipIf(reason)('a query for each row: N+1', async () => {
    const { page } = state.mishap
    await findQuery(page, { statement: lines, route: '/invoices', count: 12, kind: 'request' })
    expect(await traceRows(page)).toContainEqual(expect.stringMatching(/^12 × db SELECT lines/))
  })
})
