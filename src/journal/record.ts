import { crc32 } from 'node:zlib'
import type { Lane } from '../base/lane.ts'
import { type JournalRecord, type RecordHead, segmentSpan } from './journal.ts'

/** `[u32 length][u32 crc32][u32 headLength]`, little endian. `length` counts all bytes after the crc. */
export const prefixBytes = 12
const sizedBytes = 8

/** A zero length means that no record follows yet. It is written after every group and overwritten by the next. */
export const endMark = Buffer.alloc(sizedBytes)

/** A record must leave space for others within the segment span of 256 MiB. */
export const recordBytesMax = 128 * 1024 * 1024

/**
 * Seeds the checksum with the record's position. The old content of a recycled file (records with a valid checksum for
 * another segment) can therefore never pass as records of this segment.
 */
function seedOf(jpos: number): number {
  return (((jpos % 2 ** 32) >>> 0) ^ Math.floor(jpos / 2 ** 32)) >>> 0
}

/** Bytes of a record with this head and body in a segment. */
export function recordBytes(headBytes: number, bodyBytes: number): number {
  return prefixBytes + headBytes + bodyBytes
}

/** Encodes the 12-byte prefix of a record at a position. `head` and `body` must follow it. */
export function encodePrefix(jpos: number, head: Buffer, body: Buffer): Buffer {
  const prefix = Buffer.allocUnsafe(prefixBytes)
  prefix.writeUInt32LE(prefixBytes - sizedBytes + head.length + body.length, 0)
  prefix.writeUInt32LE(head.length, 8)
  prefix.writeUInt32LE(crc32(body, crc32(head, crc32(prefix.subarray(sizedBytes), seedOf(jpos)))), 4)
  return prefix
}

/** Longer bodies are written from where they are. Up to this size, a copy costs less than three parts of a write. */
export const copiedBytesMax = 16 * 1024

/** Bytes that `encodeRecord` writes. */
export const encodedBytes = (headBytes: number, bodyBytes: number): number =>
  recordBytes(headBytes, bodyBytes <= copiedBytesMax ? bodyBytes : 0)

/**
 * Writes a record at `at` of `into`, where it gets the position `jpos`. Returns the end of what it wrote. A body over
 * `copiedBytesMax` is not copied and must follow.
 */
export function encodeRecord(into: Buffer, at: number, jpos: number, head: Buffer, body: Buffer): number {
  const headAt = at + prefixBytes
  const bodyAt = headAt + head.length
  const isCopied = body.length <= copiedBytesMax
  into.writeUInt32LE(prefixBytes - sizedBytes + head.length + body.length, at)
  into.writeUInt32LE(head.length, at + sizedBytes)
  into.set(head, headAt)
  if (isCopied) into.set(body, bodyAt)
  const end = isCopied ? bodyAt + body.length : bodyAt
  const own = crc32(into.subarray(at + sizedBytes, end), seedOf(jpos))
  into.writeUInt32LE(isCopied ? own : crc32(body, own), at + 4)
  return end
}

/** Why decoding stopped: `short`: the bytes end within a record; `end`: an end mark; `corrupt`: a wrong checksum. */
type Stop = 'full' | 'short' | 'end' | 'corrupt'

/** Result of one decoding pass: the whole records, where it stopped (an offset in the bytes), and why. */
type Decoded = { records: JournalRecord[]; at: number; stop: Stop; needBytes: number }

/** Returns where the record at `jpos` with this prefix ends; undefined for an end mark or an invalid prefix. */
export function recordEnd(prefix: Buffer, jpos: number): number | undefined {
  const length = prefix.length < prefixBytes ? 0 : prefix.readUInt32LE(0)
  return length < prefixBytes - sizedBytes || length > recordBytesMax ? undefined : jpos + sizedBytes + length
}

/**
 * How the head of a record of lane `bulk` begins. The lane can be read without parsing, and versions without lanes read
 * the head as any other. A bit in the prefix would have been corruption to them.
 */
const bulkMark = Buffer.from('{"lane":"bulk"')
/** Bytes of a record that tell its length and its lane. */
export const laneBytes = prefixBytes + bulkMark.length

/** Encodes the head of a record, the lane first. */
export function encodeHead({ lane, ...head }: RecordHead): Buffer {
  // JSON.stringify writes names in the order in which they were set.
  return Buffer.from(JSON.stringify(lane === 'bulk' ? { lane, ...head } : head))
}

/** Returns the lane of the record that begins with these `laneBytes` bytes. A shorter record is in lane `events`. */
export function laneOf(start: Buffer): Lane {
  const isBulk = start.length >= laneBytes && start.compare(bulkMark, 0, bulkMark.length, prefixBytes, laneBytes) === 0
  return isBulk ? 'bulk' : 'events'
}

function headOf(bytes: Buffer, at: number, headBytes: number): RecordHead | undefined {
  try {
    return JSON.parse(bytes.toString('utf8', at, at + headBytes)) as RecordHead
  } catch {
    return undefined
  }
}

/**
 * Decodes whole records from `bytes`; the first byte is at position `jpos`. Bodies are views into `bytes`. Stops after
 * `recordsMax` records (`full`) or for the reason in `stop`. `needBytes`: total bytes that a `short` record needs.
 */
export function decodeRecords(bytes: Buffer, jpos: number, recordsMax: number): Decoded {
  const records: JournalRecord[] = []
  let at = 0
  const done = (stop: Stop, needBytes = 0): Decoded => ({ records, at, stop, needBytes })
  while (records.length < recordsMax) {
    if (at + prefixBytes > bytes.length) {
      const ended = at + 4 <= bytes.length && bytes.readUInt32LE(at) === 0
      return ended || at === bytes.length ? done('end') : done('short', prefixBytes)
    }
    const length = bytes.readUInt32LE(at)
    if (length === 0) return done('end')
    const headBytes = bytes.readUInt32LE(at + 8)
    // This also rejects a length below the 4 bytes of the head's length: a head length is never negative.
    if (length > recordBytesMax || headBytes > length - 4) return done('corrupt')
    const end = at + sizedBytes + length
    if (end > bytes.length) return done('short', sizedBytes + length)
    if (crc32(bytes.subarray(at + sizedBytes, end), seedOf(jpos + at)) !== bytes.readUInt32LE(at + 4))
      return done('corrupt')
    const head = headOf(bytes, at + prefixBytes, headBytes)
    if (!head) return done('corrupt')
    records.push({ jpos: jpos + at, end: jpos + end, head, body: bytes.subarray(at + prefixBytes + headBytes, end) })
    at = end
  }
  return done('full')
}

/** Segment number of a position. */
export function segmentOf(jpos: number): number {
  return Math.floor(jpos / segmentSpan)
}

/** Byte offset of a position within its segment. */
export function offsetOf(jpos: number): number {
  return jpos % segmentSpan
}
