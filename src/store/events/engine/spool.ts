import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Rows of an insert in a file that has no name any more: nothing is left of it, however the process ends. */
export type Spooled = { bytes: number; path: string; write(part: Buffer): void; close(): void }

/** Linux opens the file anew by this path, macOS shares one offset for each descriptor (so reading needs its own). */
const descriptors = process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd'

/** Makes the folder in which rows wait for their insert; what an earlier process left there goes. */
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
