import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Rows of an insert in an open file. */
export type RowSource = { path: string; close(): void }
/** Rows in an unlinked file. The file disappears however the process exits. */
export type Spooled = RowSource & { bytes: number; write(part: Buffer): void }

/** Linux reopens the file by this path. macOS shares one offset per descriptor, so reading needs its own. */
const descriptors = process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd'

/** Creates the folder for rows that wait for their insert. Deletes the files of an earlier process. */
export function openSpool(folder: string): () => Spooled {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return () => {
    const file = join(folder, randomUUID())
    const writer = openSync(file, 'wx', 0o600)
    const reader = openSync(file, 'r')
    unlinkSync(file)
    return {
      bytes: 0,
      path: `${descriptors}/${reader}`,
      write(part) {
        for (let at = 0; at < part.length; ) at += writeSync(writer, part, at)
        this.bytes += part.length
      },
      close() {
        closeSync(writer)
        closeSync(reader)
      },
    }
  }
}

/**
 * Opens a file of rows that another process wrote. Its name may be deleted from then on. The path has no pattern signs,
 * which chDB would read as such.
 */
export function openRows(folder: string, name: string): RowSource {
  const reader = openSync(join(folder, name), 'r')
  return { path: `${descriptors}/${reader}`, close: () => closeSync(reader) }
}
