import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import { otlpItemsMax } from '../../../wire/otlp.ts'
import { type Loose, object, own } from '../../pipeline/value.ts'
import { attributesOf, countOf, jsonReader, list, member, microseconds, textOf } from './json.ts'
import type { OtlpBody } from './message.ts'
import {
  addPoint,
  bucketsMax,
  emptyMetric,
  emptyPoint,
  type OtlpBuckets,
  type OtlpExemplar,
  type OtlpMetric,
  type OtlpPoint,
  otlpKinds,
  type PointBudget,
} from './metric-message.ts'

const temporalities = ['UNSPECIFIED', 'DELTA', 'CUMULATIVE']

/** A number, also as text: integers of 64 bits are texts, and so are NaN and infinity. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.length > 40 || value.trim() === '') return undefined
  const number = Number(value)
  return Number.isNaN(number) && value !== 'NaN' ? undefined : number
}
const numbersOf = (value: unknown): number[] =>
  list(value)
    .slice(0, bucketsMax)
    .map((entry) => numberOf(entry) ?? 0)

function bucketsOf(sent: unknown): OtlpBuckets {
  const buckets = object(sent) ?? {}
  return { offset: Math.trunc(numberOf(own(buckets, 'offset')) ?? 0), counts: numbersOf(own(buckets, 'bucketCounts')) }
}

function exemplarOf(sent: unknown): OtlpExemplar {
  const exemplar = object(sent) ?? {}
  return {
    value: numberOf(own(exemplar, 'asDouble') ?? own(exemplar, 'asInt')) ?? Number.NaN,
    traceId: normalizeId(own(exemplar, 'traceId')),
    spanId: normalizeSpanId(own(exemplar, 'spanId')),
  }
}

function pointOf(sent: unknown): OtlpPoint | undefined {
  const point = object(sent)
  if (!point) return undefined
  return {
    ...emptyPoint(),
    attributes: attributesOf(own(point, 'attributes')),
    startUs: microseconds(own(point, 'startTimeUnixNano')),
    timeUs: microseconds(own(point, 'timeUnixNano')),
    flags: countOf(own(point, 'flags')),
    value: numberOf(own(point, 'asDouble') ?? own(point, 'asInt')),
    count: numberOf(own(point, 'count')) ?? 0,
    sum: numberOf(own(point, 'sum')),
    min: numberOf(own(point, 'min')),
    max: numberOf(own(point, 'max')),
    counts: numbersOf(own(point, 'bucketCounts')),
    bounds: numbersOf(own(point, 'explicitBounds')),
    scale: Math.trunc(numberOf(own(point, 'scale')) ?? 0),
    zeroCount: numberOf(own(point, 'zeroCount')) ?? 0,
    positive: bucketsOf(own(point, 'positive')),
    negative: bucketsOf(own(point, 'negative')),
    quantiles: list(own(point, 'quantileValues'))
      .slice(0, bucketsMax)
      .map((entry) => {
        const value = object(entry) ?? {}
        return { quantile: numberOf(own(value, 'quantile')) ?? 0, value: numberOf(own(value, 'value')) ?? 0 }
      }),
    exemplars: list(own(point, 'exemplars')).slice(0, bucketsMax).map(exemplarOf),
  }
}

function metricOf(sent: unknown, budget: PointBudget): OtlpMetric | undefined {
  const metric = object(sent)
  if (!metric) return undefined
  const kind = otlpKinds.find((name) => object(own(metric, name)))
  const data: Loose = (kind && object(own(metric, kind))) ?? {}
  const into: OtlpMetric = {
    ...emptyMetric(),
    name: own(metric, 'name'),
    unit: textOf(own(metric, 'unit')),
    kind,
    temporality: member(own(data, 'aggregationTemporality'), 'AGGREGATION_TEMPORALITY_', temporalities),
    isMonotonic: own(data, 'isMonotonic') === true,
  }
  for (const point of list(own(data, 'dataPoints'))) addPoint(into, budget, () => pointOf(point))
  return into
}

/** Reads the metrics of a parsed body. */
export function readMetricsJson(value: unknown): OtlpBody<OtlpMetric> | undefined {
  const budget: PointBudget = { left: otlpItemsMax }
  return jsonReader({
    lists: ['resourceMetrics', 'scopeMetrics', 'metrics'],
    itemOf: (sent) => metricOf(sent, budget),
  })(value)
}
