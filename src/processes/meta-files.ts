import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The database in the meta folder of a data folder without a PostgreSQL database. */
export const databaseFile = 'mishap.sqlite'
/** The file in the meta folder of a data folder whose database is PostgreSQL. It has the id of the pair. */
export const pairFile = 'postgres.id'

/** Returns the id of the pair of a data folder and its PostgreSQL database. */
export function pairOf(folder: string): string | undefined {
  const file = join(folder, pairFile)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** Pairs a data folder with a PostgreSQL database that has the same id. */
export function writePair(folder: string, id: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, pairFile)
  writeFileSync(`${file}.new`, `${id}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

/** Makes a file of the meta folder its database. Can be repeated: without the file, only the pair is undone. */
export function adoptDatabase(folder: string, name: string): void {
  if (existsSync(join(folder, name))) {
    for (const suffix of ['-wal', '-shm']) rmSync(join(folder, `${databaseFile}${suffix}`), { force: true })
    renameSync(join(folder, name), join(folder, databaseFile))
  }
  rmSync(join(folder, pairFile), { force: true })
}
