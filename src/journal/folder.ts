import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { segmentSpan } from './journal.ts'
import { decodeRecords } from './record.ts'

const scanBytes = 8 * 1024 * 1024

/** Path of a segment's file. */
export function segmentPath(folder: string, segment: number): string {
  return join(folder, `${String(segment).padStart(9, '0')}.seg`)
}

/** Numbers of the segments in a folder, ascending. */
export function listSegments(folder: string): number[] {
  const names = readdirSync(folder).filter((name) => /^\d{9}\.seg$/.test(name))
  return names.map((name) => Number(name.slice(0, 9))).sort((a, b) => a - b)
}

/** Names of the spare files in a folder: trimmed segments that can be overwritten. */
export function listSpares(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^spare-\d+$/.test(name))
}

export const newestFile = 'newest'

/**
 * Reads the highest segment number ever begun; 0 when the file does not exist. The number has its own file, so that a
 * folder that lost its segments does not restart below the positions that refine has stored.
 */
export function readNewest(folder: string): number {
  try {
    const found = /^(\d{1,9})\n$/.exec(readFileSync(join(folder, newestFile), 'latin1'))
    return found ? Number(found[1]) : 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** Writes the highest segment number. It is durable once the folder is synced. */
export function writeNewest(folder: string, segment: number): void {
  const part = join(folder, `${newestFile}~`)
  writeFileSync(part, `${segment}\n`, { mode: 0o600, flush: true })
  renameSync(part, join(folder, newestFile))
}

/** Syncs a folder, so that created and renamed files in it survive power loss. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Reads `bytes` bytes at `offset` into memory of `allocate`. The result is shorter at the end of the file. */
export function readAt(
  handle: number,
  offset: number,
  bytes: number,
  allocate: (bytes: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  const buffer = allocate(bytes)
  let filled = 0
  while (filled < bytes) {
    const read = readSync(handle, buffer, filled, bytes - filled, offset + filled)
    if (read === 0) break
    filled += read
  }
  return buffer.subarray(0, filled)
}

/**
 * Returns where the last whole record of a segment ends, in bytes. The file can be longer after a crash: then a torn
 * record follows, or old content of a recycled file.
 */
export function validBytes(folder: string, segment: number): number {
  const handle = openSync(segmentPath(folder, segment), 'r')
  try {
    const size = fstatSync(handle).size
    let at = 0
    let wantedBytes = scanBytes
    while (at < size) {
      const bytes = readAt(handle, at, wantedBytes)
      const found = decodeRecords(bytes, segment * segmentSpan + at, Number.POSITIVE_INFINITY)
      at += found.at
      if (found.at === bytes.length) continue
      if (found.stop !== 'short' || at + found.needBytes > size) break
      wantedBytes = Math.max(scanBytes, found.needBytes)
    }
    return at
  } finally {
    closeSync(handle)
  }
}
