import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MishapError } from '../../base/errors.ts'
import { syncPath } from '../sync.ts'
import type { BlobReader, BlobStore } from './blobs.ts'
import { checkKey } from './keys.ts'

/** Suffix of unfinished files. No key can have it, because keys contain no tilde. */
const unfinished = '~'

const isMissing = (error: unknown) =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String((error as NodeJS.ErrnoException).code))

/** Creates a folder and its parents below `root`. Syncs the parent of each new folder to make it durable. */
async function makeFolder(root: string, segments: string[]): Promise<string> {
  let folder = root
  for (const segment of segments) {
    const parent = folder
    folder = join(folder, segment)
    if (
      await access(folder, constants.F_OK).then(
        () => true,
        () => false,
      )
    )
      continue
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await syncPath(parent)
  }
  return folder
}

/** Yields the keys of finished files below a folder, or the names of unfinished ones. */
async function* filesIn(folder: string, key: string, finished = true): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (isMissing(error)) return []
    throw error
  })
  for (const entry of entries) {
    const below = key ? `${key}/${entry.name}` : entry.name
    if (entry.isDirectory()) yield* filesIn(join(folder, entry.name), below, finished)
    else if (entry.name.endsWith(unfinished) !== finished) yield below
  }
}

/**
 * Deletes unfinished files that a crash left: all, while nothing is written, or those that were last written before
 * `beforeMs` (ms since 1970). Returns the number of files.
 */
export async function dropUnfinished(root: string, beforeMs = Number.POSITIVE_INFINITY): Promise<number> {
  let files = 0
  for await (const name of filesIn(root, '', false)) {
    const path = join(root, name)
    const found = await stat(path).catch(() => undefined)
    if (!found || found.mtimeMs >= beforeMs) continue
    await rm(path, { force: true })
    files++
  }
  return files
}

/** Writes a temporary file next to the target, syncs and renames it. Leaves nothing behind when the stream fails. */
async function putStream(
  root: string,
  key: string,
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
  passed?: (bytes: number) => void,
): Promise<{ bytes: number }> {
  const segments = checkKey(key)
  await mkdir(root, { recursive: true, mode: 0o700 })
  const folder = await makeFolder(root, segments.slice(0, -1))
  const path = join(root, ...segments)
  const part = join(folder, `${randomUUID()}${unfinished}`)
  const handle = await open(part, 'wx', 0o600)
  let bytes = 0
  try {
    try {
      for await (const chunk of stream) {
        bytes += chunk.length
        if (bytes > bytesMax) throw new MishapError('ACCEPT_TOO_LARGE')
        await handle.writeFile(chunk)
        passed?.(chunk.length)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncPath(folder)
  return { bytes }
}

/** Opens a file for reading; undefined when there is none. */
async function openFile(path: string): Promise<{ handle: FileHandle; bytes: number } | undefined> {
  const handle = await open(path, 'r').catch((error) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (!handle) return undefined
  const found = await handle.stat()
  if (found.isFile()) return { handle, bytes: found.size }
  await handle.close()
  return undefined
}

function readerOf(handle: FileHandle, size: number): BlobReader {
  return {
    bytes: size,
    read: async (from, bytes) => {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(bytes, size - from)))
      let filled = 0
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return buffer.subarray(0, filled)
    },
    close: () => handle.close(),
  }
}

/**
 * Stores blobs as files under `root` (mode 0700). A blob is written aside, synced and renamed, so readers see the old
 * or the new bytes. `passed`: gets the size of each piece of `putStream`. Bad keys throw MishapError VALIDATION.
 */
export function openFileBlobs(root: string, passed?: (bytes: number) => void): BlobStore {
  const pathOf = (key: string) => join(root, ...checkKey(key))

  return {
    isRemote: false,
    ping: () => Promise.resolve(),
    sweep: (beforeMs) => dropUnfinished(root, beforeMs),
    putStream: (key, stream, bytesMax) => putStream(root, key, stream, bytesMax, passed),
    async put(key, bytes) {
      await putStream(
        root,
        key,
        (async function* () {
          yield bytes
        })(),
        bytes.length,
      )
    },
    async get(key) {
      try {
        return await readFile(pathOf(key))
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    async getStream(key) {
      const found = await openFile(pathOf(key))
      return found && { bytes: found.bytes, stream: createReadStream('', { fd: found.handle }) }
    },
    async reader(key) {
      const found = await openFile(pathOf(key))
      return found && readerOf(found.handle, found.bytes)
    },
    async delete(key) {
      const path = pathOf(key)
      try {
        await rm(path)
        await syncPath(dirname(path))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },
    async list(prefix) {
      const key = prefix.replace(/\/+$/, '')
      const folder = key === '' ? root : pathOf(key)
      const keys: string[] = []
      for await (const file of filesIn(folder, key)) keys.push(file)
      return keys.sort()
    },
    async size() {
      let bytes = 0
      for await (const key of filesIn(root, '')) {
        const found = await stat(join(root, key)).catch(() => undefined)
        bytes += found?.size ?? 0
      }
      return bytes
    },
  }
}
