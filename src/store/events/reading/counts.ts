import type { Clock } from '../../../base/clock.ts'
import type { Connection } from '../connection.ts'
import type { EventStore } from '../event-store.ts'
import { type EventFilter, type GroupCount, type GroupEvents, isLong, type Scope } from '../events.ts'
import { hashText } from '../tables/rows.ts'
import { compileRollup, dayMs, hourMs } from '../traces/spans.ts'
import { compileFilter, compileProjects, compileScope, createValues, hashNumber, type Values } from './filter.ts'
import { createFindPairs } from './tag-pairs.ts'

type Counts = Pick<
  EventStore,
  'groups' | 'newestGroups' | 'countsOf' | 'eventsOf' | 'series' | 'filteredSeries' | 'byRelease' | 'togetherOf'
>
/** A group. Two projects can have the same hash. */
export type Pair = { projectId: number; groupHash: string }
type StoredEvents = { project_id: string; group_hash: string; events: string; users_n?: string }
type StoredCount = StoredEvents & { last_ms: string }
type StoredSpan = StoredCount & { first_ms: string }

const eventsFrom = { rows: 'count() AS events', rollup: 'sum(n) AS events' }
/** The times of events: each is a column to read. They are converted after the sum, once for each group. */
const lastOf = {
  rows: ', toUnixTimestamp64Milli(max(timestamp)) AS last_ms',
  rollup: ', toUnixTimestamp64Milli(max(last_at)) AS last_ms',
}
const firstOf = {
  rows: ', toUnixTimestamp64Milli(min(timestamp)) AS first_ms',
  rollup: ', toUnixTimestamp64Milli(min(first_at)) AS first_ms',
}
/** Users are counted on request only: for a million events in 2,000 groups they take 160 ms, everything else 45 ms. */
const usersOf = {
  rows: ', uniqCombined64If(12)(user_hash, user_hash != 0) AS users_n',
  rollup: ', uniqCombined64Merge(12)(users) AS users_n',
}

/** What is counted for each group beside its events. */
type Counted = { users: boolean; times: 'none' | 'last' | 'both' }

/** Columns that are counted for each group. */
function counted(rollup: boolean, { users, times }: Counted): string {
  const from = rollup ? 'rollup' : 'rows'
  const last = times === 'none' ? '' : lastOf[from]
  return `${eventsFrom[from]}${last}${times === 'both' ? firstOf[from] : ''}${users ? usersOf[from] : ''}`
}

const orders = { last: 'last_ms', events: 'events', users: 'users_n' } as const

const readEvents = (row: StoredEvents): GroupEvents => ({
  projectId: Number(row.project_id),
  groupHash: hashText(row.group_hash),
  events: Number(row.events),
  ...(row.users_n === undefined ? {} : { users: Number(row.users_n) }),
})

const readCount = (row: StoredCount): GroupCount => ({ ...readEvents(row), lastMs: Number(row.last_ms) })

/** Conditions for known groups. `indexed` is found by the key. */
function pairConditions(values: Values, pairs: readonly Pair[]): { indexed: string; unindexed: string } {
  const known = pairs.filter((pair) => hashNumber(pair.groupHash) !== undefined)
  const projectIds = known.map((item) => item.projectId)
  const hashes = values.add(
    'Array(UInt64)',
    known.map((item) => hashNumber(item.groupHash)),
  )
  const projects = compileProjects(values, projectIds)
  const indexed = `${projects} AND group_hash IN ${hashes}`
  // A set of numbers is found faster than one of pairs.
  if (new Set(projectIds).size < 2)
    return { indexed, unindexed: `${projects} AND group_hash IN (SELECT arrayJoin(${hashes}))` }
  // Two projects can have the same hash.
  const zipped = `arrayZip(${values.add('Array(UInt64)', projectIds)}, ${hashes})`
  const both = `(project_id, group_hash) IN (SELECT arrayJoin(${zipped}))`
  return { indexed: `${indexed} AND ${both}`, unindexed: both }
}

/** Condition for known groups: first the columns of the key, then the pairs. */
export const compilePairs = (values: Values, pairs: readonly Pair[]): string => pairConditions(values, pairs).indexed

/**
 * From this many known groups on, the query reads all rows and filters them. Finding each group by its key took longer
 * than reading the whole rollup (600 of 600 groups over two weeks: 440 ms instead of 60 ms without a condition).
 */
const manyPairs = 100
/** Without this setting the engine looks up each value of the set in the key. */
const unindexed = 'SETTINGS use_index_for_in_with_subqueries = 0'

/** See `EventStore.filteredSeries`. */
function createFilteredSeries(connection: Connection, database: string): Counts['filteredSeries'] {
  return async (scope, bucketMs, filter) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const where = `${compileScope(values, scope)} AND ${compileFilter(values, filter)}`
    const bucket = values.add('Int64', bucketMs)
    const rows = await connection.rows<{ start_ms: string; events: string }>(
      `SELECT intDiv(toUnixTimestamp64Milli(timestamp), ${bucket}) * ${bucket} AS start_ms, count() AS events
       FROM ${database}.events WHERE ${where} GROUP BY start_ms ORDER BY start_ms`,
      values.bound,
    )
    return rows.map((row) => ({ startMs: Number(row.start_ms), events: Number(row.events) }))
  }
}

/** Counts all rows of the scope instead of a sample, because callers compute shares from these numbers. */
function createByRelease(connection: Connection, database: string): Counts['byRelease'] {
  return async (scope, max) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const rows = await connection.rows<{ release: string; events: string }>(
      `SELECT release, count() AS events FROM ${database}.events WHERE ${compileScope(values, scope)} AND release != '' AND type != 'generic'
       GROUP BY release ORDER BY events DESC, release LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    return rows.map((row) => ({ release: row.release, events: Number(row.events) }))
  }
}

/** Expression for the set of a row, from 1 (0: none). By project and hash: two projects can share a hash. */
export function compilePlace(values: Values, sets: readonly (readonly Pair[])[]): string {
  const placed = sets.flatMap((pairs, at) =>
    pairs.flatMap(({ projectId, groupHash }) => {
      const hash = hashNumber(groupHash)
      return hash === undefined ? [] : [{ projectId, hash, place: at + 1 }]
    }),
  )
  const places = values.add(
    'Array(UInt32)',
    placed.map((item) => item.place),
  )
  if (new Set(placed.map((item) => item.projectId)).size < 2) {
    const hashes = values.add(
      'Array(UInt64)',
      placed.map((item) => item.hash),
    )
    return `transform(group_hash, ${hashes}, ${places}, toUInt32(0))`
  }
  const names = values.add(
    'Array(String)',
    placed.map((item) => `${item.projectId} ${item.hash}`),
  )
  return `transform(concat(toString(project_id), ' ', toString(group_hash)), ${names}, ${places}, toUInt32(0))`
}

/** Whole hours come from the rollups. Short scopes, and the partial first hour of a long scope, come from the rows. */
function createTogether(connection: Connection, database: string, clock: Clock): Counts['togetherOf'] {
  return async (scope, sets) => {
    const found = sets.map(() => ({ events: 0, users: 0 }))
    const pairs = sets.flat()
    if (pairs.length === 0 || scope.projectIds.length === 0) return found
    const values = createValues()
    const place = compilePlace(values, sets)
    const groups = compilePairs(values, pairs)
    const hourOn = isLong(scope) ? Math.ceil(scope.fromMs / hourMs) * hourMs : scope.toMs
    const parts: string[] = []
    if (hourOn > scope.fromMs)
      parts.push(`SELECT ${place} AS place, count() AS times, uniqCombined64StateIf(12)(user_hash, user_hash != 0) AS states
       FROM ${database}.events WHERE ${compileScope(values, { ...scope, toMs: hourOn })} AND ${groups} GROUP BY place`)
    if (hourOn < scope.toMs) {
      const columns = `${place} AS place, toUInt64(n) AS times, users AS states`
      const whole = { ...scope, fromMs: hourOn }
      parts.push(
        `SELECT * FROM ${compileRollup(values, database, whole, { columns, where: groups, known: true, nowMs: clock.now() })}`,
      )
    }
    const rows = await connection.rows<{ place: number; events: string; users_n: string }>(
      `SELECT place, sum(times) AS events, uniqCombined64Merge(12)(states) AS users_n
       FROM (${parts.join(' UNION ALL ')}) GROUP BY place`,
      values.bound,
    )
    for (const row of rows) found[row.place - 1] = { events: Number(row.events), users: Number(row.users_n) }
    return found
  }
}

const columnsOf = ({ users, times }: Counted): string =>
  `project_id, group_hash, n${times === 'none' ? '' : ', last_at'}${times === 'both' ? ', first_at' : ''}${users ? ', users' : ''}`

/** Table and condition for the rows of a scope, with an optional filter and a condition on groups. */
const rowsOf = (values: Values, database: string, scope: Scope, filter: EventFilter | undefined, where = '1'): string =>
  `${database}.events WHERE ${compileScope(values, scope)} AND ${filter ? compileFilter(values, filter) : '1'} AND ${where}`

/** Counts of known groups. */
function createKnown(connection: Connection, database: string, clock: Clock): Pick<Counts, 'countsOf' | 'eventsOf'> {
  async function countKnown<Row>(scope: Scope, hashes: readonly Pair[], columns: Counted): Promise<Row[]> {
    if (hashes.length === 0 || scope.projectIds.length === 0) return []
    const values = createValues()
    const rollup = isLong(scope)
    const many = rollup && hashes.length > manyPairs
    const where = pairConditions(values, hashes)[many ? 'unindexed' : 'indexed']
    return connection.rows<Row>(
      `SELECT project_id, group_hash, ${counted(rollup, columns)}
       FROM ${rollup ? compileRollup(values, database, scope, { columns: columnsOf(columns), where, known: !many, nowMs: clock.now() }) : rowsOf(values, database, scope, undefined, where)}
       GROUP BY project_id, group_hash ${many ? unindexed : ''}`,
      values.bound,
    )
  }

  return {
    countsOf: async (scope, hashes, { users = false } = {}) =>
      (await countKnown<StoredSpan>(scope, hashes, { users, times: 'both' })).map((row) => ({
        ...readCount(row),
        firstMs: Number(row.first_ms),
      })),
    eventsOf: async (scope, hashes, { users = false } = {}) =>
      (await countKnown<StoredEvents>(scope, hashes, { users, times: 'none' })).map(readEvents),
  }
}

/** Part of a scope that is searched before the whole, and the shortest scope for which that pays: rows are by week. */
const newestPart = 1 / 8
const newestFromMs = 14 * dayMs
/** Up to this many groups, their users are counted at once: a statement of its own reads the same rows again. */
const fewGroups = 1000

/** See `EventStore.groups` and `newestGroups`. */
function createGroups(connection: Connection, database: string, clock: Clock): Pick<Counts, 'groups' | 'newestGroups'> {
  const findPairs = createFindPairs(connection, database)
  const readGroups: Counts['groups'] = async ({
    scope,
    filter,
    order,
    max,
    users = order === 'users',
    withLast = true,
  }) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const rollup = !filter && isLong(scope)
    const columns = { users, times: withLast || order === 'last' ? 'last' : 'none' } as const
    const tie = columns.times === 'last' ? 'last_ms DESC, group_hash' : 'group_hash'
    const rows = await connection.rows<StoredEvents & Partial<StoredCount>>(
      `SELECT project_id, group_hash, ${counted(rollup, columns)}
       FROM ${rollup ? compileRollup(values, database, scope, { columns: columnsOf(columns), where: '1', known: false, nowMs: clock.now() }) : rowsOf(values, database, scope, filter)}
       GROUP BY project_id, group_hash ORDER BY ${orders[order]} DESC, ${tie} LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    return rows.map((row) => readCount({ ...row, last_ms: row.last_ms ?? '0' }))
  }
  return {
    groups: async (request) => {
      const { scope, filter } = request
      return readGroups(filter ? { ...request, filter: await findPairs(scope.projectIds, filter) } : request)
    },
    async newestGroups({ scope, filter: asked, first, max }) {
      const filter = await findPairs(scope.projectIds, asked)
      const lengthMs = scope.toMs - scope.fromMs
      let users = false
      if (scope.projectIds.length > 0 && lengthMs >= newestFromMs) {
        const values = createValues()
        const part = { ...scope, fromMs: Math.floor(scope.toMs - lengthMs * newestPart) }
        // The engine counts all groups and answers few: reading 10,000 rows took this process as long as finding them.
        const rows = await connection.rows<StoredCount & { total: string }>(
          `SELECT project_id, group_hash, ${counted(false, { users: false, times: 'last' })}, count() OVER () AS total
           FROM ${rowsOf(values, database, part, filter)} GROUP BY project_id, group_hash
           ORDER BY last_ms DESC, group_hash LIMIT ${values.add('UInt32', first)}`,
          values.bound,
        )
        const total = Number(rows[0]?.total ?? 0)
        if (total >= max) return { groups: rows.map(readCount), isCut: true }
        users = total <= fewGroups * newestPart
      }
      return { groups: await readGroups({ scope, filter, order: 'last', max, users }), isCut: false }
    },
  }
}

/** Queries that count groups. Scopes of 12 hours or more use the rollups, in whole hours. */
export function createCounts(connection: Connection, database: string, clock: Clock): Counts {
  return {
    filteredSeries: createFilteredSeries(connection, database),
    byRelease: createByRelease(connection, database),
    togetherOf: createTogether(connection, database, clock),
    ...createKnown(connection, database, clock),

    ...createGroups(connection, database, clock),

    async series(scope, bucketMs, hashes) {
      if (hashes.length === 0 || scope.projectIds.length === 0) return []
      const values = createValues()
      const rollup = bucketMs % hourMs === 0 && isLong(scope)
      const where = compilePairs(values, hashes)
      const at = rollup ? 'toInt64(toUnixTimestamp(hour)) * 1000' : 'toUnixTimestamp64Milli(timestamp)'
      const bucket = values.add('Int64', bucketMs)
      const longest = bucketMs % dayMs === 0 ? 'day' : 'hour'
      const columns = 'project_id, group_hash, hour, n'
      type Bucket = { project_id: string; group_hash: string; start_ms: string; events: string }
      const rows = await connection.rows<Bucket>(
        `SELECT project_id, group_hash, intDiv(${at}, ${bucket}) * ${bucket} AS start_ms, ${rollup ? 'sum(n)' : 'count()'} AS events
         FROM ${rollup ? compileRollup(values, database, scope, { columns, where, known: true, nowMs: clock.now(), longest }) : rowsOf(values, database, scope, undefined, where)}
         GROUP BY project_id, group_hash, start_ms ORDER BY start_ms, project_id, group_hash`,
        values.bound,
      )
      return rows.map((row) => ({
        projectId: Number(row.project_id),
        groupHash: hashText(row.group_hash),
        startMs: Number(row.start_ms),
        events: Number(row.events),
      }))
    },
  }
}
