import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from '../schema/settings.ts'

/** Levels of the stored quantiles. States can only be merged if all levels are equal. */
export const durationLevels = '0.5, 0.75, 0.9, 0.95, 0.99'

/** The statuses that are counted besides all sessions, in the order of their codes. */
export const endNames = ['errored', 'unhandled', 'abnormal', 'crashed'] as const

const users = (name: string) => `users_${name} AggregateFunction(uniqCombined64(12), UInt64)`
const sums = (name: string) => `n_${name} UInt64 CODEC(ZSTD(1))`

/** Columns that only rollup rows use. */
export const rollupColumns = [
  'n_all',
  ...endNames.map((name) => `n_${name}`),
  'users_all',
  ...endNames.map((name) => `users_${name}`),
  'duration_sum',
  'duration_n',
  'durations',
] as const

const columns = `
  project_id UInt64,
  minute DateTime('UTC') CODEC(Delta, ZSTD(1)),
  sid UInt64,
  release LowCardinality(String),
  environment LowCardinality(String),
  names UInt64 MATERIALIZED cityHash64(release, environment) CODEC(ZSTD(1)),
  latest UInt64 CODEC(ZSTD(1)),
  final UInt64 CODEC(ZSTD(1)),
  is_init UInt8,
  quantity UInt64 CODEC(ZSTD(1)),
  user_hash UInt64,
  duration Float32 CODEC(ZSTD(1)),
  received DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  jpos UInt64 CODEC(Delta, ZSTD(1)),
  place UInt64 CODEC(ZSTD(1)),
  entries UInt64 CODEC(ZSTD(1)),
  is_rollup UInt8,
  ${['all', ...endNames].map(sums).join(',\n  ')},
  ${['all', ...endNames].map(users).join(',\n  ')},
  duration_sum Float64 CODEC(ZSTD(1)),
  duration_n UInt64 CODEC(ZSTD(1)),
  durations AggregateFunction(quantilesTDigest(${durationLevels}), Float32),
  INDEX received received TYPE minmax,
  INDEX jpos jpos TYPE minmax`

const table = (
  database: string,
  name: string,
  kind: EventsKind,
) => `CREATE TABLE IF NOT EXISTS ${database}.${name} (${columns}
) ENGINE = ${kind.engines.rows} PARTITION BY toDate(minute) ORDER BY (project_id, minute, sid)
SETTINGS index_granularity = 4096, min_bytes_for_wide_part = 134217728, ${dedupSettings(kind)},
  ttl_only_drop_parts = 1, ${settingsOf(name)}`

/** The rollups of a day are built in this table, then replace its updates in one step. Empty at other times. */
export const gatherTable = 'sessions_rollup'

/**
 * Release-health sessions (decision 23). A row is an update of a session until its day is closed, then a rollup of a
 * minute. Partitions are days of the session start: a day is closed, retained and dropped as a whole.
 */
export const sessionTables = (database: string, kind: EventsKind): string[] => [
  table(database, 'sessions', kind),
  table(database, gatherTable, kind),
]
