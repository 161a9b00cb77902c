import { skewKindIds, skewTag } from '../../../domain/skew.ts'
import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import { compileScope, createValues, type Values } from './filter.ts'

/** Skew that old tabs caused within a scope. */
type SkewStats = {
  /** Events per kind and bucket in time order. A bucket's start is a multiple of its length. */
  buckets: { kind: string; startMs: number; events: number }[]
  /** Events from `lastMs` on. */
  last: number
  /** Identified users that were affected; those that recovered, and those hit again later that did not. */
  people: number
  recovered: number
  stuck: number
  /** The affected releases, most events first; '' for events without release. */
  releases: { release: string; events: number }[]
}

type SkewRequest = {
  scope: Scope
  bucketMs: number
  lastMs: number
  /** The deployed release. One event of it without skew shows that the user has it. */
  release: string
  /** Minimum delay of an event of another kind. Errors that a missing script causes appear at the same moment. */
  apartMs: number
  releasesMax: number
}

export type SkewStore = {
  /** Returns the skew within a scope, by the rows' tag. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
  skewOf(request: SkewRequest): Promise<SkewStats>
}

/** Condition for rows with the tag. It uses the index of pairs, so other rows' tags are not read. */
function isSkew(values: Values): string {
  const pairs = skewKindIds.map((kind) => `has(tagkv, ${values.add('String', `${skewTag}=${kind}`)})`)
  return `(${pairs.join(' OR ')})`
}

/** Creates the skew queries. */
export function createSkew(connection: Connection, database: string): SkewStore {
  const table = `${database}.events`

  async function bucketsOf({ scope, bucketMs, lastMs }: SkewRequest) {
    const values = createValues()
    const bucket = values.add('Int64', bucketMs)
    const ms = 'toUnixTimestamp64Milli(timestamp)'
    const rows = await connection.rows<{ kind: string; start_ms: string; n: string; late: string }>(
      `SELECT tags[${values.add('String', skewTag)}] AS kind, intDiv(${ms}, ${bucket}) * ${bucket} AS start_ms, count() AS n,
         countIf(${ms} >= ${values.add('Int64', Math.floor(lastMs))}) AS late
       FROM ${table} WHERE ${compileScope(values, scope)} AND ${isSkew(values)} GROUP BY kind, start_ms ORDER BY start_ms, kind`,
      values.bound,
    )
    return {
      buckets: rows.map((row) => ({ kind: row.kind, startMs: Number(row.start_ms), events: Number(row.n) })),
      last: rows.reduce((sum, row) => sum + Number(row.late), 0),
    }
  }

  async function peopleOf({ scope, release, apartMs }: SkewRequest) {
    const values = createValues()
    const skew = isSkew(values)
    const where = compileScope(values, scope)
    const apartValue = values.add('Int64', apartMs)
    type Found = { people: string; recovered: string; stuck: string }
    // Times are numbers: the latest of no events is 0, which is before all others.
    const [found] = await connection.rows<Found>(
      `SELECT count() AS people, countIf(back) AS recovered, countIf(NOT back AND last - first >= ${apartValue}) AS stuck FROM (
         SELECT minIf(ms, skew) AS first, maxIf(ms, skew) AS last, maxIf(ms, NOT skew) AS other,
           maxIf(ms, NOT skew AND release = ${values.add('String', release)}) AS newer,
           newer > last OR other >= last + ${apartValue} AS back
         FROM (SELECT user_hash, release, toUnixTimestamp64Milli(timestamp) AS ms, ${skew} AS skew FROM ${table}
           WHERE ${where} AND user_hash IN (SELECT user_hash FROM ${table} WHERE ${where} AND user_hash != 0 AND ${skew}))
         GROUP BY user_hash)`,
      values.bound,
    )
    const { people = 0, recovered = 0, stuck = 0 } = found ?? {}
    return { people: Number(people), recovered: Number(recovered), stuck: Number(stuck) }
  }

  async function releasesOf({ scope, releasesMax }: SkewRequest) {
    const values = createValues()
    const rows = await connection.rows<{ release: string; n: string }>(
      `SELECT release, count() AS n FROM ${table} WHERE ${compileScope(values, scope)} AND ${isSkew(values)}
       GROUP BY release ORDER BY n DESC, release LIMIT ${values.add('UInt32', releasesMax)}`,
      values.bound,
    )
    return rows.map((row) => ({ release: row.release, events: Number(row.n) }))
  }

  return {
    skewOf: async (request) => {
      if (request.scope.projectIds.length === 0)
        return { buckets: [], last: 0, people: 0, recovered: 0, stuck: 0, releases: [] }
      const [found, people, releases] = await Promise.all([bucketsOf(request), peopleOf(request), releasesOf(request)])
      return { ...found, ...people, releases }
    },
  }
}
