import type { EventsKind } from '../kind.ts'
import { settingsOf } from './settings.ts'

/**
 * Counts of the rows that the disk budget deleted from events, in rollup form. Rollups include them and are recounted
 * from rows and this table together. `step` names the cut of a row, so that an interrupted cut counts once. Partitions
 * are weeks, as in the other tables, so that retention drops the same ones.
 */
export const downsampledTable = (
  database: string,
  kind: EventsKind,
): string => `CREATE TABLE IF NOT EXISTS ${database}.thinned (
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
) ENGINE = ${kind.engines.rows} PARTITION BY week ORDER BY (project_id, group_hash, hour, environment, step)
SETTINGS ${settingsOf('thinned')}`
