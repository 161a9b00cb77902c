import { fstatSync } from 'node:fs'
import type { Lane } from '../base/lane.ts'
import { readAt } from './folder.ts'
import { type Survey, segmentSpan } from './journal.ts'
import { laneBytes, laneOf, offsetOf, prefixBytes, recordEnd, segmentOf } from './record.ts'

/**
 * Bytes that a survey reads at once. Errors are 2 to 14 kB, bulk records 30 to 200 kB: a larger block would mostly copy
 * bodies that are skipped, and a smaller one would need a call for each error.
 */
const blockBytes = 16 * 1024

/** Returns the first `laneBytes` bytes of the record at a position below `limit`; less at the end. */
export type Starts = (at: number) => Buffer

/** Reads starts of records of a segment in blocks. `scratch` holds the last block. */
export function createStarts(handle: number, limit: number, scratch: Buffer): Starts {
  let block = scratch.subarray(0, 0)
  let blockAt = 0
  return (at) => {
    const needBytes = Math.min(laneBytes, limit - at)
    if (at < blockAt || at + needBytes > blockAt + block.length) {
      block = readAt(handle, offsetOf(at), Math.min(scratch.length, limit - at), (bytes) => scratch.subarray(0, bytes))
      blockAt = at
    }
    return block.subarray(at - blockAt, at - blockAt + needBytes)
  }
}

export const newScratch = (): Buffer => Buffer.allocUnsafeSlow(blockBytes)

/** A record, or why there is none: `end`: an end mark or a torn record; `damaged`: an impossible length. */
type Found = { end: number; lane: Lane } | 'end' | 'damaged'

/** Returns the record at a position, by its start alone. `limit`: the end of its segment. */
export function recordAt(starts: Starts, at: number, limit: number): Found {
  const start = starts(at)
  if (start.length < 4 || start.readUInt32LE(0) === 0) return 'end'
  if (start.length < prefixBytes) return 'end'
  const end = recordEnd(start, at)
  if (end === undefined) return 'damaged'
  return end > limit ? 'end' : { end, lane: laneOf(start) }
}

type SurveyDeps = {
  handleOf(segment: number): number | undefined
  /** First position of the segment after the one of `at`. */
  segmentAfter(at: number): number | undefined
  scratch: Buffer
}

/** Limits of a survey. Without `lane`, all records count. */
type SurveyLimits = { lane?: Lane | undefined; bytesMax: number; countMax: number; recordsMax: number }

/** Sums up records from `from` up to `durable`, see `Survey`. `countMax` limits the records that count. */
export function survey(deps: SurveyDeps, from: number, durable: number, limits: SurveyLimits): Survey {
  const { lane, bytesMax, countMax, recordsMax } = limits
  const sum: Survey = { records: 0, bytes: 0, at: from, isDamaged: false }
  const isFull = () => sum.bytes >= bytesMax || sum.records >= countMax
  for (let looked = 0; sum.at < durable; ) {
    const isCurrent = segmentOf(sum.at) === segmentOf(durable)
    const handle = deps.handleOf(segmentOf(sum.at))
    const limit = isCurrent
      ? durable
      : segmentOf(sum.at) * segmentSpan + (handle === undefined ? 0 : fstatSync(handle).size)
    const starts = handle === undefined ? undefined : createStarts(handle, limit, deps.scratch)
    while (starts && sum.at < limit) {
      const found = recordAt(starts, sum.at, limit)
      // Below the durable position, a missing record is lost data.
      if (found === 'damaged' || (found === 'end' && isCurrent)) return { ...sum, isDamaged: true }
      if (found === 'end') break
      const isCounted = lane === undefined || found.lane === lane
      if (isFull() || looked++ >= recordsMax) return sum
      if (isCounted) {
        sum.records++
        sum.bytes += found.end - sum.at
      }
      sum.at = found.end
    }
    if (isCurrent) return sum
    const next = deps.segmentAfter(sum.at)
    if (next === undefined) return sum
    sum.at = next
  }
  return sum
}
