import { settingsOf } from './settings.ts'

/**
 * What the disk budget took out of events, counted as the rollups count: they go on counting all, and are made anew from
 * rows and this together. `step` says which cut a row belongs to, so that a cut that was broken off is counted once.
 * Weeks are the partitions, as everywhere, so that retention drops the same ones.
 */
export const thinnedTable = (database: string): string => `CREATE TABLE IF NOT EXISTS ${database}.thinned (
  week Date,
  project_id UInt64,
  group_hash UInt64,
  environment LowCardinality(String),
  hour DateTime('UTC'),
  step UInt64,
  n UInt64,
  first_at DateTime64(3, 'UTC'),
  last_at DateTime64(3, 'UTC'),
  users AggregateFunction(uniqCombined64(12), UInt64)
) ENGINE = MergeTree PARTITION BY week ORDER BY (project_id, group_hash, hour, environment, step)
SETTINGS ${settingsOf('thinned')}`
