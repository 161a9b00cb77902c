import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath } from '../../sync.ts'
import { isSilent } from './statement.ts'

/** Makes the names of a chDB folder durable after the statement `sql`; `rows` says that it was an insert. */
export type SyncNames = (sql: string, rows: boolean) => Promise<void>

/** As `syncPath`, but for a folder that went meanwhile, as a dropped table's does. */
const syncIfThere = (folder: string): Promise<void> =>
  syncPath(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'open') throw error
  })

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((item) => item.isDirectory()).map((item) => join(folder, item.name))
}

/** The folders of the tables of a chDB folder: `store/xxx/uuid`. */
export const tableFolders = async (folder: string): Promise<string[]> =>
  (await Promise.all((await foldersIn(join(folder, 'store'))).map(foldersIn))).flat()

const isKill = (sql: string) => /^\s*kill\b/i.test(sql)

/**
 * chDB syncs the files of a part and the part's own folder, not the folder of the table that names the part: after a
 * power cut a file system that keeps only what POSIX promises has the part without a name. So the tables' folders
 * (`store/xxx/uuid`) are synced after each insert, and after other changes those above them too. Costs 1 ms an insert.
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
