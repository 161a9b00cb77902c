// What the product costs while it runs: cores and memory when fresh and idle, at 100 and at 2,000 events/s, with no
// screen open and nothing that asks the API. `--against FOLDER` measures the checkout in that folder before this one.
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { api, bootstrap, discard, type Product, type Project, ready, start, until } from '../e2e/product.ts'
import { realBodies, runLoad } from './load.ts'
import { cpuOf, cpuSecondsOf, pssOf, type Row } from './measure.ts'

/** `eventMs`: processor time of an event in ms, until all are stored. */
type Cost = { cores: number; eachCores: string; pss: number; eachPss: string; eventMs?: number }

/** Cores and memory while `work` runs. Memory is the highest of a sample each two seconds. */
async function costOf(product: Product, seconds: number, work: Promise<unknown>): Promise<Cost> {
  const pid = product.child.pid ?? 0
  const before = cpuOf(pid)
  const began = performance.now()
  let pss = pssOf(pid)
  const state = { done: false }
  void work.then(() => {
    state.done = true
  })
  while (!state.done && performance.now() - began < seconds * 1000 - 1000) {
    await pause(2000)
    const now = pssOf(pid)
    if (now.total > pss.total) pss = now
  }
  await work
  const took = (performance.now() - began) / 1000
  const used = Object.entries(cpuOf(pid)).map(([name, total]) => [name, (total - (before[name] ?? 0)) / took] as const)
  return {
    cores: used.reduce((sum, [, cores]) => sum + cores, 0),
    eachCores: used.map(([name, cores]) => `${name} ${cores.toFixed(3)}`).join(', '),
    pss: pss.total,
    eachPss: pss.each,
  }
}

async function atRate(product: Product, project: Project, rate: number, seconds: number): Promise<Cost> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const options = { port: product.port, path, bodies: realBodies().mix, connections: 16, rate }
  await runLoad(options, 3)
  // By then all of that is stored, and the end of the rate before, which asked the API, is over 10 s ago.
  await pause(8000)
  const pid = product.child.pid ?? 0
  const before = cpuSecondsOf(pid)
  const load = runLoad(options, seconds)
  const cost = await costOf(product, seconds, load)
  await until('the journal to drain', 60_000, async () => {
    const { json } = await api(product, project, '/status/')
    return (json as { journal: { lagBytes: number } }).journal.lagBytes === 0
  })
  return { ...cost, eventMs: (1000 * (cpuSecondsOf(pid) - before)) / (await load).ok }
}

const goals = { idle: { cores: 0.01, pss: 330 }, 100: { cores: 0.15, pss: 450 }, 2000: { cores: 1, pss: 600 } }

async function rowsOf(name: string, seconds: number, tree?: string): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' }, ...(tree ? { tree } : {}) })
  try {
    await ready(product)
    await pause(10_000)
    const rows: Row[] = []
    const add = (
      what: string,
      { cores, pss, eachCores, eachPss, eventMs }: Cost,
      goal: { cores: number; pss: number },
    ) =>
      rows.push({
        what: `${what}${name}: cores; memory of all processes (PSS)`,
        goal: `${goal.cores}; ${goal.pss} MB`,
        result: `${cores.toFixed(3)} (${eachCores}); ${pss} MB (${eachPss})${eventMs === undefined ? '' : `; ${eventMs.toFixed(2)} ms of a core an event until all is stored`}`,
        met: cores <= goal.cores && pss <= goal.pss,
      })
    add('fresh and idle', await costOf(product, seconds, pause(seconds * 1000)), goals.idle)
    const project = bootstrap(product, 'bench', 'web')
    await pause(1000)
    add('100 events/s', await atRate(product, project, 100, seconds), goals[100])
    add('2,000 events/s', await atRate(product, project, 2000, seconds), goals[2000])
    // By now V8 has compiled what is hot. At 100 events/s that takes minutes.
    add('100 events/s after that', await atRate(product, project, 100, seconds), goals[100])
    return rows
  } finally {
    await discard(product)
  }
}

/** Rows for cores and memory. Each rate runs for `seconds`. `against`: another checkout, which is measured first. */
export async function benchCost(seconds: number, against?: string): Promise<Row[]> {
  const other = against === undefined ? [] : await rowsOf(' (other checkout)', seconds, resolve(against))
  return [...other, ...(await rowsOf('', seconds))]
}
