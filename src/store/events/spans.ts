import type { Scope } from './events.ts'
import type { Values } from './filter.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Times of the rollups are seconds in 32 bits. */
const endMs = (2 ** 32 - 1) * 1000

/** A scope by whole hours, the first one from its start: whole days, and the hours before and behind them. ms. */
export type Spans = { days: [fromMs: number, toMs: number] | undefined; hours: [fromMs: number, toMs: number][] }

/**
 * Cuts a scope into days and hours; without `byDays` into hours alone. Of a scope that ends after `nowMs` the day of today
 * is a whole one: nothing comes behind its end.
 */
export function spansOf({ fromMs, toMs }: Pick<Scope, 'fromMs' | 'toMs'>, byDays: boolean, nowMs: number): Spans {
  const from = Math.floor(Math.max(0, fromMs) / hourMs) * hourMs
  const to = Math.min(endMs, byDays && toMs > nowMs ? Math.ceil(toMs / dayMs) * dayMs : toMs)
  const days: [number, number] = [Math.ceil(from / dayMs) * dayMs, Math.floor(to / dayMs) * dayMs]
  if (!byDays || days[0] >= days[1]) return { days: undefined, hours: [[from, to]] }
  const edges: [number, number][] = [
    [from, days[0]],
    [days[1], to],
  ]
  return { days, hours: edges.filter(([start, end]) => start < end) }
}

/** Rollup rows whose time lies in one of the stretches, as a condition; of none: nothing. */
export function compileTimes(values: Values, stretches: readonly [fromMs: number, toMs: number][]): string {
  const time = (ms: number) => `toDateTime(${values.add('UInt32', Math.ceil(ms / 1000))}, 'UTC')`
  const each = stretches.map(([from, to]) => `(hour >= ${time(from)} AND hour < ${time(to)})`)
  return each.length === 0 ? '0' : `(${each.join(' OR ')})`
}

/** The environments of a scope as a condition. */
export const compileEnvironments = (values: Values, { environments }: Scope): string =>
  environments.length === 0 ? '1' : `environment IN ${values.add('Array(String)', environments)}`

/**
 * `columns` is what is selected of each row, `where` a condition on its project and group. Hours of `known` groups come from
 * `issue_time`, those of all groups from `hour_issue`. With `byDays` false a row is never longer than an hour.
 */
export type Rollup = { columns: string; where: string; known: boolean; nowMs: number; byDays?: boolean }

/** Rollup rows of a scope as a table in parentheses: whole days as days, the hours beside them as hours. */
export function compileRollup(
  values: Values,
  database: string,
  scope: Scope,
  { columns, where, known, nowMs, byDays = true }: Rollup,
): string {
  const { days, hours } = spansOf(scope, byDays, nowMs)
  const projects = `project_id IN ${values.add('Array(UInt64)', scope.projectIds)}`
  const rest = `${compileEnvironments(values, scope)} AND ${where}`
  const parts: string[] = []
  if (days)
    parts.push(`SELECT ${columns} FROM ${database}.issue_time
      WHERE ${projects} AND span = 1 AND ${compileTimes(values, [days])} AND ${rest}`)
  if (hours.length > 0)
    parts.push(`SELECT ${columns} FROM ${database}.${known ? 'issue_time' : 'hour_issue'}
      WHERE ${projects} AND ${known ? 'span = 0 AND ' : ''}${compileTimes(values, hours)} AND ${rest}`)
  return `(${parts.join(' UNION ALL ')})`
}
