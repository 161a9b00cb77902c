import { settingsOf } from './settings.ts'

/**
 * The table of spans: what transactions and span items bring. A row is narrow, as there are a hundred of them for each
 * event; nothing of it is written twice into a rollup. Days of `received` are the partitions: spans are kept for a shorter
 * time than events, and the disk budget takes whole days of them. A row is one by `(jpos, place)`: the record that brought
 * it and its number there.
 * In the order of time, as screens ask by project and range. A trace is looked up by a filter of its id (decision 18): its
 * spans are close together, so that few granules hold spans of a trace.
 */
export const spansTable = (database: string): string => `CREATE TABLE IF NOT EXISTS ${database}.spans (
  project_id UInt64,
  trace_id FixedString(16),
  span_id UInt64,
  parent_id UInt64,
  segment_id UInt64,
  is_segment UInt8,
  item LowCardinality(String),
  transaction LowCardinality(String),
  op LowCardinality(String),
  name String CODEC(ZSTD(1)),
  description String CODEC(ZSTD(1)),
  start DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
  duration UInt64 CODEC(ZSTD(1)),
  self_time Int64 CODEC(ZSTD(1)),
  status LowCardinality(String),
  kind LowCardinality(String),
  origin LowCardinality(String),
  cut LowCardinality(String),
  attributes String CODEC(ZSTD(1)),
  measurements Map(LowCardinality(String), Float64),
  links String CODEC(ZSTD(1)),
  platform LowCardinality(String),
  release LowCardinality(String),
  environment LowCardinality(String),
  user_hash UInt64,
  received DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  jpos UInt64 CODEC(Delta, ZSTD(1)),
  place UInt32,
  repaired UInt8,
  INDEX trace_id trace_id TYPE bloom_filter(0.001) GRANULARITY 4,
  INDEX received received TYPE minmax,
  INDEX jpos jpos TYPE minmax
) ENGINE = MergeTree PARTITION BY toDate(received) ORDER BY (project_id, start)
SETTINGS index_granularity = 4096, min_bytes_for_wide_part = 134217728, non_replicated_deduplication_window = 1000,
  ttl_only_drop_parts = 1, ${settingsOf('spans')}`
