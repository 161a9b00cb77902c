import { closeSync, fstatSync, openSync } from 'node:fs'
import type { Observe } from '../base/observe.ts'
import { listSegments, readAt, segmentPath } from './folder.ts'
import { type JournalReader, type JournalRecord, segmentSpan } from './journal.ts'
import { createLaneRead } from './lane-reader.ts'
import { decodeRecords, offsetOf, prefixBytes, segmentOf } from './record.ts'
import { newScratch, survey } from './survey.ts'

/** A range of a segment in which no record could be read. */
export type Corrupt = { jpos: number; bytes: number }

/** `allocate`: returns memory of that many bytes for the records of a read. Default: new memory. */
export type ReaderOptions = {
  observe?: Observe
  onCorrupt?: (found: Corrupt) => void
  allocate?: (bytes: number) => Buffer
}

/** `ended`: the segment has no more records. */
export type Found = { records: JournalRecord[]; next: number; ended: boolean }

/** Two handles are enough: the segment that ends and the next segment. */
const handlesMax = 2

export type Handles = { of(segment: number): number | undefined; close(): void }

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

/** See `openJournalReader`. */
export function createReader(folder: string, options: ReaderOptions): JournalReader {
  const handles = createHandles(folder)
  const reported = new Set<number>()
  const scratch = newScratch()

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

  const readLane = createLaneRead({ handles, scratch, allocate: options.allocate, report })
  const deps = { handleOf: handles.of, segmentAfter: (at: number) => segmentAfter(folder, at), scratch }
  return {
    count: (from, durable, recordsMax, lane) =>
      survey(deps, from, durable, {
        lane,
        bytesMax: Number.POSITIVE_INFINITY,
        countMax: recordsMax,
        recordsMax: Number.POSITIVE_INFINITY,
      }).records,
    survey: (from, durable, lane, { bytesMax, recordsMax }) =>
      survey(deps, from, durable, { lane, bytesMax, countMax: Number.POSITIVE_INFINITY, recordsMax }),
    read(from, durable, recordsMax, bytesMax, lane) {
      let at = from
      for (;;) {
        if (at >= durable) return { records: [], next: lane ? at : from }
        const limit = segmentOf(at) === segmentOf(durable) ? offsetOf(durable) : undefined
        const found = lane
          ? readLane(at, limit, recordsMax, bytesMax, lane)
          : readSegment(at, limit, recordsMax, bytesMax)
        if (!found.ended) return { records: found.records, next: found.next }
        const nextSegmentNumber = segmentAfter(folder, at)
        if (nextSegmentNumber === undefined) return { records: [], next: from }
        at = nextSegmentNumber
      }
    },
    close: () => handles.close(),
  }
}
