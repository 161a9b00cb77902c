import type { Connection } from '../connection.ts'
import type { EventStore } from '../event-store.ts'
import type { EventPosition, EventRef, EventSpan, PlaceInIssue, SeenEvent } from '../events.ts'
import {
  idHex,
  readRef,
  readRow,
  readSeen,
  refSelect,
  rowSelect,
  type StoredRef,
  type StoredRow,
  type StoredSeen,
  seenSelect,
  traceHex,
} from '../tables/rows.ts'
import { hourMs, rounded } from '../traces/spans.ts'
import { compileFilter, compileScope, createValues, hashList, type Values } from './filter.ts'

type Reads = Pick<
  EventStore,
  | 'eventsBetween'
  | 'recentIds'
  | 'byEventId'
  | 'byDigest'
  | 'byTraceId'
  | 'detectionsOfTrace'
  | 'spansOfEvents'
  | 'ofIssue'
  | 'inScope'
  | 'placeOf'
>

/** Time limit for recovery, which reads back a whole batch. */
const recoverySeconds = 120
/** Limit of events with one id. SDK retries can send an id several times, but nobody reads more. */
const sameIdMax = 100
/**
 * Look-up of a row by id among ten million: applying the bloom filters before the read takes 24 ms, the engine's
 * default (during the read) 36 ms. Skipping the primary key for the id takes 12 ms.
 */
const byFilter = 'SETTINGS use_skip_indexes_on_data_read = 0, use_primary_key = 0'
/** Each group of a digest gets a share of the rows, so that a frequent error does not hide the others. */
const groupsOfDigest = 10
/** Limit of rows with one id in all projects. Each project accepts an id once, so only abuse reaches more. */
const copiesMax = 1000

function idOf(values: Values, hex: string): string {
  return `toFixedString(unhex(${values.add('String', hex)}), 16)`
}

/** Condition for rows before (`<`) or after (`>`) an event in the order of `(timestamp, event_id)`. */
function neighborCondition(values: Values, comparison: '<' | '>', event: EventPosition): string {
  const at = `fromUnixTimestamp64Micro(${values.add('Int64', event.timestampUs)}, 'UTC')`
  return `(timestamp ${comparison} ${at} OR (timestamp = ${at} AND event_id ${comparison} ${idOf(values, event.eventId)}))`
}

type StoredEventSpan = {
  project_id: string
  event_hex: string
  span: string
  parent: string
  title: string
  culprit: string
  kind: string
  error_type: string
  error_value: string
  level: string
  transaction: string
}

type PositionRequest = { projectId: number; hashes: string[]; event: EventRef }

/** Computes a place from the rows that match `where`: one query on two narrow columns, since planning costs more. */
async function placeAmong(
  connection: Connection,
  table: string,
  { projectId, hashes, event }: PositionRequest,
  where: (values: Values) => string = () => '1',
): Promise<PlaceInIssue> {
  const values = createValues()
  type Found = { number: string; total: string; older: string; newer: string }
  const [found] = await connection.rows<Found>(
    `WITH (timestamp, event_id) AS at,
       (fromUnixTimestamp64Micro(${values.add('Int64', event.timestampUs)}, 'UTC'), ${idOf(values, event.eventId)}) AS here
     SELECT countIf(at <= here) AS number, count() AS total,
       lower(hex(argMaxIf(event_id, at, at < here))) AS older, lower(hex(argMinIf(event_id, at, at > here))) AS newer
     FROM ${table} WHERE project_id = ${values.add('UInt64', projectId)} AND group_hash IN ${hashList(values, hashes)}
       AND ${where(values)}`,
    values.bound,
  )
  const [number, total] = [Number(found?.number ?? 0), Number(found?.total ?? 0)]
  return {
    number,
    total,
    olderId: number > 1 ? found?.older : undefined,
    newerId: number < total ? found?.newer : undefined,
  }
}

/**
 * A place in an issue of very many events: the event's hour from rows, other hours from the rollup (55 ms became 20 for
 * 1.2 million events). Returns undefined if a neighbor is in another hour: only the rows have its id.
 */
async function placeByHours(
  connection: Connection,
  database: string,
  request: PositionRequest,
): Promise<PlaceInIssue | undefined> {
  const { projectId, hashes, event } = request
  const fromMs = rounded(Math.floor, event.timestampUs / 1000, 'hour')
  const values = createValues()
  const hour = `toDateTime(${values.add('UInt32', fromMs / 1000)}, 'UTC')`
  const [inHour, [others]] = await Promise.all([
    placeAmong(connection, `${database}.events`, request, (its) => {
      const at = (ms: number) => `fromUnixTimestamp64Milli(${its.add('Int64', ms)}, 'UTC')`
      return `timestamp >= ${at(fromMs)} AND timestamp < ${at(fromMs + hourMs)}`
    }),
    connection.rows<{ before: string; behind: string }>(
      `SELECT sumIf(n, hour < ${hour}) AS before, sumIf(n, hour > ${hour}) AS behind FROM ${database}.issue_time
       WHERE project_id = ${values.add('UInt64', projectId)} AND span = 0 AND group_hash IN ${hashList(values, hashes)}`,
      values.bound,
    ),
  ])
  const [before, after] = [Number(others?.before ?? 0), Number(others?.behind ?? 0)]
  const isWhole = (inHour.olderId !== undefined || before === 0) && (inHour.newerId !== undefined || after === 0)
  return isWhole ? { ...inHour, number: before + inHour.number, total: before + inHour.total + after } : undefined
}

/** Condition for the rows of these references; it uses the primary key. */
function amongRefs(values: Values, refs: readonly EventRef[]): string {
  const times = refs.map((ref) => ref.timestampUs)
  const at = values.add('Array(Int64)', [...new Set(times)])
  const projects = values.add('Array(UInt64)', [...new Set(refs.map((ref) => ref.projectId))])
  const hashes = hashList(
    values,
    refs.map((ref) => ref.groupHash),
  )
  const ids = values.add(
    'Array(String)',
    refs.map((ref) => ref.eventId),
  )
  return `project_id IN ${projects} AND group_hash IN ${hashes}
    AND timestamp IN (SELECT fromUnixTimestamp64Micro(arrayJoin(${at}), 'UTC')) AND lower(hex(event_id)) IN ${ids}`
}

/** Limit of characters per text that a trace shows of an event. */
const textMax = 1000

/** See `EventStore.spansOfEvents`. Spans and titles have no columns: a trace has few errors, so payloads are read. */
async function spansOfEvents(connection: Connection, table: string, refs: readonly EventRef[]): Promise<EventSpan[]> {
  if (refs.length === 0) return []
  const values = createValues()
  const payloadText = (max: number, ...path: string[]) =>
    `leftUTF8(JSONExtractString(substringIndex(payload, '\\n', 1), ${path.map((item) => `'${item}'`).join(', ')}), ${max})`
  const rows = await connection.rows<StoredEventSpan>(
    `SELECT project_id, lower(hex(event_id)) AS event_hex, level, transaction, ${payloadText(32, 'type')} AS kind,
       ${payloadText(32, 'contexts', 'trace', 'span_id')} AS span, ${payloadText(32, 'contexts', 'trace', 'parent_span_id')} AS parent,
       ${payloadText(textMax, 'findings', 'title')} AS title, ${payloadText(textMax, 'findings', 'culprit')} AS culprit,
       ${payloadText(textMax, 'findings', 'metadata', 'type')} AS error_type,
       ${payloadText(textMax, 'findings', 'metadata', 'value')} AS error_value
     FROM ${table} WHERE ${amongRefs(values, refs)}`,
    values.bound,
  )
  return rows.map((row) => ({
    projectId: Number(row.project_id),
    eventId: row.event_hex,
    spanId: row.span,
    parentId: row.parent,
    title: row.title,
    culprit: row.culprit,
    type: row.kind,
    level: row.level,
    transaction: row.transaction,
    errorType: row.error_type,
    errorValue: row.error_value,
  }))
}

/** Reads the rows of these references, in their order. */
async function readAt(connection: Connection, table: string, refs: readonly EventRef[]): Promise<SeenEvent[]> {
  if (refs.length === 0) return []
  const values = createValues()
  const rows = await connection.rows<StoredSeen>(
    `SELECT ${seenSelect} FROM ${table} WHERE ${amongRefs(values, refs)}`,
    values.bound,
  )
  const found = new Map(rows.map((row) => [`${row.event_hex} ${row.timestamp_us} ${row.project_id}`, readSeen(row)]))
  return refs.flatMap((ref) => found.get(`${ref.eventId} ${ref.timestampUs} ${ref.projectId}`) ?? [])
}

type Picked = { conditions: string[]; order: 'newest' | 'oldest'; offset: number; max: number }

/**
 * Reads a page of matching rows. Narrow columns select the rows, and only those are read completely: a payload has some
 * kilobytes, and a sort would decompress all of them.
 */
async function pick(
  connection: Connection,
  table: string,
  values: Values,
  { conditions, order, offset, max }: Picked,
): Promise<SeenEvent[]> {
  const direction = order === 'newest' ? 'DESC' : 'ASC'
  const refs = await connection.rows<StoredRef>(
    `SELECT ${refSelect} FROM ${table} WHERE ${conditions.join(' AND ')}
     ORDER BY timestamp ${direction}, event_id ${direction} LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
    values.bound,
  )
  return readAt(connection, table, refs.map(readRef))
}

/** Reads a page of an issue's rows; see `EventStore.ofIssue`. */
async function ofIssue(
  connection: Connection,
  table: string,
  request: Parameters<EventStore['ofIssue']>[0],
): Promise<SeenEvent[]> {
  const { projectId, hashes, scope, filter, order, from, offset = 0, max } = request
  if (hashes.length === 0) return []
  const values = createValues()
  const conditions = [`project_id = ${values.add('UInt64', projectId)}`, `group_hash IN ${hashList(values, hashes)}`]
  if (scope) conditions.push(compileScope(values, scope))
  if (filter) conditions.push(compileFilter(values, filter))
  if (from) conditions.push(neighborCondition(values, order === 'newest' ? '<' : '>', from))
  if (filter || max > 1) return pick(connection, table, values, { conditions, order, offset, max })
  const direction = order === 'newest' ? 'DESC' : 'ASC'
  // A single row is read directly: planning a second query costs more.
  const rows = await connection.rows<StoredSeen>(
    `SELECT ${seenSelect} FROM ${table} WHERE ${conditions.join(' AND ')}
     ORDER BY timestamp ${direction}, event_id ${direction} LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
    values.bound,
  )
  return rows.map(readSeen)
}

/** Reads a page of a scope's rows; see `EventStore.inScope`. */
async function inScope(
  connection: Connection,
  table: string,
  { scope, filter, order, from, offset = 0, max }: Parameters<EventStore['inScope']>[0],
): Promise<SeenEvent[]> {
  if (scope.projectIds.length === 0) return []
  const values = createValues()
  const conditions = [compileScope(values, scope), ...(filter ? [compileFilter(values, filter)] : [])]
  if (from) conditions.push(neighborCondition(values, order === 'newest' ? '<' : '>', from))
  return pick(connection, table, values, { conditions, order, offset, max })
}

/** See `EventStore.detectionsOfTrace`. */
async function detectionsOfTrace(
  connection: Connection,
  table: string,
  projectIds: readonly number[],
  traceId: string,
): Promise<number> {
  const hex = traceHex(traceId)
  if (hex === undefined || projectIds.length === 0) return 0
  const values = createValues()
  const [row] = await connection.rows<{ found: string }>(
    `SELECT uniqExact(project_id, event_id) AS found FROM ${table} WHERE project_id IN ${values.add('Array(UInt64)', projectIds)}
     AND trace_id = ${idOf(values, hex)} AND type = 'generic' ${byFilter}`,
    values.bound,
  )
  return Number(row?.found ?? 0)
}

/** Queries that return events. */
export function createReads(connection: Connection, database: string): Reads {
  const table = `${database}.events`

  return {
    async eventsBetween(from, to) {
      const rows = await connection.rows<StoredRow>(
        `SELECT ${rowSelect} FROM ${table} WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64} ORDER BY jpos`,
        { from, to },
        { seconds: recoverySeconds },
      )
      return rows.map(readRow)
    },
    async recentIds(sinceMs, max) {
      const rows = await connection.rows<{ project_id: string; event_hex: string }>(
        `SELECT project_id, lower(hex(event_id)) AS event_hex FROM ${table}
         WHERE received >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') ORDER BY received DESC LIMIT {max:UInt32}`,
        { since: Math.floor(sinceMs), max },
      )
      return rows.map((row) => ({ projectId: Number(row.project_id), eventId: row.event_hex }))
    },

    async byEventId(projectIds, eventId) {
      const hex = idHex(eventId)
      if (hex === undefined || projectIds.length === 0) return []
      const values = createValues()
      // Projects are filtered outside: a condition on both the first and the last key column makes the engine scan
      // every granule (160 ms for ten million events instead of 13).
      const rows = await connection.rows<StoredSeen>(
        `SELECT ${seenSelect} FROM (SELECT * FROM ${table} WHERE event_id = ${idOf(values, hex)} LIMIT ${copiesMax})
         WHERE project_id IN ${values.add('Array(UInt64)', projectIds)} ORDER BY received DESC LIMIT ${sameIdMax}
         ${byFilter}`,
        values.bound,
      )
      return rows.map(readSeen)
    },

    async byDigest(projectIds, digest, max) {
      if (digest === '' || projectIds.length === 0) return []
      const refs = await connection.rows<StoredRef>(
        `SELECT ${refSelect} FROM ${table} WHERE project_id IN {projects:Array(UInt64)} AND digest = {digest:String}
         ORDER BY platform = 'javascript', timestamp DESC, event_id DESC
         LIMIT {each:UInt32} BY project_id, group_hash LIMIT {max:UInt32}`,
        { projects: projectIds, digest, each: Math.ceil(max / groupsOfDigest), max },
      )
      return readAt(connection, table, refs.map(readRef))
    },

    async byTraceId(projectIds, traceId, max, isError = false) {
      const hex = traceHex(traceId)
      if (hex === undefined || projectIds.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<StoredRef>(
        `SELECT ${refSelect} FROM ${table} WHERE project_id IN ${values.add('Array(UInt64)', projectIds)} AND trace_id = ${idOf(values, hex)}
         ${isError ? "AND type != 'generic'" : ''} ORDER BY timestamp, event_id LIMIT ${values.add('UInt32', max)} ${byFilter}`,
        values.bound,
      )
      return rows.map(readRef)
    },

    detectionsOfTrace: (projectIds, traceId) => detectionsOfTrace(connection, table, projectIds, traceId),
    spansOfEvents: (refs) => spansOfEvents(connection, table, refs),
    ofIssue: (request) => ofIssue(connection, table, request),
    inScope: (request) => inScope(connection, table, request),

    placeOf: async (projectId, hashes, event, isLarge = false) => {
      const request = { projectId, hashes, event }
      return (isLarge && (await placeByHours(connection, database, request))) || placeAmong(connection, table, request)
    },
  }
}
