import { copyFile, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Lane } from '../base/lane.ts'
import { listSegments, newestFile, segmentPath } from './folder.ts'
import { type JournalRecord, type RecordHead, segmentSpan } from './journal.ts'
import { decodeRecords, encodeHead, encodePrefix, endMark, offsetOf, prefixBytes, segmentOf } from './record.ts'

/** Bytes per read. A longer record is read in one piece. */
const chunkBytes = 1024 * 1024
const fillerBytes = 16 * 1024 * 1024
/** Head of a filler record. Nobody reads it, because it lies below the cursor. */
const fillerHead = Buffer.from('{}')

/** Yields empty records that fill a segment up to `bytes`, the end of a record of the source segment. */
function* fillers(segment: number, bytes: number): Generator<Buffer[]> {
  for (let at = 0; at < bytes; ) {
    const left = bytes - at
    // Leave enough bytes for another filler.
    const size = left > 2 * fillerBytes ? fillerBytes : left
    const body = Buffer.alloc(size - prefixBytes - fillerHead.length)
    yield [encodePrefix(segment * segmentSpan + at, fillerHead, body), fillerHead, body]
    at += size
  }
}

/** Overwrites a record with a filler of the same lane and length. */
function blank(bytes: Buffer, { jpos, head: { lane } }: JournalRecord): void {
  const head = encodeHead({ ...(lane ? { lane } : {}) } as RecordHead)
  const body = Buffer.alloc(bytes.length - prefixBytes - head.length)
  Buffer.concat([encodePrefix(jpos, head, body), head, body]).copy(bytes)
}

/**
 * Copies the waiting records of a journal to a new folder that a writer can open: from the lowest of the cursors up to the
 * last whole record. Leaves processed records out, because their unscrubbed data stays in the files until it is
 * overwritten: in spare files, below the cursors, and in the old content of a recycled file. Fillers take the place of
 * records that one lane has processed behind those where another lane is. The journal can be written meanwhile.
 */
export async function copyWaiting(from: string, to: string, cursors: Record<Lane, number>): Promise<void> {
  const cursor = Math.min(...Object.values(cursors))
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const segment of listSegments(from).filter((entry) => entry >= segmentOf(cursor)))
    await copySegment(from, to, segment, segment === segmentOf(cursor) ? offsetOf(cursor) : 0, cursors)
  await copyFile(join(from, newestFile), join(to, newestFile)).catch((error: NodeJS.ErrnoException) => {
    // A journal of an older version has no such file: its segments give the highest number.
    if (error.code !== 'ENOENT') throw error
  })
}

async function copySegment(
  from: string,
  to: string,
  segment: number,
  offset: number,
  cursors: Record<Lane, number>,
): Promise<void> {
  const source = await open(segmentPath(from, segment), 'r')
  const target = await open(segmentPath(to, segment), 'wx', 0o600)
  try {
    for (const parts of fillers(segment, offset)) await target.writev(parts)
    let at = offset
    for (let wantedBytes = chunkBytes; ; ) {
      const { buffer, bytesRead } = await source.read(Buffer.allocUnsafe(wantedBytes), 0, wantedBytes, at)
      const bytes = buffer.subarray(0, bytesRead)
      const found = decodeRecords(bytes, segment * segmentSpan + at, Number.POSITIVE_INFINITY)
      const begin = segment * segmentSpan + at
      for (const record of found.records)
        if (record.jpos < cursors[record.head.lane ?? 'events'])
          blank(bytes.subarray(record.jpos - begin, record.end - begin), record)
      await target.write(bytes, 0, found.at)
      at += found.at
      const isOver = found.stop === 'corrupt' || (found.stop === 'end' && found.at < bytesRead)
      // At the end of the file, the rest is a torn record or a record that is being written.
      if (isOver || bytesRead < wantedBytes) break
      wantedBytes = Math.max(chunkBytes, found.needBytes)
    }
    await target.write(endMark)
    await target.sync()
  } finally {
    await source.close()
    await target.close()
  }
}
