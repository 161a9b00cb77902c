// The product on PostgreSQL, a ClickHouse node and S3 on this machine, in turns with the embedded stores. `npm run bench
// -- external --rows 1000000`: the reads come after as many events.
import { noStores, startStores } from '../e2e/engines/stores.ts'
import { api, bootstrap, discard, type Product, type Project, ready, start } from '../e2e/product.ts'
import { median, percentile, realBodies, runLoad } from './load.ts'
import type { Row } from './measure.ts'
import { drained } from './pipeline.ts'

const kinds = ['embedded', 'external'] as const
const rounds = 3
/** More than either stores, so that both are always busy. */
const offered = 4000
const asks = 40
const goals = { sustained: 0.6, reads: 1.5 }

/** A product under measurement: events stored per second in each round, and the times of its answers by path, ms. */
type Measured = { product: Product; project: Project; rates: number[]; times: Record<'list' | 'issue', number[]> }

/** Offers more than can be stored, and returns the events stored per second until nothing waits. */
async function storedPerSecond({ product, project }: Measured, seconds: number): Promise<number> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const began = performance.now()
  const load = { port: product.port, path, bodies: realBodies().mix, connections: 16, rate: offered }
  const { ok } = await runLoad(load, seconds)
  await drained(product, project)
  return ok / ((performance.now() - began) / 1000)
}

/** Stores events until a product has about `rows` of them. */
async function fill(measured: Measured, rows: number): Promise<void> {
  const stored = async () => {
    const { json } = await api(measured.product, measured.project, '/status/')
    return (json as { ledger: { stored: number } }).ledger.stored
  }
  for (let left = rows - (await stored()); left > 0; left = rows - (await stored()))
    await storedPerSecond(measured, Math.min(30, 1 + left / offered))
}

/** Asks both products in turn, so that what else the machine does meets both. */
async function read(all: readonly Measured[]): Promise<void> {
  const list = '/organizations/bench/issues/?query=&statsPeriod=24h'
  const issueOf = async ({ product, project }: Measured) =>
    `/organizations/bench/issues/${((await api(product, project, list)).json as { id: string }[])[0]?.id}/`
  const issues = await Promise.all(all.map(issueOf))
  for (let n = 0; n < asks; n++)
    for (const [at, { product, project, times }] of all.entries())
      for (const [name, path] of [
        ['list', list],
        ['issue', issues[at] ?? ''],
      ] as const) {
        const began = performance.now()
        const { status, text } = await api(product, project, path)
        if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`)
        times[name].push(performance.now() - began)
      }
}

function rowsOf(embedded: Measured, external: Measured, rows: number): Row[] {
  const show = (list: readonly number[]) => list.map((rate) => Math.round(rate)).join(', ')
  const ratio = median(external.rates.map((rate, round) => rate / (embedded.rates[round] ?? Number.NaN)))
  const reads = (['list', 'issue'] as const).map((name) => {
    const [a, b] = [embedded, external].map(({ times }) => Float64Array.from(times[name]).sort()) as [
      Float64Array,
      Float64Array,
    ]
    const slower = percentile(b, 0.95) / percentile(a, 0.95)
    const shown = [a, b].map((sorted) => [0.5, 0.95].map((share) => percentile(sorted, share).toFixed(0)).join(' and '))
    return {
      what: `${name} by the API on the three external stores, with ${rows ? `${rows.toLocaleString('en')} events` : 'the events of these runs'}`,
      goal: `p95 at most ${goals.reads}x of embedded`,
      result: `${slower.toFixed(2)}: p50 and p95 ${shown[1]} ms; embedded ${shown[0]} ms`,
      met: slower <= goals.reads,
    }
  })
  return [
    {
      what: 'PostgreSQL, a ClickHouse node and S3 on the same machine: events/s stored, in turns with embedded stores',
      goal: `at least ${goals.sustained} of embedded`,
      result: `${ratio.toFixed(2)}: ${show(external.rates)}/s; embedded ${show(embedded.rates)}/s`,
      met: ratio >= goals.sustained,
    },
    ...reads,
  ]
}

/**
 * Rows for the three external stores against the embedded ones. Each run offers load for `seconds`. The reads come when
 * each product has `rows` events.
 */
export async function benchExternal(seconds: number, rows = 0): Promise<Row[]> {
  const why = noStores()
  if (why) throw new Error(why)
  const stores = await startStores()
  const all: Measured[] = []
  try {
    for (const kind of kinds) {
      const env = { MISHAP_LOG_LEVEL: 'warn', ...(kind === 'external' ? stores.settings(false) : {}) }
      const product = await start({ env })
      const project = bootstrap(product, 'bench', 'web')
      all.push({ product, project, rates: [], times: { list: [], issue: [] } })
      await ready(product, 60_000)
    }
    const [embedded, external] = all
    if (!embedded || !external) throw new Error('no products')
    // The first run warms up both.
    for (const measured of all) await storedPerSecond(measured, 3)
    for (let round = 0; round < rounds; round++)
      for (const measured of all) measured.rates.push(await storedPerSecond(measured, seconds))
    for (const measured of all) await fill(measured, rows)
    await read(all)
    return rowsOf(embedded, external, rows)
  } finally {
    for (const { product } of all) await discard(product)
    await stores.remove()
  }
}
