import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath } from '../../sync.ts'
import { isSilent } from './statement.ts'

/** Makes the names in a chDB folder durable after the statement `sql`. `rows`: it was an insert. */
export type SyncNames = (sql: string, rows: boolean) => Promise<void>

/** Like `syncPath`, but ignores a folder that no longer exists, such as that of a dropped table. */
const syncIfThere = (folder: string): Promise<void> =>
  syncPath(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'open') throw error
  })

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((item) => item.isDirectory()).map((item) => join(folder, item.name))
}

/** Returns the folders of all tables in a chDB folder: `store/xxx/uuid`. */
export const tableFolders = async (folder: string): Promise<string[]> =>
  (await Promise.all((await foldersIn(join(folder, 'store'))).map(foldersIn))).flat()

const isKill = (sql: string) => /^\s*kill\b/i.test(sql)

/**
 * chDB syncs a part's files and folder, but not the table's folder, which names the part. A file system that guarantees
 * only POSIX can lose the name in a power cut. So table folders (`store/xxx/uuid`) are synced after each insert, and
 * their parent folders too after other changes. Costs 1 ms per insert.
 */
export function createSyncNames(folder: string): SyncNames {
  const store = join(folder, 'store')
  return async (sql, rows) => {
    if (!rows && (!isSilent(sql) || isKill(sql))) return
    const prefixes = await foldersIn(store)
    const tables = (await Promise.all(prefixes.map(foldersIn))).flat()
    const above = rows ? [] : [folder, store, join(folder, 'metadata'), join(folder, 'data'), ...prefixes]
    await Promise.all([...tables, ...above].map(syncIfThere))
  }
}
