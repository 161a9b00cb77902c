import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from './settings.ts'

/**
 * Look-ups by unique values: one bloom filter per 64 granules. With one per granule (77 rows with payloads of 26 kB) a
 * look-up among a million events read 13,000 filters and took 40 ms instead of 6.
 */
const lookupIndexes = { event_id: 'bloom_filter(0.001)', trace_id: 'bloom_filter', digest: 'bloom_filter' }
export const lookupGranules = 64

/** Returns the definition of a look-up index. */
export const lookupIndex = (name: keyof typeof lookupIndexes): string =>
  `INDEX ${name} ${name} TYPE ${lookupIndexes[name]} GRANULARITY ${lookupGranules}`

/**
 * Searchable values of an event's frames. Rows of one issue are adjacent and nearly equal, so a block of the default
 * size stores them once. `refitFrames` adds column and index to older tables. Without the explicit default, a merge of
 * their parts cannot build the index ("Column or subcolumn 'frames' is not found") and fails forever.
 */
export const framesColumn = 'frames Array(String) DEFAULT [] CODEC(ZSTD(1))'
export const framesIndex = "INDEX frames frames TYPE text(tokenizer = 'array')"

/**
 * Columns that a search reads for a few rows of thousands of granules, in blocks of two granules. With the default size
 * it decompressed those of 16: a search by two tags took 126 ms of the engine instead of 83, at 1% more disk.
 * `refitBlocks` changes older tables, whose parts adopt it on merge.
 */
export const smallBlockColumns = {
  timestamp: "DateTime64(6, 'UTC')",
  received: "DateTime64(3, 'UTC')",
  user_hash: 'UInt64',
} as const

/** Returns the definition of such a column. */
export const smallBlockColumn = (name: keyof typeof smallBlockColumns): string =>
  `${name} ${smallBlockColumns[name]} SETTINGS (min_compress_block_size = 4096, max_compress_block_size = 8192)`

/**
 * The table of error events. Rows have no issue: meta maps `(project_id, group_hash)` to issues, so merging issues
 * rewrites no rows. Partitions are weeks of `received`: an insert is mostly one part, and retention drops whole parts.
 * Syncing (`settingsOf`) costs about 6 ms per insert; only then can the journal be trimmed. The token window makes a
 * retried insert count once. Parts under 128 MB are compact: 20 files to sync per insert instead of 90. `tagkv` has the
 * index that `tags[k] = v` cannot use. Its blocks are small: samples read a few rows in hundreds of places, and
 * decompressed 1 MB for each. Granules have 2 MB: a merge reads one per part, and 2,048 rows had 20 MB (10 parts: 390
 * MB at peak instead of 118, same time). Counting in whole rows requires granules of one size (`const`).
 */
export const eventsTable = (
  database: string,
  kind: EventsKind,
): string => `CREATE TABLE IF NOT EXISTS ${database}.events (
  project_id UInt64,
  group_hash UInt64,
  ${smallBlockColumn('timestamp')},
  ${smallBlockColumn('received')},
  event_id FixedString(16),
  jpos UInt64,
  gen UInt32,
  hashes Array(UInt64),
  ${smallBlockColumn('user_hash')},
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
) ENGINE = ${kind.engines.rows} PARTITION BY toMonday(received) ORDER BY (project_id, group_hash, timestamp, event_id)
SETTINGS index_granularity = 512, index_granularity_bytes = 2097152, use_const_adaptive_granularity = 1,
  min_bytes_for_wide_part = 134217728, ${dedupSettings(kind)}, ttl_only_drop_parts = 1,
  ${settingsOf('events')}`
