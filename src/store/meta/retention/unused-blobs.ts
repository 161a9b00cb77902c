import type { Store } from '../database/store.ts'

/** Maximum keys per statement. */
const chunk = 500

/**
 * Returns the distinct keys that no row names any more. Their blobs can be deleted. A newer row can name the blob of a
 * deleted one. The caller opens the transaction that deletes rows.
 */
export async function unusedBlobs(
  { write, dialect: { builder } }: Store,
  deleted: readonly string[],
): Promise<string[]> {
  const keys = new Set(deleted)
  // A row without a file has an empty key.
  keys.delete('')
  const all = [...keys]
  for (let start = 0; start < all.length; start += chunk)
    for (const table of ['attachment', 'dead_item'] as const) {
      const some = all.slice(start, start + chunk)
      const rows = await write.all(builder.selectFrom(table).select('blob_key').where('blob_key', 'in', some))
      for (const row of rows) keys.delete(row.blob_key)
    }
  return [...keys]
}
