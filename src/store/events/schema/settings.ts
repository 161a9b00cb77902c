/**
 * Makes parts durable before their statement is confirmed. Syncing inserts alone is not enough: a deletion rewrites
 * parts, and without a sync a power cut restores the older parts with the deleted rows. A rollup was then counted twice
 * after a recount. By default the engine syncs neither rewritten nor merged parts.
 */
const synced = {
  fsync_after_insert: '1',
  fsync_part_directory: '1',
  min_rows_to_fsync_after_merge: '1',
  min_compressed_bytes_to_fsync_after_merge: '1',
}

/**
 * A merge keeps some blocks of each part in memory. With 20 parts at once (default: up to 100) and blocks of 10 MB it
 * took 390 MB, too much for a small machine. A merge without memory restarts forever, and parts pile up.
 */
const merged = { merge_max_block_size_bytes: '2097152', max_parts_to_merge_at_once: '10' }

/**
 * Each merge estimated the number of values of each column, for the order of joins. No question joins large tables, and it
 * took a tenth of the engine's time for an error event.
 */
const plain = { materialize_statistics_on_merge: '0' }

/**
 * Lengths of texts are beside the texts. In a stream of their own, which is the engine's default, they compress worse: a
 * span takes 32.3 bytes instead of 26.8, a log line 42.5 instead of 40.7, and reads are no faster.
 */
const joined = { string_serialization_version: "'single_stream'" }

/**
 * A week without inserts for an hour is merged into one part: reading an issue of a million events took 45 ms with 33
 * parts and 16 with five. The current week is not merged this way.
 */
const rested = { min_age_to_force_merge_seconds: '3600', min_age_to_force_merge_on_partition_only: '1' }

/**
 * Rows of 25 issues are 25 granules, and each read decompresses a whole block per column. With blocks of 8 kB instead
 * of 64 a list page took a fifth less time (27 ms to 22), at the same size.
 */
const small = { min_compress_block_size: '4096', max_compress_block_size: '8192' }

const settings = (table: string): string[] =>
  Object.entries({
    ...synced,
    ...merged,
    ...plain,
    ...joined,
    ...rested,
    ...(table === 'issue_time' ? small : {}),
  }).map(([name, value]) => `${name} = ${value}`)

/** Returns a table's settings as an SQL list. ALTER adds them to an existing table; its parts adopt them on merge. */
export const settingsOf = (table: string): string => settings(table).join(', ')

/** Returns a query for the names of tables that were created before a setting existed. */
export const olderTables = (tables: readonly string[]): string => {
  const each = tables.map(
    (table) =>
      `name = '${table}' AND (${settings(table)
        .map((setting) => `position(create_table_query, '${setting.replaceAll("'", "\\'")}') = 0`)
        .join(' OR ')})`,
  )
  return `SELECT name FROM system.tables WHERE database = {database:String} AND (${each.join(' OR ')}) ORDER BY name`
}
