// The whole product on PostgreSQL: kill -9 of the product and of the database under traffic, outages, backups, failover.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePostgresUrl } from '../../../src/base/postgres-url.ts'
import { noPostgres, startPostgres, type TestServer } from '../../../src/store/meta/database/postgres/server.cases.ts'
import { openPostgres } from '../../../src/store/meta/database/postgres.ts'
import { noChromium, openBrowser, openPage, signIn } from '../../browser.ts'
import { type Acknowledged, childrenOf, faultsOf, send, settled, verifyFaults } from '../../crash/traffic.ts'
import {
  api,
  bootstrap,
  discard,
  freePort,
  type Product,
  type Project,
  password,
  ready,
  root,
  start,
  until,
} from '../../product.ts'

const why = noPostgres()
if (why) console.warn(`skipped: ${why}`)

const rounds = Number(process.env.CRASH_ROUNDS ?? 1)
/** What is killed in a round, one after the other. */
const victims = ['the product', 'PostgreSQL', 'both'] as const

/** Runs the command `mishap` on a stopped data folder. */
function mishap(words: string[], env: Record<string, string>, input = '') {
  const all = ['--disable-warning=ExperimentalWarning', join(root, 'src/processes/main.ts'), ...words]
  const { status, stdout, stderr } = spawnSync(process.execPath, all, {
    input,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return { status, out: `${stdout}${stderr}` }
}

describe.skipIf(why)('the product on PostgreSQL', () => {
  let server: TestServer
  let running: Product | undefined
  let browser: Awaited<ReturnType<typeof openBrowser>> | undefined
  const folders: string[] = []
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), 'mishap-e2e-'))
    folders.push(made)
    return made
  }
  // The ledger leaves out what Mishap's screens report of themselves, and the tables have it: an open page sends a trace.
  const envOf = (database: string) => ({ MISHAP_META: server.url(database), MISHAP_SELF_REPORTING: 'off' })

  beforeAll(async () => {
    server = await startPostgres({ safe: true })
    for (const name of ['meta', 'second']) await server.sql('postgres', `create database ${name}`)
  })
  afterAll(async () => {
    await browser?.close()
    if (running) await discard(running)
    for (const made of folders) rmSync(made, { recursive: true, force: true })
    await server.remove()
  })

  test(`${rounds * victims.length} kills under traffic, an outage, and backups into both databases`, {
    timeout: 240_000 + rounds * 240_000,
  }, async () => {
    const env = envOf('meta')
    const port = await freePort()
    const data = folder()
    let product = await start({ port, data, env })
    running = product
    const project = bootstrap(product, 'pg', 'web')
    await ready(product, 90_000)
    const acknowledged: Acknowledged[] = []
    const types: string[] = []
    for (const [round, victim] of Array.from({ length: rounds }, () => victims)
      .flat()
      .entries()) {
      const type = `Pg${round}Error`
      types.push(type)
      const traffic = send(product, project, [type], 4)
      await pause(1500 + (round % 7) * 230)
      if (victim === 'the product') await product.stop('SIGKILL')
      else {
        await server.kill()
        // Ingest goes on without the database.
        const before = traffic.acknowledged.length
        await pause(3000)
        expect(traffic.acknowledged.length, `answers while ${victim} is away`).toBeGreaterThan(before)
        if (victim === 'both') await product.stop('SIGKILL')
        await server.start()
      }
      await pause(500)
      await traffic.stop()
      acknowledged.push(...traffic.acknowledged)
      if (victim !== 'PostgreSQL') product = await start({ port, data, env })
      running = product
      expect(await faultsOf(product, project, [type], acknowledged), `round ${round}, ${victim} killed`).toEqual([])
    }
    expect(await faultsOf(product, project, types, acknowledged, true)).toEqual([])

    await outage(product, project)
    await refusal(product, project)

    const backup = join(folder(), 'backup.tar')
    expect(mishap(['backup', backup, '--data', data], {})).toMatchObject({ status: 0 })
    // A range that stands: the bars of the last 14 days move on twice a day.
    const nowMs = Date.now()
    const [from, to] = [nowMs - 86_400_000, nowMs].map((ms) => new Date(ms).toISOString())
    const list = `/organizations/${project.org}/issues/?start=${from}&end=${to}`
    const issues = await api(product, project, list)
    expect((issues.json as object[]).length).toBeGreaterThan(0)
    await product.stop()
    expect(await verifyFaults(data, env)).toBe('')
    expect(mishap(['upgrade', '--rehearse', '--data', data], env)).toMatchObject({ status: 0 })
    // The archive goes into SQLite, and from there into another PostgreSQL database.
    const [embedded, external] = [folder(), folder()]
    const second = envOf('second')
    expect(mishap(['restore', backup, '--data', embedded], {})).toMatchObject({ status: 0 })
    expect(await verifyFaults(embedded)).toBe('')
    expect(mishap(['backup', `${backup}.2`, '--data', embedded], {})).toMatchObject({ status: 0 })
    expect(mishap(['restore', `${backup}.2`, '--data', external], second)).toMatchObject({ status: 0 })
    expect(await verifyFaults(external, second)).toBe('')
    expect(mishap(['restore', backup, '--data', folder()], second).out).toContain('already holds data')
    product = await start({ port, data: external, env: second })
    running = product
    await ready(product, 90_000)
    expect((await api(product, project, list)).json).toEqual(issues.json)
  })

  /** Takes PostgreSQL away: ingest answers, the API says what is away, and everything goes on afterwards. */
  async function outage(product: Product, project: Project): Promise<void> {
    const open = await openIssues(product, project)
    await server.kill()
    const traffic = send(product, project, ['OutageError'], 2)
    const answer = await until('the answer of the API', 20_000, async () => {
      const got = await api(product, project, `/organizations/${project.org}/issues/`)
      return got.status === 503 && got
    })
    expect(answer.json).toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    const health = async () => (await fetch(`${product.url}/api/health/ready`)).json()
    await until('the ready check', 20_000, async () => ((await health()) as { database: boolean }).database === false)
    expect(await health()).toMatchObject({ status: 'starting', app: true, database: false })
    // A document says so and reloads. A navigation in an open page becomes a document.
    for (const [name, headers] of Object.entries({ document: { accept: 'text/html' }, navigation: { rsc: '1' } })) {
      const page = await fetch(`${product.url}/login`, { headers })
      expect({ name, status: page.status, says: (await page.text()).includes('database') }).toEqual({
        name,
        status: 503,
        says: true,
      })
    }
    await open?.says(1)
    await pause(5000)
    await traffic.stop()
    expect(
      Object.keys(traffic.refused)
        .map(Number)
        .filter((status) => status === 0 || status >= 500),
    ).toEqual([])
    await server.start()
    await open?.says(0)
    await open?.close()
    await settled(product, project)
    expect(await faultsOf(product, project, ['OutageError'], traffic.acknowledged)).toEqual([])
  }

  /** Process app dies while the database refuses writes: the product goes on accepting, and recovers by itself. */
  async function refusal(product: Product, project: Project): Promise<void> {
    const readOnly = (value: string) =>
      server.sql('postgres', `alter database meta set default_transaction_read_only = ${value}`)
    await readOnly('on')
    for (const pid of childrenOf(product.child.pid, 'app.ts')) process.kill(pid, 'SIGKILL')
    await until('the refusal in the log', 30_000, async () => product.log().includes('cannot use the database'))
    const traffic = send(product, project, ['RefusedError'], 2)
    const health = (await (await fetch(`${product.url}/api/health/ready`)).json()) as { database: boolean }
    expect(health.database).toBe(false)
    // Long enough for a second try, which is refused too.
    await pause(2000)
    await traffic.stop()
    await readOnly('off')
    expect(traffic.refused[0]).toBe(undefined)
    expect(traffic.acknowledged.length).toBeGreaterThan(5)
    expect(await faultsOf(product, project, ['RefusedError'], traffic.acknowledged)).toEqual([])
  }

  /** Opens the list in a browser and waits for its stream. `says`: how many bars of the open page name PostgreSQL. */
  async function openIssues(product: Product, project: Project) {
    if (noChromium) return void console.warn(`an open page is not looked at: ${noChromium}`)
    browser = await openBrowser()
    const { page } = await openPage(browser, product.url)
    const stream = page.waitForResponse((response) => response.url().includes('/live/'))
    await signIn(page, product.url, `owner@${project.org}.test`)
    await page.goto(`${product.url}/o/${project.org}/issues`)
    await stream
    const bars = page.getByRole('status').filter({ hasText: 'PostgreSQL' })
    return {
      says: (count: number) =>
        until(`${count} bars in the open page`, 20_000, async () => (await bars.count()) === count),
      close: () => page.context().close(),
    }
  }

  test.each([
    [
      'a wrong password',
      (url: string) => url.replace('mishap@', 'app:wrong@'),
      'password authentication failed for user "app"',
    ],
    ['a missing database', (url: string) => url.replace(/\w+$/, 'absent'), 'database "absent" does not exist'],
    ['missing rights', (url: string) => url.replace('mishap@', 'app:right@'), 'permission denied for schema public'],
    ['TLS that does not verify', (url: string) => `${url}?sslmode=verify-full`, 'self-signed certificate'],
    ['a read-only database', (url: string) => url.replace(/\w+$/, 'still'), 'it is read-only'],
    ['another Mishap', (url: string) => url.replace(/\w+$/, 'taken'), 'Another Mishap uses this database'],
  ])(
    '%s: the start says so and exits with 78',
    async (_name, change, reason) => {
      const strict = await strictServer()
      const address = parsePostgresUrl(strict.url('taken'))
      const other = address && (await openPostgres(address, { name: 'another' }))
      try {
        const url = change(strict.url('plain'))
        const words = ['bootstrap', '--org', 'a', '--project', 'b', '--email', 'a@example.test', '--password-stdin']
        const { status, out } = mishap([...words, '--data', folder()], { MISHAP_META: url }, password)
        expect([status, out]).toEqual([78, expect.stringContaining(reason)])
        expect(out).not.toMatch(/:(?:wrong|right)@/)
      } finally {
        await other?.close()
        await strict.remove()
      }
    },
    120_000,
  )

  /** A server that asks `app` for a password, with TLS by a certificate of its own. */
  async function strictServer(): Promise<TestServer> {
    const made = await startPostgres()
    await made.sql('postgres', "create role app login password 'right'")
    for (const name of ['plain', 'still', 'taken']) await made.sql('postgres', `create database ${name}`)
    await made.sql('postgres', 'alter database still set default_transaction_read_only = on')
    const [key, certificate] = ['server.key', 'server.crt'].map((name) => join(folder(), name)) as [string, string]
    const words = [
      'req',
      '-new',
      '-x509',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=127.0.0.1',
      '-keyout',
      key,
      '-out',
      certificate,
    ]
    execFileSync('openssl', words, { stdio: 'ignore' })
    await made.configure({
      'server.key': readFileSync(key, 'utf8'),
      'server.crt': readFileSync(certificate, 'utf8'),
      'pg_hba.conf': 'host all app all scram-sha-256\nhost all all all trust\n',
      'postgresql.auto.conf': 'ssl = on\n',
    })
    return made
  }
})
