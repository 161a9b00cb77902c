import type { Clock } from '../../../base/clock.ts'
import type { Connection } from '../connection.ts'
import type { EventStore } from '../event-store.ts'
import { isLong, type Scope, type SetStats } from '../events.ts'
import {
  compileEnvironments,
  compileRollup,
  compileSpans,
  compileWeeks,
  dayMs,
  hourMs,
  spansOf,
  splitSpans,
} from '../traces/spans.ts'
import { compilePairs, compilePlace, type Pair } from './counts.ts'
import { compileScope, createValues, type Values } from './filter.ts'

type StoredRange = { place: number; events: string; points: [starts: string[], events: string[]] }
type StoredUsers = { place: number; users_n?: string; life_n: string }

type StatsRequest = {
  database: string
  scope: Scope
  sets: readonly (readonly Pair[])[]
  nowMs: number
  /** Numbers (from 1) of the sets whose lifetime users are requested. */
  lifetimeSets: readonly number[]
}

/** Expression for the bucket start of an expression in ms. */
const startOf = (values: Values, ms: string, bucketMs: number): string => {
  const bucket = values.add('Int64', bucketMs)
  return `intDiv(${ms}, ${bucket}) * ${bucket}`
}

/** Builds a statement with its values, from expressions for a row's set and its groups. */
function statementOf(
  sets: readonly (readonly Pair[])[],
  write: (values: Values, place: string, groups: string) => string,
) {
  const values = createValues()
  const text = write(values, compilePlace(values, sets), compilePairs(values, sets.flat()))
  return [text, values.bound] as const
}

/** Events and buckets from the rollup. Users have their own query: reading their states costs more than the rest. */
const byRollup = ({ database, scope, sets, nowMs }: StatsRequest, bucketMs: number) =>
  statementOf(sets, (values, place, groups) => {
    const start = startOf(values, 'toInt64(toUnixTimestamp(hour)) * 1000', bucketMs)
    const columns = `${place} AS place, ${start} AS start, toUInt64(n) AS n`
    const rows = compileRollup(values, database, scope, {
      columns,
      where: groups,
      known: true,
      nowMs,
      longest: bucketMs % dayMs === 0 ? 'day' : 'hour',
    })
    return `SELECT place, sum(n) AS events, sumMap([start], [n]) AS points FROM ${rows} GROUP BY place`
  })

/**
 * Users within a scope by weeks, days and hours, and lifetime users of the requested sets by weeks. Each merged state
 * costs 50 us, so only requested ones are merged.
 */
const usersByRollup = ({ database, scope, sets, nowMs, lifetimeSets }: StatsRequest) =>
  statementOf(sets, (values, place, groups) => {
    const covered = `${compileWeeks(values, scope)} AND ${compileEnvironments(values, scope)}`
    const select = (where: string, within = '1', lived = '0') =>
      `SELECT ${place} AS place, ${within} AS within, ${lived} AS lived, users FROM ${database}.issue_time
       WHERE ${groups} AND ${where}`
    const spans = spansOf(scope, 'week', nowMs)
    const withLife = lifetimeSets.length > 0
    const parts = splitSpans(withLife ? { ...spans, week: [] } : spans).map((part) =>
      select(`${compileSpans(values, part)} AND ${covered}`),
    )
    if (withLife) {
      const within = `(${compileSpans(values, { hour: [], day: [], week: spans.week })} AND ${covered})`
      const lived = `(place IN ${values.add('Array(UInt32)', lifetimeSets)})`
      parts.push(select('span = 2 AND (within OR lived)', within, lived))
    }
    return `SELECT place, uniqCombined64MergeIf(12)(users, within) AS users_n, uniqCombined64MergeIf(12)(users, lived) AS life_n
      FROM (${parts.join(' UNION ALL ')}) GROUP BY place`
  })

/** Stats of a short scope, from the rows. */
const byRows = ({ database, scope, sets }: StatsRequest, bucketMs: number) =>
  statementOf(sets, (values, place, groups) => {
    const start = startOf(values, 'toUnixTimestamp64Milli(timestamp)', bucketMs)
    return `SELECT ${place} AS place, count() AS events, uniqCombined64If(12)(user_hash, user_hash != 0) AS users_n,
        sumMap([${start}], [toUInt64(1)]) AS points
      FROM ${database}.events WHERE ${compileScope(values, scope)} AND ${groups} GROUP BY place`
  })

const lifetimeRows = ({ database, sets, lifetimeSets }: StatsRequest) =>
  statementOf(
    sets,
    (values, place, groups) =>
      `SELECT ${place} AS place, uniqCombined64Merge(12)(users) AS life_n FROM ${database}.issue_time
       WHERE span = 2 AND ${groups} AND place IN ${values.add('Array(UInt32)', lifetimeSets)} GROUP BY place`,
  )

/** See `EventStore.figuresOf`. */
export function createStats(connection: Connection, database: string, clock: Clock): Pick<EventStore, 'statsOf'> {
  return {
    async statsOf(scope, bucketMs, sets, countsLifetime = () => true) {
      const stats = sets.map((): SetStats => ({ events: 0, users: 0, lifetimeUsers: 0, series: [] }))
      if (sets.flat().length === 0 || scope.projectIds.length === 0) return stats
      const whole = bucketMs % hourMs === 0 && isLong(scope)
      const lifetimeSets = sets.flatMap((_set, at) => (countsLifetime(at) ? [at + 1] : []))
      const request = { database, scope, sets, lifetimeSets, nowMs: clock.now() }
      const [ranges, users] = await Promise.all([
        whole
          ? connection.rows<StoredRange>(...byRollup(request, bucketMs))
          : connection.rows<StoredRange & Pick<StoredUsers, 'users_n'>>(...byRows(request, bucketMs)),
        connection.rows<StoredUsers>(...(whole ? usersByRollup(request) : lifetimeRows(request))),
      ])
      for (const { place, users_n = '0', life_n } of users)
        Object.assign(stats[place - 1] ?? {}, { users: Number(users_n), lifetimeUsers: Number(life_n) })
      for (const { place, events, points, ...own } of ranges) {
        const item = stats[place - 1]
        if (!item) continue
        item.events = Number(events)
        item.series = points[0].map((start, at) => ({ startMs: Number(start), events: Number(points[1][at]) }))
        if ('users_n' in own) item.users = Number(own.users_n)
      }
      return stats
    },
  }
}
