// Points of metrics from accepted to queryable: of OpenTelemetry over OTLP, and of the JavaScript SDK. The load client is
// local.
import { setTimeout as pause } from 'node:timers/promises'
import { api, bootstrap, discard, type Product, type Project, ready, start } from '../e2e/product.ts'
import { percentile, runLoad } from './load.ts'
import { cpuOf, type Row } from './measure.ts'
import { createOtlpMetricLoad, createSdkMetricLoad } from './metric-load.ts'
import { drained, watch } from './pipeline.ts'

const pointsPerS = 50_000
const bytesMax = 12

type Load = ReturnType<typeof createOtlpMetricLoad>
type Way = { path: string; contentType: string; load: Load }

/** Sends points at the goal's rate, and waits until all are stored. */
async function send(product: Product, project: Project, { path, contentType, load }: Way, seconds: number) {
  const before = cpuOf(product.child.pid ?? 0)
  const began = performance.now()
  const { result, lagMs } = await watch(
    product,
    project,
    runLoad(
      {
        port: product.port,
        path: `/api/${project.id}/${path}?sentry_key=${project.key}`,
        contentType,
        bodies: [load.body],
        connections: 16,
        rate: pointsPerS / load.points,
        renew: load.next,
      },
      seconds,
    ),
  )
  const cores = Object.entries(cpuOf(product.child.pid ?? 0)).map(
    ([name, used]) => `${name} ${((used - (before[name] ?? 0)) / seconds).toFixed(2)}`,
  )
  await drained(product, project)
  const points = result.ok * load.points
  return {
    accepted: points / result.seconds,
    stored: (points * 1000) / (performance.now() - began),
    refused: result.sent - result.ok,
    lagP95: percentile(lagMs, 0.95),
    lagP50: percentile(lagMs, 0.5),
    p99Ms: percentile(result.latenciesMs, 0.99),
    cores: cores.join(', '),
  }
}

async function tableOf(product: Product, project: Project): Promise<{ rows: number; bytes: number }> {
  const { json } = await api(product, project, '/status/')
  const { tables } = (json as { disk: { tables: { table: string; rows: number; bytesOnDisk: number }[] } }).disk
  const found = tables.find(({ table }) => table === 'metrics')
  return { rows: found?.rows ?? 0, bytes: found?.bytesOnDisk ?? 0 }
}

/** Measures one way of sending on a product of its own. */
async function measure(what: string, way: Way, seconds: number): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    await send(product, project, way, 3)
    const run = await send(product, project, way, seconds)
    await pause(5000)
    const { rows, bytes } = await tableOf(product, project)
    return [
      {
        what: `${what}, accepted to queryable at ${pointsPerS} points/s for ${seconds} s`,
        goal: `${pointsPerS} points/s with a lag of at most 1 s`,
        result: `${Math.round(run.accepted)} points/s accepted (p99 ${run.p99Ms.toFixed(0)} ms, ${run.refused} refused), ${Math.round(run.stored)}/s until all is stored, lag p50 ${Math.round(run.lagP50)} and p95 ${Math.round(run.lagP95)} ms; cores: ${run.cores}`,
        met: run.stored >= pointsPerS * 0.97 && run.lagP95 <= 1000 && run.refused === 0,
      },
      {
        what: `disk for a point: ${what}`,
        goal: `at most ${bytesMax} bytes`,
        result: `${(bytes / Math.max(1, rows)).toFixed(1)} bytes, ${rows} points, 5 s after the last one`,
        met: rows > 0 && bytes / rows <= bytesMax,
      },
    ]
  } finally {
    await discard(product)
  }
}

/** Rows for the rate of points and their bytes on disk. */
export const benchMetricIngest = async (seconds: number): Promise<Row[]> => [
  ...(await measure(
    'points of OpenTelemetry with four attributes, 1,000 in a protobuf body',
    { path: 'integration/otlp/v1/metrics', contentType: 'application/x-protobuf', load: createOtlpMetricLoad() },
    seconds,
  )),
  ...(await measure(
    'points of SDK 11 with a trace id, 1,000 in a container of 20 traces',
    { path: 'envelope/', contentType: 'text/plain;charset=UTF-8', load: createSdkMetricLoad() },
    Math.min(seconds, 20),
  )),
]
