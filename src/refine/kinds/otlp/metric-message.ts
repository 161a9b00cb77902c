import type { Loose } from '../../pipeline/value.ts'

// The metrics of an ExportMetricsServiceRequest in plain values, the same for protobuf and JSON.

/** A measurement that an SDK kept as an example, with its trace. */
export type OtlpExemplar = { value: number; traceId: string | undefined; spanId: string | undefined }

/** Counts of consecutive buckets of an exponential histogram. The first has the index `offset`. */
export type OtlpBuckets = { offset: number; counts: number[] }

/** One data point of any kind of metric. Fields of other kinds are empty. */
export type OtlpPoint = {
  attributes: Loose
  startUs: number | undefined
  timeUs: number | undefined
  flags: number
  /** Undefined for a histogram, and for a point without a value. */
  value: number | undefined
  count: number
  sum: number | undefined
  min: number | undefined
  max: number | undefined
  /** A histogram: one count more than bounds. */
  counts: number[]
  bounds: number[]
  /** An exponential histogram. */
  scale: number
  zeroCount: number
  positive: OtlpBuckets
  negative: OtlpBuckets
  /** A summary. */
  quantiles: { quantile: number; value: number }[]
  exemplars: OtlpExemplar[]
}

export const otlpKinds = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const
export type OtlpKind = (typeof otlpKinds)[number]

/** One metric with its points: undefined if the message of a point is broken. */
export type OtlpMetric = {
  name: unknown
  unit: string
  kind: OtlpKind | undefined
  /** 1: delta, 2: cumulative. */
  temporality: number
  isMonotonic: boolean
  points: (OtlpPoint | undefined)[]
  /** Points over the limit of a body, which are not read. */
  excess: number
}

export const emptyPoint = (): OtlpPoint => ({
  attributes: {},
  startUs: undefined,
  timeUs: undefined,
  flags: 0,
  value: undefined,
  count: 0,
  sum: undefined,
  min: undefined,
  max: undefined,
  counts: [],
  bounds: [],
  scale: 0,
  zeroCount: 0,
  positive: { offset: 0, counts: [] },
  negative: { offset: 0, counts: [] },
  quantiles: [],
  exemplars: [],
})

export const emptyMetric = (): OtlpMetric => ({
  name: '',
  unit: '',
  kind: undefined,
  temporality: 0,
  isMonotonic: false,
  points: [],
  excess: 0,
})

/** Buckets, exemplars and quantiles of a point that are read. SDKs make up to 160 buckets. */
export const bucketsMax = 1000

/** Points of a body that may still be read, and how many are not. */
export type PointBudget = { left: number }

/** Adds a point to a metric, or counts it if the body has too many. */
export function addPoint(to: OtlpMetric, budget: PointBudget, read: () => OtlpPoint | undefined): void {
  if (budget.left <= 0) to.excess++
  else {
    budget.left--
    to.points.push(read())
  }
}
