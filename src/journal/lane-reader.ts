import { fstatSync } from 'node:fs'
import type { Lane } from '../base/lane.ts'
import { readAt } from './folder.ts'
import { type JournalRecord, segmentSpan } from './journal.ts'
import type { Found, Handles, ReaderOptions } from './reader.ts'
import { decodeRecords, offsetOf, segmentOf } from './record.ts'
import { createStarts, recordAt, type Starts } from './survey.ts'

/** Consecutive records of a lane: where they begin, and where they end. */
type Run = { from: number; to: number }

/** The runs of a lane's records in a part of a segment. `next`: the position behind the last record, or behind what was skipped. */
type Runs = { runs: Run[]; bytes: number; records: number; next: number; isDamaged: boolean }

/** Finds the records of a lane in a segment up to the position `limit`: as many as the limits allow, but always a first record. */
function runsOf(
  starts: Starts,
  from: number,
  limit: number,
  lane: Lane,
  { recordsMax, bytesMax }: { recordsMax: number; bytesMax: number },
): Runs {
  const out: Runs = { runs: [], bytes: 0, records: 0, next: from, isDamaged: false }
  while (out.next < limit) {
    const at = out.next
    const found = recordAt(starts, at, limit)
    if (found === 'damaged' || found === 'end') return { ...out, isDamaged: found === 'damaged' }
    if (found.lane === lane) {
      const bytes = found.end - at
      if (out.records > 0 && (out.records >= recordsMax || out.bytes + bytes > bytesMax)) return out
      const last = out.runs.at(-1)
      if (last?.to === at) last.to = found.end
      else out.runs.push({ from: at, to: found.end })
      out.records++
      out.bytes += bytes
    }
    out.next = found.end
  }
  return out
}

type LaneReadDeps = {
  allocate: ReaderOptions['allocate'] | undefined
  handles: Handles
  scratch: Buffer
  report(jpos: number, bytes: number): void
}

/** Reads records of one lane of a segment from `from` up to `limit` (an offset; undefined: the end of the file). */
type LaneRead = (from: number, limit: number | undefined, recordsMax: number, bytesMax: number, lane: Lane) => Found

/** Makes the read of a lane. The records of one read share one piece of memory. */
export function createLaneRead({ handles, scratch, allocate, report }: LaneReadDeps): LaneRead {
  return (from, limit, recordsMax, bytesMax, lane) => {
    const base = segmentOf(from) * segmentSpan
    const handle = handles.of(segmentOf(from))
    if (handle === undefined) return { records: [], next: from, ended: true }
    const end = limit === undefined ? base + fstatSync(handle).size : base + limit
    const { runs, bytes, next, isDamaged } = runsOf(createStarts(handle, end, scratch), from, end, lane, {
      recordsMax,
      bytesMax,
    })
    const memory = bytes > 0 ? (allocate ?? Buffer.allocUnsafe)(bytes) : Buffer.alloc(0)
    const records: JournalRecord[] = []
    let used = 0
    for (const run of runs) {
      const part = memory.subarray(used, used + run.to - run.from)
      used += part.length
      const found = decodeRecords(
        readAt(handle, offsetOf(run.from), part.length, () => part),
        run.from,
        recordsMax,
      )
      records.push(...found.records)
      const at = run.from + found.at
      if (at === run.to) continue
      // A wrong checksum: the next read begins there and gives the rest of the segment up.
      if (records.length > 0) return { records, next: at, ended: false }
      report(at, end - at)
      return limit === undefined ? { records: [], next: at, ended: true } : { records: [], next: end, ended: false }
    }
    const isLost = next < end && (isDamaged || limit !== undefined) && records.length === 0
    if (isLost) report(next, end - next)
    if (records.length > 0) return { records, next, ended: false }
    return limit === undefined ? { records: [], next, ended: true } : { records: [], next: end, ended: false }
  }
}
