// The cost of transactions for errors: errors alone, and each with a transaction of 20 spans. The client is local.
import { randomBytes } from 'node:crypto'
import { bootstrap, discard, type Product, type Project, ready, start } from '../e2e/product.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import type { Row } from './measure.ts'
import { drained, watch } from './pipeline.ts'

const children = 20
/** Errors per second for the comparison of lag. The machine can process both kinds at this rate. */
const calm = 300
const rounds = 3

/** A server request with its queries. Trace and event share one id, which the load overwrites at each send. */
function transaction(): Buffer {
  const id = randomBytes(16).toString('hex')
  const span = (n: number) => n.toString(16).padStart(16, 'a')
  const nowS = Date.now() / 1000
  const spans = Array.from({ length: children }, (_, n) => ({
    trace_id: id,
    span_id: span(n + 1),
    parent_span_id: span(0),
    op: n % 4 === 0 ? 'cache.get' : 'db',
    start_timestamp: nowS - 1 + n / 50,
    timestamp: nowS - 1 + n / 50 + 0.012,
    status: 'ok',
    origin: 'auto.db',
    description: `SELECT "order"."id", "order"."total" FROM "order" WHERE "order"."customer" = $1 LIMIT ${n}`,
    data: { 'db.system': 'postgresql', 'db.name': 'shop', 'server.address': 'db.internal', 'thread.id': n },
  }))
  const payload = {
    type: 'transaction',
    event_id: id,
    transaction: 'GET /orders/[id]',
    platform: 'node',
    release: 'shop@1',
    start_timestamp: nowS - 1,
    timestamp: nowS,
    environment: 'production',
    spans,
    contexts: {
      trace: { trace_id: id, span_id: span(0), op: 'http.server', status: 'ok', data: { 'http.route': '/' } },
    },
  }
  return Buffer.from(`{"event_id":"${id}"}\n{"type":"transaction"}\n${JSON.stringify(payload)}\n`)
}

type Run = { errorsPerS: number; lagP95Ms: number; refused: number; ingestP99Ms: number }

/** Sends for `seconds` and waits until all is stored. `rate`: errors/s. Without it, as fast as they are answered. */
async function run(
  product: Product,
  project: Project,
  isWithSpans: boolean,
  seconds: number,
  rate?: number,
): Promise<Run> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const { mix } = realBodies()
  const bodies = isWithSpans ? mix.flatMap((body) => [body, transaction()]) : mix
  const each = isWithSpans ? 2 : 1
  const began = performance.now()
  const load = runLoad(
    { port: product.port, path, bodies, connections: 16, ...(rate ? { rate: rate * each } : {}) },
    seconds,
  )
  const { result, lagMs } = await watch(product, project, load)
  await drained(product, project)
  return {
    errorsPerS: result.ok / each / ((performance.now() - began) / 1000),
    lagP95Ms: percentile(lagMs, 0.95),
    refused: result.sent - result.ok,
    ingestP99Ms: percentile(result.latenciesMs, 0.99),
  }
}

const median = (list: number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN
const shown = (list: number[]): string => list.map((value) => Math.round(value)).join(', ')

/** Rows for errors with and without transactions. `seconds`: length of a run at a fixed rate; the others take half. */
export async function benchSpans(seconds: number): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const project = bootstrap(product, 'bench', 'web')
  await ready(product)
  await run(product, project, true, 5)
  const alone = await run(product, project, false, seconds, calm)
  const withSpansRun = await run(product, project, true, seconds, calm)
  const most: Record<'alone' | 'beside', Run[]> = { alone: [], beside: [] }
  for (let round = 0; round < rounds; round++) {
    most.alone.push(await run(product, project, false, seconds / 2))
    most.beside.push(await run(product, project, true, seconds / 2))
  }
  await discard(product)
  const rates = (runs: Run[]) => runs.map((item) => item.errorsPerS)
  const [without, withSpans] = [median(rates(most.alone)), median(rates(most.beside))]
  return [
    {
      what: `errors accepted to stored with a transaction of ${children} spans beside each, as fast as is answered`,
      goal: 'none; the same errors alone',
      result: `${Math.round(withSpans)} errors/s and ${Math.round(withSpans * (children + 1))} spans/s, alone ${Math.round(without)} errors/s: ${(withSpans / without).toFixed(2)} (rounds ${shown(rates(most.beside))}; alone ${shown(rates(most.alone))}), until all is stored`,
      met: withSpans > 0,
    },
    {
      what: `lag at ${calm} errors/s with as many transactions of ${children} spans`,
      goal: 'p95 at most 1 s',
      result: `p95 ${Math.round(withSpansRun.lagP95Ms)} ms, accept p99 ${withSpansRun.ingestP99Ms.toFixed(1)} ms; errors alone ${Math.round(alone.lagP95Ms)} ms and ${alone.ingestP99Ms.toFixed(1)} ms; ${alone.refused + withSpansRun.refused} refused`,
      met: withSpansRun.lagP95Ms <= 1000,
    },
  ]
}
