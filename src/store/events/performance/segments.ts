import { slowLoadMs } from '../../../domain/traces/vitals.ts'
import type { Scope } from '../events.ts'
import type { RouteKey, SlowPair, TimeRange } from '../performance-store.ts'
import { aheadMs, compileProjects, type Values } from '../reading/filter.ts'

/** Tables that a query reads, with their database. */
export type Tables = { spans: string; segments: string }

/** A time as SQL. */
const timeOf = (values: Values, ms: number): string =>
  `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`

/** Condition for spans that began in a range. */
export const compileTimes = (values: Values, { fromMs, toMs }: TimeRange): string =>
  `start >= ${timeOf(values, fromMs)} AND start < ${timeOf(values, toMs)}`

/**
 * Condition for the spans of a scope. `fromMs` is inclusive, `toMs` exclusive. No span of it is received more than
 * `aheadMs` before its start (decision 48), so that condition only leaves out parts and reads nothing.
 */
export function compileSpanScope(values: Values, scope: Scope): string {
  const parts = [
    compileProjects(values, scope.projectIds),
    `start >= ${timeOf(values, scope.fromMs)}`,
    `start < ${timeOf(values, scope.toMs)}`,
    `indexHint(received >= ${timeOf(values, scope.fromMs - aheadMs)})`,
  ]
  if (scope.environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', scope.environments)}`)
  return parts.join(' AND ')
}

/** The same for rows of `segments`. */
export function compileSegmentScope(values: Values, scope: Scope): string {
  const receivedMs = Math.max(0, Math.floor((scope.fromMs - aheadMs) / 1000))
  const parts = [
    // With one project and one route, the newest segments are read from the end of the table's order.
    compileProjects(values, scope.projectIds),
    `start >= ${timeOf(values, scope.fromMs)}`,
    `start < ${timeOf(values, scope.toMs)}`,
    `day >= toDate(toDateTime(${values.add('UInt32', receivedMs)}, 'UTC'))`,
  ]
  if (scope.environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', scope.environments)}`)
  return parts.join(' AND ')
}

/** Condition for the segments of a route in a scope. */
export const compileRoute = (values: Values, key: RouteKey, scope: Scope): string =>
  `${compileSegmentScope(values, { ...scope, projectIds: [key.projectId] })} AND is_segment = 1
   AND route = ${values.add('String', key.route)} AND op = ${values.add('String', key.op)}`

/**
 * Condition for the children of the segments in the subquery `of`, which has their `start`. They begin after the first of
 * them, so a sample of the newest segments does not read the rest of the range.
 */
export const compileChildren = (values: Values, { key, scope }: { key: RouteKey; scope: Scope }, of: string): string =>
  `${compileSpanScope(values, { ...scope, projectIds: [key.projectId] })} AND is_segment = 0
   AND route = ${values.add('String', key.route)} AND start >= (SELECT min(start) - toIntervalMinute(1) FROM ${of})`

/** Columns whose values are compared like those of attributes. */
const pairColumns: Readonly<Record<string, string>> = {
  release: 'toString(release)',
  environment: 'toString(environment)',
  'http.status': 'toString(http_status)',
  browser: 'toString(browser)',
}
/** The same as pairs of SQL. */
export const columnPairs = Object.entries(pairColumns)
  .map(([key, column]) => `('${key}', ${column})`)
  .join(', ')

/** Condition for segments with a value, by the names that why slow compares. */
export function compilePair(values: Values, { key, value }: SlowPair): string {
  const wanted = values.add('String', value)
  const column = Object.hasOwn(pairColumns, key) ? pairColumns[key] : undefined
  return `(tags[${values.add('String', key)}] = ${wanted}${column ? ` OR ${column} = ${wanted}` : ''})`
}

/**
 * The weight of a span for percentiles. The engine takes only whole numbers there: sixteenths keep the error of a
 * sample rate of 0.3 (a weight of 3.33) under 2%.
 */
export const weighed = 'toUInt32(least(round(weight * 16), 16000000))'

/** Segments that count for percentiles. */
export const isMeasured = (withCut: boolean): string => (withCut ? '1' : "cut = ''")

/** Milliseconds from microseconds. Null for no value: the engine writes NaN as null. */
export const readMs = (us: number | null | undefined): number | null =>
  us === null || us === undefined || !Number.isFinite(us) ? null : us / 1000

/** Above these a segment loses time: the limit of a slow route load, and for requests to servers the one of Apdex. */
const targetUs = { request: 300_000, other: slowLoadMs * 1000 } as const

/** The time of facts above the target of their op, weighted. */
export const lostSum = (condition: string): string =>
  `sumIf(greatest(0, total - weight * if(op = 'http.server', ${targetUs.request}, ${targetUs.other})), ${condition})`

/**
 * Apdex: satisfied up to the threshold, half for up to four times it. A page load is satisfying up to the good LCP, a
 * navigation up to one second, everything else up to 300 ms.
 */
export const apdexSum = (condition: string): string => {
  const limit = "multiIf(op = 'pageload', 2500000, op = 'navigation', 1000000, 300000)"
  return `sumIf((weight - failed) * multiIf(value <= ${limit}, 1, value <= 4 * ${limit}, 0.5, 0), ${condition})`
}
