import type { TagCount } from '../../../domain/event.ts'
import type { Connection } from '../connection.ts'
import type { EventStore } from '../event-store.ts'
import type { Scope } from '../events.ts'
import { compileProjectRollup } from '../traces/spans.ts'
import { compileScope, createValues, hashList, type Values } from './filter.ts'

type Tags = Pick<EventStore, 'tagsOf' | 'tagKeys' | 'tagValues' | 'tagPairs' | 'columnValues' | 'frameValues'>

/** Suggestions need no exact numbers. A sample of this many events of a scope is enough and limits the work. */
const sampleMax = 500_000
/** Limit for frames: an event has some dozens. */
const framesSampleMax = 50_000

/** See `EventStore.tagPairs`. */
function createTagPairs(connection: Connection, table: string): Tags['tagPairs'] {
  return async ({ projectId, hashes, scope, spans, pairs }) => {
    const counts = new Map<string, number>()
    if (hashes.length === 0 || spans.length === 0) return { events: 0, counts }
    const values = createValues()
    const span = (ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', ms)}, 'UTC')`
    const within = spans.map((item) => `(timestamp >= ${span(item.fromMs)} AND timestamp < ${span(item.toMs)})`)
    const rows = await connection.rows<{ pair: string; n: string }>(
      // The empty pair counts the event itself, so one pass counts both.
      `SELECT pair, count() AS n FROM ${table}
         ARRAY JOIN arrayPushBack(tagkv, '') AS pair
         WHERE project_id = ${values.add('UInt64', projectId)} AND group_hash IN ${hashList(values, hashes)}
           AND ${compileScope(values, scope)} AND (${within.join(' OR ')})
           AND pair IN ${values.add('Array(String)', [...pairs, ''])}
         GROUP BY pair`,
      values.bound,
    )
    for (const row of rows) counts.set(row.pair, Number(row.n))
    const events = counts.get('') ?? 0
    counts.delete('')
    return { events, counts }
  }
}

/** See `EventStore.frameValues`. */
function createFrameValues(connection: Connection, database: string): Tags['frameValues'] {
  return async (scope, key, options) => {
    if (scope.projectIds.length === 0) return []
    const newest = await newestOf(connection, database, scope, options.signal, framesSampleMax)
    const values = createValues()
    const begin = values.add('String', `${key}=`)
    return counted(
      connection,
      values,
      `(SELECT substring(text, length(${begin}) + 1) AS counted_value FROM (
         SELECT arrayFilter(text -> startsWith(text, ${begin}), frames) AS texts FROM ${database}.events
         WHERE ${compileScope(values, newest)} LIMIT ${framesSampleMax}) ARRAY JOIN texts AS text)`,
      options,
    )
  }
}

/** See `EventStore.tagsOf`. */
function createTagsOf(connection: Connection, table: string): Tags['tagsOf'] {
  return async ({ projectId, hashes, scope, max, valuesMax }) => {
    if (hashes.length === 0) return []
    const values = createValues()
    type Found = { tag_key: string; tag_value: string; n: string; total: string; unique_values: string }
    const rows = await connection.rows<Found>(
      `SELECT tag_key, tag_value, n, sum(n) OVER (PARTITION BY tag_key) AS total,
         count() OVER (PARTITION BY tag_key) AS unique_values FROM (
         SELECT tag_key, tag_value, count() AS n FROM (
           SELECT tags FROM ${table} WHERE project_id = ${values.add('UInt64', projectId)} AND group_hash IN ${hashList(values, hashes)}
             AND ${compileScope(values, scope)} ORDER BY timestamp DESC LIMIT ${values.add('UInt32', max)}
         ) ARRAY JOIN mapKeys(tags) AS tag_key, mapValues(tags) AS tag_value GROUP BY tag_key, tag_value)
       ORDER BY total DESC, tag_key, n DESC, tag_value LIMIT ${values.add('UInt32', valuesMax)} BY tag_key`,
      values.bound,
    )
    const tags = new Map<string, TagCount>()
    for (const row of rows) {
      const existing = tags.get(row.tag_key)
      const tag = existing ?? {
        key: row.tag_key,
        total: Number(row.total),
        unique: Number(row.unique_values),
        values: [],
      }
      tag.values.push({ value: row.tag_value, events: Number(row.n) })
      tags.set(row.tag_key, tag)
    }
    return [...tags.values()]
  }
}

/** Creates the queries of tags. */
export function createTags(connection: Connection, database: string): Tags {
  const table = `${database}.events`
  return {
    tagsOf: createTagsOf(connection, table),

    tagPairs: createTagPairs(connection, table),

    async tagKeys(scope, max, signal) {
      if (scope.projectIds.length === 0) return []
      const newest = await newestOf(connection, database, scope, signal)
      const values = createValues()
      const rows = await connection.rows<{ tag_key: string; n: string }>(
        `SELECT tag_key, count() AS n FROM (SELECT mapKeys(tags) AS names FROM ${table} WHERE ${compileScope(values, newest)} LIMIT ${sampleMax})
         ARRAY JOIN names AS tag_key GROUP BY tag_key ORDER BY n DESC, tag_key LIMIT ${values.add('UInt32', max)}`,
        values.bound,
        { signal },
      )
      return rows.map((row) => ({ key: row.tag_key, events: Number(row.n) }))
    },

    async tagValues(scope, key, max, text = '', signal) {
      if (scope.projectIds.length === 0) return []
      const newest = await newestOf(connection, database, scope, signal)
      const values = createValues()
      const name = values.add('String', key)
      return counted(
        connection,
        values,
        `(SELECT tags[${name}] AS counted_value FROM ${table}
           WHERE ${compileScope(values, newest)} AND mapContains(tags, ${name}) LIMIT ${sampleMax})`,
        { text, max, signal },
      )
    },

    async columnValues(scope, column, options) {
      if (scope.projectIds.length === 0) return []
      const newest = await newestOf(connection, database, scope, options.signal)
      const values = createValues()
      return counted(
        connection,
        values,
        `(SELECT ${columns[column]} AS counted_value FROM ${table}
           WHERE ${compileScope(values, newest)} AND ${columns[column]} != '' LIMIT ${sampleMax})`,
        options,
      )
    },

    frameValues: createFrameValues(connection, database),
  }
}

/** Names of columns. A closed table, because names cannot be bound. */
const columns = { platform: 'platform', type: 'type', transaction: 'transaction', release: 'release' } as const

/** Returns the values `counted_value` of a table with their counts, most first. */
async function counted(
  connection: Connection,
  values: Values,
  table: string,
  { text, max, signal }: { text: string; max: number; signal?: AbortSignal | undefined },
): Promise<{ value: string; events: number }[]> {
  const where =
    text === '' ? '' : `WHERE positionCaseInsensitiveUTF8(toString(counted_value), ${values.add('String', text)}) > 0`
  const rows = await connection.rows<{ counted_value: string; n: string }>(
    `SELECT counted_value, count() AS n FROM ${table} ${where}
     GROUP BY counted_value ORDER BY n DESC, counted_value LIMIT ${values.add('UInt32', max)}`,
    values.bound,
    { signal },
  )
  return rows.map((row) => ({ value: row.counted_value, events: Number(row.n) }))
}

/**
 * Narrows a scope to its newest hours, with about as many events as the sample. Rows are ordered by issue, so the first
 * rows of the whole scope would belong to a few issues.
 */
async function newestOf(
  connection: Connection,
  database: string,
  scope: Scope,
  signal: AbortSignal | undefined,
  max = sampleMax,
): Promise<Scope> {
  const values = createValues()
  const hours = compileProjectRollup(values, database, scope, {
    columns: 'hour, n',
    nowMs: scope.toMs,
    longest: 'hour',
  })
  const [found] = await connection.rows<{ from_s: string }>(
    `SELECT max(from_s) AS from_s FROM (
       SELECT toUnixTimestamp(hour) AS from_s, sum(sum(n)) OVER (ORDER BY hour DESC) AS events
       FROM ${hours} GROUP BY hour)
     WHERE events >= ${values.add('UInt64', max)}`,
    values.bound,
    { signal },
  )
  // The hour that reaches the limit is included completely. 0: there are fewer events.
  const fromMs = Number(found?.from_s ?? 0) * 1000
  return { ...scope, fromMs: Math.max(scope.fromMs, fromMs) }
}
