// The engine hangs instead of dying, and the clock jumps back and forward.

import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'
import { type Acknowledged, childrenOf, faultsOf, readyAtLast, send, settled } from './traffic.ts'

const long = Number(process.env.CRASH_ROUNDS ?? 3) >= 10
const running: Product[] = []
afterAll(() => Promise.all(running.map(discard)))

const engineOf = (product: Product): number => childrenOf(product.child.pid, 'engine.ts')[0] ?? 0

const readyStatus = async (product: Product) => (await fetch(`${product.url}/api/health/ready`)).status

/** Suspends the engine process during traffic. Returns the events acknowledged in that time. */
async function stopEngine(
  product: Product,
  project: Project,
  type: string,
): Promise<{ traffic: ReturnType<typeof send>; engine: number }> {
  const traffic = send(product, project, [type], 4)
  await pause(1000)
  const engine = engineOf(product)
  expect(engine).toBeGreaterThan(1)
  process.kill(engine, 'SIGSTOP')
  return { traffic, engine }
}

test.concurrent('an engine that hangs: ingest goes on, health and screens say so, it recovers when it goes on', {
  timeout: 120_000,
}, async () => {
  const product = await start()
  running.push(product)
  const project = bootstrap(product, 'hang', 'web')
  await ready(product)
  const { traffic, engine } = await stopEngine(product, project, 'HangError')
  try {
    await until('health to notice', 15_000, async () => (await readyStatus(product)) === 503)
    expect((await fetch(`${product.url}/api/health/live`)).status).toBe(200)
    const askedMs = performance.now()
    const before = traffic.acknowledged.length
    const [list, tags] = await Promise.all([
      api(product, project, '/organizations/hang/issues/?query=HangError&statsPeriod=24h'),
      api(product, project, '/projects/hang/web/tags/'),
      pause(1500).then(() => expect(traffic.acknowledged.length).toBeGreaterThan(before + 10)),
    ])
    // Lists come from meta if possible. Requests that need the events store must fail soon.
    expect([200, 503, 504]).toContain(list.status)
    expect([200, 404, 503, 504]).toContain(tags.status)
    expect(performance.now() - askedMs).toBeLessThan(60_000)
    expect(traffic.refused[503] ?? 0).toBe(0)
  } finally {
    process.kill(engine, 'SIGCONT')
  }
  await traffic.stop()
  expect(await faultsOf(product, project, ['HangError'], traffic.acknowledged, true)).toEqual([])
  expect(engineOf(product)).toBe(engine)
})

test.skipIf(!long)(
  'an engine that hangs for half a minute is killed and started again; nothing is lost',
  { timeout: 180_000, concurrent: true },
  async () => {
    const product = await start()
    running.push(product)
    const project = bootstrap(product, 'stuck', 'web')
    await ready(product)
    const { traffic, engine } = await stopEngine(product, project, 'StuckError')
    await until('another engine', 60_000, async () => {
      const now = engineOf(product)
      return now > 1 && now !== engine
    })
    await traffic.stop()
    expect(await faultsOf(product, project, ['StuckError'], traffic.acknowledged, true)).toEqual([])
  },
)

const hourMs = 3_600_000
const shifts: [string, number][] = [
  ['two hours back', -2 * hourMs],
  ['a year back', -365 * 24 * hourMs],
  ['three days forward', 3 * 24 * hourMs],
  ['a month forward', 30 * 24 * hourMs],
  ['right again', 0],
]

test.concurrent('the clock is set back and forward: no event is lost, no lag is negative, nothing fresh is thrown away', {
  timeout: 180_000,
}, async () => {
  const product = await start()
  const file = `${product.data}.shift`
  await product.stop()
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(new URL('./shift.ts', import.meta.url).pathname)}`,
    SHIFT_FILE: file,
  }
  const options = { data: product.data, port: product.port, env }
  let shifted = await start(options)
  const project = bootstrap(shifted, 'clock', 'web')
  await ready(shifted)
  const acknowledged: Acknowledged[] = []
  const lags: number[] = []
  const first = errorEvent('ClockError', 'before all')
  expect((await ingest(shifted, project, envelopeOf(first))).status).toBe(200)
  acknowledged.push({ id: first.event_id, type: 'ClockError', ns: 0n })
  await settled(shifted, project)
  const [issue] = (await api(shifted, project, '/organizations/clock/issues/?query=ClockError&statsPeriod=24h'))
    .json as { id: string }[]
  for (const [what, offsetMs] of shifts) {
    const traffic = send(shifted, project, ['ClockError'], 2)
    await pause(400)
    writeFileSync(file, String(offsetMs))
    await pause(900)
    await traffic.stop()
    acknowledged.push(...traffic.acknowledged)
    expect({ what, refused: traffic.refused[503] ?? 0 }).toEqual({ what, refused: 0 })
    const answer = await api(shifted, project, '/status/')
    expect({ what, status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
      what,
      status: 200,
      text: '',
    })
    const status = answer.json as { journal: { lagBytes: number; oldestWaitingMs: number } }
    lags.push(status.journal.lagBytes, status.journal.oldestWaitingMs)
    await settled(shifted, project)
    if (Math.abs(offsetMs) < 20 * 24 * hourMs) continue
    // Restart with the shifted clock.
    await shifted.stop(offsetMs < 0 ? 'SIGKILL' : 'SIGTERM')
    shifted = await start(options)
    await readyAtLast(shifted)
  }
  running.push(shifted)
  const missing: string[] = []
  const unasked = acknowledged.map(({ id }) => id)
  const fetchAll = async () => {
    for (let id = unasked.shift(); id !== undefined; id = unasked.shift())
      if ((await api(shifted, project, `/projects/clock/web/events/${id}/`)).status !== 200) missing.push(id)
  }
  await Promise.all(Array.from({ length: 8 }, fetchAll))
  expect(missing).toEqual([])
  const item = (await api(shifted, project, `/organizations/clock/issues/${issue?.id}/`)).json as {
    lifetime?: { count: string }
    count: string
  }
  const { disk } = await settled(shifted, project)
  expect(Number(item.lifetime?.count ?? item.count)).toBe(disk.tables.find(({ table }) => table === 'events')?.rows)
  expect(Math.min(...lags)).toBeGreaterThanOrEqual(0)
  const status = await settled(shifted, project)
  expect(status.ledger).toMatchObject({ lost: 0, dead: 0 })
  rmSync(file, { force: true })
})
