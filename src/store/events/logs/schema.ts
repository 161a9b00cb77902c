import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from '../schema/settings.ts'

/**
 * The table of log lines (decision 37). Partitions are days of `received`: retention and disk budget drop whole days.
 * The order is by time, because screens read a project's newest lines first. `(jpos, place)` identifies a row.
 * docs/logs.md describes all columns.
 */
export const logsTable = (database: string, kind: EventsKind): string => `CREATE TABLE IF NOT EXISTS ${database}.logs (
  project_id UInt64,
  time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id UInt64 CODEC(ZSTD(1)),
  severity UInt8 CODEC(ZSTD(1)),
  level LowCardinality(String),
  body String CODEC(ZSTD(3)),
  template LowCardinality(String),
  pattern UInt64 CODEC(ZSTD(1)),
  service LowCardinality(String),
  host LowCardinality(String),
  logger LowCardinality(String),
  environment LowCardinality(String),
  release LowCardinality(String),
  platform LowCardinality(String),
  origin LowCardinality(String),
  user_hash UInt64 CODEC(ZSTD(1)),
  tags Map(LowCardinality(String), String) CODEC(ZSTD(3)),
  numbers Map(LowCardinality(String), Float64) CODEC(ZSTD(3)),
  repaired UInt8 CODEC(ZSTD(1)),
  truncated UInt8 CODEC(ZSTD(1)),
  weight Float32 CODEC(ZSTD(1)),
  received DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  jpos UInt64 CODEC(Delta, ZSTD(1)),
  place UInt32 CODEC(Delta, ZSTD(1)),
  INDEX trace_id trace_id TYPE bloom_filter(0.001) GRANULARITY 4,
  INDEX received received TYPE minmax,
  INDEX jpos jpos TYPE minmax,
  INDEX words lower(body) TYPE text(tokenizer = 'splitByNonAlpha')
) ENGINE = ${kind.engines.rows} PARTITION BY toDate(received) ORDER BY (project_id, time)
SETTINGS index_granularity = 4096, min_bytes_for_wide_part = 134217728, ${dedupSettings(kind)},
  ttl_only_drop_parts = 1, ${settingsOf('logs')}`
