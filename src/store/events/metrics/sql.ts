import type { MetricAggregate } from '../../../domain/metrics.ts'
import type { Scope } from '../events.ts'
import type { MetricPair, MetricSelection } from '../metric-store.ts'
import { aheadMs, likePattern, type Values } from '../reading/filter.ts'

const moment = (values: Values, ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`

/** Keys of columns, as attributes are named. All other keys are attributes. */
const columns: ReadonlyMap<string, string> = new Map([
  ['service', 'service'],
  ['service.name', 'service'],
  ['release', 'release'],
  ['environment', 'environment'],
])

/** The value of a key as text; '' if a point has none. */
export function compileKey(values: Values, key: string): string {
  const column = columns.get(key)
  if (column) return `toString(${column})`
  const name = values.add('String', key)
  return `if(mapContains(tags, ${name}), tags[${name}], if(mapContains(numbers, ${name}), toString(numbers[${name}]), ''))`
}

/**
 * Condition for the points of a scope. `fromMs` is inclusive, `toMs` exclusive. The time of receipt is the key of the
 * partitions: a point is received after its time, unless the sender's clock is ahead.
 */
export function compileScope(values: Values, scope: Scope): string {
  const parts = [
    `project_id IN ${values.add('Array(UInt64)', scope.projectIds)}`,
    `time >= ${moment(values, scope.fromMs)}`,
    `time < ${moment(values, scope.toMs)}`,
    `received >= ${moment(values, Math.max(0, scope.fromMs - aheadMs))}`,
  ]
  if (scope.environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', scope.environments)}`)
  return parts.join(' AND ')
}

const pairIs = (values: Values, { key, value }: MetricPair): string =>
  `${compileKey(values, key)} = ${values.add('String', value)}`

/** Condition for the points of a selection. */
export const compileSelection = (values: Values, { scope, name, where }: MetricSelection): string =>
  [
    compileScope(values, scope),
    `name = ${values.add('String', name)}`,
    ...where.map((pair) => pairIs(values, pair)),
  ].join(' AND ')

/** Condition that a name contains a text, in any case. */
export const nameContains = (values: Values, text: string): string =>
  text === '' ? '1' : `name ILIKE ${values.add('String', `%${likePattern(text.replaceAll('*', '\\*'))}%`)}`

/** The start of a point's bucket as a whole number of ms. */
export const bucketStart = (values: Values, bucketMs: number): string => {
  const length = values.add('Int64', bucketMs)
  return `intDiv(toUnixTimestamp64Milli(time), ${length}) * ${length}`
}

const levels: Partial<Record<MetricAggregate, number>> = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99 }

/**
 * The SQL of an aggregate. A percentile of a histogram is exact among the middles of its buckets, so it is never outside
 * of the bucket that has it. Of single points it is a digest, which needs little memory for any number of values.
 */
export function compileAggregate(values: Values, aggregate: MetricAggregate, lengthMs: number): string {
  const level = levels[aggregate]
  if (level !== undefined)
    return `if(max(is_bucket) = 1, quantileExactWeightedIf(${level})(value, count, is_bucket = 1), toFloat64(quantileTDigestIf(${level})(value, is_bucket = 0)))`
  switch (aggregate) {
    case 'rate':
      return `sum(amount) / ${values.add('Float64', Math.max(1, lengthMs) / 60_000)}`
    case 'count':
      return 'toFloat64(sum(count))'
    case 'last':
      return 'argMax(value, (time, jpos, place))'
    case 'avg':
      return 'if(sum(count) = 0, 0, sum(amount) / sum(count))'
    case 'min':
      return 'minIf(lowest, count > 0)'
    case 'max':
      return 'maxIf(highest, count > 0)'
    default:
      return 'sum(amount)'
  }
}
