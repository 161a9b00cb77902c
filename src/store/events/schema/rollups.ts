import { dedupSettings, type EventsKind } from '../kind.ts'
import { logRollupFeed } from './log-rollup.ts'
import { segmentsFeed } from './segments.ts'
import { settingsOf } from './settings.ts'
import { spanRollupFeed } from './span-rollup.ts'

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

const selectBy = (time: string, keys = '', group = 'group_hash'): string =>
  `SELECT toMonday(received) AS week, project_id, ${group}, environment, ${time} AS hour, ${keys}
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
 * table, since a further table adds a part and its syncs to each insert. For the same reason `issue_time` also has the
 * hours (3), days (4) and weeks (5) of whole projects: all issues in one row, under the hash 0.
 */
export const rollupNames = ['issue_time', 'hour_issue'] as const

/** Distance of the spans of a project from those of an issue. */
export const projectSpan = 3

/** Parts of the rollups by issue. Each must match the events by itself. */
export const rollupParts = {
  issue_hour: 'issue_time WHERE span = 0',
  issue_day: 'issue_time WHERE span = 1',
  issue_week: 'issue_time WHERE span = 2',
  hour_issue: 'hour_issue WHERE 1',
} as const

/** Parts of the rollup by project. Each must match the events of a project by itself. */
export const projectParts = {
  project_hour: 'issue_time WHERE span = 3',
  project_day: 'issue_time WHERE span = 4',
  project_week: 'issue_time WHERE span = 5',
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
      `multiIf(span IN (2, 5), ${mondayOf('timestamp')}, span IN (1, 4), toStartOfDay(timestamp), toStartOfHour(timestamp))`,
      'span,',
      `if(span < ${projectSpan}, events.group_hash, toUInt64(0)) AS group_hash`,
    ),
    // A rewritten row (`gen` above 0) moves between issues. Its project counted it when it came.
    from: 'ARRAY JOIN if(gen = 0, range(6), range(3))::Array(UInt8) AS span',
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

/**
 * Index of `issue_time`: the days of a week are among those of the same issues in its partition, but not in others. A list
 * of all issues in 30 days skips four of five partitions of days (decision 34).
 */
export const hoursIndex = 'INDEX hour hour TYPE minmax GRANULARITY 1024'

/** Partitions are as in events (weeks of `received`), so that retention drops the same weeks. */
const rollupTable = (database: string, name: Name, kind: EventsKind): string =>
  `CREATE TABLE IF NOT EXISTS ${database}.${name} (${columnTypes[name].columns}${name === 'issue_time' ? `,\n  ${hoursIndex}` : ''}
) ENGINE = ${kind.engines.sums} PARTITION BY week ORDER BY (${columnTypes[name].order})
SETTINGS index_granularity = ${columnTypes[name].granule}, ${dedupSettings(kind)}, ${settingsOf(name)}`

/** Statement that creates the materialized view of a rollup. Safe to repeat. */
export const rollupView = (database: string, name: Name): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${name}_feed TO ${database}.${name} AS
${columnTypes[name].select} FROM ${database}.events ${columnTypes[name].from} GROUP BY ${columnTypes[name].keys}`

/** Returns the statements that create the rollups and their materialized views. Safe to repeat. */
export const rollupTables = (database: string, kind: EventsKind): string[] =>
  rollupNames.flatMap((name) => [rollupTable(database, name, kind), rollupView(database, name)])

/** Names of the views that fill the rollups from inserted events, spans and log lines. */
export const rollupFeeds: readonly string[] = [
  ...rollupNames.map((name) => `${name}_feed`),
  spanRollupFeed,
  segmentsFeed,
  logRollupFeed,
]

/** Rows of a span of `issue_time` that are built from other rows: from `from`, by the start of their period. */
type Derived = { span: number; from: string; start(hour: string): string; group: string }

const startOfDay = (hour: string): string => `toStartOfDay(${hour})`

/** The longer spans of issues. Each is built from rows of the span before. */
export const longer = [
  { span: 1, from: 'issue_time WHERE span = 0', start: startOfDay, group: 'group_hash' },
  { span: 2, from: 'issue_time WHERE span = 1', start: mondayOf, group: 'group_hash' },
] as const satisfies Derived[]

/** The spans of projects. Hours are the sums of the hours of all issues, the others of the span before. */
export const ofProject = [
  { span: 3, length: 'hour', from: 'hour_issue WHERE 1', start: (hour: string) => hour, group: 'toUInt64(0)' },
  { span: 4, length: 'day', from: 'issue_time WHERE span = 3', start: startOfDay, group: 'toUInt64(0)' },
  { span: 5, length: 'week', from: 'issue_time WHERE span = 4', start: mondayOf, group: 'toUInt64(0)' },
] as const satisfies (Derived & { length: string })[]

/** Statement that inserts the rows of a span that are built from rows which match a condition. */
export const derivedRows = (database: string, { span, from, start, group }: Derived, where: string): string =>
  `INSERT INTO ${database}.issue_time (${rollupKeys}, span, n, first_at, last_at, users)
   SELECT week, project_id, ${group} AS its_group, environment, ${start('hour')} AS begin, ${span}, sum(n), min(first_at),
     max(last_at), uniqCombined64MergeState(12)(users)
   FROM ${database}.${from} AND ${where} GROUP BY week, project_id, its_group, environment, begin`
