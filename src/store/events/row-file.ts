import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Encoded rows of a table in a file of `rowsFolder`, which the embedded engine reads itself. */
export type RowFile = { path: string; bytes: number }
/** Encoded rows of a table. A ClickHouse server gets them as a body, so they stay in memory. */
export type Rows = Uint8Array | RowFile

/** Parameter of an insert that names its file. Only a name: the engine opens no other folder. */
export const rowFileParameter = 'rows_file'
/** Names of files in the folder. */
export const isRowFileName = (name: string): boolean => /^[\w-]{1,200}$/.test(name)

/** The folder of the files, in the folder of the engine. */
export const rowsFolder = (engineFolder: string): string => join(engineFolder, 'rows')

/**
 * Empties the folder of the files and returns the start of the paths of this process's files. Rows of an earlier process
 * are in the journal and are refined again. Its inserts may still run: they keep their open files, and a name never comes
 * back with other rows.
 */
export function prepareRowsFolder(engineFolder: string): string {
  const folder = rowsFolder(engineFolder)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    // On a full disk the folder cannot be created. Rows then stay in memory.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    return join(folder, `${randomUUID()}-`)
  }
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
  return join(folder, `${randomUUID()}-`)
}

export const rowFileName = ({ path }: RowFile): string => basename(path)

export const isRowFile = (rows: Rows | readonly Buffer[]): rows is RowFile => 'path' in rows
export const byteLengthOf = (rows: Rows): number => (isRowFile(rows) ? rows.bytes : rows.length)

/** Returns the lines of rows in memory. A file is read as a whole, so call it only for parts of a batch. */
export function linesOf(rows: Rows): Buffer {
  if (isRowFile(rows)) return readFileSync(rows.path)
  return Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
}

/** Deletes the files of rows that nobody inserts any more. */
export function dropRows(all: Iterable<Rows>): void {
  for (const rows of all) if (isRowFile(rows)) rmSync(rows.path, { force: true })
}
