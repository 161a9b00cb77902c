import type { Clock } from '../../base/clock.ts'
import { openSqlite } from './database/connection.ts'
import { sqliteDialect } from './database/dialect.ts'
import { migrate } from './database/migrate.ts'
import type { MetaStore } from './meta-store.ts'
import { metaParts } from './parts.ts'

/**
 * Opens or creates the meta store in one SQLite file: one writer, and one reader, so that screens never wait for a
 * commit. `readers: 0` reads through the writer. Throws START_NEWER_DATA when a newer version wrote the file.
 */
export async function openSqliteMeta(file: string, options: { clock: Clock; readers?: number }): Promise<MetaStore> {
  const dialect = sqliteDialect()
  const write = openSqlite(file)
  try {
    await migrate(write, dialect, options.clock.now())
  } catch (error) {
    await write.close()
    throw error
  }
  const read = (options.readers ?? 1) > 0 ? openSqlite(file, { readOnly: true }) : write
  return {
    ...metaParts({ write, read, dialect, clock: options.clock }, read),
    close: async () => {
      if (read !== write) await read.close()
      await write.close()
    },
  }
}
