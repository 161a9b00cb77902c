import type { Scope } from '../events.ts'
import { aheadMs, compileProjects, type Values } from '../reading/filter.ts'
import { projectSpan } from '../schema/rollups.ts'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs
const weekMs = 7 * dayMs
/** 1970 began on a Thursday. */
const firstMondayMs = 4 * dayMs
/** The rollups store times as seconds in 32 bits. */
const endMs = (2 ** 32 - 1) * 1000

/** Lengths of the rows of `issue_time`, in the order of the column `span`. */
export const lengths = ['hour', 'day', 'week'] as const
export type Length = (typeof lengths)[number]

type Stretch = readonly [fromMs: number, toMs: number]
/** A scope by row length: whole weeks, the days around them, the hours around those. ms. */
type Spans = Record<Length, Stretch[]>

const steps: Record<Length, { ms: number; zeroMs: number }> = {
  hour: { ms: hourMs, zeroMs: 0 },
  day: { ms: dayMs, zeroMs: 0 },
  week: { ms: weekMs, zeroMs: firstMondayMs },
}
/** Rounds `ms` since 1970 to the start of an hour, day or week (UTC, from Monday). */
export const rounded = (round: (units: number) => number, ms: number, of: Length): number =>
  round((ms - steps[of].zeroMs) / steps[of].ms) * steps[of].ms + steps[of].zeroMs

/**
 * Splits a scope into weeks, days and hours, none longer than `longest`; the first hour counts from its start. A scope
 * that ends after `nowMs` includes the whole current day and week: there are no later events.
 */
export function spansOf({ fromMs, toMs }: Pick<Scope, 'fromMs' | 'toMs'>, longest: Length, nowMs: number): Spans {
  const from = rounded(Math.floor, Math.max(0, fromMs), 'hour')
  const to = Math.min(endMs, longest !== 'hour' && toMs > nowMs ? rounded(Math.ceil, toMs, longest) : toMs)
  const spans: Spans = { hour: [], day: [], week: [] }
  let left: Stretch[] = [[from, to]]
  for (let at = lengths.indexOf(longest); at > 0; at--) {
    const length = lengths[at] ?? 'hour'
    left = left.flatMap(([start, end]) => {
      const whole: Stretch = [rounded(Math.ceil, start, length), rounded(Math.floor, end, length)]
      if (whole[0] >= whole[1]) return [[start, end]]
      spans[length].push(whole)
      return [[start, whole[0]] as const, [whole[1], end] as const].filter(([a, b]) => a < b)
    })
  }
  spans.hour = left
  return spans
}

/** Condition for rollup rows within one of the periods. No periods match nothing. */
function compileTimes(values: Values, stretches: readonly Stretch[]): string {
  const time = (ms: number) => `toDateTime(${values.add('UInt32', Math.ceil(ms / 1000))}, 'UTC')`
  const each = stretches.map(([from, to]) => `(hour >= ${time(from)} AND hour < ${time(to)})`)
  return each.length === 0 ? '0' : `(${each.join(' OR ')})`
}

/** Condition for the rows of `issue_time` that a scope covers, by length. `first`: the span of the hours. */
export function compileSpans(values: Values, spans: Spans, first = 0): string {
  const each = lengths.flatMap((length, at) =>
    spans[length].length === 0 ? [] : [`(span = ${first + at} AND ${compileTimes(values, spans[length])})`],
  )
  return each.length === 0 ? '0' : `(${each.join(' OR ')})`
}

/**
 * The spans of each length that a scope has, each for a SELECT of its own. In one condition the lengths took twice as
 * long: the engine compares all of them with each range of the key. For known groups that was 57 ms of processor time
 * instead of 28, with 25 groups among 270,000 granules. For all groups, the index of hours now skips the days of other
 * weeks, which are four times as many rows as the weeks (decision 31).
 */
export function splitSpans(spans: Spans): Spans[] {
  const none: Spans = { hour: [], day: [], week: [] }
  return lengths.filter((length) => spans[length].length > 0).map((length) => ({ ...none, [length]: spans[length] }))
}

/**
 * Condition for the weeks of receipt (the partitions) of a scope's rows: an event is not received before it happens.
 * Each skipped part saves time (a day in a month with five open weeks: a third).
 */
export function compileWeeks(values: Values, { fromMs }: Pick<Scope, 'fromMs'>): string {
  const receivedMs = Math.max(0, rounded(Math.floor, Math.min(fromMs, endMs), 'hour') - aheadMs)
  return `week >= toMonday(toDateTime(${values.add('UInt32', receivedMs / 1000)}, 'UTC'))`
}

/** Condition for the environments of a scope. */
export const compileEnvironments = (values: Values, { environments }: Scope): string =>
  environments.length === 0 ? '1' : `environment IN ${values.add('Array(String)', environments)}`

/**
 * `columns` are the selected columns, `where` is a condition on project and group. Hours of `known` groups come from
 * `issue_time`, hours of all groups from `hour_issue`. No row is longer than `longest`.
 */
type Rollup = { columns: string; where: string; known: boolean; nowMs: number; longest?: Length }

/** Subquery for the rollup rows of a scope: whole weeks and days, and hours for the rest. */
export function compileRollup(
  values: Values,
  database: string,
  scope: Scope,
  { columns, where, known, nowMs, longest = 'week' }: Rollup,
): string {
  const spans = spansOf(scope, longest, nowMs)
  const projects = compileProjects(values, scope.projectIds)
  const rest = `${compileWeeks(values, scope)} AND ${compileEnvironments(values, scope)} AND ${where}`
  const hoursApart = !known && spans.hour.length > 0
  const parts = splitSpans(hoursApart ? { ...spans, hour: [] } : spans).map(
    (part) => `SELECT ${columns} FROM ${database}.issue_time
      WHERE ${projects} AND ${compileSpans(values, part)} AND ${rest}`,
  )
  if (hoursApart)
    parts.push(`SELECT ${columns} FROM ${database}.hour_issue
      WHERE ${projects} AND ${compileTimes(values, spans.hour)} AND ${rest}`)
  return `(${parts.join(' UNION ALL ')})`
}

/** Subquery for the rows of whole projects of a scope: weeks, days and hours, none longer than `longest`. */
export function compileProjectRollup(
  values: Values,
  database: string,
  scope: Scope,
  { columns, nowMs, longest = 'week' }: Pick<Rollup, 'columns' | 'nowMs' | 'longest'>,
): string {
  const times = compileSpans(values, spansOf(scope, longest, nowMs), projectSpan)
  return `(SELECT ${columns} FROM ${database}.issue_time
    WHERE project_id IN ${values.add('Array(UInt64)', scope.projectIds)} AND group_hash = 0 AND ${times}
      AND ${compileWeeks(values, scope)} AND ${compileEnvironments(values, scope)})`
}
