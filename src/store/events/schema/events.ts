import { settingsOf } from './settings.ts'

/**
 * Look-ups by a value of its own: a bloom filter for each 64 granules. With one for each granule (77 rows, where payloads have
 * 26 kB) a look-up among a million events went through 13,000 filters and took 40 ms instead of 6.
 */
const lookupIndexes = { event_id: 'bloom_filter(0.001)', trace_id: 'bloom_filter', digest: 'bloom_filter' }
export const lookupGranules = 64

/** The definition of one of them. */
export const lookupIndex = (name: keyof typeof lookupIndexes): string =>
  `INDEX ${name} ${name} TYPE ${lookupIndexes[name]} GRANULARITY ${lookupGranules}`

/**
 * What a search finds of an event’s frames. Rows of one issue stand beside each other and have nearly the same ones, so that
 * blocks of the usual size hold them once. Older tables are given column and index (`refitFrames`); without a default that is
 * written out, a merge of their parts cannot build the index ("Column or subcolumn 'frames' is not found") and fails for ever.
 */
export const framesColumn = 'frames Array(String) DEFAULT [] CODEC(ZSTD(1))'
export const framesIndex = "INDEX frames frames TYPE text(tokenizer = 'array')"

/**
 * The table of error events. A row has no issue: meta maps `(project_id, group_hash)` to issues, so merging rewrites
 * nothing. Weeks of `received` are the partitions: an insert is mostly one part, and retention drops whole parts.
 * Syncing (`settingsOf`) costs some 6 ms an insert and is what lets the journal be trimmed; the window of tokens makes a
 * retried insert count once. Parts under 128 MB are compact: 20 files to make and sync for each insert instead of 90. `tagkv` carries the index that `tags[k] = v` cannot use.
 * `tagkv` is compressed in small blocks: a sample of events reads a few rows in hundreds of places, and unpacked 1 MB for each.
 * Granules of 2 MB: a merge reads one of each part, and with 2,048 rows of payloads one had 20 MB (10 parts: 390 MB at its peak
 * instead of 118, in as much time); the engine reckons with whole rows only where granules are of one size (`const`).
 */
export const eventsTable = (database: string): string => `CREATE TABLE IF NOT EXISTS ${database}.events (
  project_id UInt64,
  group_hash UInt64,
  timestamp DateTime64(6, 'UTC'),
  received DateTime64(3, 'UTC'),
  event_id FixedString(16),
  jpos UInt64,
  gen UInt32,
  hashes Array(UInt64),
  user_hash UInt64,
  level LowCardinality(String),
  environment LowCardinality(String),
  release LowCardinality(String),
  transaction LowCardinality(String),
  type LowCardinality(String),
  platform LowCardinality(String),
  message String CODEC(ZSTD(1)),
  message_lower String MATERIALIZED lowerUTF8(message) CODEC(ZSTD(1)),
  tags Map(LowCardinality(String), String),
  tagkv Array(String) MATERIALIZED arrayMap((k, v) -> concat(k, '=', v), mapKeys(tags), mapValues(tags)) CODEC(ZSTD(1))
    SETTINGS (min_compress_block_size = 16384, max_compress_block_size = 65536),
  trace_id FixedString(16),
  digest String,
  ${framesColumn},
  payload String CODEC(ZSTD(1)),
  ${lookupIndex('event_id')},
  ${lookupIndex('trace_id')},
  ${lookupIndex('digest')},
  INDEX timestamp timestamp TYPE minmax,
  INDEX received received TYPE minmax,
  INDEX jpos jpos TYPE minmax,
  INDEX tagkv tagkv TYPE text(tokenizer = 'array'),
  ${framesIndex},
  INDEX message_lower message_lower TYPE text(tokenizer = 'splitByNonAlpha')
) ENGINE = MergeTree PARTITION BY toMonday(received) ORDER BY (project_id, group_hash, timestamp, event_id)
SETTINGS index_granularity = 512, index_granularity_bytes = 2097152, use_const_adaptive_granularity = 1,
  min_bytes_for_wide_part = 134217728, non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1,
  ${settingsOf('events')}`
