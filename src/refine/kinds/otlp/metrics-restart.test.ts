import { expect, test } from 'vitest'
import type { MetricRow } from '../../../store/events/metric-store.ts'
import { startNano } from '../../../wire/otlp.cases.ts'
import { createTools } from '../../pipeline/context.ts'
import { at, gauge, histogram, metricsBody, point, refined } from './metrics.cases.ts'

test('after a restart nothing is counted again: the store has the totals of rows, and not those of their parts', () => {
  const timed = (minute: number) => ({ startTimeUnixNano: at(-30), timeUnixNano: at(minute) })
  const body = (minute: number, factor: number) =>
    metricsBody([
      histogram(2, {
        ...timed(minute),
        count: `${factor * 10}`,
        sum: factor * 50,
        bucketCounts: [`${factor * 10}`, '0', '0', '0'],
      }),
      { name: 'rpc', summary: { dataPoints: [point({ ...timed(minute), count: `${factor * 4}`, sum: factor * 8 })] } },
    ])
  const sums = (rows: readonly MetricRow[]) =>
    ['latency', 'rpc.count', 'rpc.sum'].map((name) =>
      rows.filter((row) => row.name === name).reduce((total, row) => total + (row.isBucket ? row.sum : row.value), 0),
    )
  const stored = refined(body(-2, 9), 805, createTools()).rows
  expect(sums(stored)).toEqual([450, 36, 72])
  const restarted = createTools()
  for (const row of stored) if (row.stream !== '') restarted.metrics.shared.restore(row)
  restarted.metrics.shared.knowSince(Number(startNano / 1_000_000n) - 3_600_000)
  const { rows } = refined(body(-1, 10), 805, restarted)
  expect(rows.reduce((total, { count, isBucket }) => total + (isBucket ? count : 0), 0)).toBe(10)
  const [latency = 0, ...others] = sums(rows)
  // Ten measurements between 0 and 10: their sum is not known after a restart.
  expect([latency >= 0 && latency <= 100, others]).toEqual([true, [4, 8]])
})

test.each([
  ['many buckets', Array(20).fill(1000), 5],
  ['few measurements', [1, 1], 1],
])('after a restart no new measurement of a histogram is lost or invented: %s', (_name, counts, grown) => {
  const timed = (minute: number) => ({ startTimeUnixNano: at(-30), timeUnixNano: at(minute) })
  const body = (minute: number, first: number) =>
    metricsBody([
      histogram(2, {
        ...timed(minute),
        explicitBounds: counts.slice(1).map((_, n) => n + 1),
        bucketCounts: [first, ...counts.slice(1)].map(String),
      }),
    ])
  const restarted = createTools()
  for (const row of refined(body(-2, counts[0]), 808, createTools()).rows)
    if (row.stream !== '') restarted.metrics.shared.restore(row)
  const { rows } = refined(body(-1, counts[0] + grown), 808, restarted)
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(grown)
})

test.each([true, false])('a recovery adds no buckets to a stored histogram (stored: %s)', (isStored) => {
  const timed = (minute: number) => ({ startTimeUnixNano: at(-30), timeUnixNano: at(minute) })
  const body = (minute: number, ...counts: number[]) =>
    metricsBody([
      histogram(2, { ...timed(minute), bucketCounts: counts.map(String) }),
      gauge(point({ asInt: 3, ...timed(minute) })),
    ])
  const tools = createTools()
  const before = refined(body(-2, 6, 6, 6, 0), 807, tools).rows
  const first = refined(body(-1, 6, 9, 6, 0), 807, tools).rows
  // The second of three buckets grew. The gauge has its place behind all of them.
  expect(first.map(({ place }) => place)).toEqual([0, 2, 4])
  const restarted = createTools()
  restarted.metrics.shared.knowSince(Number(startNano / 1_000_000n) - 3_600_000)
  for (const row of before) if (row.stream !== '') restarted.metrics.shared.restore(row)
  const places = new Set(first.map(({ place }) => place))
  const again = refined(body(-1, 6, 9, 6, 0), 807, restarted, isStored ? new Map([[1000, places]]) : undefined)
  expect(again.rows.map(({ place }) => place)).toEqual(isStored ? [0, 2, 4] : [0, 1, 2, 3, 4])
  expect(again.ends).toEqual(['stored ok 2'])
})
