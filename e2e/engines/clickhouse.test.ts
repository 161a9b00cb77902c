// The whole product on a ClickHouse server: kills, cut connections, outages, backups, and starts that must be refused.

import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childrenOf, faultsOf, send, settled, verifyFaults } from '../crash/traffic.ts'
import { api, bootstrap, discard, freePort, type Product, type Project, ready, root, start, until } from '../product.ts'
import { runsAll } from './all.ts'
import { type ClickHouseNode, noNodeReason, startClickHouseNode } from './clickhouse-node/node.ts'
import { type Wire, wireTo } from './wire.ts'

const skipped = noNodeReason()
const user = { name: 'mishap', password: 'p@ss/word', database: 'errors' }
const second = { ...user, name: 'second', database: 'second' }
const poor = { ...user, name: 'poor', without: /^GRANT INSERT / }
const state: { node?: ClickHouseNode; wire?: Wire; tls?: Wire; product?: Product; project?: Project } = {}
const folder = mkdtempSync(join(tmpdir(), 'mishap-engines-'))

const node = () => state.node ?? expect.fail('not started')
const wire = () => state.wire ?? expect.fail('not started')
const product = () => state.product ?? expect.fail('not started')
const project = () => state.project ?? expect.fail('not started')
const urlOf = (who: typeof user, port: number, scheme = 'http') =>
  `${scheme}://${who.name}:${encodeURIComponent(who.password)}@127.0.0.1:${port}/${who.database}`
/** Settings go to the product and to the commands, which are started by other files. */
const use = (url: string | undefined) => {
  if (url === undefined) delete process.env.MISHAP_EVENTS
  else process.env.MISHAP_EVENTS = url
}
const main = ['--disable-warning=ExperimentalWarning', join(root, 'src/processes/main.ts')]
/** Runs a command. This process must not block meanwhile: the command reaches the node through its wire. */
const mishap = (...words: string[]): Promise<string> =>
  new Promise((resolve, reject) =>
    execFile(process.execPath, [...main, ...words], (error, out, err) =>
      error ? reject(new Error(`${words[0]}: ${out}${err}`)) : resolve(out),
    ),
  )

/** Starts a product that should refuse. Returns its exit code and what it printed. */
function refusal(url: string, env: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const data = mkdtempSync(join(folder, 'refused-'))
  const words = [...main, 'start', '--data', data, '--host', '127.0.0.1']
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      words,
      { env: { ...process.env, MISHAP_EVENTS: url, MISHAP_PORT: '1', ...env } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), text: out + err }),
    ),
  )
}

async function startAgain(from: Product): Promise<Product> {
  const again = await start({ data: from.data, port: from.port })
  state.product = again
  return again
}

const kills: Record<string, () => Promise<unknown>> = {
  'process app': async () => {
    for (const pid of childrenOf(product().child.pid ?? 0, 'app.ts')) process.kill(pid, 'SIGKILL')
  },
  'the node': async () => {
    await node().kill()
    await pause(300)
    await node().start()
  },
  'all connections, again and again': async () => {
    for (let n = 0; n < 25; n++) {
      wire().cut()
      await pause(60)
    }
  },
  'the node, which only stands still': async () => {
    node().hold(true)
    await pause(1500)
    for (const pid of childrenOf(product().child.pid ?? 0, 'app.ts')) process.kill(pid, 'SIGKILL')
    wire().cut()
    await pause(1500)
    node().hold(false)
  },
  'the whole product': async () => {
    await product().stop('SIGKILL')
    await startAgain(product())
  },
}

describe.skipIf(skipped)('the product on a ClickHouse server', () => {
  beforeAll(async () => {
    state.node = await startClickHouseNode({ users: [user, second, poor] })
    for (const { database } of [user, second]) await node().ask(`CREATE DATABASE ${database}`)
    state.wire = await wireTo(node().port)
    state.tls = await wireTo(node().port, folder)
    use(urlOf(user, wire().port))
    state.product = await start()
    state.project = bootstrap(product())
    await ready(product(), 60_000)
  }, 180_000)

  afterAll(async () => {
    use(undefined)
    if (state.product) await discard(state.product)
    state.wire?.close()
    state.tls?.close()
    await state.node?.discard()
    rmSync(folder, { recursive: true, force: true })
  })

  test('an event of a real SDK is stored there, and no engine runs', async () => {
    const program = `import * as Sentry from '@sentry/node'
      Sentry.init({ dsn: process.env.DSN, release: 'shop@1.2.3', tracesSampleRate: 1 })
      Sentry.captureException(new Error('on a server')); await Sentry.flush(5000)`
    const sdk = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      env: { ...process.env, DSN: project().dsn },
      stdio: ['ignore', 'inherit', 'ignore'],
    })
    expect(await new Promise((resolve) => sdk.once('exit', resolve))).toBe(0)
    await until('its issue', 20_000, async () => {
      const { json } = await api(product(), project(), '/organizations/acme/issues/?query=')
      return (json as { title: string }[]).some(({ title }) => title === 'Error: on a server')
    })
    expect(await node().ask('SELECT count() FROM errors.events')).toBe('1')
    expect(childrenOf(product().child.pid ?? 0, 'engine.ts')).toEqual([])
    const health = (await (await fetch(`${product().url}/api/health/ready`)).json()) as object
    expect(health).toMatchObject({ status: 'ok', engine: true, events: 'server' })
    const status = (await api(product(), project(), '/status/')).json as { engine: object }
    expect(status.engine).toMatchObject({ up: true, kind: 'server', host: `127.0.0.1:${wire().port}`, away: null })
    // Neither the log nor the list of processes has the password.
    const processes = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout
    for (const text of [
      product().log(),
      processes
        .split('\n')
        .filter((line) => line.includes('src/processes'))
        .join(),
    ])
      expect([text.length > 0, text.includes('p@ss'), text.includes(encodeURIComponent('p@ss/word'))]).toEqual([
        true,
        false,
        false,
      ])
  })

  test.runIf(runsAll)(
    'kills of everything in turn: nothing acknowledged is lost, nothing is stored twice',
    {
      timeout: 600_000,
    },
    async () => {
      const rounds = Number(process.env.ENGINE_ROUNDS ?? 1)
      const all: Parameters<typeof faultsOf>[3] = []
      for (let round = 0; round < rounds; round++)
        for (const [what, kill] of Object.entries(kills)) {
          const type = `Kill${round}${what.replaceAll(/\W/g, '')}Error`
          const traffic = send(product(), project(), [type], 8, true)
          await pause(1500)
          await kill()
          await pause(1500)
          await traffic.stop()
          all.push(...traffic.acknowledged)
          expect({ what, faults: await faultsOf(product(), project(), [type], all) }).toEqual({ what, faults: [] })
          // A busy machine sends few.
          expect(traffic.acknowledged.length).toBeGreaterThan(20)
        }
      await product().stop()
      expect(await verifyFaults(product().data)).toBe('')
      await startAgain(product())
    },
  )

  test.runIf(runsAll)(
    'while the server is away, ingest answers 200, the status says so, and the backlog drains',
    async () => {
      await settled(product(), project())
      await node().kill()
      const traffic = send(product(), project(), ['AwayError'])
      const status = await until('the outage', 30_000, async () => {
        const { json } = await api(product(), project(), '/status/')
        const { engine } = json as { engine: { up: boolean; away: string | null } }
        return !engine.up && engine
      })
      expect(status).toMatchObject({ kind: 'server', away: 'silent' })
      const answer = await api(product(), project(), `/organizations/acme/eventids/${'a'.repeat(32)}/`)
      expect([answer.status, answer.text]).toEqual([
        503,
        expect.stringContaining(`The ClickHouse server at 127.0.0.1:${wire().port} does not answer`),
      ])
      expect((await fetch(`${product().url}/api/health/ready`)).status).toBe(503)
      await traffic.stop()
      // Broken requests answer 400, and nothing else was refused.
      expect(Object.keys(traffic.refused)).toEqual(['400'])
      await node().start()
      await settled(product(), project())
      expect(await faultsOf(product(), project(), ['AwayError'], traffic.acknowledged)).toEqual([])
    },
  )

  test.runIf(runsAll)(
    'a backup goes to another kind of store and back, and all is there',
    { timeout: 400_000 },
    async () => {
      const rowsOf = async (database: string) =>
        node().ask(`SELECT count(), sum(cityHash64(*)) FROM ${database}.events`)
      const before = await rowsOf('errors')
      const [first, back] = [join(folder, 'first.tar'), join(folder, 'back.tar')]
      await mishap('backup', first, '--data', product().data)
      await product().stop()
      // From the server into an embedded store
      use(undefined)
      const embedded = join(folder, 'embedded')
      mkdirSync(embedded)
      await mishap('restore', first, '--data', embedded)
      expect(await verifyFaults(embedded)).toBe('')
      // From the embedded store into a database of the server
      await mishap('backup', back, '--data', embedded)
      use(urlOf(second, wire().port))
      const again = join(folder, 'again')
      mkdirSync(again)
      await mishap('restore', back, '--data', again)
      expect(await rowsOf('second')).toBe(before)
      expect(await verifyFaults(again)).toBe('')
      use(urlOf(user, wire().port))
      await startAgain(product())
      await ready(product(), 60_000)
    },
  )

  test('events grants prints what the user has', async () => {
    const printed = await mishap('events', 'grants')
    expect(printed).toContain('CREATE DATABASE IF NOT EXISTS errors;')
    expect(printed).toContain('GRANT INSERT ON errors.* TO mishap;')
    expect(printed).not.toContain('p@ss')
  })

  test.each<[string, () => string, string, Record<string, string>?]>([
    ['a wrong password', () => urlOf({ ...user, password: 'no' }, node().port), 'START_EVENTS_CREDENTIALS'],
    ['missing grants', () => urlOf(poor, node().port), 'START_EVENTS_GRANTS'],
    ['a missing database', () => urlOf({ ...user, database: 'none' }, node().port), 'START_EVENTS_DATABASE'],
    ['a certificate that nobody signed', () => urlOf(user, state.tls?.port ?? 0, 'https'), 'START_EVENTS_TLS'],
    ['TLS on a port without it', () => urlOf(user, node().port, 'https'), 'START_EVENTS_TLS'],
    ['another web server', () => urlOf(user, product().port), 'START_EVENTS_STRANGER'],
    ['an invalid address', () => 'ch://x', 'CONFIG_EVENTS'],
  ])('%s ends a start with 78, and the line says why', async (_name, url, code) => {
    const found = await refusal(url())
    expect(found).toMatchObject({ code: 78, text: expect.stringContaining(`mishap: ${code}: `) })
    expect(found.text).not.toContain('p@ss')
  })

  test.runIf(runsAll)('the database of another installation is refused', async () => {
    const found = await refusal(urlOf(user, node().port), { MISHAP_PORT: String(await freePort()) })
    expect(found).toMatchObject({ code: 78, text: expect.stringContaining('mishap: START_EVENTS_TAKEN: ') })
  })
})
