// kill -9 at each step of the downsampling of traces: traces stay or go as a whole, and all counts stay the same.
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
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
import { traceSteps } from './trace-steps.ts'
import { settled, verifyFaults } from './traffic.ts'

let running: Product | undefined
afterAll(async () => {
  if (running) await discard(running)
})

/** By default, one step before the commit and three after it. CRASH_STEPS names steps; `--rounds 2` runs all. */
const few = ['build-answered', 'commit-done', 'segments-answered', 'replace-answered'] as const
const named = process.env.CRASH_STEPS?.split(',')
const steps = traceSteps.filter((step) =>
  named ? named.includes(step) : Number(process.env.CRASH_ROUNDS ?? 1) > 1 || few.some((item) => item === step),
)
const dayMs = 86_400_000
/** One day of traces for each step. The newest of them is old enough to be downsampled. */
const daysAgo = steps.map((_, at) => steps.length + 3 - at)
const tracesEach = 120
const spansOfTrace = 3
const roundMs = 90_000
const here = (name: string) => pathToFileURL(new URL(name, import.meta.url).pathname)

const text = (value: string) => ({ value, type: 'string' })

/** A trace whose rows do not compress, so that the spans are most of what is stored. Every 20th fails. */
function containerOf(n: number, atMs: number): { traceId: string; body: Buffer } {
  const traceId = randomBytes(16).toString('hex')
  const items = Array.from({ length: spansOfTrace }, (_, at) => ({
    trace_id: traceId,
    span_id: `${traceId.slice(0, 14)}${at}${at}`,
    ...(at === 0 ? {} : { parent_span_id: `${traceId.slice(0, 14)}00` }),
    name: at === 0 ? `GET /route-${n % 4}` : 'SELECT 1',
    status: n % 20 === 0 && at === 1 ? 'error' : 'ok',
    is_segment: at === 0,
    start_timestamp: atMs / 1000 - 1,
    end_timestamp: atMs / 1000 - 0.5 + n / 1000,
    attributes: {
      'sentry.op': text(at === 0 ? 'http.server' : 'db'),
      'sentry.segment.id': text(`${traceId.slice(0, 14)}00`),
      'sentry.sample_rate': { value: 0.25, type: 'double' },
      noise: text(randomBytes(3000).toString('base64')),
      ...(at === 0 ? { 'http.route': text(`/route-${n % 4}`) } : {}),
    },
  }))
  const head = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
  const body = `{}\n${JSON.stringify(head)}\n${JSON.stringify({ version: 2, items })}\n`
  return { traceId, body: Buffer.from(body) }
}

type Status = {
  ledger: { stored: number; lost: number; thinned: number }
  disk: {
    tables: { table: string; rows: number }[]
    budget: { storedBytes: number; spanBytes: number }
    thinned: { spans: number }[]
  }
}
const statusOf = async (product: Product, project: Project) => (await api(product, project, '/status/')).json as Status

/** Extrapolated counts, as pages show them: spans and failures by route, from the rows. */
async function countsOf(product: Product, project: Project): Promise<string[]> {
  const query = 'dataset=spans&field=route&field=count()&field=failure_count()&query=&statsPeriod=30d'
  const { json } = await api(product, project, `/organizations/${project.org}/events/?${query}`)
  const { data } = json as { data: Record<string, string | number>[] }
  return data
    .map(
      (row) => `${row['route']}: ${Math.round(Number(row['count()']))}, ${Math.round(Number(row['failure_count()']))}`,
    )
    .sort()
}

test('killed at each step of the downsampling of traces', { timeout: (steps.length + 3) * roundMs }, async () => {
  const port = await freePort()
  let product = await start({ port, env: { MISHAP_DISK_BUDGET: 'off' } })
  running = product
  const { data } = product
  const [markFile, shiftFile] = [`${data}.reached`, `${data}.shift`]
  const project = bootstrap(product, 'traces', 'shop')
  await ready(product)
  await product.stop()
  const sent = new Map<string, number>()
  for (const ago of daysAgo) {
    writeFileSync(shiftFile, String(-ago * dayMs))
    const env = { NODE_OPTIONS: `--import=${here('./shift.ts')}`, SHIFT_FILE: shiftFile, MISHAP_DISK_BUDGET: 'off' }
    product = await start({ data, port, env })
    running = product
    await ready(product)
    for (let n = 0; n < tracesEach; n++) {
      const { traceId, body } = containerOf(n, Date.now() - ago * dayMs)
      expect((await ingest(product, project, body)).status).toBe(200)
      sent.set(traceId, n)
    }
    await settled(product, project)
    await product.stop()
  }
  product = await start({ data, port, env: { MISHAP_DISK_BUDGET: 'off' } })
  running = product
  await settled(product, project)
  const first = await statusOf(product, project)
  const counts = await countsOf(product, project)
  expect(first.ledger.stored).toBe(sent.size * spansOfTrace)
  expect(counts).toHaveLength(4)
  let removed = 0
  for (const step of steps) {
    const { budget } = (await statusOf(product, project)).disk
    await product.stop()
    rmSync(markFile, { force: true })
    // Far below, so that the run waits for no replaced parts. It is killed in its first step, and ends with one.
    const wanted = budget.storedBytes - Math.round(budget.spanBytes * 0.3)
    const env = {
      NODE_OPTIONS: `--import=${here('./trace-steps.ts')}`,
      TRACE_STEP: step,
      TRACE_DONE: markFile,
      MISHAP_DISK_BUDGET: String(wanted),
    }
    product = await start({ data, port, env })
    running = product
    await until(`${step} to be reached`, 60_000, async () => existsSync(markFile))
    await product.stop('SIGKILL')
    // This state has no faults: an unfinished step counts as done or as not started.
    expect({ step, faults: await verifyFaults(data) }).toEqual({ step, faults: '' })
    product = await start({ data, port, env: { MISHAP_DISK_BUDGET: 'off' } })
    running = product
    await settled(product, project)
    // A start answers while it finishes the step.
    const { ledger } = await until(`${step} to be finished`, 30_000, async () => {
      const status = await statusOf(product, project)
      const rows = status.disk.tables.find(({ table }) => table === 'spans')?.rows ?? 0
      return rows + status.ledger.thinned === status.ledger.stored && status
    })
    const isCounted = traceSteps.indexOf(step) >= traceSteps.indexOf('commit-done')
    expect({ step, stored: ledger.stored, lost: ledger.lost }).toEqual({ step, stored: first.ledger.stored, lost: 0 })
    if (isCounted) expect(ledger.thinned).toBeGreaterThan(removed)
    removed = ledger.thinned
    expect({ step, counts: await countsOf(product, project) }).toEqual({ step, counts })
  }
  expect(removed).toBeGreaterThan(0)
  for (const [traceId, n] of sent) {
    const { json } = await api(product, project, `/organizations/traces/trace-meta/${traceId}/`)
    const { span_count: spans } = json as { span_count: number }
    // Whole or gone. With an error, or the slowest of its route and hour: whole.
    expect([0, spansOfTrace]).toContain(spans)
    if (n % 20 === 0 || n >= tracesEach - 4) expect([traceId, spans]).toEqual([traceId, spansOfTrace])
  }
  await product.stop()
  expect(await verifyFaults(data)).toBe('')
})
