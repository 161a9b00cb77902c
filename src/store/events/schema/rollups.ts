import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from './settings.ts'

const columns = `
  week Date,
  project_id UInt64,
  group_hash UInt64,
  environment LowCardinality(String),
  hour DateTime('UTC'),
  n SimpleAggregateFunction(sum, UInt64),
  first_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  users AggregateFunction(uniqCombined64(12), UInt64)`

const selectBy = (time: string, keys = ''): string =>
  `SELECT toMonday(received) AS week, project_id, group_hash, environment, ${time} AS hour, ${keys}
  count() AS n, min(toDateTime64(timestamp, 3, 'UTC')) AS first_at, max(toDateTime64(timestamp, 3, 'UTC')) AS last_at,
  uniqCombined64StateIf(12)(user_hash, user_hash != 0) AS users`

const mondayOf = (time: string): string => `toDateTime(toMonday(${time}), 'UTC')`

/** Selects events as rows of an hourly rollup. Unknown users (0) are not counted. */
export const rollupSelect = selectBy('toStartOfHour(timestamp)')

/** Key columns of the rollups. `issue_time` also has `span`. */
export const rollupKeys = 'week, project_id, group_hash, environment, hour'

/**
 * Both rollups have the same counts. `issue_time` is ordered by issue: hours (`span` 0), days (1, `hour` is midnight)
 * and weeks (2, `hour` is Monday's midnight). `hour_issue` is ordered by hour, for hours of all issues. A day merges
 * one user state instead of 24: the users of 25 large issues over a month took 80 ms by hours. Days and weeks share a
 * table, since a further table adds a part and its syncs to each insert.
 */
export const rollupNames = ['issue_time', 'hour_issue'] as const

/** Parts of the rollups. Each must match the events by itself. */
export const rollupParts = {
  issue_hour: 'issue_time WHERE span = 0',
  issue_day: 'issue_time WHERE span = 1',
  issue_week: 'issue_time WHERE span = 2',
  hour_issue: 'hour_issue WHERE 1',
} as const

/**
 * Granules: a page of a list reads about 50 rows for each of 25 issues, and decompresses a user state to reach the
 * next. With 8,192 rows it read the whole rollup (255 ms for ten million events), with 256 it took 158 ms, with 32 63
 * ms. The stream of all issues is read from start to end.
 */
const columnTypes = {
  issue_time: {
    columns: `${columns},\n  span UInt8`,
    order: 'project_id, span, group_hash, hour, environment',
    granule: 32,
    select: selectBy(
      `multiIf(span = 2, ${mondayOf('timestamp')}, span = 1, toStartOfDay(timestamp), toStartOfHour(timestamp))`,
      'span,',
    ),
    from: 'ARRAY JOIN [toUInt8(0), toUInt8(1), toUInt8(2)] AS span',
    keys: `${rollupKeys}, span`,
  },
  hour_issue: {
    columns,
    order: 'project_id, hour, group_hash, environment',
    granule: 8192,
    select: rollupSelect,
    from: '',
    keys: rollupKeys,
  },
}

type Name = (typeof rollupNames)[number]

/** Partitions are as in events (weeks of `received`), so that retention drops the same weeks. */
const rollupTable = (database: string, name: Name, kind: EventsKind): string =>
  `CREATE TABLE IF NOT EXISTS ${database}.${name} (${columnTypes[name].columns}
) ENGINE = ${kind.engines.sums} PARTITION BY week ORDER BY (${columnTypes[name].order})
SETTINGS index_granularity = ${columnTypes[name].granule}, ${dedupSettings(kind)}, ${settingsOf(name)}`

const rollupView = (database: string, name: Name): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${name}_feed TO ${database}.${name} AS
${columnTypes[name].select} FROM ${database}.events ${columnTypes[name].from} GROUP BY ${columnTypes[name].keys}`

/** Returns the statements that create the rollups and their materialized views. Safe to repeat. */
export const rollupTables = (database: string, kind: EventsKind): string[] =>
  rollupNames.flatMap((name) => [rollupTable(database, name, kind), rollupView(database, name)])

/** Names of the views that fill the rollups from inserted events. */
export const rollupFeeds: readonly string[] = rollupNames.map((name) => `${name}_feed`)

/** The longer spans of `issue_time`. Each is built from rows of the span before, by the start of its period. */
export const longer = [
  { span: 1, start: (hour: string) => `toStartOfDay(${hour})` },
  { span: 2, start: mondayOf },
] as const

/** Statement that inserts rows of a longer span, from the rows of the span before that match a condition. */
export const longerRows = (table: string, { span, start }: (typeof longer)[number], where: string): string =>
  `INSERT INTO ${table} (${rollupKeys}, span, n, first_at, last_at, users)
   SELECT week, project_id, group_hash, environment, ${start('hour')} AS begin, ${span}, sum(n), min(first_at), max(last_at),
     uniqCombined64MergeState(12)(users)
   FROM ${table} WHERE span = ${span - 1} AND ${where} GROUP BY week, project_id, group_hash, environment, begin`
