// 10,000 events whose maps arrive later: the time until they are mapped, and the effect on events arriving meanwhile.
import { setTimeout as pause } from 'node:timers/promises'
import { settled } from '../e2e/crash/traffic.ts'
import { type Build, buildOf, failedEvent, runsOf, uploadBuild } from '../e2e/mapped.ts'
import { api, bootstrap, discard, envelopeOf, type Product, type Project, ready, start, until } from '../e2e/product.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import { cpuOf, type Row } from './measure.ts'

type Status = { journal: { waitingRecords: number; oldestWaitingMs: number }; ledger: { stored: number } }

const eventsMax = 10_000
const statusOf = async (product: Product, project: Project) => (await api(product, project, '/status/')).json as Status

/** Bodies of about 7 kB: a failure of the build with breadcrumbs like those of a browser. */
function bodiesOf(build: Build): Buffer[] {
  const values = Array.from({ length: 30 }, (_, n) => ({
    type: 'http',
    category: 'fetch',
    timestamp: Date.now() / 1000 - n,
    level: 'info',
    data: { method: 'GET', url: `https://shop.test/api/items/${n}?page=${n * 7}`, status_code: 200 },
  }))
  const body = (kind: 'cart' | 'search') =>
    Buffer.from(envelopeOf(failedEvent(build, kind, { breadcrumbs: { values } })))
  return [body('cart'), body('cart'), body('search')]
}

const stored = (product: Product, project: Project, count: number) =>
  until(`${count} events`, 180_000, async () => (await statusOf(product, project)).ledger.stored >= count)

/** Samples the age of the oldest waiting record in ms, every half second until `done` is set. */
async function lagOf(product: Product, project: Project, state: { done: boolean }): Promise<number[]> {
  const found: number[] = []
  while (!state.done) {
    const status = await statusOf(product, project).catch(() => undefined)
    if (status) found.push(status.journal.oldestWaitingMs)
    await pause(500)
  }
  return found.sort((a, b) => a - b)
}

/** Sends plain events at a rate for some time. Returns the accepted events per second and their lag. */
async function loaded(product: Product, project: Project, rate: number, seconds: number) {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const state = { done: false }
  const lag = lagOf(product, project, state)
  const { ok, seconds: took } = await runLoad(
    { port: product.port, path, bodies: realBodies().mix, connections: 16, rate },
    seconds,
  )
  state.done = true
  return { rate: ok / took, lagP95: percentile(await lag, 0.95) }
}

const text = ({ rate, lagP95 }: { rate: number; lagP95: number }) =>
  `${Math.round(rate)} events/s with a lag p95 of ${Math.round(lagP95)} ms`

/** Rows for reprocessing, alone and under a load of `rate` events/s. */
export async function benchRetro(rate = 1500, seconds = 20): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const project = bootstrap(product, 'bench', 'web')
  await ready(product)
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const rows: Row[] = []
  let count = 0
  const before = await loaded(product, project, rate, seconds)
  for (const isLoaded of [false, true]) {
    // Wait until the previous load is stored. With an earlier count, the upload came after a third of the events.
    count = (await settled(product, project, 120_000)).ledger.stored
    const build = await buildOf(isLoaded ? 'loaded' : 'alone')
    const sent = { ok: 0 }
    while (sent.ok < eventsMax) {
      const load = { port: product.port, path, bodies: bodiesOf(build), connections: 16, rate: 2000 }
      sent.ok += (await runLoad(load, (eventsMax - sent.ok) / 2000 + 0.2)).ok
    }
    await stored(product, project, count + sent.ok)
    const cpuBefore = cpuOf(product.child.pid ?? 0)
    const traffic = isLoaded ? loaded(product, project, rate, seconds) : undefined
    await uploadBuild(product, project, build)
    const began = performance.now()
    const [run] = await until('events to be mapped again', 180_000, async () => {
      const found = await runsOf(product, project)
      return found.length === (isLoaded ? 2 : 1) && found.every((item) => item.dateEnded !== null) && found
    })
    const tookS = (performance.now() - began) / 1000
    const cpu = Object.entries(cpuOf(product.child.pid ?? 0))
      .map(([name, used]) => `${name} ${(used - (cpuBefore[name] ?? 0)).toFixed(1)} s`)
      .join(', ')
    const mapped = run?.mapped ?? 0
    rows.push({
      what: `${mapped} events mapped again after an upload${isLoaded ? `, beside ${rate} new events/s` : ''}`,
      goal: '10,000 within 60 s',
      result: `${tookS.toFixed(1)} s after the upload, ${run?.issues} issues, ${run?.error || 'no error'}; CPU ${cpu}`,
      met: mapped >= eventsMax && (tookS / mapped) * 10_000 <= 60,
    })
    const meanwhile = await traffic
    if (meanwhile)
      rows.push({
        what: 'new events while others are mapped again',
        goal: `at least 0.97 of the ${rate}/s that are offered, lag p95 at most 1 s`,
        result: `${text(meanwhile)}; before, without: ${text(before)}`,
        met: meanwhile.rate >= rate * 0.97 && meanwhile.lagP95 <= 1000,
      })
  }
  await discard(product)
  return rows
}
