import { softVitalPrefix, type VitalName, vitalCurves, vitalNames } from '../../../domain/traces/vitals.ts'
import { isLong, type Scope } from '../events.ts'
import { aheadMs, compileProjects, type Values } from '../reading/filter.ts'
import { hasVitals, segmentsName } from '../schema/segments.ts'
import { spanRollupName } from '../schema/span-rollup.ts'
import { compileEnvironments, dayMs, hourMs, rounded, spansOf } from '../traces/spans.ts'
import { compileSegmentScope, compileSpanScope, isMeasured } from './segments.ts'

/**
 * The one place that decides what a performance query reads: the rollup for 12 hours and more, in whole hours, else the
 * rows. Both give rows of `n` spans with their `weight`, and the `failed` and `total` of these weights. `value` is the
 * mean of a rollup row, whose values differ by 4% (9% for statements) at most.
 */
export type Source = { database: string; nowMs: number }

/**
 * A scope, and a range that it is compared with. Rows of the scope have `own`. `isOnlyBefore`: only the rows of that range
 * are read, as they are where both are read.
 */
type Ranges = {
  scope: Scope
  beforeMs?: { fromMs: number; toMs: number } | undefined
  isOnlyBefore?: boolean
  longest?: 'hour' | 'day'
}

/** Whether the rollup is read. A chart with shorter buckets than an hour needs the rows. */
export const isRolled = (scope: Scope, bucketMs = hourMs): boolean => isLong(scope) && bucketMs % hourMs === 0

/** The longest rows of the rollup that fit into buckets. */
export const longestOf = (bucketMs: number): 'hour' | 'day' => (bucketMs % dayMs === 0 ? 'day' : 'hour')

/** Condition for the rows of the rollup of a range: whole days, and hours around them. */
function compileHours(values: Values, range: { fromMs: number; toMs: number }, longest: 'hour' | 'day', nowMs: number) {
  const spans = spansOf(range, longest, nowMs)
  const time = (ms: number) => `toDateTime(${values.add('UInt32', Math.ceil(ms / 1000))}, 'UTC')`
  const each = (['hour', 'day'] as const).flatMap((length, at) =>
    spans[length].map(([from, to]) => `(length = ${at} AND hour >= ${time(from)} AND hour < ${time(to)})`),
  )
  return each.length === 0 ? '0' : `(${each.join(' OR ')})`
}

/** Condition for the rollup rows of both ranges, and the one that tells them apart. */
function compileRolled(values: Values, { scope, beforeMs, isOnlyBefore, longest = 'day' }: Ranges, { nowMs }: Source) {
  const split = rounded(Math.floor, scope.fromMs, 'hour')
  const own = isOnlyBefore ? '0' : compileHours(values, scope, longest, nowMs)
  // The range before ends where the scope begins, whatever time it is now: its last day is not rounded up.
  const earlier = beforeMs && {
    fromMs: beforeMs.fromMs,
    toMs: Math.min(split, rounded(Math.floor, beforeMs.toMs, 'hour')),
  }
  const before =
    earlier && earlier.fromMs < earlier.toMs
      ? ` OR ${compileHours(values, earlier, longest, Number.POSITIVE_INFINITY)}`
      : ''
  const firstMs = Math.max(0, Math.min(scope.fromMs, beforeMs?.fromMs ?? scope.fromMs) - aheadMs - hourMs)
  return {
    where: `${compileProjects(values, scope.projectIds)} AND (${own}${before})
      AND day >= toDate(toDateTime(${values.add('UInt32', Math.floor(firstMs / 1000))}, 'UTC')) AND ${compileEnvironments(values, scope)}`,
    own: `hour >= toDateTime(${values.add('UInt32', Math.ceil(split / 1000))}, 'UTC')`,
  }
}

/** The same for segments. */
function compileRows(values: Values, { scope, beforeMs, isOnlyBefore }: Ranges) {
  const time = (ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`
  if (isOnlyBefore) return { where: compileSegmentScope(values, { ...scope, ...beforeMs }), own: '0' }
  const own = `start >= ${time(scope.fromMs)}`
  const where = compileSegmentScope(values, {
    ...scope,
    fromMs: Math.min(scope.fromMs, beforeMs?.fromMs ?? scope.fromMs),
  })
  const before = beforeMs ? ` OR (start >= ${time(beforeMs.fromMs)} AND start < ${time(beforeMs.toMs)})` : ''
  return { where: `${where} AND (${own}${before})`, own }
}

const rolledSums = 'n, weight, failed, total, total / weight AS value'
const rowSums =
  'toUInt64(1) AS n, toFloat64(weight) AS its_weight, its_weight * failed AS its_failed, its_weight * duration AS total, toFloat64(duration) AS value'
/** The sums of spans under the names of the rollup. Aliases must not hide the columns that they are made of. */
const named = (rows: string, columns: string): string =>
  `(SELECT ${columns}, n, its_weight AS weight, its_failed AS failed, total, value FROM (${rows}))`

/** Segments: `measured` ones count for percentiles, `at` is a time within their hour or day. */
export function segmentFacts(
  values: Values,
  source: Source,
  ranges: Ranges,
  withCut: boolean,
  isFromRollup: boolean,
): string {
  const columns = 'project_id, op, route, release'
  if (isFromRollup) {
    const { where, own } = compileRolled(values, ranges, source)
    return `(SELECT ${columns}, hour AS at, ${own} AS own, ${withCut ? '1' : "metric = 'duration'"} AS measured, ${rolledSums}
      FROM ${source.database}.${spanRollupName} WHERE ${where} AND metric IN ('duration', 'cut'))`
  }
  const { where, own } = compileRows(values, ranges)
  return named(
    `SELECT ${columns}, start AS at, ${own} AS own, ${isMeasured(withCut)} AS measured, ${rowSums}
     FROM ${source.database}.${segmentsName} WHERE ${where} AND is_segment = 1`,
    `${columns}, at, own, measured`,
  )
}

/** A CASE over the vitals. */
export const eachVital = (of: (name: VitalName) => number): string =>
  `multiIf(${vitalNames.map((name) => `vital = '${name}', ${of(name)}`).join(', ')}, 0)`

/** The rating of a value: 0 good, 1 meh, 2 poor. */
const ratingSql = `(value > ${eachVital((name) => vitalCurves[name].good)}) + (value > ${eachVital((name) => vitalCurves[name].poor)})`

type VitalRanges = Pick<Ranges, 'scope' | 'beforeMs'>

/**
 * Vitals of the scope, and of the range before if one is given: then each row has `own`. A row of an hour that belongs to both
 * ranges is there twice. Each range by its own statement took 30 ms of processor time more for a route.
 */
function vitalsOfRanges(
  values: Values,
  { scope, beforeMs }: VitalRanges,
  compile: (scope: Scope) => string,
  select: (more: string, where: string) => string,
): string {
  const now = compile(scope)
  if (!beforeMs) return `(${select('', now)})`
  const before = compile({ ...scope, ...beforeMs })
  const either = `${compileProjects(values, scope.projectIds)} AND ((${now}) OR (${before}))`
  return `(SELECT *, arrayJoin(arrayConcat(if(in_now, [toUInt8(1)], []), if(in_before, [toUInt8(0)], []))) AS own
    FROM (${select(`, (${now}) AS in_now, (${before}) AS in_before`, either)}))`
}

/** Web vitals of page loads: `value` in ms or without unit, with its rating. */
export function vitalFacts(values: Values, source: Source, ranges: VitalRanges, isFromRollup: boolean): string {
  const names = values.add('Array(String)', [...vitalNames])
  if (isFromRollup)
    return vitalsOfRanges(
      values,
      ranges,
      (scope) => compileRolled(values, { scope }, source).where,
      (more, where) => `SELECT project_id, route, toString(metric) AS vital, rating, n, weight,
          total / weight / if(metric = 'cls', 1000000, 1000) AS value${more}
        FROM ${source.database}.${spanRollupName} WHERE ${where} AND metric IN ${names} AND ${hasVitals}`,
    )
  return vitalsOfRanges(
    values,
    ranges,
    (scope) => compileSegmentScope(values, scope),
    (more, where) =>
      `SELECT project_id, route, toString(vital) AS vital, ${ratingSql} AS rating, toUInt64(1) AS n, toFloat64(weight) AS weight, value${more}
       FROM ${source.database}.${segmentsName} ARRAY JOIN mapKeys(measurements) AS vital, mapValues(measurements) AS value
       WHERE ${where} AND ${hasVitals} AND vital IN ${names} AND value >= 0`,
  )
}

/**
 * Vitals of navigations without a page load, one row each, always from the rows: the sums of hours do not have them, and
 * only these few spans are read.
 */
export function softVitalFacts(values: Values, source: Source, ranges: VitalRanges): string {
  const names = values.add(
    'Array(String)',
    vitalNames.map((name) => softVitalPrefix + name),
  )
  return vitalsOfRanges(
    values,
    ranges,
    (scope) => compileSegmentScope(values, scope),
    (more, where) =>
      `SELECT project_id, route, substring(measured, ${softVitalPrefix.length + 1}) AS vital, ${ratingSql} AS rating, toUInt64(1) AS n,
         toFloat64(weight) AS weight, value${more}
       FROM ${source.database}.${segmentsName} ARRAY JOIN mapKeys(measurements) AS measured, mapValues(measurements) AS value
       WHERE ${where} AND ${hasVitals} AND measured IN ${names} AND value >= 0`,
  )
}

/** Statements of a category. */
export function statementFacts(
  values: Values,
  source: Source,
  scope: Scope,
  category: string,
  isFromRollup: boolean,
): string {
  const columns = 'project_id, route, statement'
  const of = values.add('String', category)
  if (isFromRollup) {
    const { where } = compileRolled(values, { scope }, source)
    return `(SELECT ${columns}, ${rolledSums} FROM ${source.database}.${spanRollupName}
      WHERE ${where} AND metric = 'statement' AND op = ${of})`
  }
  return named(
    `SELECT ${columns}, ${rowSums} FROM ${source.database}.spans
     WHERE ${compileSpanScope(values, scope)} AND category = ${of} AND statement != ''`,
    columns,
  )
}

/**
 * The weight of a row of facts for percentiles: the engine takes whole numbers only (see `weighed`). Percentiles of facts
 * are exact ones: a digest interpolates between rows that stand for many spans (1.2 s for a median of 0.3 s).
 */
export const factWeight = 'toUInt64(least(round(weight * 16), 1e15))'
