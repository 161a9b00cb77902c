import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { head } from './journal.cases.ts'
import { segmentSpan } from './journal.ts'
import {
  copiedBytesMax,
  decodeRecords,
  encodedBytes,
  encodePrefix,
  encodeRecord,
  endMark,
  offsetOf,
  prefixBytes,
  recordBytes,
  recordBytesMax,
  recordEnd,
  segmentOf,
} from './record.ts'

const start = 3 * segmentSpan + 4096

test.each([0, 1, copiedBytesMax, copiedBytesMax + 1])(
  'a record with a body of %i bytes, as encoded in one piece, is the one of its parts',
  (size) => {
    const [headBytes, body] = [Buffer.from(JSON.stringify(head(1))), Buffer.alloc(size, 'x')]
    const bytes = encodedBytes(headBytes.length, size)
    const into = Buffer.alloc(7 + bytes)
    expect(encodeRecord(into, 7, start, headBytes, body)).toBe(into.length)
    const whole = size <= copiedBytesMax ? into.subarray(7) : Buffer.concat([into.subarray(7), body])
    expect(whole.equals(Buffer.concat([encodePrefix(start, headBytes, body), headBytes, body]))).toBe(true)
  },
)

/** Writes consecutive records as in a segment from `start` on. Returns the bytes and where each record begins. */
function written(...bodies: string[]): { bytes: Buffer; starts: number[] } {
  const parts: Buffer[] = []
  const starts: number[] = []
  let at = 0
  bodies.forEach((text, n) => {
    const [headBytes, body] = [Buffer.from(JSON.stringify(head(n))), Buffer.from(text)]
    parts.push(encodePrefix(start + at, headBytes, body), headBytes, body)
    starts.push(at)
    at += recordBytes(headBytes.length, body.length)
  })
  expect(Buffer.concat(parts)).toHaveLength(at)
  return { bytes: Buffer.concat(parts), starts: [...starts, at] }
}

test.each([[['']], [['a']], [['', 'b', '']], [['x'.repeat(70_000), '“日本”', '\u0000']]])(
  'what was written comes back: %#',
  (bodies) => {
    const { bytes, starts } = written(...bodies)
    const found = decodeRecords(bytes, start, 100)
    expect(found).toMatchObject({ stop: 'end', at: bytes.length })
    expect(found.records.map((record) => [record.jpos, record.end, record.head, record.body.toString()])).toEqual(
      bodies.map((body, n) => [start + (starts[n] ?? 0), start + (starts[n + 1] ?? 0), head(n), body]),
    )
  },
)

describe('where it stops', () => {
  const { bytes, starts } = written('one', 'two', 'three')
  const [, second = 0, third = 0] = starts

  test.each([1, 2])('full after %i', (max) => {
    expect(decodeRecords(bytes, start, max)).toMatchObject({ stop: 'full', at: starts[max] })
  })

  test('at an end mark, whatever stands behind it', () => {
    const marked = Buffer.concat([bytes.subarray(0, third), endMark, bytes])
    expect(decodeRecords(marked, start, 9)).toMatchObject({ stop: 'end', at: third })
    expect(decodeRecords(Buffer.alloc(0), start, 9)).toMatchObject({ stop: 'end', at: 0 })
  })

  test.each([3, 4, 7, 8, 11])('%i zero bytes at the end: an end mark from the fourth on', (zeros) => {
    const marked = Buffer.concat([bytes.subarray(0, second), Buffer.alloc(zeros)])
    expect(decodeRecords(marked, start, 9)).toMatchObject({ stop: zeros < 4 ? 'short' : 'end', at: second })
  })

  test('short wherever the bytes are cut within a record, with what is missing', () => {
    for (let cut = second + 1; cut < third; cut++) {
      const found = decodeRecords(bytes.subarray(0, cut), start, 9)
      expect([cut, found.stop, found.at, found.records.length]).toEqual([cut, 'short', second, 1])
      const needed = cut - second < prefixBytes ? prefixBytes : third - second
      expect([cut, found.needBytes]).toEqual([cut, needed])
    }
  })

  test('corrupt for every single flipped bit of a record; those before it are kept', () => {
    for (let at = second + 4; at < third; at++) {
      const harmed = Buffer.from(bytes)
      harmed[at] = (harmed[at] ?? 0) ^ (1 << (at % 8))
      const found = decodeRecords(harmed, start, 9)
      expect([at, found.stop, found.at, found.records.length]).toEqual([at, 'corrupt', second, 1])
    }
  })

  test.each([
    ['a length below its least', 0, 3],
    ['a length over the most', 0, 2 ** 32 - 1],
    ['a head longer than its record', 8, 2 ** 20],
  ])('corrupt: %s', (_name, offset, value) => {
    const harmed = Buffer.from(bytes)
    harmed.writeUInt32LE(value, offset)
    expect(decodeRecords(harmed, start, 9)).toMatchObject({ stop: 'corrupt', at: 0, records: [] })
  })

  test('a record of the largest size is short of its bytes, one of a byte more is corrupt', () => {
    const prefix = Buffer.alloc(prefixBytes)
    prefix.writeUInt32LE(recordBytesMax, 0)
    expect(decodeRecords(prefix, start, 9)).toMatchObject({ stop: 'short', needBytes: recordBytesMax + 8 })
    prefix.writeUInt32LE(recordBytesMax + 1, 0)
    expect(decodeRecords(prefix, start, 9)).toMatchObject({ stop: 'corrupt' })
  })

  test('corrupt: a head that would end in the next record, under a right checksum', () => {
    const text = Buffer.from('{"kind":"envelope"')
    const record = Buffer.concat([Buffer.alloc(prefixBytes), text])
    record.writeUInt32LE(4 + text.length, 0)
    record.writeUInt32LE(text.length + 1, 8)
    // The checksum at position 0 starts from 0.
    record.writeUInt32LE(crc32(record.subarray(8)), 4)
    expect(decodeRecords(Buffer.concat([record, Buffer.from('}')]), 0, 9)).toMatchObject({ stop: 'corrupt', at: 0 })
  })

  test('corrupt: a head that is no JSON, under a right checksum', () => {
    const [isCorrupt, body] = [Buffer.from('{"kind'), Buffer.from('x')]
    const record = Buffer.concat([encodePrefix(start, isCorrupt, body), isCorrupt, body])
    expect(decodeRecords(record, start, 9)).toMatchObject({ stop: 'corrupt', records: [] })
  })

  test.each([1, 4096, segmentSpan, 2 ** 32])(
    'what another life of the file left, %i bytes away, is no record of this one',
    (off) => {
      expect(decodeRecords(bytes, start + off, 9)).toMatchObject({ stop: 'corrupt', at: 0 })
    },
  )
})

test.each([
  [0, 0, 0],
  [segmentSpan - 1, 0, segmentSpan - 1],
  [segmentSpan, 1, 0],
  [33_000_000 * segmentSpan + 5, 33_000_000, 5],
])('position %i is segment %i, offset %i', (jpos, segment, offset) => {
  expect([segmentOf(jpos), offsetOf(jpos)]).toEqual([segment, offset])
  expect(Number.isSafeInteger(jpos)).toBe(true)
})

test.each([
  ['an end mark', 0, undefined],
  ['less than the length of the head', 3, undefined],
  ['the length of the head alone', 4, start + 12],
  ['a body', 1000, start + 1008],
  ['the most', recordBytesMax, start + 8 + recordBytesMax],
  ['over the most', recordBytesMax + 1, undefined],
])('where a record ends by its prefix: %s', (_name, length, expected) => {
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32LE(length, 0)
  expect(recordEnd(prefix, start)).toBe(expected)
  expect(recordEnd(prefix.subarray(0, prefixBytes - 1), start)).toBeUndefined()
})
