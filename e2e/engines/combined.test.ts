// The whole product on PostgreSQL, a ClickHouse node and S3 at once: kills, cut connections, outages and a backup.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RestStatus } from '../../src/contract/status.ts'
import { type Acknowledged, childrenOf, faultsOf, send, settled, verifyFaults } from '../crash/traffic.ts'
import { api, bootstrap, discard, type Product, type Project, root, start, until } from '../product.ts'
import { runsAll } from './all.ts'
import { noStores, type Stores, startStores } from './stores.ts'

const skipped = noStores()
if (skipped) console.warn(`skipped: ${skipped}`)

/** For more: `ENGINE_ROUNDS=20 npm run e2e -- e2e/engines/combined.test.ts`. */
const rounds = Number(process.env.ENGINE_ROUNDS ?? 1)
/** How long each store is away in the test of the outages, s. */
const awaySeconds = Number(process.env.ENGINE_AWAY_SECONDS ?? 1)

const state = {} as { stores: Stores; product: Product; project: Project }
const folders: string[] = []
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'mishap-combined-'))
  folders.push(made)
  return made
}

const settings = () => state.stores.settings(true)

/** Runs a command. This process must not block meanwhile: the command reaches two stores through its wires. */
const mishap = (env: Record<string, string>, ...words: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const all = ['--disable-warning=ExperimentalWarning', join(root, 'src/processes/main.ts'), ...words]
    execFile(process.execPath, all, { env: { ...process.env, ...env } }, (error, out, err) =>
      error ? reject(new Error(`${words[0]}: ${out}${err}`)) : resolve(out),
    )
  })

async function startAgain(): Promise<void> {
  const { data, port } = state.product
  state.product = await start({ data, port, env: settings() })
}

/** A store whose process can be killed and started again. */
type Victim = { kill(): Promise<void>; start(): Promise<void> }
const victims = {
  PostgreSQL: () => state.stores.postgres,
  'the node': () => state.stores.node,
  S3: () => state.stores.s3,
} as const

async function killAndStart(victim: Victim, awayMs: number): Promise<void> {
  await victim.kill()
  await pause(awayMs)
  await victim.start()
}

const killApp = () => {
  const pids = childrenOf(state.product.child.pid, 'app.ts')
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

const kills: Record<string, (awayMs: number) => Promise<unknown>> = {
  'process app': async () => killApp(),
  PostgreSQL: (awayMs) => killAndStart(state.stores.postgres, awayMs),
  'the node': (awayMs) => killAndStart(state.stores.node, awayMs),
  S3: (awayMs) => killAndStart(state.stores.s3, awayMs),
  'all connections, again and again': async (awayMs) => {
    for (let n = 0; n < 4 + awayMs / 60; n++) {
      for (const wire of state.stores.wires) wire.cut()
      await state.stores.postgres.sql(
        'postgres',
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'combined'",
      )
      await pause(60)
    }
  },
  'the three stores and process app at once': async (awayMs) => {
    await Promise.all([...Object.values(victims).map((victim) => victim().kill()), killApp()])
    await pause(awayMs)
    for (const victim of Object.values(victims)) await victim().start()
  },
  'the whole product': async (awayMs) => {
    await state.product.stop('SIGKILL')
    await pause(awayMs)
    await startAgain()
  },
}

const statusOf = async (product = state.product): Promise<RestStatus | undefined> => {
  const { status, json } = await api(product, state.project, '/status/')
  return status === 200 ? json : undefined
}

/** What a person sees of each outage: resolves with it once it is there. */
const seen: Record<keyof typeof victims, () => Promise<unknown>> = {
  PostgreSQL: () =>
    until('the answer of the API', 30_000, async () => {
      const { status, json } = await api(state.product, state.project, '/organizations/acme/issues/')
      return status === 503 && (json as { code: string }).code === 'DATABASE_UNAVAILABLE'
    }),
  'the node': () => until('the outage', 30_000, async () => (await statusOf())?.engine.away === 'silent'),
  S3: () => until('the outage', 30_000, async () => (await statusOf())?.blobStore.up === false),
}

/** The number of events and spans, and the issues with their counters. Other tables merge their rows at any time. */
async function countsOf(product: Product): Promise<object> {
  const { disk } = (await statusOf(product)) ?? expect.fail('no status')
  const { json } = await api(product, state.project, '/organizations/acme/issues/?query=&statsPeriod=24h')
  const issues = (json as { id: string; count: string; title: string }[]).map(({ id, count, title }) => [
    id,
    count,
    title,
  ])
  const rowsOf = (name: string) => disk.tables.find(({ table }) => table === name)?.rows
  return { events: rowsOf('events'), spans: rowsOf('spans'), issues }
}

describe.skipIf(skipped || !runsAll)('the product on PostgreSQL, a ClickHouse node and S3', () => {
  const types: string[] = []
  const all: Acknowledged[] = []

  beforeAll(async () => {
    state.stores = await startStores()
    state.product = await start({ data: folder(), env: settings() })
    state.project = bootstrap(state.product)
    await settled(state.product, state.project)
  }, 180_000)

  afterAll(async () => {
    if (state.product) await discard(state.product)
    await state.stores?.remove()
    for (const made of folders) rmSync(made, { recursive: true, force: true })
  })

  test(`${rounds} rounds of kills of everything under load: nothing acknowledged is lost or stored twice`, {
    timeout: 240_000 + rounds * 240_000,
  }, async () => {
    for (let round = 0; round < rounds; round++) {
      const before = types.length
      for (const [what, kill] of Object.entries(kills)) {
        const type = `Kill${round}${what.replaceAll(/\W/g, '')}Error`
        types.push(type)
        const traffic = send(state.product, state.project, [type], 6, true)
        // The kill meets another step of a batch in each round.
        await pause(700 + ((round * 7 + types.length) % 10) * 90)
        await kill(300 + (round % 5) * 200)
        await pause(700)
        await traffic.stop()
        all.push(...traffic.acknowledged)
        // A busy machine sends few.
        expect({ what, some: traffic.acknowledged.length > 5 }).toEqual({ what, some: true })
      }
      const faults = await faultsOf(state.product, state.project, types.slice(before), all)
      expect({ round, faults }).toEqual({ round, faults: [] })
      await mishap(settings(), 'verify', '--data', state.product.data)
      if (rounds > 1) console.log(`round ${round}: 0 of ${all.length} lost`)
    }
    expect(await faultsOf(state.product, state.project, types, all, true)).toEqual([])
    expect((await statusOf())?.engine.kind).toBe('server')
    expect((await statusOf())?.blobStore.place).toBe('s3')
  })

  test.each(Object.keys(victims) as (keyof typeof victims)[])(
    '%s is away: ingest answers 200, users see what is away, and the backlog drains',
    { timeout: 400_000 + awaySeconds * 1000 },
    async (what) => {
      const victim = victims[what]()
      const type = `Away${what.replaceAll(/\W/g, '')}Error`
      await victim.kill()
      const traffic = send(state.product, state.project, [type], awaySeconds > 10 ? 16 : 6)
      try {
        await seen[what]()
        await pause(awaySeconds * 1000)
      } finally {
        await traffic.stop()
        await victim.start()
      }
      // Broken requests answer 400, and nothing else was refused.
      expect(Object.keys(traffic.refused).filter((status) => status !== '400')).toEqual([])
      const began = performance.now()
      await settled(state.product, state.project, 240_000)
      if (awaySeconds > 10)
        console.log(
          `${what}: ${traffic.acknowledged.length} accepted, drained in ${Math.round(performance.now() - began)} ms`,
        )
      expect(await faultsOf(state.product, state.project, [type], traffic.acknowledged)).toEqual([])
    },
  )

  test('a backup of the three is restored into embedded stores with equal counts, and both verify', async () => {
    const [file, embedded] = [join(folder(), 'all.tar'), folder()]
    await mishap(settings(), 'backup', file, '--data', state.product.data)
    const before = await countsOf(state.product)
    await state.product.stop()
    expect(await verifyFaults(state.product.data, settings())).toBe('')
    await mishap({}, 'restore', file, '--data', embedded)
    expect(await verifyFaults(embedded)).toBe('')
    const restored = await start({ data: embedded })
    try {
      await settled(restored, state.project)
      expect(await countsOf(restored)).toEqual(before)
      expect(await statusOf(restored)).toMatchObject({ engine: { kind: 'embedded' }, blobStore: { place: 'files' } })
      // Files come byte for byte.
      const [type = ''] = types
      expect(await faultsOf(restored, state.project, [type], all)).toEqual([])
    } finally {
      await restored.stop()
    }
  })
})
