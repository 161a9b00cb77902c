/**
 * What makes a table's parts outlive a power cut before their statement is answered. Inserts alone are not enough: a
 * deletion writes parts anew, and where those were not synced a cut brings the older parts with the deleted rows back (a
 * rollup that was being counted anew then counted twice). By default the engine syncs neither them nor merged parts.
 */
const synced = {
  fsync_after_insert: '1',
  fsync_part_directory: '1',
  min_rows_to_fsync_after_merge: '1',
  min_compressed_bytes_to_fsync_after_merge: '1',
}

/**
 * A merge holds some blocks of each part that it reads: of 20 parts at once (by default up to 100) and with blocks of 10 MB it
 * took 390 MB, which a small machine does not have. One that finds no memory is begun again for ever, and parts pile up.
 */
const merged = { merge_max_block_size_bytes: '2097152', max_parts_to_merge_at_once: '10' }

/**
 * A week that has got nothing for an hour is merged into one part: a look at an issue of a million events took 45 ms with 33
 * parts and 16 with five. The week that events come to is left as it is.
 */
const rested = { min_age_to_force_merge_seconds: '3600', min_age_to_force_merge_on_partition_only: '1' }

/**
 * Rows of 25 issues are 25 granules, and to get at one a whole block of each column is unpacked: with blocks of 8 kB instead
 * of 64 a page of the list took a fifth less time (27 ms to 22), at the same size.
 */
const small = { min_compress_block_size: '4096', max_compress_block_size: '8192' }

const settings = (table: string): string[] =>
  Object.entries({ ...synced, ...merged, ...rested, ...(table === 'issue_time' ? small : {}) }).map(
    ([name, value]) => `${name} = ${value}`,
  )

/** What a table has, as a list for SQL; a table that is there can be given it. What is there already is so when it is merged. */
export const settingsOf = (table: string): string => settings(table).join(', ')

/** Those of the tables of a database that were made before a setting was known, as rows of `name`. */
export const olderTables = (tables: readonly string[]): string => {
  const each = tables.map(
    (table) =>
      `name = '${table}' AND (${settings(table)
        .map((setting) => `position(create_table_query, '${setting}') = 0`)
        .join(' OR ')})`,
  )
  return `SELECT name FROM system.tables WHERE database = {database:String} AND (${each.join(' OR ')}) ORDER BY name`
}
