// Sustained throughput from accepted to queryable, with memory and disk at each rate. The load client is local.
import { setTimeout as pause } from 'node:timers/promises'
import { api, bootstrap, discard, type Product, type Project, ready, start, until } from '../e2e/product.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import { cpuOf, pssOf, type Row } from './measure.ts'

type Status = {
  journal: { lagBytes: number; oldestWaitingMs: number; eventsWaitingMs: number }
  ledger: { stored: number; received: number; lost: number }
  disk: { tables: { table: string; rows: number; bytesOnDisk: number; bytesRaw: number }[] }
}

const statusOf = async (product: Product, project: Project): Promise<Status> =>
  (await api(product, project, '/status/')).json as Status

/** Samples lag and memory each second while `load` runs. The lags are sorted. */
export async function watch<T>(
  product: Product,
  project: Project,
  load: Promise<T>,
): Promise<{ result: T; lagMs: number[]; eventsLagMs: number[]; pss: { total: number; each: string } }> {
  const state = { done: false, lagMs: [] as number[], eventsLagMs: [] as number[], pss: { total: 0, each: '' } }
  const watching = (async () => {
    while (!state.done) {
      await pause(1000)
      const status = await statusOf(product, project).catch(() => undefined)
      if (status) {
        state.lagMs.push(status.journal.oldestWaitingMs)
        state.eventsLagMs.push(status.journal.eventsWaitingMs)
      }
      const pss = pssOf(product.child.pid ?? 0)
      if (pss.total > state.pss.total) state.pss = pss
    }
  })()
  const result = await load
  state.done = true
  await watching
  const sorted = (list: number[]) => list.sort((a, b) => a - b)
  return { result, lagMs: sorted(state.lagMs), eventsLagMs: sorted(state.eventsLagMs), pss: state.pss }
}

/** Waits until all accepted records are stored. */
export const drained = (product: Product, project: Project) =>
  until('the journal to drain', 120_000, async () => (await statusOf(product, project)).journal.lagBytes === 0)

/** Makes one sustained run: offered rate, stored rate, lag, memory and CPU by process. */
async function sustained(product: Product, project: Project, rate: number, seconds: number) {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const cpuBefore = cpuOf(product.child.pid ?? 0)
  const seen = await watch(
    product,
    project,
    runLoad({ port: product.port, path, bodies: realBodies().mix, connections: 32, rate }, seconds),
  )
  const cpuAfter = cpuOf(product.child.pid ?? 0)
  await drained(product, project)
  const cpu = Object.entries(cpuAfter).map(
    ([name, used]) => `${name} ${((used - (cpuBefore[name] ?? 0)) / seconds).toFixed(2)}`,
  )
  return {
    ...seen,
    rate: seen.result.ok / seen.result.seconds,
    lagP95: percentile(seen.lagMs, 0.95),
    cpu: cpu.join(', '),
  }
}

/** Rows for throughput, memory and disk. Each run takes `seconds`. */
export async function benchPipeline(seconds: number): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const project = bootstrap(product, 'bench', 'web')
  await ready(product)
  const rows: Row[] = []
  const slow = await sustained(product, project, 1000, Math.max(20, seconds / 2))
  rows.push({
    what: 'memory of all processes (PSS) at 1,000 events/s',
    goal: '900 MB',
    result: `${slow.pss.total} MB (${slow.pss.each}); lag p95 ${Math.round(slow.lagP95)} ms`,
    met: slow.pss.total <= 900,
  })
  let best: Awaited<ReturnType<typeof sustained>> | undefined
  for (const rate of [4000, 5000, 6500, 8000, 10_000]) {
    const run = await sustained(product, project, rate, rate === 4000 ? seconds : Math.min(seconds, 30))
    console.error(
      `offered ${rate}/s: accepted ${Math.round(run.rate)}/s, lag p95 ${Math.round(run.lagP95)} ms, CPU ${run.cpu}, PSS ${run.pss.total}`,
    )
    if (run.lagP95 > 1000 || run.rate < rate * 0.97) {
      best ??= run
      break
    }
    best = run
  }
  if (best) {
    const met = best.rate >= 4000 && best.lagP95 <= 1000
    rows.push({
      what: 'accepted to queryable, sustained, 70% 2 kB and 30% 14 kB',
      goal: 'at least 4,000 events/s with a lag of at most 1 s',
      result: `${Math.round(best.rate)} events/s, lag p95 ${Math.round(best.lagP95)} ms, accept p99 ${percentile(best.result.latenciesMs, 0.99).toFixed(1)} ms; cores used: ${best.cpu}`,
      met,
    })
    rows.push({
      what: 'memory of all processes (PSS) at the sustained maximum',
      goal: '1.6 GB',
      result: `${best.pss.total} MB (${best.pss.each})`,
      met: best.pss.total <= 1600,
    })
  }
  const status = await statusOf(product, project)
  const events = status.disk.tables.find((table) => table.table === 'events')
  const { mix } = realBodies()
  const rawBytes = mix.reduce((sum, body) => sum + body.length, 0) / mix.length
  if (events) {
    const each = events.bytesOnDisk / Math.max(1, events.rows)
    rows.push({
      what: 'disk for an event (both forms of the payload)',
      goal: 'at most 1/5 of its JSON',
      result: `${Math.round(each)} bytes of ${Math.round(rawBytes)}: 1/${(rawBytes / each).toFixed(1)}; ${events.rows} rows, events table without rollups`,
      met: each <= rawBytes / 5,
      note: 'the same recorded bodies again and again pack better than real ones',
    })
  }
  rows.push(await idle(product, project))
  await discard(product)
  return rows
}

async function idle(product: Product, project: Project): Promise<Row> {
  const status = await statusOf(product, project)
  await product.stop()
  const restarted = await start({ data: product.data, port: product.port, env: { MISHAP_LOG_LEVEL: 'warn' } })
  await ready(restarted)
  await api(restarted, project, '/organizations/bench/issues/?query=')
  await pause(10_000)
  const pss = pssOf(restarted.child.pid ?? 0)
  await restarted.stop()
  return {
    what: `memory of all processes (PSS), idle with ${status.ledger.stored} events`,
    goal: '550 MB (with 100k)',
    result: `${pss.total} MB (${pss.each})`,
    met: pss.total <= 550,
  }
}
