import type { Connection } from '../../connection.ts'
import { createValues } from '../../filter.ts'
import type {
  HealthCounts,
  SessionDimension,
  SessionDurations,
  SessionGroup,
  SessionStore,
} from '../../session-store.ts'
import { durationLevels, endNames } from './schema.ts'
import {
  compileNames,
  compileSessions,
  countedDurations,
  countedSessions,
  countedUsers,
  namesOf,
  settledSessions,
  summedDurations,
  summedSessions,
  summedUsers,
} from './sql.ts'

const columnOf: Record<SessionDimension, string> = {
  project: 'project_id',
  release: 'release',
  environment: 'environment',
}

type StoredGroup = {
  project_id?: string
  release?: string
  environment?: string
  start?: string
  n: string[]
  users?: string[]
  duration_sum?: number
  duration_n?: string
  quantiles?: number[]
}

/** From the order of the statement: all, then the ends in the order of their codes. */
const countsOf = ([
  all = '0',
  errored = '0',
  unhandled = '0',
  abnormal = '0',
  crashed = '0',
]: string[]): HealthCounts => ({
  all: Number(all),
  errored: Number(errored),
  unhandled: Number(unhandled),
  abnormal: Number(abnormal),
  crashed: Number(crashed),
})

function durationsOf({ duration_sum, duration_n = '0', quantiles = [] }: StoredGroup): SessionDurations | undefined {
  const n = Number(duration_n)
  if (duration_sum === undefined || n === 0) return undefined
  const [p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0] = quantiles
  return { avg: duration_sum / n, p50, p75, p90, p95, p99 }
}

const readGroup = (row: StoredGroup): SessionGroup => ({
  projectId: Number(row.project_id ?? 0),
  release: row.release ?? '',
  environment: row.environment ?? '',
  startMs: Number(row.start ?? 0),
  sessions: countsOf(row.n),
  users: row.users && countsOf(row.users),
  durations: durationsOf(row),
})

const list = (names: readonly string[], of: (name: string) => string) => `[${names.map(of).join(', ')}]`
const counts = ['all', ...endNames]

/** See `SessionStore`. */
export function createSessionCounts(
  connection: Connection,
  database: string,
): Pick<SessionStore, 'sessionGroups' | 'firstSessions' | 'openSessionDays'> {
  const table = `${database}.sessions`
  return {
    async sessionGroups({ scope, by, bucketMs, users = false, durations = false, max }) {
      if (scope.projectIds.length === 0 || scope.fromMs >= scope.toMs) return []
      const values = createValues()
      const where = compileSessions(values, scope)
      const names = compileNames(values, scope)
      const dimensions = by.map((name) => columnOf[name])
      const start = bucketMs === undefined ? [] : ['start']
      const keys = [...dimensions, ...start]
      const startOf =
        bucketMs === undefined
          ? []
          : [`intDiv(toInt64(toUnixTimestamp(minute)) * 1000, {bucket:Int64}) * {bucket:Int64} AS start`]
      const groupBy = keys.length > 0 ? `GROUP BY ${keys.join(', ')}` : ''
      const chosen = [...dimensions, ...startOf]
      // Without the texts where nothing is asked of them: the join costs a tenth.
      const isNamed = names !== '1' || by.some((name) => name !== 'project')
      const named = isNamed ? `INNER JOIN (${namesOf(table, `${where} AND ${names}`)}) AS n USING names` : ''
      const live = [...countedSessions, ...(users ? countedUsers : []), ...(durations ? countedDurations : [])]
      const rolled = [...summedSessions, ...(users ? summedUsers : []), ...(durations ? summedDurations : [])]
      const rows = await connection.rows<StoredGroup>(
        `SELECT ${[
          ...keys,
          `${list(counts, (name) => `sum(n_${name})`)} AS n`,
          ...(users ? [`${list(counts, (name) => `uniqCombined64Merge(12)(users_${name})`)} AS users`] : []),
          ...(durations
            ? [
                'sum(duration_sum) AS duration_sum',
                'sum(duration_n) AS duration_n',
                `quantilesTDigestMerge(${durationLevels})(durations) AS quantiles`,
              ]
            : []),
        ].join(', ')}
         FROM (
           SELECT ${[...chosen, ...live].join(', ')} FROM (${settledSessions(table, where)}) AS s ${named} ${groupBy}
           UNION ALL
           SELECT ${[...chosen, ...rolled].join(', ')} FROM ${table} WHERE is_rollup = 1 AND ${where} AND ${names} ${groupBy}
         ) ${groupBy} HAVING n[1] > 0 ORDER BY n[1] DESC${keys.length > 0 ? `, ${keys.join(', ')}` : ''}
         LIMIT ${values.add('UInt32', max)}`,
        { ...values.bound, ...(bucketMs === undefined ? {} : { bucket: bucketMs }) },
      )
      return rows.map(readGroup)
    },

    async firstSessions(scope, releases) {
      if (scope.projectIds.length === 0 || releases.length === 0) return new Map()
      const values = createValues()
      const where = compileSessions(values, scope)
      const names = compileNames(values, scope)
      const those = `release IN ${values.add('Array(String)', releases)}`
      const rows = await connection.rows<{ release: string; first: string }>(
        `SELECT release, toString(min(toUnixTimestamp(first_minute))) AS first FROM (
           SELECT release, minIf(minute, is_counted) AS first_minute, countIf(is_counted) AS found
           FROM (${settledSessions(table, where)}) AS s
           INNER JOIN (${namesOf(table, `${where} AND ${names} AND ${those}`)}) AS n USING names GROUP BY release
           UNION ALL
           SELECT release, minIf(minute, n_all > 0) AS first_minute, countIf(n_all > 0) AS found
           FROM ${table} WHERE is_rollup = 1 AND ${where} AND ${names} AND ${those} GROUP BY release
         ) WHERE found > 0 GROUP BY release`,
        values.bound,
      )
      return new Map(rows.map(({ release, first }) => [release, Number(first) * 1000]))
    },

    async openSessionDays(beforeMs) {
      const rows = await connection.rows<{ day: string }>(
        `SELECT DISTINCT toString(toDate(minute)) AS day FROM ${table}
         WHERE is_rollup = 0 AND minute < toDateTime({before:UInt32}, 'UTC') ORDER BY day`,
        { before: Math.max(0, Math.floor(beforeMs / 86_400_000) * 86_400) },
      )
      return rows.map(({ day }) => Date.parse(`${day}T00:00:00Z`))
    },
  }
}
