import { setTimeout as pause } from 'node:timers/promises'
import { api, bootstrap, discard, type Product, type Project, ready, start } from '../e2e/product.ts'
import { refineBody } from '../src/refine/pipeline/fixture.cases.ts'
import type { SpanRow } from '../src/store/events/span-store.ts'
import { encodeSpanRow } from '../src/store/events/traces/encode-span.ts'
import { insertedPerS } from './bare-inserts.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import { cpuOf, type Row } from './measure.ts'
import { drained, watch } from './pipeline.ts'
import { createSpanLoad, type SpanLoad } from './span-load.ts'

const spansPerS = 20_000
const errorsPerS = 300
const shareMin = 0.4
const bytesMax = 40
/** Bodies of a bare insert, as when the goal was set: inserts of 24 MiB are up to twice as fast (decision 48). */
const batchBytes = 8 * 1024 * 1024
const bareBatches = 16
/** Offered for the share of bare inserts: more than the goal, so that the product decides. */
const offeredShare = 0.45

/** The rows of one batch as the product inserts them. `jpos` counts up over all batches. */
function encodeBatch(load: SpanLoad, from: { index: number; jpos: number }): { tsv: Buffer; spans: number } {
  const lines: string[] = []
  for (let bytes = 0; bytes < batchBytes; ) {
    const { body } = load.next(from.index++)
    bytes += body.length
    from.jpos += body.length
    for (const { rows } of refineBody(body, { receivedMs: Date.now() }).spans)
      for (const row of rows) lines.push(encodeSpanRow({ ...(row as SpanRow), jpos: from.jpos }))
  }
  return { tsv: Buffer.from(lines.join('')), spans: lines.length }
}

/** Returns spans/s of bare inserts. */
const bareInserts = (load: SpanLoad): Promise<number> => {
  const from = { index: 0, jpos: 0 }
  return insertedPerS('spans', () =>
    Array.from({ length: bareBatches }, () => encodeBatch(load, from)).map(({ tsv, spans }) => ({ tsv, rows: spans })),
  )
}

type Run = {
  accepted: number
  stored: number
  lagMs: number[]
  eventsLagMs: number[]
  cores: string
  refused: number
  p99Ms: number
}

/** Sends `perS` spans and `errors` errors per second. Waits until all is stored. */
async function send(
  product: Product,
  project: Project,
  load: SpanLoad,
  { seconds, perS = spansPerS, errors = 0 }: { seconds: number; perS?: number; errors?: number },
): Promise<Run> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const target = { port: product.port, path }
  const before = cpuOf(product.child.pid ?? 0)
  const began = performance.now()
  let spans = 0
  const renew = (index: number) => {
    const next = load.next(index)
    spans += next.spans
    return next.body
  }
  const sent = runLoad({ ...target, bodies: load.bodies, connections: 32, rate: perS / load.spansEach, renew }, seconds)
  const beside =
    errors > 0
      ? runLoad({ ...target, bodies: realBodies().mix, connections: 8, rate: errors }, seconds)
      : Promise.resolve(undefined)
  const { result, lagMs, eventsLagMs } = await watch(product, project, Promise.all([sent, beside]))
  const used = Object.entries(cpuOf(product.child.pid ?? 0)).map(
    ([name, total]) => `${name} ${((total - (before[name] ?? 0)) / seconds).toFixed(2)}`,
  )
  await drained(product, project)
  const all = result.filter((item) => item !== undefined)
  return {
    accepted: spans / result[0].seconds,
    stored: (spans * 1000) / (performance.now() - began),
    lagMs,
    eventsLagMs,
    cores: used.join(', '),
    refused: all.reduce((sum, item) => sum + item.sent - item.ok, 0),
    p99Ms: percentile(result[0].latenciesMs, 0.99),
  }
}

/** Bytes of a span on disk with its rollup, and the number of stored spans. */
async function diskOf(product: Product, project: Project): Promise<{ each: number; rows: number; rollup: number }> {
  const { json } = await api(product, project, '/status/')
  const { tables } = (json as { disk: { tables: { table: string; rows: number; bytesOnDisk: number }[] } }).disk
  const of = (name: string) => tables.find(({ table }) => table === name)
  const rows = of('spans')?.rows ?? 0
  const each = (name: string) => (of(name)?.bytesOnDisk ?? 0) / Math.max(1, rows)
  return { each: each('spans'), rows, rollup: each('span_rollup') }
}

const lagOf = (lags: number[], share: number) => Math.round(percentile(lags, share))

const shown = (run: Run): string =>
  `${Math.round(run.accepted)} spans/s accepted (p99 ${run.p99Ms.toFixed(0)} ms, ${run.refused} refused), ${Math.round(run.stored)}/s until all is stored, lag p50 ${lagOf(run.lagMs, 0.5)} and p95 ${lagOf(run.lagMs, 0.95)} ms; cores: ${run.cores}`

/** Rows for the rate of spans, their cost beside bare inserts and beside errors, and their bytes on disk. */
export async function benchSpanIngest(seconds: number): Promise<Row[]> {
  const load = createSpanLoad()
  const bare = await bareInserts(load)
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    await send(product, project, load, { seconds: 3 })
    const alone = await send(product, project, load, { seconds })
    const most = await send(product, project, load, { seconds: Math.min(seconds, 20), perS: bare * offeredShare })
    const beside = await send(product, project, load, { seconds: Math.min(seconds, 30), errors: errorsPerS })
    await pause(5000)
    const disk = await diskOf(product, project)
    const share = most.stored / bare
    return [
      {
        what: `span v2 of SDK 11, ${load.spansEach.toFixed(1)} spans an envelope, accepted to queryable at ${spansPerS} spans/s for ${seconds} s`,
        goal: `${spansPerS} spans/s with a lag of at most 1 s`,
        result: shown(alone),
        met: alone.accepted >= spansPerS * 0.97 && percentile(alone.lagMs, 0.95) <= 1000,
      },
      {
        what: 'the most that is stored, beside bare inserts of the same rows, 8 MiB of bodies each',
        goal: `${shareMin} of bare inserts`,
        result: `${share.toFixed(2)} of ${Math.round(bare)} spans/s; offered ${Math.round(bare * offeredShare)}/s: ${shown(most)}`,
        met: share >= shareMin,
      },
      {
        what: `the same beside ${errorsPerS} errors/s`,
        goal: 'lag p95 of errors at most 1 s',
        result: `lag of errors p50 ${lagOf(beside.eventsLagMs, 0.5)} and p95 ${lagOf(beside.eventsLagMs, 0.95)} ms; of all: ${shown(beside)}`,
        met: percentile(beside.eventsLagMs, 0.95) <= 1000 && beside.refused === 0,
      },
      {
        what: 'disk for a span',
        goal: `at most ${bytesMax} bytes`,
        result: `${disk.each.toFixed(1)} bytes, and ${disk.rollup.toFixed(1)} of the rollup, ${disk.rows} spans, 5 s after the last one`,
        met: disk.each + disk.rollup <= bytesMax,
        note: 'the same recorded bodies with other ids and times',
      },
    ]
  } finally {
    await discard(product)
  }
}
