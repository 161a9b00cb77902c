import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { isSpool } from '../store/blobs/open.ts'

/** Most of the time of a small blob is the way to the store and back. */
const parallel = 8

/** Runs `work` for all items, a few at a time. Rejects with the first error, after running ones have ended. */
export async function forAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const next = items.values()
  const ended = await Promise.allSettled(
    Array.from({ length: parallel }, async () => {
      for (const item of next) await work(item)
    }),
  )
  const failed = ended.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * Copies blobs of a store on another machine into files below a folder. Their bytes are checked on the way. Skips blobs
 * that were deleted meanwhile. Returns the number of copied blobs. Throws BLOBS_UNAVAILABLE, BLOB_DAMAGED.
 */
export async function fetchBlobs(
  blobs: Pick<BlobStore, 'getStream'>,
  keys: readonly string[],
  folder: string,
): Promise<number> {
  let copied = 0
  await forAll(keys, async (key) => {
    const found = await blobs.getStream(key)
    if (!found) return
    const file = join(folder, key)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await pipeline(Readable.from(found.stream), createWriteStream(file, { mode: 0o600 }))
    copied++
  })
  return copied
}

/** Returns the keys of a store that a backup must fetch: the spool is in files already. */
export const remoteKeys = async (blobs: Pick<BlobStore, 'list'>): Promise<string[]> =>
  (await blobs.list('')).filter((key) => !isSpool(key))

/**
 * Moves restored blobs from files into a store on another machine, and their spool into its folder. Deletes what it has
 * written when it fails. Returns a function that deletes it later. Both throw BLOBS_UNAVAILABLE.
 */
export async function sendBlobs(
  blobs: Pick<BlobStore, 'putStream' | 'delete'>,
  from: string,
  folder: string,
): Promise<() => Promise<void>> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  const keys = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(from, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  const sent: string[] = []
  const takeBack = () => forAll(sent, (key) => blobs.delete(key))
  try {
    await forAll(keys, async (key) => {
      const file = join(from, key)
      if (isSpool(key)) {
        await mkdir(dirname(join(folder, key)), { recursive: true, mode: 0o700 })
        return rename(file, join(folder, key))
      }
      sent.push(key)
      await blobs.putStream(key, createReadStream(file), (await stat(file)).size)
    })
  } catch (error) {
    await takeBack().catch(() => undefined)
    throw error
  }
  return takeBack
}
