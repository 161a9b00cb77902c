import type { Connection } from '../connection.ts'
import { createValues } from '../reading/filter.ts'
import type { HealthCounts, SessionDimension, SessionDurations, SessionGroup, SessionStore } from '../session-store.ts'
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

const dayMs = 86_400_000

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

/** Reads the counts in the order of the statement: all, then each status in the order of its code. */
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

/** Result columns of `sessionGroups`, without the keys. */
const answered = (users: boolean, durations: boolean): string[] => [
  `${list(counts, (name) => `sum(n_${name})`)} AS n`,
  ...(users ? [`${list(counts, (name) => `uniqCombined64Merge(12)(users_${name})`)} AS users`] : []),
  ...(durations
    ? [
        'sum(duration_sum) AS duration_sum',
        'sum(duration_n) AS duration_n',
        `quantilesTDigestMerge(${durationLevels})(durations) AS quantiles`,
      ]
    : []),
]

/** Builds the statement of `sessionGroups`: the sum of sessions settled from updates and of rollups. */
function groupsStatement(
  table: string,
  { scope, by, bucketMs, users = false, durations = false, max }: Parameters<SessionStore['sessionGroups']>[0],
) {
  const values = createValues()
  const where = compileSessions(values, scope)
  const names = compileNames(values, scope)
  const columns = by.map((name) => columnOf[name])
  const bucket = values.add('Int64', bucketMs ?? 1)
  const start = `intDiv(toInt64(toUnixTimestamp(minute)) * 1000, ${bucket}) * ${bucket} AS start`
  const keys = [...columns, ...(bucketMs === undefined ? [] : ['start'])]
  const chosen = [...columns, ...(bucketMs === undefined ? [] : [start])]
  const groupBy = keys.length > 0 ? `GROUP BY ${keys.join(', ')}` : ''
  // The join with the texts costs a tenth, so it is left out if no name is used.
  const isNamed = names !== '1' || by.some((name) => name !== 'project')
  const named = isNamed ? `INNER JOIN (${namesOf(table, `${where} AND ${names}`)}) AS n USING names` : ''
  const live = [...countedSessions, ...(users ? countedUsers : []), ...(durations ? countedDurations : [])]
  const rolled = [...summedSessions, ...(users ? summedUsers : []), ...(durations ? summedDurations : [])]
  const sql = `SELECT ${[...keys, ...answered(users, durations)].join(', ')} FROM (
       SELECT ${[...chosen, ...live].join(', ')} FROM (${settledSessions(table, where)}) AS s ${named} ${groupBy}
       UNION ALL
       SELECT ${[...chosen, ...rolled].join(', ')} FROM ${table} WHERE is_rollup = 1 AND ${where} AND ${names} ${groupBy}
     ) ${groupBy} HAVING n[1] > 0 ORDER BY ${['n[1] DESC', ...keys].join(', ')} LIMIT ${values.add('UInt32', max)}`
  return [sql, values.bound] as const
}

/** See `SessionStore`. */
export function createSessionCounts(
  connection: Connection,
  database: string,
): Pick<SessionStore, 'sessionGroups' | 'openSessionDays'> {
  const table = `${database}.sessions`
  return {
    async sessionGroups(request) {
      const { projectIds, fromMs, toMs } = request.scope
      if (projectIds.length === 0 || fromMs >= toMs) return []
      return (await connection.rows<StoredGroup>(...groupsStatement(table, request))).map(readGroup)
    },

    async openSessionDays(beforeMs) {
      const rows = await connection.rows<{ day: string }>(
        `SELECT DISTINCT toString(toDate(minute)) AS day FROM ${table}
         WHERE is_rollup = 0 AND minute < toDateTime({before:UInt32}, 'UTC') ORDER BY day`,
        { before: Math.max(0, Math.floor(beforeMs / dayMs) * 86_400) },
      )
      return rows.map(({ day }) => Date.parse(`${day}T00:00:00Z`))
    },
  }
}
