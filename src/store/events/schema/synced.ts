/**
 * What makes a table's parts outlive a power cut before their statement is answered. Inserts alone are not enough: a
 * deletion writes parts anew, and where those were not synced a cut brings the older parts with the deleted rows back (a
 * rollup that was being counted anew then counted twice). By default the engine syncs neither them nor merged parts.
 */
export const syncedSettings = {
  fsync_after_insert: '1',
  fsync_part_directory: '1',
  min_rows_to_fsync_after_merge: '1',
  min_compressed_bytes_to_fsync_after_merge: '1',
} as const

/** The settings as a list for SQL. */
export const synced = Object.entries(syncedSettings)
  .map(([name, value]) => `${name} = ${value}`)
  .join(', ')

/** Tables of a database that were made before a setting was known, as rows of `name`. */
export const unsyncedTables = `SELECT name FROM system.tables WHERE database = {database:String} AND name IN {tables:Array(String)}
  AND (${Object.keys(syncedSettings)
    .map((name) => `position(create_table_query, '${name} = 1') = 0`)
    .join(' OR ')}) ORDER BY name`
