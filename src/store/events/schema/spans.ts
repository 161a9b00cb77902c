import { dedupSettings, type EventsKind } from '../kind.ts'
import { fineStatuses } from '../span-store.ts'
import { settingsOf } from './settings.ts'

/** Pairs of a JSON text of attributes, which older versions stored: those whose value is a number, or the others. */
const jsonPairs = (numbers: boolean): string =>
  `arrayFilter(pair -> ${numbers ? '' : 'NOT '}match(pair.2, '^-?[0-9]'), JSONExtractKeysAndValuesRaw(attributes))`
const mapOf = (pairs: string, value: string): string =>
  `mapFromArrays(arrayMap(pair -> pair.1, ${pairs}), arrayMap(pair -> ${value}, ${pairs}))`

/**
 * Columns that the table did not have at first, in order. An older table gets them with ALTER: their defaults also
 * apply to its rows, which have JSON in `attributes` instead of the two maps. docs/spans.md describes all columns.
 *
 * Maps instead of JSON: a filter on an attribute takes 3 ms instead of 19 among 416,000 spans, with the same bytes on
 * disk (24.9 of a span). Numbers are apart: as texts they took 1.8 bytes more. A text index of `key=value` was rejected:
 * it repeats addresses and ids, which are the largest part of a span.
 */
export const laterSpanColumns: readonly { name: string; type: string }[] = [
  { name: 'route', type: 'LowCardinality(String) DEFAULT transaction' },
  { name: 'category', type: "LowCardinality(String) DEFAULT ''" },
  { name: 'statement', type: "LowCardinality(String) DEFAULT ''" },
  { name: 'statement_hash', type: 'UInt64 ALIAS cityHash64(statement)' },
  { name: 'weight', type: 'Float32 DEFAULT 1 CODEC(ZSTD(1))' },
  {
    name: 'failed',
    type: `UInt8 DEFAULT status NOT IN (${fineStatuses.map((status) => `'${status}'`).join(', ')}) CODEC(ZSTD(1))`,
  },
  { name: 'http_status', type: 'UInt16 DEFAULT 0 CODEC(ZSTD(1))' },
  { name: 'clock_shift', type: 'Int64 DEFAULT 0 CODEC(ZSTD(1))' },
  {
    name: 'tags',
    type: `Map(LowCardinality(String), String) DEFAULT ${mapOf(
      jsonPairs(false),
      `if(startsWith(pair.2, '"'), JSONExtractString(pair.2), pair.2)`,
    )} CODEC(ZSTD(3))`,
  },
  {
    name: 'numbers',
    type: `Map(LowCardinality(String), Float64) DEFAULT ${mapOf(jsonPairs(true), 'toFloat64OrZero(pair.2)')} CODEC(ZSTD(3))`,
  },
  { name: 'events', type: "String DEFAULT '' CODEC(ZSTD(1))" },
]

/**
 * Indexes that the table did not have at first. A search for a rare value of an attribute skips granules without the value
 * or the key: 7 to 30 ms instead of 105 among 1.4 million spans, for 2 bytes of a span (decision 34). Filters of one in
 * ten for four granules each (1.1 bytes) took 70 ms.
 */
export const laterSpanIndexes: readonly { name: string; type: string }[] = [
  { name: 'tag_keys', type: 'mapKeys(tags) TYPE bloom_filter(0.01)' },
  { name: 'tag_values', type: 'mapValues(tags) TYPE bloom_filter(0.025)' },
  { name: 'number_keys', type: 'mapKeys(numbers) TYPE bloom_filter(0.01)' },
]

/**
 * The table of spans, from transactions and span items. Rows are narrow, because an event has about a hundred spans.
 * Partitions are days of `received`: spans have a shorter retention than events, and the
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
  ${laterSpanColumns.map(({ name, type }) => `${name} ${type}`).join(',\n  ')},
  INDEX trace_id trace_id TYPE bloom_filter(0.001) GRANULARITY 4,
  INDEX received received TYPE minmax,
  INDEX jpos jpos TYPE minmax,
  ${laterSpanIndexes.map(({ name, type }) => `INDEX ${name} ${type}`).join(',\n  ')}
) ENGINE = ${kind.engines.rows} PARTITION BY toDate(received) ORDER BY (project_id, start)
SETTINGS index_granularity = 4096, min_bytes_for_wide_part = 134217728, ${dedupSettings(kind)},
  ttl_only_drop_parts = 1, ${settingsOf('spans')}`
