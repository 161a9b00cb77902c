import { expect, inject, test } from 'vitest'
import type { RestLedger } from '../../src/contract/status.ts'
import { api, bootstrap, type Project, until } from '../product.ts'
import { execute } from './otlp/python.ts'

// The official SDK of OpenTelemetry for Node sends metrics over OTLP, with its default: totals of all time.

const product = inject('product')
const O = '/organizations/otlp-metrics'
type Key = { dsn: { otlp_metrics: string } }
type List = { metrics: { name: string; type: string; unit: string }[] }
type Details = { groups: { group: string; value: number }[]; samples: { release: string; environment: string }[] }

const details = async (project: Project, name: string, more = ''): Promise<Details> =>
  (await api(product, project, `${O}/metrics/details/?project=${project.id}&name=${name}${more}`)).json as Details
const resultOf = async (project: Project, name: string, aggregate: string): Promise<number> =>
  (await details(project, name, `&aggregate=${aggregate}`)).groups[0]?.value ?? Number.NaN

test.for([
  ['proto', 'protobuf', 'none'],
  ['proto-gzip', 'protobuf', 'gzip'],
  ['http', 'json', 'none'],
  ['http-gzip', 'json', 'gzip'],
])('%s: metrics over OTLP are stored, shown and counted', async ([name = '', format = '', compression = '']) => {
  const project = bootstrap(product, 'otlp-metrics', name)
  const keys = (await api(product, project, `/projects/otlp-metrics/${project.slug}/keys/`)).json as Key[]
  await execute(process.execPath, ['send-metrics.js'], {
    OTLP_URL: keys[0]?.dsn.otlp_metrics ?? '',
    OTLP_KEY: project.key,
    OTLP_FORMAT: format,
    OTLP_COMPRESSION: compression,
  })
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
})
