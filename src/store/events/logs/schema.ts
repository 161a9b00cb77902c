import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from '../schema/settings.ts'

/**
 * Columns that the table did not have at first. Lines of older versions have neither a shape nor values: their text is in
 * `body`, and so is one whose shape is not repeated.
 */
export const laterLogColumns: readonly { name: string; type: string }[] = [
  { name: 'shape', type: 'LowCardinality(String) CODEC(ZSTD(6))' },
  { name: 'changing', type: 'String CODEC(ZSTD(6))' },
]

/** Indexes of words that the table did not have at first. A shape is one word of its index. */
export const laterLogIndexes: readonly { name: string; type: string }[] = [
  { name: 'shapes', type: "lower(shape) TYPE text(tokenizer = 'array')" },
  { name: 'changing_words', type: "lower(changing) TYPE text(tokenizer = 'splitByNonAlpha')" },
]

/**
 * The table of log lines (decision 37). Partitions are days of `received`: retention and disk budget drop whole days.
 * The order is by time, because screens read a project's newest lines first. `(jpos, place)` identifies a row.
 * docs/logs.md describes all columns. ZSTD(6) stores texts and attributes in 19 bytes of a line instead of 24 with ZSTD(3),
 * and takes no more time. The text index of words takes 14 bytes: a token filter took 3, but then a histogram of a frequent
 * word reads every text.
 */
export const logsTable = (database: string, kind: EventsKind): string => `CREATE TABLE IF NOT EXISTS ${database}.logs (
  project_id UInt64,
  time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id UInt64 CODEC(ZSTD(1)),
  severity UInt8 CODEC(ZSTD(1)),
  level LowCardinality(String),
  body String CODEC(ZSTD(6)),
  ${laterLogColumns.map(({ name, type }) => `${name} ${type}`).join(',\n  ')},
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
  tags Map(LowCardinality(String), String) CODEC(ZSTD(6)),
  numbers Map(LowCardinality(String), Float64) CODEC(ZSTD(6)),
  repaired UInt8 CODEC(ZSTD(1)),
  truncated UInt8 CODEC(ZSTD(1)),
  weight Float32 CODEC(ZSTD(1)),
  received DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  jpos UInt64 CODEC(Delta, ZSTD(1)),
  place UInt32 CODEC(Delta, ZSTD(1)),
  INDEX trace_id trace_id TYPE bloom_filter(0.001) GRANULARITY 4,
  INDEX received received TYPE minmax,
  INDEX jpos jpos TYPE minmax,
  INDEX words lower(body) TYPE text(tokenizer = 'splitByNonAlpha'),
  ${laterLogIndexes.map(({ name, type }) => `INDEX ${name} ${type}`).join(',\n  ')}
) ENGINE = ${kind.engines.rows} PARTITION BY toDate(received) ORDER BY (project_id, time)
SETTINGS index_granularity = 4096, min_bytes_for_wide_part = 134217728, ${dedupSettings(kind)},
  ttl_only_drop_parts = 1, ${settingsOf('logs')}`
