// kill -9 of the product and of its engine while metrics arrive: each acknowledged point counts once, also if it is sent
// again, and totals of OpenTelemetry still become what was added.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { treeOf } from '../../bench/measure.ts'
import {
  api,
  bootstrap,
  discard,
  freePort,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'

const kills = 3
const state: { product?: Product } = {}
afterAll(async () => {
  if (state.product) await discard(state.product)
})

type Details = { groups: { value: number; points: number }[] }

/** Sends points of the SDK and totals of OpenTelemetry while the product restarts. Each is repeated until acknowledged. */
function traffic(project: Project, url: string) {
  const control = { stopped: false, points: 0, totals: 0, total: 0 }
  // A start that equals the time of the first total says that the start is unknown, and then that total is left out.
  const startNano = String(BigInt(Date.now() - 1000) * 1_000_000n)
  async function acknowledged(send: () => Promise<{ ok: boolean }>): Promise<void> {
    for (;;) {
      const { ok } = await send().catch(() => ({ ok: false }))
      if (ok) return
      await pause(20)
    }
  }
  async function points(): Promise<void> {
    while (!control.stopped) {
      const items = Array.from({ length: 20 }, (_, n) => ({
        timestamp: Date.now() / 1000,
        trace_id: 'aaaabbbbccccddddaaaabbbbccccdddd',
        name: 'points',
        type: 'counter',
        value: 1,
        // Equal bodies are duplicates, so each body is another.
        attributes: {
          n: { value: `${control.points + n}`.slice(-2), type: 'string' },
          at: { value: Math.random(), type: 'double' },
        },
      }))
      const body = `{}\n{"type":"trace_metric","item_count":20}\n${JSON.stringify({ items })}\n`
      await acknowledged(() => ingest({ url }, project, body))
      control.points += items.length
    }
  }
  async function totals(): Promise<void> {
    while (!control.stopped) {
      control.total += 5
      const point = {
        startTimeUnixNano: startNano,
        timeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
        asInt: String(control.total),
      }
      const metric = { name: 'total', sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [point] } }
      const body = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] })
      const path = `${url}/api/${project.id}/integration/otlp/v1/metrics?sentry_key=${project.key}`
      await acknowledged(() => fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body }))
      control.totals++
      await pause(30)
    }
  }
  return { control, runs: [points(), points(), totals()] }
}

/** The pid of the engine of a running product. */
const engineOf = (product: Product): number | undefined =>
  treeOf(product.child.pid ?? 0).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('engine.ts')
    } catch {
      return false
    }
  })

test(`${kills} kills of the product and ${kills} of the engine: points and totals are those that were sent`, {
  timeout: 300_000,
}, async () => {
  const port = await freePort()
  state.product = await start({ port })
  const { data } = state.product
  const project = bootstrap(state.product, 'numbers', 'web')
  await ready(state.product)
  const { control, runs } = traffic(project, state.product.url)
  for (let kill = 0; kill < kills; kill++) {
    await pause(1200 + kill * 500)
    const engine = engineOf(state.product)
    if (engine !== undefined) process.kill(engine, 'SIGKILL')
    await pause(1500 + kill * 700)
    await state.product.stop('SIGKILL')
    state.product = await start({ port, data })
    await ready(state.product, 60_000)
  }
  await pause(1000)
  control.stopped = true
  await Promise.all(runs)
  const { product } = state
  const resultOf = async (name: string) => {
    const path = `/organizations/numbers/metrics/details/?project=-1&statsPeriod=1h&name=${name}&aggregate=sum`
    return ((await api(product, project, path)).json as Details).groups?.[0]
  }
  expect(control.points).toBeGreaterThan(100)
  expect(control.totals).toBeGreaterThan(20)
  await until('all points', 60_000, async () => (await resultOf('points'))?.points === control.points)
  expect(await resultOf('points')).toEqual({
    group: '',
    value: control.points,
    points: control.points,
    series: expect.anything(),
  })
  // The last of them can be in a later batch than the last points.
  const totals = await until('all totals', 60_000, async () => {
    const found = await resultOf('total')
    return found?.points === control.totals && found
  })
  expect(totals.value).toBe(control.total)
  const ledger = (await api(product, project, '/organizations/numbers/ledger/?range=1h')).json as {
    rows: { category: string; outcome: string }[]
    lost?: number
  }
  const outcomes = new Set(ledger.rows.filter((row) => row.category === 'trace_metric').map((row) => row.outcome))
  expect([...outcomes].every((outcome) => ['stored', 'duplicate'].includes(outcome))).toBe(true)
  expect(ledger.lost ?? 0).toBe(0)
})
