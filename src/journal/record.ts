import { crc32 } from 'node:zlib'
import { type JournalRecord, type RecordHead, segmentSpan } from './journal.ts'

/** `[u32 length][u32 crc32][u32 headLength]`, little endian; `length` counts everything behind the crc. */
export const prefixBytes = 12
const sizedBytes = 8

/** A length of zero says "nothing follows yet": written behind every group, overwritten by the next. */
export const endMark = Buffer.alloc(sizedBytes)

/** A record must leave room for others within a segment's span of 256 MiB. */
export const recordBytesMax = 128 * 1024 * 1024

/**
 * The checksum starts from the record's position, so that what a recycled file still holds of its former life
 * (records with a right checksum for another segment) can never pass for a record of this segment.
 */
function seedOf(jpos: number): number {
  return (((jpos % 2 ** 32) >>> 0) ^ Math.floor(jpos / 2 ** 32)) >>> 0
}

/** Bytes that a record with this head and body takes in a segment. */
export function recordBytes(headBytes: number, bodyBytes: number): number {
  return prefixBytes + headBytes + bodyBytes
}

/** The record's prefix for a place in the journal: 12 bytes to be followed by `head` and `body`. */
export function encodePrefix(jpos: number, head: Buffer, body: Buffer): Buffer {
  const prefix = Buffer.allocUnsafe(prefixBytes)
  prefix.writeUInt32LE(prefixBytes - sizedBytes + head.length + body.length, 0)
  prefix.writeUInt32LE(head.length, 8)
  prefix.writeUInt32LE(crc32(body, crc32(head, crc32(prefix.subarray(sizedBytes), seedOf(jpos)))), 4)
  return prefix
}

/** Why decoding stopped: `short` = the bytes end within a record, `end` = an end mark, `corrupt` = a checksum is wrong. */
type Stop = 'full' | 'short' | 'end' | 'corrupt'

/** What one pass over bytes found: whole records, where it stopped (offset in the bytes) and why. */
type Decoded = { records: JournalRecord[]; at: number; stop: Stop; needBytes: number }

/** Where the record at `jpos` with this prefix ends; undefined for an end mark, or a short or impossible prefix. */
export function recordEnd(prefix: Buffer, jpos: number): number | undefined {
  const length = prefix.length < prefixBytes ? 0 : prefix.readUInt32LE(0)
  return length < prefixBytes - sizedBytes || length > recordBytesMax ? undefined : jpos + sizedBytes + length
}

function headOf(bytes: Buffer, at: number, headBytes: number): RecordHead | undefined {
  try {
    return JSON.parse(bytes.toString('utf8', at, at + headBytes)) as RecordHead
  } catch {
    return undefined
  }
}

/**
 * Reads whole records from `bytes`, whose first byte stands at position `jpos`. Bodies are views into `bytes`.
 * Stops after `recordsMax` records (`full`), or with the reason in `stop`; `needBytes` is what a `short` record needs in all.
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
    // A length below the 4 bytes of the head's own length fails here too: no head length is negative.
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
