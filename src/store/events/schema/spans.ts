import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from './settings.ts'

/**
 * The table of spans, from transactions and span items. Rows are narrow, because an event has about a hundred spans,
 * and no rollup repeats them. Partitions are days of `received`: spans have a shorter retention than events, and the
 * disk budget drops whole days of them. `(jpos, place)` identifies a row: its record and its number there. The order is
 * by time, because screens query by project and range. A trace is found by a filter on its id (decision 18). Its spans
 * are close together, so few granules contain a trace.
 */
export const spansTable = (
  database: string,
  kind: EventsKind,
): string => `CREATE TABLE IF NOT EXISTS ${database}.spans (
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
) ENGINE = ${kind.engines.rows} PARTITION BY toDate(received) ORDER BY (project_id, start)
SETTINGS index_granularity = 4096, min_bytes_for_wide_part = 134217728, ${dedupSettings(kind)},
  ttl_only_drop_parts = 1, ${settingsOf('spans')}`
