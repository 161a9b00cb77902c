import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import type { MetricAggregate } from '../../../domain/metrics.ts'
import { type Connection, connect } from '../connection.ts'
import { startTestEngine } from '../engine.cases.ts'
import type { Scope } from '../events.ts'
import { embeddedKind } from '../kind.ts'
import type { MetricRow, MetricStore } from '../metric-store.ts'
import { encodeMetricRow, metricColumns } from './encode.ts'
import { createMetrics } from './metrics.ts'
import { metricsTable } from './schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-metrics-'))
const socketPath = join(folder, 'engine.sock')
const state: { engine?: ChildProcess; connection?: Connection; jpos: number } = { jpos: 0 }
const minute = 60_000
const noon = Date.UTC(2026, 10, 16, 12)
const hostile = `'; DROP TABLE metrics; -- \\ "\t\n\u0000 <img> {p0:String} %_*`

function connection(): Connection {
  if (!state.connection) throw new Error('not started')
  return state.connection
}
const store = (): MetricStore => createMetrics(connection(), 'mishap')

const row = (more: Partial<MetricRow> = {}): MetricRow => ({
  projectId: 1,
  timeMs: noon,
  name: 'orders',
  type: 'counter',
  unit: '',
  value: 1,
  count: 1,
  min: 0,
  max: 0,
  sum: 0,
  isBucket: false,
  traceId: '',
  spanId: '',
  service: '',
  environment: '',
  release: '',
  attributes: {},
  folded: 0,
  repaired: 0,
  stream: '',
  total: 0,
  receivedMs: noon,
  jpos: ++state.jpos,
  place: 0,
  entries: 1,
  ...more,
})

const insert = (rows: MetricRow[]) =>
  connection().insert('metrics', metricColumns, Buffer.from(rows.map(encodeMetricRow).join('')), `t${++state.jpos}`)

const scope = (projectId: number, more: Partial<Scope> = {}): Scope => ({
  projectIds: [projectId],
  environments: [],
  fromMs: noon - 60 * minute,
  toMs: noon + 60 * minute,
  ...more,
})

beforeAll(async () => {
  state.engine = await startTestEngine(join(folder, 'data'), socketPath)
  state.connection = connect({ url: 'http://localhost', socketPath, database: 'mishap', clock: systemClock })
  await connection().command('CREATE DATABASE IF NOT EXISTS mishap ENGINE = Atomic')
  await connection().command(metricsTable('mishap', embeddedKind))
}, 60_000)

afterAll(async () => {
  await state.connection?.close()
  state.engine?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('a list says what each metric is', async () => {
  const [type, unit] = ['distribution', 'millisecond'] as const
  await insert([
    row({ value: 3, attributes: { plan: 'pro', seats: 4 } }),
    row({ value: 5, timeMs: noon + minute, attributes: { region: 'eu' }, folded: 1 }),
    row({ name: 'latency', type, unit, value: 12.5 }),
    row({ name: 'hidden', timeMs: noon - 90 * minute }),
    row({ name: 'elsewhere', projectId: 2 }),
  ])
  const asked = { scope: scope(1), text: '', order: 'name', max: 10, offset: 0 } as const
  expect(await store().metricList(asked)).toEqual([
    { name: 'latency', type, unit, points: 1, folded: 0, lastMs: noon, last: 12.5, attributes: [], projectIds: [1] },
    {
      name: 'orders',
      type: 'counter',
      unit: '',
      points: 2,
      folded: 1,
      lastMs: noon + minute,
      last: 5,
      attributes: ['plan', 'region', 'seats'],
      projectIds: [1],
    },
  ])
  expect((await store().metricList({ ...asked, order: 'newest' })).map(({ name }) => name)).toEqual([
    'orders',
    'latency',
  ])
  expect((await store().metricList({ ...asked, text: 'TENC' })).map(({ name }) => name)).toEqual(['latency'])
  expect((await store().metricList({ ...asked, text: '*' })).length).toBe(0)
  expect((await store().metricList({ ...asked, max: 1, offset: 1 })).map(({ name }) => name)).toEqual(['orders'])
  expect(await store().metricList({ ...asked, scope: scope(1, { projectIds: [] }) })).toEqual([])
  const trends = await store().metricTrends(scope(1), ['orders', 'latency'], 2 * minute)
  expect(trends).toEqual([
    { name: 'latency', startMs: noon, value: 12.5 },
    { name: 'orders', startMs: noon, value: 8 },
  ])
  expect(await store().foldedMetrics(scope(1))).toEqual([
    { projectId: 1, name: 'orders', points: 1, sinceMs: noon + minute },
  ])
})

const aggregated = async (projectId: number, name: string, aggregate: MetricAggregate) =>
  (await store().metricGroups({ scope: scope(projectId), name, where: [], by: undefined, aggregate, max: 5 }))[0]?.value

test('aggregates of points', async () => {
  await insert([4, 8, 15, 16, 23, 42].map((value, n) => row({ projectId: 3, value, timeMs: noon + n * minute })))
  const found = await Promise.all(
    (['sum', 'rate', 'count', 'last', 'avg', 'min', 'max'] as const).map((name) => aggregated(3, 'orders', name)),
  )
  expect(found).toEqual([108, 108 / 120, 6, 42, 18, 4, 42])
  const p99 = (await aggregated(3, 'orders', 'p99')) ?? 0
  expect(p99 > 23 && p99 <= 42).toBe(true)
})

test('percentiles of a histogram are within the bucket that has them', async () => {
  // 90 measurements between 0 and 10, nine between 100 and 500, one between 1000 and 5000.
  const bucket = (value: number, count: number, min: number, max: number, entries: 0 | 1) =>
    row({ projectId: 4, type: 'distribution', value, count, min, max, sum: value * count, isBucket: true, entries })
  await insert([
    bucket(0, 0, 0, 0, 1),
    bucket(5, 90, 0, 10, 0),
    bucket(300, 9, 100, 500, 0),
    bucket(3000, 1, 1000, 5000, 0),
  ])
  const levels = ['p50', 'p90', 'p95', 'p99', 'min', 'max', 'count', 'avg'] as const
  const found = await Promise.all(levels.map((name) => aggregated(4, 'orders', name)))
  expect(found).toEqual([5, 5, 300, 300, 0, 5000, 100, (450 + 2700 + 3000) / 100])
})

test('groups, series and filters by attribute and column, whatever they contain', async () => {
  await insert([
    ...[1, 2, 3].map((value) => row({ projectId: 5, value, name: hostile, attributes: { [hostile]: hostile, n: 7 } })),
    row({ projectId: 5, value: 10, name: hostile, service: 'api', timeMs: noon + 5 * minute }),
  ])
  const asked = { scope: scope(5), name: hostile, where: [], aggregate: 'sum', max: 5 } as const
  const safe = hostile.replaceAll('\0', '\0')
  expect(await store().metricGroups({ ...asked, by: hostile })).toEqual([
    { group: safe, value: 6, points: 3 },
    { group: '', value: 10, points: 1 },
  ])
  const series = { ...asked, bucketMs: 5 * minute }
  expect(await store().metricSeries({ ...series, by: hostile, only: [safe] })).toEqual([
    { group: safe, startMs: noon, value: 6, points: 3 },
  ])
  expect((await store().metricSeries({ ...series, by: undefined, only: [] })).map(({ value }) => value)).toEqual([
    6, 10,
  ])
  const filtered = async (key: string, value: string) =>
    (await store().metricGroups({ ...asked, where: [{ key, value }], by: undefined }))[0]?.value ?? 0
  expect([await filtered(hostile, hostile), await filtered('n', '7'), await filtered('service', 'api')]).toEqual([
    6, 6, 10,
  ])
  expect([await filtered('service', hostile), await filtered('none', '')]).toEqual([0, 16])
  expect(await store().metricAttributes({ ...asked, keys: 5, max: 2 })).toEqual([
    { key: hostile, unique: 1, values: [{ value: hostile, points: 3 }] },
    { key: 'n', unique: 1, values: [{ value: '7', points: 3 }] },
    { key: 'service', unique: 1, values: [{ value: 'api', points: 1 }] },
  ])
})

test('samples name the trace behind a point', async () => {
  const traceId = 'aaaabbbbccccddddaaaabbbbccccdddd'
  const spanId = 'aaaabbbbccccdddd'
  await insert([
    row({ projectId: 6, traceId, spanId, attributes: { plan: 'pro', seats: 2 } }),
    row({ projectId: 6, timeMs: noon + minute }),
  ])
  const asked = { scope: scope(6), name: 'orders', where: [], max: 5 }
  const found = await store().metricSamples({ ...asked, withTrace: true })
  expect(found.map((sample) => [sample.traceId, sample.spanId, sample.attributes])).toEqual([
    [traceId, spanId, { plan: 'pro', seats: '2' }],
    ['', '', {}],
  ])
  expect((await store().metricSamples({ ...asked, withTrace: false })).map(({ traceId: id }) => id)).toEqual([
    '',
    traceId,
  ])
})

test('a start reads the last total of each stream, but not of open batches', async () => {
  const stream = '00000000000000ff'
  await insert([
    row({ projectId: 7, stream, total: 10, jpos: 90_001 }),
    row({ projectId: 7, stream, total: 14, timeMs: noon + minute, jpos: 90_002, place: 1 }),
    row({ projectId: 7, stream, total: 13, timeMs: noon + minute, jpos: 90_002, place: 0 }),
    row({ projectId: 7, stream, total: 20, timeMs: noon + 2 * minute, jpos: 90_003 }),
  ])
  expect(await store().recentTotals(noon - 1, { from: 90_001, to: 90_003 }, 10)).toEqual([
    { stream, timeMs: noon + minute, total: 14 },
  ])
  expect(await store().recentTotals(noon - 1, { from: 90_003, to: 90_004 }, 10)).toMatchObject([{ total: 20 }])
})
