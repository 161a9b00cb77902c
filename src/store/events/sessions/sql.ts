import { compileFilter, type Values } from '../reading/filter.ts'
import type { SessionScope } from '../session-store.ts'
import { durationLevels, endNames } from './schema.ts'

/** Codes of a status, stored in the lowest three bits (`sessionStatuses`). */
const code = { exited: 1, errored: 2, unhandled: 3, abnormal: 4, crashed: 5 } as const

const minuteMs = 60_000
const moment = (values: Values, ms: number) => `toDateTime(${values.add('UInt32', Math.floor(ms / 1000))}, 'UTC')`

/** Condition on the properties of a session that never change. */
export function compileSessions(values: Values, { projectIds, fromMs, toMs }: SessionScope): string {
  const from = Math.max(0, Math.floor(fromMs / minuteMs) * minuteMs)
  return [
    `project_id IN ${values.add('Array(UInt64)', projectIds)}`,
    `minute >= ${moment(values, from)}`,
    `minute < ${moment(values, Math.max(from, Math.ceil(toMs / minuteMs) * minuteMs))}`,
  ].join(' AND ')
}

/** Condition on the names of a session's last update, or of a rollup. */
export function compileNames(values: Values, { environments, filter }: SessionScope): string {
  const parts = filter ? [compileFilter(values, filter)] : []
  if (environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', environments)}`)
  return parts.join(' AND ') || '1'
}

/**
 * Computes each session once from its updates. `status` is the first final one by `seq`, else that of the last update.
 * A session without a start update counts only if it crashed. `names` is a hash of release and environment: with the
 * texts themselves the query took four times as long.
 */
export const settledSessions = (table: string, where: string): string => `
  SELECT its_project AS project_id, its_minute AS minute, names, quantity, user_hash, duration, entries, last_received, last_jpos,
    if(final != 0, bitAnd(final, 7), bitAnd(latest, 7)) AS status,
    is_init OR status = ${code.crashed} AS is_counted,
    is_counted AND (bitAnd(latest, 8) != 0 OR status = ${code.errored})
      AND status NOT IN (${code.unhandled}, ${code.abnormal}, ${code.crashed}) AS errored,
    is_counted AND status = ${code.unhandled} AS unhandled,
    is_counted AND status = ${code.abnormal} AS abnormal,
    is_counted AND status = ${code.crashed} AS crashed,
    is_counted AND status = ${code.exited} AND duration >= 0 AS is_timed
  FROM (
    SELECT any(s.project_id) AS its_project, any(s.minute) AS its_minute, argMax(s.names, s.latest) AS names,
      argMax(s.duration, s.latest) AS duration, max(s.final) AS final, max(s.is_init) AS is_init,
      max(s.quantity) AS quantity, max(s.user_hash) AS user_hash, sum(s.entries) AS entries, max(s.latest) AS latest,
      max(s.received) AS last_received, max(s.jpos) AS last_jpos
    FROM ${table} AS s WHERE s.is_rollup = 0 AND ${where} GROUP BY s.sid)`

/** Selects the texts of `names` that match a condition. */
export const namesOf = (table: string, where: string): string =>
  `SELECT names, its_release AS release, its_environment AS environment FROM (
     SELECT n.names AS names, any(n.release) AS its_release, any(n.environment) AS its_environment FROM ${table} AS n
     WHERE n.is_rollup = 0 AND ${where} GROUP BY names)`

const usersOf = (name: string, when: string) =>
  `uniqCombined64StateIf(12)(user_hash, user_hash != 0 AND ${when}) AS users_${name}`

/** Counts of settled sessions in rollup form. */
export const countedSessions = [
  'sumIf(quantity, is_counted) AS n_all',
  ...endNames.map((name) => `sumIf(quantity, ${name}) AS n_${name}`),
]
export const countedUsers = [usersOf('all', 'is_counted'), ...endNames.map((name) => usersOf(name, name))]
export const countedDurations = [
  'sumIf(toFloat64(duration), is_timed) AS duration_sum',
  'countIf(is_timed) AS duration_n',
  `quantilesTDigestStateIf(${durationLevels})(duration, is_timed) AS durations`,
]

/** Sums of rollups, with the same names as `countedSessions` and the others. */
export const summedSessions = ['all', ...endNames].map((name) => `sum(n_${name}) AS n_${name}`)
export const summedUsers = ['all', ...endNames].map(
  (name) => `uniqCombined64MergeState(12)(users_${name}) AS users_${name}`,
)
export const summedDurations = [
  'sum(duration_sum) AS duration_sum',
  'sum(duration_n) AS duration_n',
  `quantilesTDigestMergeState(${durationLevels})(durations) AS durations`,
]
