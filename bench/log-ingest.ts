import { setTimeout as pause } from 'node:timers/promises'
import { api, bootstrap, discard, type Product, type Project, ready, start } from '../e2e/product.ts'
import { refineBody } from '../src/refine/pipeline/fixture.cases.ts'
import { encodeLogRow } from '../src/store/events/logs/encode.ts'
import { insertedPerS } from './bare-inserts.ts'
import { percentile, runLoad } from './load.ts'
import { createLogLoad, type LogLoad, linesEach } from './log-load.ts'
import { cpuOf, type Row } from './measure.ts'
import { drained, watch } from './pipeline.ts'

const linesPerS = 25_000
const shareMin = 0.4
const bytesMax = 30
/** Bodies of a bare insert, as when the goal was set: inserts of 24 MiB are up to twice as fast (decision 48). */
const batchBytes = 8 * 1024 * 1024
const bareBatches = 24
/** Offered for the share of bare inserts: more than the goal, so that the product decides. */
const offeredShare = 0.45

/** The rows of one batch as the product inserts them. `jpos` counts up over all batches. */
function encodeBatch(load: LogLoad, from: { index: number; jpos: number }): { tsv: Buffer; lines: number } {
  const lines: string[] = []
  for (let bytes = 0; bytes < batchBytes; ) {
    const body = load.next(from.index++)
    bytes += body.length
    from.jpos += body.length
    for (const { rows } of refineBody(body, { receivedMs: Date.now() }).logs)
      for (const row of rows) lines.push(encodeLogRow({ ...row, jpos: from.jpos }))
  }
  return { tsv: Buffer.from(lines.join('')), lines: lines.length }
}

/** Returns lines/s of bare inserts. */
const bareInserts = (load: LogLoad): Promise<number> => {
  const from = { index: 0, jpos: 0 }
  return insertedPerS('logs', () =>
    Array.from({ length: bareBatches }, () => encodeBatch(load, from)).map(({ tsv, lines }) => ({ tsv, rows: lines })),
  )
}

type Run = { accepted: number; stored: number; lagMs: number[]; cores: string; refused: number; p99Ms: number }

/** Sends `perS` lines a second and waits until all is stored. */
async function send(
  product: Product,
  project: Project,
  load: LogLoad,
  seconds: number,
  perS = linesPerS,
): Promise<Run> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const before = cpuOf(product.child.pid ?? 0)
  const began = performance.now()
  const { result, lagMs } = await watch(
    product,
    project,
    runLoad(
      { port: product.port, path, bodies: load.bodies, connections: 16, rate: perS / linesEach, renew: load.next },
      seconds,
    ),
  )
  const used = Object.entries(cpuOf(product.child.pid ?? 0)).map(
    ([name, total]) => `${name} ${((total - (before[name] ?? 0)) / seconds).toFixed(2)}`,
  )
  await drained(product, project)
  return {
    accepted: (result.ok * linesEach) / result.seconds,
    stored: (result.ok * linesEach * 1000) / (performance.now() - began),
    lagMs,
    cores: used.join(', '),
    refused: result.sent - result.ok,
    p99Ms: percentile(result.latenciesMs, 0.99),
  }
}

/** Bytes of a line on disk, and the number of stored lines. */
async function diskOf(product: Product, project: Project): Promise<{ each: number; rows: number }> {
  const { json } = await api(product, project, '/status/')
  const { tables } = (json as { disk: { tables: { table: string; rows: number; bytesOnDisk: number }[] } }).disk
  const found = tables.find(({ table }) => table === 'logs')
  return { each: (found?.bytesOnDisk ?? 0) / Math.max(1, found?.rows ?? 0), rows: found?.rows ?? 0 }
}

const shown = (run: Run): string =>
  `${Math.round(run.accepted)} lines/s accepted (p99 ${run.p99Ms.toFixed(0)} ms, ${run.refused} refused), ${Math.round(run.stored)}/s until all is stored, lag p50 ${Math.round(percentile(run.lagMs, 0.5))} and p95 ${Math.round(percentile(run.lagMs, 0.95))} ms; cores: ${run.cores}`

/** Rows for the rate of lines, their cost beside bare inserts, and their bytes on disk. */
export async function benchLogIngest(seconds: number): Promise<Row[]> {
  const load = createLogLoad()
  const bare = await bareInserts(load)
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    await send(product, project, load, 3)
    const run = await send(product, project, load, seconds)
    const most = await send(product, project, load, Math.min(seconds, 20), bare * offeredShare)
    await pause(5000)
    const disk = await diskOf(product, project)
    const share = most.stored / bare
    return [
      {
        what: `log lines of 200 bytes with 12 attributes, ${linesEach} in an envelope, accepted to queryable at ${linesPerS}/s for ${seconds} s`,
        goal: `${linesPerS} lines/s`,
        result: shown(run),
        met: run.stored >= linesPerS * 0.97,
      },
      {
        what: 'the most that is stored, beside bare inserts of the same rows, 8 MiB of bodies each',
        goal: `${shareMin} of bare inserts`,
        result: `${share.toFixed(2)} of ${Math.round(bare)} lines/s; offered ${Math.round(bare * offeredShare)}/s: ${shown(most)}`,
        met: share >= shareMin,
      },
      {
        what: 'disk for such a line, with its index of words',
        goal: `at most ${bytesMax} bytes`,
        result: `${disk.each.toFixed(1)} bytes, ${disk.rows} lines, 5 s after the last one`,
        met: disk.each <= bytesMax,
      },
    ]
  } finally {
    await discard(product)
  }
}
