import { expect, inject, type TestContext, test } from 'vitest'
import type { RestLedger } from '../../src/contract/status.ts'
import { api, bootstrap, type Project, until } from '../product.ts'
import { execute, preparePython, python } from './otlp/python.ts'

// The official SDKs of OpenTelemetry for Node and Python send metrics over OTLP, with their default: totals of all time.
// The SDK of Sentry for Python sends metrics of its own.

const product = inject('product')
const O = '/organizations/otlp-metrics'
type Key = { dsn: { otlp_metrics: string } }
type List = { metrics: { name: string; type: string; unit: string; points: number; last: number }[] }
type Details = {
  groups: { group: string; value: number }[]
  samples: { release: string; environment: string; traceId: string }[]
}

const details = async (project: Project, name: string, more = ''): Promise<Details> =>
  (await api(product, project, `${O}/metrics/details/?project=${project.id}&name=${name}${more}`)).json as Details
const resultOf = async (project: Project, name: string, aggregate: string): Promise<number> =>
  (await details(project, name, `&aggregate=${aggregate}`)).groups[0]?.value ?? Number.NaN

/** Skips a test that needs Python and its packages where they cannot be had, and prints why. */
async function demandPython(context: TestContext, isNeeded = true): Promise<void> {
  const reason = isNeeded ? await preparePython() : undefined
  if (reason === undefined) return
  console.error(`Python is skipped: ${reason}`)
  context.skip(reason)
}

test.for([
  ['proto', 'protobuf', 'none'],
  ['proto-gzip', 'protobuf', 'gzip'],
  ['http', 'json', 'none'],
  ['http-gzip', 'json', 'gzip'],
  ['python-proto', 'python', 'none'],
  ['python-proto-gzip', 'python', 'gzip'],
])(
  '%s: metrics over OTLP are stored, shown and counted',
  async ([name = '', format = '', compression = ''], context) => {
    await demandPython(context, format === 'python')
    const project = bootstrap(product, 'otlp-metrics', name)
    const keys = (await api(product, project, `/projects/otlp-metrics/${project.slug}/keys/`)).json as Key[]
    const env = { OTLP_URL: keys[0]?.dsn.otlp_metrics ?? '', OTLP_KEY: project.key, OTLP_COMPRESSION: compression }
    if (format === 'python') await python('send_metrics.py', env)
    else await execute(process.execPath, ['send-metrics.js'], { ...env, OTLP_FORMAT: format })
    // All three exports: one alone has all of the metrics.
    const rows = await until('the ledger', 20_000, async () => {
      const ledger = (await api(product, project, `${O}/ledger/?range=1h&project=${project.id}`)).json as RestLedger
      return ledger.rows.some(({ quantity }) => quantity >= 15) && ledger.rows
    })
    const { metrics } = (await api(product, project, `${O}/metrics/?project=${project.id}&sort=name`)).json as List
    expect(metrics.map((metric) => [metric.name, metric.type, metric.unit])).toEqual([
      ['fine', 'distribution', 'ms'],
      ['latency', 'distribution', 'ms'],
      ['open', 'gauge', ''],
      ['orders', 'counter', ''],
      ['queue', 'gauge', ''],
    ])
    const orders = await details(project, 'orders', '&groupBy=plan')
    // Shutting down sends the totals a third time: they add nothing.
    expect(orders.groups).toMatchObject([{ group: 'pro', value: 7 }])
    expect(orders.samples[0]).toMatchObject({ release: '2.3.4', environment: 'production' })
    expect([await resultOf(project, 'open', 'last'), await resultOf(project, 'queue', 'last')]).toEqual([3, 7])
    expect([await resultOf(project, 'latency', 'count'), await resultOf(project, 'fine', 'count')]).toEqual([100, 100])
    expect(await resultOf(project, 'latency', 'sum')).toBeCloseTo(25_500)
    // Half of the measurements are at most 250. The bucket of 250 reaches from 250 down to 100, a fine one from 245 on.
    const [coarse, exact] = [await resultOf(project, 'latency', 'p50'), await resultOf(project, 'fine', 'p50')]
    expect([coarse > 100 && coarse <= 250, Math.abs(exact - 250) < 15]).toEqual([true, true])
    expect(rows.map(({ category, outcome, quantity }) => [category, outcome, quantity])).toEqual([
      ['trace_metric', 'stored', 15],
    ])
  },
)

test('sentry-sdk for Python: counters, gauges and distributions, with their attributes and trace', async (context) => {
  await demandPython(context)
  const project = bootstrap(product, 'otlp-metrics', 'sentry-python', 'python')
  await python('sentry_metrics.py', { DSN: project.dsn })
  const list = `${O}/metrics/?project=${project.id}&sort=name`
  const metrics = await until('the metrics', 20_000, async () => {
    const found = ((await api(product, project, list)).json as List).metrics
    return found.length >= 3 && found
  })
  expect(metrics).toMatchObject([
    { name: 'billing.latency', type: 'distribution', unit: 'millisecond', points: 1, last: 120 },
    { name: 'billing.queue', type: 'gauge', unit: '', points: 1, last: 42 },
    { name: 'billing.quotes', type: 'counter', unit: '', points: 6 },
  ])
  const quotes = await details(project, 'billing.quotes', '&groupBy=plan')
  expect(quotes.groups.toSorted((a, b) => a.group.localeCompare(b.group))).toMatchObject([
    { group: 'free', value: 9 },
    { group: 'pro', value: 12 },
  ])
  expect((await details(project, 'billing.quotes', '&where=plan:pro')).groups).toMatchObject([{ value: 12 }])
  expect(quotes.samples[0]).toMatchObject({ release: 'billing@2.3.4', environment: 'production' })
  // The trace behind a point is the one of the transaction.
  const traceId = quotes.samples[0]?.traceId ?? ''
  const trace = await until('the trace', 20_000, async () => {
    const answer = await api(product, project, `${O}/trace/${traceId}/`)
    return answer.status === 200 && JSON.stringify(answer.json)
  })
  expect(trace).toContain('POST /quote')
  const { rows } = (await api(product, project, `${O}/ledger/?range=1h&project=${project.id}`)).json as RestLedger
  const counted = rows.filter(({ category }) => category === 'trace_metric')
  expect(counted.map(({ outcome, quantity }) => [outcome, quantity])).toEqual([['stored', 8]])
})
