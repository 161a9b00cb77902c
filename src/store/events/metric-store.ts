import type { MetricAggregate, MetricType } from '../../domain/metrics.ts'
import type { Json } from '../../wire/json.ts'
import type { Scope } from './events.ts'

/** One row of `metrics`: a point as sent, or one bucket of a histogram. Ids are lower-case hex, '' for none. */
export type MetricRow = {
  projectId: number
  /** Milliseconds since 1970. */
  timeMs: number
  name: string
  type: MetricType
  unit: string
  /** The value as sent. Of a cumulative sum: what was added since the point before. Of a bucket: its middle. */
  value: number
  /** Measurements that the row stands for: 1, or those of a bucket. */
  count: number
  /** Lowest and highest measurement and the sum, of a bucket only; else 0. */
  min: number
  max: number
  sum: number
  /** The row is a bucket of a histogram. */
  isBucket: boolean
  traceId: string
  spanId: string
  service: string
  environment: string
  release: string
  /** Attributes by name. Numbers are stored apart from texts; other values become JSON texts. */
  attributes: Readonly<Record<string, Json>>
  /** Which attributes were left out, because the project has too many series: `folds` of domain/metrics.ts. */
  folded: 0 | 1 | 2
  /** Number of faults in the sent data that were repaired. */
  repaired: number
  /** Of a cumulative point: the hash of its stream (16 hex), and the value as sent. Else '' and 0. */
  stream: string
  total: number
  receivedMs: number
  /** Position of the row's record and number within the record: together they identify the row. */
  jpos: number
  place: number
  /** Points that the ledger counts for the row: 1 for the first row of a point, 0 for further buckets. */
  entries: 0 | 1
}

/** Points of one metric, with equal values of attributes. The keys `service`, `release` and `environment` are columns. */
export type MetricSelection = { scope: Scope; name: string; where: readonly MetricPair[] }
export type MetricPair = { key: string; value: string }

/** One metric in a list. */
export type ListedMetric = {
  name: string
  type: MetricType
  unit: string
  /** Sent points, and how many of them lost attributes to the limit of series. */
  points: number
  folded: number
  lastMs: number
  /** The value of the newest point. */
  last: number
  /** Names of attributes, at most 20. */
  attributes: string[]
  projectIds: number[]
}

/** A point as shown, with the trace behind it. */
export type MetricSample = {
  projectId: number
  timeMs: number
  value: number
  count: number
  traceId: string
  spanId: string
  service: string
  environment: string
  release: string
  attributes: Record<string, string>
  folded: number
}

/** An attribute of a metric: its number of distinct values and the most frequent ones. */
export type MetricAttribute = { key: string; unique: number; values: { value: string; points: number }[] }

/** Queries of metrics. All throw MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. No project: nothing is found. */
export type MetricStore = {
  /** Returns metrics whose name contains `text`; with `isWhole`, the one with this name. */
  metricList(request: {
    scope: Scope
    text: string
    order: 'name' | 'newest' | 'points'
    max: number
    offset: number
    isWhole?: boolean
  }): Promise<ListedMetric[]>
  /** Returns the course of these metrics: sums of counters, else means. Empty buckets are left out. */
  metricTrends(
    scope: Scope,
    names: readonly string[],
    bucketMs: number,
  ): Promise<{ name: string; startMs: number; value: number }[]>
  /** Returns an aggregate by group, those with most points first. Without `by`: one group, if there are points. */
  metricGroups(
    asked: MetricSelection & { by: string | undefined; aggregate: MetricAggregate; max: number },
  ): Promise<{ group: string; value: number; points: number }[]>
  /** Returns an aggregate by bucket (ms since 1970, a multiple of `bucketMs`) and group. Empty buckets are left out. */
  metricSeries(
    asked: MetricSelection & {
      by: string | undefined
      only: readonly string[]
      aggregate: MetricAggregate
      bucketMs: number
    },
  ): Promise<{ group: string; startMs: number; value: number; points: number }[]>
  /** Returns the newest points; with `withTrace`, those that have a trace first. */
  metricSamples(asked: MetricSelection & { max: number; withTrace: boolean }): Promise<MetricSample[]>
  /** Returns attributes of about the newest 100,000 points, and their most frequent values. */
  metricAttributes(asked: MetricSelection & { keys: number; max: number }): Promise<MetricAttribute[]>
  /** Returns the points that lost attributes, by project, the most first. */
  foldedMetrics(scope: Scope): Promise<{ projectId: number; name: string; points: number; sinceMs: number }[]>
  /**
   * Returns the last totals of cumulative streams since `sinceMs`, newest first: of records from the position `from` up to,
   * but not including, `to`.
   */
  recentTotals(
    sinceMs: number,
    positions: { from: number; to: number },
    max: number,
  ): Promise<{ stream: string; timeMs: number; total: number }[]>
}
