import { closeSync, fstatSync, openSync } from 'node:fs'
import type { Observe } from '../base/observe.ts'
import { listSegments, readAt, segmentPath } from './folder.ts'
import { type JournalReader, type JournalRecord, segmentSpan } from './journal.ts'
import { decodeRecords, offsetOf, prefixBytes, recordEnd, segmentOf } from './record.ts'

/** A range of a segment in which no record could be read. */
export type Corrupt = { jpos: number; bytes: number }

/** `allocate`: returns memory of that many bytes for the records of a read. Default: new memory. */
export type ReaderOptions = {
  observe?: Observe
  onCorrupt?: (found: Corrupt) => void
  allocate?: (bytes: number) => Buffer
}

type Found = { records: JournalRecord[]; next: number; ended: boolean }

/** Two handles are enough: the segment that ends and the next segment. */
const handlesMax = 2

type Handles = { of(segment: number): number | undefined; close(): void }

/** Opens files by segment. Returns undefined for a segment that does not exist. */
function createHandles(folder: string): Handles {
  const handles = new Map<number, number>()
  return {
    of(segment) {
      const cached = handles.get(segment)
      if (cached !== undefined) return cached
      try {
        const handle = openSync(segmentPath(folder, segment), 'r')
        for (const [old, oldHandle] of handles) {
          if (handles.size < handlesMax) break
          handles.delete(old)
          closeSync(oldHandle)
        }
        handles.set(segment, handle)
        return handle
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    close() {
      for (const handle of handles.values()) closeSync(handle)
      handles.clear()
    },
  }
}

/** First position of the segment after the one that contains `at`; undefined when no later segment exists. */
function segmentAfter(folder: string, at: number): number | undefined {
  const nextSegmentNumber = listSegments(folder).find((segment) => segment > segmentOf(at))
  return nextSegmentNumber === undefined ? undefined : nextSegmentNumber * segmentSpan
}

/** Bytes that a count reads at once: 30 records of 2 kB in one call, and a call costs as much as these bytes. */
const countedBytes = 64 * 1024

/** Counts the whole records of a segment from `from` up to the position `limit`, at most `recordsMax`. */
function countSegment(handle: number, from: number, limit: number, recordsMax: number): number {
  let found = 0
  let bytes: Buffer = Buffer.alloc(0)
  let bytesAt = from
  for (let at = from; at < limit && found < recordsMax; found++) {
    if (at + prefixBytes > bytesAt + bytes.length) {
      bytes = readAt(handle, offsetOf(at), Math.min(countedBytes, Math.max(prefixBytes, limit - at)))
      bytesAt = at
    }
    const end = recordEnd(bytes.subarray(at - bytesAt, at - bytesAt + prefixBytes), at)
    if (end === undefined || end > limit) break
    at = end
  }
  return found
}

/** See `JournalReader.count`. */
function countRecords(folder: string, handles: Handles, from: number, durable: number, recordsMax: number): number {
  let found = 0
  for (let at: number | undefined = from; at !== undefined && at < durable && found < recordsMax; ) {
    const handle = handles.of(segmentOf(at))
    const isCurrent: boolean = segmentOf(at) === segmentOf(durable)
    if (handle !== undefined) {
      const limit = isCurrent ? durable : segmentOf(at) * segmentSpan + fstatSync(handle).size
      found += countSegment(handle, at, limit, recordsMax - found)
    }
    at = isCurrent ? undefined : segmentAfter(folder, at)
  }
  return found
}

/** See `openJournalReader`. */
export function createReader(folder: string, options: ReaderOptions): JournalReader {
  const handles = createHandles(folder)
  const reported = new Set<number>()

  function report(jpos: number, bytes: number): void {
    if (reported.has(jpos)) return
    reported.add(jpos)
    options.observe?.error({ jpos, bytes }, 'unreadable bytes of the journal were skipped')
    options.onCorrupt?.({ jpos, bytes })
  }

  /** Reads records of one segment from `from` up to `limit` (an offset). `ended`: the segment has no more records. */
  function readSegment(from: number, limit: number | undefined, recordsMax: number, bytesMax: number): Found {
    const segment = segmentOf(from)
    const handle = handles.of(segment)
    const nothing: Found = { records: [], next: from, ended: true }
    if (handle === undefined) return nothing
    const size = limit ?? fstatSync(handle).size
    let wantedBytes = Math.max(bytesMax, prefixBytes)
    for (;;) {
      const left = size - offsetOf(from)
      if (left <= 0) return nothing
      const bytes = readAt(handle, offsetOf(from), Math.min(wantedBytes, left), options.allocate)
      const found = decodeRecords(bytes, from, recordsMax)
      if (found.records.length > 0) return { records: found.records, next: from + found.at, ended: false }
      // Retry only once: a file that is too short has no more bytes the second time.
      if (found.needBytes > wantedBytes) {
        wantedBytes = found.needBytes
        continue
      }
      // A torn tail ends within a record. Only a wrong checksum, or a gap below the durable position, means data loss.
      const isCorrupt = found.stop === 'corrupt' || limit !== undefined
      if (isCorrupt) report(from, left)
      return limit === undefined ? nothing : { records: [], next: segment * segmentSpan + limit, ended: false }
    }
  }

  return {
    count: (from, durable, recordsMax) => countRecords(folder, handles, from, durable, recordsMax),
    read(from, durable, recordsMax, bytesMax) {
      let at = from
      for (;;) {
        if (at >= durable) return { records: [], next: from }
        const isCurrent = segmentOf(at) === segmentOf(durable)
        const found = readSegment(at, isCurrent ? offsetOf(durable) : undefined, recordsMax, bytesMax)
        if (!found.ended) return { records: found.records, next: found.next }
        const nextSegmentNumber = segmentAfter(folder, at)
        if (nextSegmentNumber === undefined) return { records: [], next: from }
        at = nextSegmentNumber
      }
    },
    close: () => handles.close(),
  }
}
