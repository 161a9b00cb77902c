import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  type Issue,
  idsOf,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'
import { childrenOf } from './traffic.ts'

/** For more rounds: `CRASH_ROUNDS=20 npm run e2e -- e2e/crash`. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 3)
const running: Product[] = []
afterAll(() => Promise.all(running.map(discard)))

/** Sends 200 events/s until `stop` is called. Collects the ids of events that were answered with 200. */
function load(product: Product, project: Project, type: string, acknowledged: string[]) {
  const state = { on: true, refused: 0 }
  const sender = async () => {
    while (state.on) {
      const event = errorEvent(type, 'while the power goes')
      const answer = await ingest(product, project, envelopeOf(event)).catch(() => undefined)
      if (answer?.status === 200) acknowledged.push(event.event_id)
      else state.refused++
      await pause(40)
    }
  }
  const senders = Array.from({ length: 8 }, sender)
  return {
    stop: async () => {
      state.on = false
      await Promise.all(senders)
    },
    state,
  }
}

/** Checks that each acknowledged event is stored once, and that the issue counter equals the number of rows. */
async function expectWhole(product: Product, project: Project, type: string, acknowledged: string[]): Promise<void> {
  await ready(product)
  const settled = await until('all counted', 30_000, async () => {
    const found = (await api(product, project, `/organizations/${project.org}/issues/?query=${type}&statsPeriod=24h`))
      .json as Issue[]
    const status = (await api(product, project, '/status/')).json as { journal: { lagBytes: number } }
    return (
      found[0] && status.journal.lagBytes === 0 && Number(found[0].lifetime.count) >= acknowledged.length && found[0]
    )
  })
  const ids = await idsOf(product, project, settled.id)
  const there = new Set(ids)
  expect(there.size).toBe(ids.length) // no duplicates
  const missing = acknowledged.filter((id) => !there.has(id))
  expect(missing).toEqual([])
  const status = (await api(product, project, '/status/')).json as {
    disk: { tables: { table: string; rows: number }[] }
    ledger: { stored: number; lost: number; dead: number }
  }
  const rows = status.disk.tables.find((table) => table.table === 'events')?.rows
  expect(Number(settled.lifetime.count)).toBe(rows)
  expect(Number(settled.count)).toBe(rows)
  expect(status.ledger).toMatchObject({ stored: rows, lost: 0, dead: 0 })
}

test(`kill -9 of the whole tree, ${rounds} rounds: nothing acknowledged is missing, nothing stored twice`, async () => {
  let product = await start()
  const project = bootstrap(product, 'crash', 'web')
  const acknowledged: string[] = []
  for (let round = 0; round < rounds; round++) {
    const loading = load(product, project, 'PowerError', acknowledged)
    await pause(800 + Math.random() * 1500)
    await product.stop('SIGKILL')
    await loading.stop()
    product = await start({ data: product.data, port: product.port })
    expect(product.startedMs).toBeLessThan(5000) // guaranteed: health answers within 5 s
  }
  running.push(product)
  expect(acknowledged.length).toBeGreaterThan(20 * rounds)
  await expectWhole(product, project, 'PowerError', acknowledged)
})

test(`kill -9 of the engine alone, ${rounds} rounds: accepting goes on, it comes back, nothing is missing`, async () => {
  const product = await start()
  running.push(product)
  const project = bootstrap(product, 'engine', 'web')
  await ready(product)
  const acknowledged: string[] = []
  const loading = load(product, project, 'EngineError', acknowledged)
  for (let round = 0; round < rounds; round++) {
    await pause(700 + Math.random() * 800)
    // The health endpoint can still report the previous engine.
    const engine = await until('an engine', 20_000, async () => childrenOf(product.child.pid, 'engine.ts')[0])
    process.kill(engine, 'SIGKILL')
    const live = await fetch(`${product.url}/api/health/live`)
    expect(live.status).toBe(200)
    await ready(product)
  }
  await loading.stop()
  expect(loading.state.refused).toBe(0)
  await expectWhole(product, project, 'EngineError', acknowledged)
})

test('SIGTERM ends everything within 5 s and leaves no child behind', async () => {
  const product = await start()
  running.push(product)
  await ready(product)
  const children = [...childrenOf(product.child.pid, 'engine.ts'), ...childrenOf(product.child.pid, 'app.ts')]
  expect(children).toHaveLength(2)
  const began = performance.now()
  await product.stop('SIGTERM')
  expect(performance.now() - began).toBeLessThan(5000)
  for (const pid of children) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(product.child.exitCode).toBe(0)
})

test('a second process is told who holds the data folder; a wrong setting names itself', async () => {
  const product = await start()
  running.push(product)
  await expect(start({ data: product.data })).rejects.toThrow(/START_LOCKED/)
  await expect(start({ env: { MISHAP_REFINE_WORKERS: 'many' } })).rejects.toThrow(/MISHAP_REFINE_WORKERS is "many"/)
})
