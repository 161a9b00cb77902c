import { ClickHouseError } from '@clickhouse/client'
import type { Connection } from '../connection.ts'
import type { EventFilter } from '../events.ts'
import { createValues, likePattern, type Values } from './filter.ts'

type TagPattern = Extract<EventFilter, { op: 'tag' }>

/**
 * Looks up tag patterns of a filter in the index of tags. Returns the filter with the pairs of key and value that match
 * (`pairs` of a condition), or as it was. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
 */
type FindPairs = (projectIds: readonly number[], filter: EventFilter) => Promise<EventFilter>

/** Pairs of one key that are compared with the pattern. More take longer than the tags of the rows that they save. */
const comparedMax = 200_000
/** Pairs that a statement names. */
const pairsMax = 2000
/** Rows without the index: those of new inserts, until the first merge. */
const unindexedRowsMax = 100_000
const patternsMax = 4
/** With fewer groups, the tags of their rows are read faster than the index. */
const fewGroups = 100

/** Whether rows without the tag match, too. The index does not have them. */
const matchesAll = (value: string): boolean => /^\**$/.test(value)

function patternsOf(filter: EventFilter): TagPattern[] {
  if (filter.op === 'and' || filter.op === 'or') return filter.of.flatMap(patternsOf)
  if (filter.op === 'not') return patternsOf(filter.of)
  return filter.op === 'tag' && filter.match === 'like' && !matchesAll(filter.value) ? [filter] : []
}

function replaced(filter: EventFilter, pairsOf: ReadonlyMap<EventFilter, string[]>): EventFilter {
  if (filter.op === 'and' || filter.op === 'or') return { ...filter, of: filter.of.map((of) => replaced(of, pairsOf)) }
  if (filter.op === 'not') return { ...filter, of: replaced(filter.of, pairsOf) }
  const pairs = pairsOf.get(filter)
  return pairs && filter.op === 'tag' ? { ...filter, pairs } : filter
}

const isNarrow = (filter: EventFilter): boolean =>
  filter.op === 'and' && filter.of.some((of) => of.op === 'groups' && of.hashes.length <= fewGroups)

/** Conditions that a pair is of the key, and that its value matches. */
function conditionsOf(values: Values, { key, value }: TagPattern, pair: string): { isOfKey: string; matches: string } {
  const prefix = values.add('String', `${key}=`)
  return {
    isOfKey: `startsWith(${pair}, ${prefix})`,
    matches: `substring(${pair}, length(${prefix}) + 1) ILIKE ${values.add('String', likePattern(value))}`,
  }
}

type Lookup = { connection: Connection; database: string; projectIds: readonly number[] }

/** The pairs of the rows that no part of `indexed` has; undefined if these rows are many. */
async function pairsOfRows(
  { connection, database, projectIds }: Lookup,
  pattern: TagPattern,
  indexed: readonly string[],
): Promise<string[] | undefined> {
  const [left] = await connection.rows<{ n: string }>(
    `SELECT sum(rows) AS n FROM system.parts WHERE active AND database = {database:String} AND table = 'events'
       AND name NOT IN {indexed:Array(String)}`,
    { database, indexed },
  )
  if (Number(left?.n ?? 0) > unindexedRowsMax) return undefined
  if (Number(left?.n ?? 0) === 0) return []
  const values = createValues()
  const { isOfKey, matches } = conditionsOf(values, pattern, 'pair')
  const rows = await connection.rows<{ pair: string }>(
    `SELECT DISTINCT arrayJoin(tagkv) AS pair FROM ${database}.events
     WHERE project_id IN ${values.add('Array(UInt64)', projectIds)} AND _part NOT IN ${values.add('Array(String)', indexed)}
       AND ${isOfKey} AND ${matches}`,
    values.bound,
  )
  return rows.map(({ pair }) => pair)
}

/**
 * The pairs of a key whose values match; undefined if they are too many. A part whose index has no pair of the key counts
 * as one without index. A row that is stored or merged meanwhile is in a part of the one or the other kind.
 */
async function pairsOf(lookup: Lookup, pattern: TagPattern): Promise<string[] | undefined> {
  const { connection, database } = lookup
  const values = createValues()
  const { isOfKey, matches } = conditionsOf(values, pattern, 'token')
  const parts = await connection.rows<{ part: string; compared: string; pairs: string[] }>(
    `SELECT part_name AS part, count() AS compared, groupArrayIf(token, ${matches}) AS pairs
     FROM (SELECT part_name, token FROM mergeTreeTextIndex(${database}, events, tagkv) WHERE ${isOfKey} LIMIT ${comparedMax})
     GROUP BY part`,
    values.bound,
  )
  if (parts.reduce((sum, { compared }) => sum + Number(compared), 0) >= comparedMax) return undefined
  const others = await pairsOfRows(
    lookup,
    pattern,
    parts.map(({ part }) => part),
  )
  if (!others) return undefined
  const pairs = [...new Set([...parts.flatMap((part) => part.pairs), ...others])]
  return pairs.length > pairsMax ? undefined : pairs.sort()
}

/** Creates the look-up. A server without it, or whose user may not use it, is asked once. */
export function createFindPairs(connection: Connection, database: string): FindPairs {
  let isKnown = true
  return async (projectIds, filter) => {
    const patterns = patternsOf(filter)
    if (!isKnown || patterns.length === 0 || patterns.length > patternsMax || isNarrow(filter)) return filter
    try {
      const lookup = { connection, database, projectIds }
      const found = await Promise.all(patterns.map(async (item) => [item, await pairsOf(lookup, item)] as const))
      return replaced(filter, new Map(found.flatMap(([item, pairs]) => (pairs ? [[item, pairs] as const] : []))))
    } catch (error) {
      if (!(error instanceof ClickHouseError)) throw error
      isKnown = false
      return filter
    }
  }
}
