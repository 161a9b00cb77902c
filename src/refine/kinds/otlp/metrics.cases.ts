import { expect } from 'vitest'
import type { MetricRow } from '../../../store/events/metric-store.ts'
import type { Places } from '../../../store/events/table.ts'
import { attributesOf, startNano } from '../../../wire/otlp.cases.ts'
import { otlpContentType } from '../../../wire/otlp.ts'
import type { Tools } from '../../pipeline/context.ts'
import { refineBody } from '../../pipeline/fixture.cases.ts'
import { sumOf } from '../kind.ts'

// For tests of metrics over OTLP: their bodies, refined.

export type Sent = { [key: string]: unknown }

const minuteNano = 60_000_000_000n
export const at = (minute: number) => String(startNano + BigInt(minute) * minuteNano)
export const point = (more: Sent = {}): Sent => ({ timeUnixNano: at(0), ...more })
export const metricsBody = (
  metrics: unknown[],
  resource: Sent = { 'service.name': 'billing', 'service.version': '1.2.0' },
) => ({
  resourceMetrics: [
    { resource: { attributes: attributesOf(resource) }, scopeMetrics: [{ scope: { name: 't' }, metrics }] },
  ],
})
export const gauge = (...dataPoints: unknown[]) => ({ name: 'queue.depth', gauge: { dataPoints } })
export const sum = (temporality: number, isMonotonic: boolean, ...dataPoints: unknown[]) => ({
  name: 'orders',
  unit: '1',
  sum: { aggregationTemporality: temporality, isMonotonic, dataPoints },
})

export function refined(body: unknown, projectId = 7, tools?: Tools, stored?: Places) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const head = { kind: 'otlp_metrics', contentType: otlpContentType.json, projectId } as const
  const found = refineBody(text, head, {}, undefined, stored, tools)
  const rows = found.groups.flatMap((group) => (group.table === 'metrics' ? (group.rows as readonly MetricRow[]) : []))
  const outcomes = [...found.outcomes, ...found.groups.flatMap((group) => group.outcomes)]
  expect(sumOf(outcomes)).toBe(found.received)
  expect(rows.reduce((total, { entries }) => total + entries, 0)).toBe(
    outcomes.filter(({ outcome }) => outcome === 'stored').reduce((total, { quantity }) => total + quantity, 0),
  )
  return { rows, ends: outcomes.map(({ outcome, reason, quantity }) => `${outcome} ${reason} ${quantity}`) }
}
/** Values of the rows with measurements. */
export const valuesOf = (rows: readonly MetricRow[]) =>
  rows.filter(({ count }) => count > 0).map(({ value, count }) => [value, count])

export const histogram = (temporality: number, more: Sent) => ({
  name: 'latency',
  unit: 'ms',
  histogram: { aggregationTemporality: temporality, dataPoints: [point({ explicitBounds: [10, 100, 1000], ...more })] },
})
