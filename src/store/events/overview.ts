import type { Clock } from '../../base/clock.ts'
import type { Connection } from './connection.ts'
import { isLong, type Scope } from './events.ts'
import { aheadMs, compileScope, createValues, type Values } from './reading/filter.ts'
import { compileProjectRollup, dayMs, hourMs } from './traces/spans.ts'

/** Segments (transactions and their like) of two adjacent periods. Durations are in ms. */
export type SegmentStats = {
  /** 0: all projects of the scope. */
  projectId: number
  /** Name of the route; '' for all routes. */
  transaction: string
  now: { count: number; failed: number; p75Ms: number | null }
  before: { count: number; failed: number; p75Ms: number | null }
}

/** Queries of the overview: all groups of a scope together. */
export type OverviewStore = {
  /** Events of each project by bucket, in time order. From 12 hours on from the rollups, in whole hours. */
  projectSeries(scope: Scope, bucketMs: number): Promise<{ projectId: number; startMs: number; events: number }[]>
  /**
   * Distinct users by bucket from `splitMs` on, and in total from and before `splitMs`. Estimates from some thousand
   * users on (standard error 1.6%). From 12 hours on from the rollups, in whole hours and with downsampled events.
   */
  userSeries(
    scope: Scope,
    bucketMs: number,
    splitMs: number,
  ): Promise<{ buckets: { startMs: number; users: number }[]; now: number; before: number }>
  /**
   * Segments in total, by project, and the slowest routes with at least `countMin` segments since `splitMs`. Stops with
   * QUERY_TIMEOUT after `seconds`.
   */
  segmentStats(request: {
    scope: Scope
    splitMs: number
    countMin: number
    routesMax: number
    seconds: number
  }): Promise<SegmentStats[]>
}

/** Ends that are no failure of the server or page: as in Sentry's failure rate. */
const goodStatuses = "('', 'ok', 'cancelled', 'unknown')"
const wholeHour = (ms: number) => Math.floor(ms / hourMs) * hourMs

/** Expression for the start of the bucket of an expression in ms. */
const startOf = (values: Values, ms: string, bucketMs: number): string => {
  const bucket = values.add('Int64', bucketMs)
  return `intDiv(${ms}, ${bucket}) * ${bucket}`
}

function createProjectSeries(connection: Connection, database: string, clock: Clock): OverviewStore['projectSeries'] {
  return async (scope, bucketMs) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const rollup = isLong(scope) && bucketMs % hourMs === 0
    const longest = bucketMs % dayMs === 0 ? 'day' : 'hour'
    const start = startOf(
      values,
      rollup ? 'toInt64(toUnixTimestamp(hour)) * 1000' : 'toUnixTimestamp64Milli(timestamp)',
      bucketMs,
    )
    const from = rollup
      ? compileProjectRollup(values, database, scope, { columns: 'project_id, hour, n', nowMs: clock.now(), longest })
      : `${database}.events WHERE ${compileScope(values, scope)}`
    const rows = await connection.rows<{ project_id: string; start_ms: string; events: string }>(
      `SELECT project_id, ${start} AS start_ms, ${rollup ? 'sum(n)' : 'count()'} AS events FROM ${from}
       GROUP BY project_id, start_ms ORDER BY start_ms, project_id`,
      values.bound,
    )
    return rows.map((row) => ({
      projectId: Number(row.project_id),
      startMs: Number(row.start_ms),
      events: Number(row.events),
    }))
  }
}

/** A row counts for its bucket and for all from the split on (key -1), or for all before it (-2). */
const keyed = (start: string, own: string): string =>
  `arrayJoin(if(${own}, [${start}, toInt64(-1)], [toInt64(-2)])) AS key`

/** The time before the split ends there, whatever time it is now: its last week is not rounded up. */
const endless = Number.POSITIVE_INFINITY

/** The states of whole projects: the longest rows for the time before, rows that fit into buckets for the time after. */
function usersByRollup(values: Values, database: string, request: UsersRequest, nowMs: number): string {
  const { scope, bucketMs, splitMs } = request
  const at = 'toInt64(toUnixTimestamp(hour)) * 1000'
  const split = wholeHour(splitMs)
  const before = { ...scope, toMs: split }
  const columns = (own: '0' | '1') => `${startOf(values, at, bucketMs)} AS start, ${own} AS own, users AS state`
  const longest = bucketMs % dayMs === 0 ? 'day' : 'hour'
  const parts = [
    compileProjectRollup(values, database, { ...scope, fromMs: split }, { columns: columns('1'), nowMs, longest }),
    ...(before.fromMs < before.toMs
      ? [compileProjectRollup(values, database, before, { columns: columns('0'), nowMs: endless })]
      : []),
  ]
  return parts.map((part) => `SELECT * FROM ${part}`).join(' UNION ALL ')
}

/** The users of the rows: for short scopes. */
function usersByRows(values: Values, database: string, { scope, bucketMs, splitMs }: UsersRequest): string {
  const at = 'toUnixTimestamp64Milli(timestamp)'
  return `SELECT ${startOf(values, at, bucketMs)} AS start, ${at} >= ${values.add('Int64', splitMs)} AS own,
      uniqCombined64State(12)(user_hash) AS state
    FROM ${database}.events WHERE ${compileScope(values, scope)} AND user_hash != 0 GROUP BY start, own`
}

type UsersRequest = { scope: Scope; bucketMs: number; splitMs: number }

function createUserSeries(connection: Connection, database: string, clock: Clock): OverviewStore['userSeries'] {
  return async (scope, bucketMs, splitMs) => {
    if (scope.projectIds.length === 0) return { buckets: [], now: 0, before: 0 }
    const values = createValues()
    const request = { scope, bucketMs, splitMs }
    const isWhole = bucketMs % hourMs === 0 && isLong({ ...scope, fromMs: splitMs })
    const from = isWhole
      ? usersByRollup(values, database, request, clock.now())
      : usersByRows(values, database, request)
    const rows = await connection.rows<{ key: string; users: string }>(
      `SELECT ${keyed('start', 'own')}, uniqCombined64Merge(12)(state) AS users FROM (
         SELECT start, own, uniqCombined64MergeState(12)(state) AS state FROM (${from}) GROUP BY start, own)
       GROUP BY key ORDER BY key`,
      values.bound,
    )
    const found = rows.map((row) => ({ startMs: Number(row.key), users: Number(row.users) }))
    const total = (key: number) => found.find((row) => row.startMs === key)?.users ?? 0
    return { buckets: found.filter((row) => row.startMs >= 0 && row.users > 0), now: total(-1), before: total(-2) }
  }
}

type StoredSegments = {
  project: string
  route: string
  n: string
  failed: string
  p75: number | null
  n_before: string
  failed_before: string
  p75_before: number | null
}

function createSegmentStats(connection: Connection, database: string): OverviewStore['segmentStats'] {
  return async ({ scope, splitMs, countMin, routesMax, seconds }) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const time = (ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`
    const environments =
      scope.environments.length === 0 ? '1' : `environment IN ${values.add('Array(String)', scope.environments)}`
    const where = `project_id IN ${values.add('Array(UInt64)', scope.projectIds)} AND start >= ${time(scope.fromMs)}
      AND start < ${time(scope.toMs)} AND received >= ${time(scope.fromMs - aheadMs)} AND is_segment = 1 AND ${environments}`
    const own = `start >= ${time(splitMs)}`
    // p75 of nothing is NaN, which JSON cannot carry: null. A sample by hash does not depend on the order of the rows: with
    // a t-digest the same spans gave 950 or 951 ms, by how they lay in parts.
    const p75 = (condition: string, count: string) =>
      `if(${count} = 0, NULL, quantileDeterministicIf(0.75)(duration, its_hash, ${condition}) / 1000)`
    const failed = `status NOT IN ${goodStatuses}`
    const rows = await connection.rows<StoredSegments>(
      `SELECT toUInt64(if(grouping(project_id) = 1, 0, project_id)) AS project, toString(transaction) AS route,
         countIf(own) AS n, countIf(own AND failed_one) AS failed, ${p75('own', 'n')} AS p75,
         countIf(NOT own) AS n_before, countIf(NOT own AND failed_one) AS failed_before,
         ${p75('NOT own', 'n_before')} AS p75_before, grouping(transaction) AS is_sum
       FROM (SELECT project_id, transaction, duration, cityHash64(start) AS its_hash, ${own} AS own, ${failed} AS failed_one FROM ${database}.spans WHERE ${where})
       GROUP BY GROUPING SETS ((), (project_id), (project_id, transaction))
       HAVING is_sum = 1 OR (n >= ${values.add('UInt32', countMin)} AND route != '')
       ORDER BY is_sum DESC, p75 DESC LIMIT ${values.add('UInt32', scope.projectIds.length + 1 + routesMax)}`,
      values.bound,
      { seconds },
    )
    return rows.map((row) => ({
      projectId: Number(row.project),
      transaction: row.route,
      now: { count: Number(row.n), failed: Number(row.failed), p75Ms: row.p75 },
      before: { count: Number(row.n_before), failed: Number(row.failed_before), p75Ms: row.p75_before },
    }))
  }
}

/** Creates the queries of the overview. */
export function createOverview(connection: Connection, database: string, clock: Clock): OverviewStore {
  return {
    projectSeries: createProjectSeries(connection, database, clock),
    userSeries: createUserSeries(connection, database, clock),
    segmentStats: createSegmentStats(connection, database),
  }
}
