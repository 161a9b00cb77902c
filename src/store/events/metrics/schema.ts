import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from '../schema/settings.ts'

/**
 * Points of metrics (decision 38). Partitions are days of `received`. The order is by name and time, because each screen
 * and each question is about one metric: values, units and attributes of neighbours are alike, which also makes a row
 * small. `(jpos, place)` identifies a row.
 *
 * `amount`, `lowest` and `highest` are the sum and the limits of the measurements of a row. A sent point is its own sum
 * and limit, so only buckets of histograms store them.
 */
export const metricsTable = (
  database: string,
  kind: EventsKind,
): string => `CREATE TABLE IF NOT EXISTS ${database}.metrics (
  project_id UInt64,
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  name LowCardinality(String),
  type LowCardinality(String),
  unit LowCardinality(String),
  value Float64 CODEC(ZSTD(1)),
  count UInt64 CODEC(ZSTD(1)),
  min Float64 CODEC(ZSTD(1)),
  max Float64 CODEC(ZSTD(1)),
  sum Float64 CODEC(ZSTD(1)),
  is_bucket UInt8 CODEC(ZSTD(1)),
  amount Float64 ALIAS if(is_bucket, sum, value),
  lowest Float64 ALIAS if(is_bucket, min, value),
  highest Float64 ALIAS if(is_bucket, max, value),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id UInt64 CODEC(ZSTD(1)),
  service LowCardinality(String),
  environment LowCardinality(String),
  release LowCardinality(String),
  tags Map(LowCardinality(String), String) CODEC(ZSTD(3)),
  numbers Map(LowCardinality(String), Float64) CODEC(ZSTD(3)),
  folded UInt8 CODEC(ZSTD(1)),
  repaired UInt8 CODEC(ZSTD(1)),
  stream UInt64 CODEC(ZSTD(1)),
  total Float64 CODEC(ZSTD(1)),
  received DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  jpos UInt64 CODEC(Delta, ZSTD(1)),
  place UInt32 CODEC(Delta, ZSTD(1)),
  entries UInt8 CODEC(ZSTD(1)),
  INDEX trace_id trace_id TYPE bloom_filter(0.001) GRANULARITY 4,
  INDEX received received TYPE minmax,
  INDEX jpos jpos TYPE minmax
) ENGINE = ${kind.engines.rows} PARTITION BY toDate(received) ORDER BY (project_id, name, time)
SETTINGS index_granularity = 4096, min_bytes_for_wide_part = 134217728, ${dedupSettings(kind)},
  ttl_only_drop_parts = 1, ${settingsOf('metrics')}`
