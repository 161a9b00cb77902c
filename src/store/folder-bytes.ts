import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'

const filesMax = 200_000
/** A look at 4,000 files takes 150 ms of the thread that also commits: asked for each second, it held up a third of what was stored. */
const cacheMs = 15_000

/** Bytes of all files under a folder (its first 200,000); what vanishes meanwhile counts nothing. */
async function bytesUnder(folder: string): Promise<number> {
  let bytes = 0
  let files = 0
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined && files < filesMax; next = waiting.pop()) {
    const entries: Dirent[] = await readdir(next, { withFileTypes: true }).catch(() => [])
    const plain = entries.filter((item) => item.isFile())
    files += plain.length
    waiting.push(...entries.filter((item) => item.isDirectory()).map((item) => join(item.parentPath, item.name)))
    const sizes = await Promise.all(
      plain.map((item) =>
        stat(join(item.parentPath, item.name))
          // a file with several names lies there once
          .then((found) => (found.blocks * 512) / Math.max(1, found.nlink))
          .catch(() => 0),
      ),
    )
    for (const size of sizes) bytes += size
  }
  return Math.round(bytes)
}

/**
 * Bytes that a folder's files take on disk, at most 15 s old. Whoever asks while it is being measured waits for that
 * answer. A few folders are ever asked for; each is remembered.
 */
export function createFolderBytes(clock: Clock): (folder: string) => Promise<number> {
  const cache = new Map<string, { atMs: number; bytes: Promise<number> }>()
  return (folder) => {
    const nowMs = clock.now()
    const before = cache.get(folder)
    // either way: a clock that was set back must not keep an old answer for hours
    if (before && Math.abs(nowMs - before.atMs) < cacheMs) return before.bytes
    const bytes = bytesUnder(folder)
    cache.set(folder, { atMs: nowMs, bytes })
    return bytes
  }
}
