import { copyFile, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { listSegments, newestFile, segmentPath } from './folder.ts'
import { segmentSpan } from './journal.ts'
import { decodeRecords, encodePrefix, endMark, offsetOf, prefixBytes, segmentOf } from './record.ts'

/** One read; a record that is longer is read whole. */
const pieceBytes = 1024 * 1024
const fillerBytes = 16 * 1024 * 1024
/** The head of a record that nobody reads: it lies below the cursor. */
const fillerHead = Buffer.from('{}')

/** Records without content that fill a segment up to `bytes`, which is where a record of it ended. */
function* fillers(segment: number, bytes: number): Generator<Buffer[]> {
  for (let at = 0; at < bytes; ) {
    const left = bytes - at
    // never so much that too little is left for another one
    const size = left > 2 * fillerBytes ? fillerBytes : left
    const body = Buffer.alloc(size - prefixBytes - fillerHead.length)
    yield [encodePrefix(segment * segmentSpan + at, fillerHead, body), fillerHead, body]
    at += size
  }
}

/**
 * Copies the waiting records of a journal to a new folder that a writer can open: from position `cursor` up to the last
 * whole record. Processed records are left out, because the files hold them unscrubbed until they are written over:
 * spare files, the part below the cursor, and the former life of a recycled file. The journal may be written meanwhile.
 */
export async function copyWaiting(from: string, to: string, cursor: number): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const segment of listSegments(from).filter((entry) => entry >= segmentOf(cursor)))
    await copySegment(from, to, segment, segment === segmentOf(cursor) ? offsetOf(cursor) : 0)
  await copyFile(join(from, newestFile), join(to, newestFile)).catch((error: NodeJS.ErrnoException) => {
    // an older journal has none: its segments say how far it came
    if (error.code !== 'ENOENT') throw error
  })
}

async function copySegment(from: string, to: string, segment: number, offset: number): Promise<void> {
  const source = await open(segmentPath(from, segment), 'r')
  const target = await open(segmentPath(to, segment), 'wx', 0o600)
  try {
    for (const parts of fillers(segment, offset)) await target.writev(parts)
    let at = offset
    for (let want = pieceBytes; ; ) {
      const { buffer, bytesRead } = await source.read(Buffer.allocUnsafe(want), 0, want, at)
      const bytes = buffer.subarray(0, bytesRead)
      const found = decodeRecords(bytes, segment * segmentSpan + at, Number.POSITIVE_INFINITY)
      await target.write(bytes, 0, found.at)
      at += found.at
      const isOver = found.stop === 'corrupt' || (found.stop === 'end' && found.at < bytesRead)
      // at the end of the file what is left is a torn record, or one that is being written
      if (isOver || bytesRead < want) break
      want = Math.max(pieceBytes, found.needBytes)
    }
    await target.write(endMark)
    await target.sync()
  } finally {
    await source.close()
    await target.close()
  }
}
