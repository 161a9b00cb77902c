/** Distinct series (name and attributes) that a project stores in an hour. Attributes of further ones are folded. */
export const metricSeries = { default: 10_000, min: 100, max: 200_000 } as const

/** Bytes of one metric as JSON. SDKs limit it too. */
export const metricBytesMax = 2048

/** How attributes of a point were folded: none, those about people, or all. */
export const folds = { none: 0, people: 1, all: 2 } as const

/** Kinds of metrics. A counter's values are added, a gauge's are states, a distribution's are single measurements. */
export const metricTypes = ['counter', 'gauge', 'distribution'] as const
export type MetricType = (typeof metricTypes)[number]

/** Numbers over many points. `rate` is per minute. */
export const metricAggregates = [
  'sum',
  'rate',
  'count',
  'last',
  'avg',
  'min',
  'max',
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
] as const
export type MetricAggregate = (typeof metricAggregates)[number]

/** The aggregates that say something about a type, the default first. */
const fitting: Readonly<Record<MetricType, readonly MetricAggregate[]>> = {
  counter: ['sum', 'rate', 'count'],
  gauge: ['last', 'avg', 'min', 'max'],
  distribution: ['p50', 'p75', 'p90', 'p95', 'p99', 'avg', 'min', 'max', 'count', 'sum'],
}
export const aggregatesOf = (type: MetricType): readonly MetricAggregate[] => fitting[type]
