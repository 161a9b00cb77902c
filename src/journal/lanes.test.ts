import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import type { Lane } from '../base/lane.ts'
import { silent } from '../base/observe.ts'
import { openJournalReader, openJournalWriter, type WriterOptions } from './files.ts'
import { segmentPath } from './folder.ts'
import { head } from './journal.cases.ts'
import type { BodyReservation, JournalReader, JournalWriter, RecordHead } from './journal.ts'
import { encodeHead, encodePrefix, laneBytes, laneOf, offsetOf, segmentOf } from './record.ts'

let folder = ''
let writer: JournalWriter
let reader: JournalReader
const corrupt: number[] = []
const open = (changes: Partial<WriterOptions> = {}) =>
  openJournalWriter({
    folder,
    bytesMax: 1e9,
    diskReserveBytes: 0,
    groupMs: 0,
    segmentBytes: 64 * 1024,
    clock: systemClock,
    observe: silent,
    ...changes,
  })
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mishap-lanes-'))
  corrupt.length = 0
  writer = await open()
  reader = openJournalReader(folder, { onCorrupt: ({ jpos }) => corrupt.push(jpos) })
})
afterEach(async () => {
  reader.close()
  await writer.close()
  rmSync(folder, { recursive: true })
})

const headOf = (lane: Lane, n: number): RecordHead => head(n, lane === 'bulk' ? { lane } : {})
const append = (lane: Lane, n: number, bytes = 100) => writer.append(headOf(lane, n), Buffer.alloc(bytes, 'b'))

/** Reads a lane to the end. Returns the numbers of its records, and where it ended. */
function readLane(lane: Lane, from = 0, recordsMax = 3, bytesMax = 5000): { found: number[]; next: number } {
  const found: number[] = []
  for (let at = from; ; ) {
    const { records, next } = reader.read(at, writer.durable(), recordsMax, bytesMax, lane)
    found.push(...records.map((record) => record.head.projectId))
    expect(records.length).toBeLessThanOrEqual(recordsMax)
    expect(records.every((record) => (record.head.lane ?? 'events') === lane)).toBe(true)
    if (next === at) return { found, next }
    at = next
  }
}
const everything = { bytesMax: 1e9, recordsMax: 1e9 }

test.each<[Lane, object]>([
  ['events', {}],
  ['bulk', { lane: 'bulk' }],
])('a head says lane %s, and is read as JSON by a version that knows no lanes', (lane, changes) => {
  const bytes = encodeHead(head(1, changes))
  const record = Buffer.concat([encodePrefix(0, bytes, Buffer.from('x')), bytes, Buffer.from('x')])
  expect(laneOf(record)).toBe(lane)
  expect(laneOf(record.subarray(0, laneBytes))).toBe(lane)
  expect(laneOf(record.subarray(0, laneBytes - 1))).toBe('events')
  expect(JSON.parse(bytes.toString())).toEqual(head(1, changes))
})

test('each lane is read in its order, with the other between, over many segments', async () => {
  const wanted: Record<Lane, number[]> = { events: [], bulk: [] }
  for (let n = 0; n < 300; n++) {
    const lane = n % 7 === 0 || (n > 100 && n < 130) ? 'events' : 'bulk'
    wanted[lane].push(n)
    await append(lane, n, n % 11 === 0 ? 9000 : 300)
  }
  expect(segmentOf(writer.durable())).toBeGreaterThan(3)
  for (const lane of ['events', 'bulk'] as const) {
    expect(readLane(lane)).toEqual({ found: wanted[lane], next: writer.durable() })
    expect(readLane(lane, 0, 1000, 1e9)).toEqual({ found: wanted[lane], next: writer.durable() })
    expect(readLane(lane, 0, 1, 0).found).toEqual(wanted[lane])
    expect(reader.count(0, writer.durable(), 1000, lane)).toBe(wanted[lane].length)
    expect(reader.count(0, writer.durable(), 5, lane)).toBe(5)
    expect(reader.survey(0, writer.durable(), lane, everything)).toMatchObject({
      records: wanted[lane].length,
      at: writer.durable(),
      isDamaged: false,
    })
  }
  expect(reader.count(0, writer.durable(), 1000)).toBe(300)
})

test('a read of a lane ends behind what it skipped, so the next one does not look at it again', async () => {
  await append('events', 1)
  for (let n = 2; n < 30; n++) await append('bulk', n)
  const { records, next } = reader.read(0, writer.durable(), 10, 1e6, 'events')
  expect([records.length, next]).toEqual([1, writer.durable()])
  expect(reader.read(next, writer.durable(), 10, 1e6, 'events')).toEqual({ records: [], next })
})

describe('a survey', () => {
  test('stops at enough bytes of its lane, and at enough records of any', async () => {
    for (let n = 0; n < 20; n++) await append(n % 2 === 0 ? 'bulk' : 'events', n, 1000)
    const all = reader.survey(0, writer.durable(), 'events', everything)
    const half = reader.survey(0, writer.durable(), 'events', { ...everything, bytesMax: all.bytes * 0.45 })
    expect(half.records).toBe(5)
    const few = reader.survey(0, writer.durable(), 'events', { ...everything, recordsMax: 4 })
    expect(few.records).toBe(2)
    const rest = reader.survey(few.at, writer.durable(), 'events', everything)
    expect([few.records + rest.records, few.bytes + rest.bytes, rest.at]).toEqual([10, all.bytes, all.at])
  })

  test('of an empty journal ends at its end', () => {
    expect(reader.survey(0, writer.durable(), 'bulk', everything)).toEqual({
      records: 0,
      bytes: 0,
      at: writer.durable(),
      isDamaged: false,
    })
  })
})

describe('damage', () => {
  /** Overwrites bytes of a record: its length, or its body. */
  const overwrite = (jpos: number, offset: number, value: number) => {
    const handle = openSync(segmentPath(folder, segmentOf(jpos)), 'r+')
    writeSync(handle, Buffer.alloc(4, value), 0, 4, offsetOf(jpos) + offset)
    closeSync(handle)
  }

  test('a body of the other lane does not matter', async () => {
    await append('events', 1)
    const at = await append('bulk', 2)
    await append('events', 3)
    overwrite(at, laneBytes + 200, 1)
    expect(readLane('events').found).toEqual([1, 3])
    expect(corrupt).toEqual([])
    expect(readLane('bulk').found).toEqual([])
    expect(corrupt).toEqual([at])
  })

  test('a length that cannot be ends the segment for both lanes, and is reported', async () => {
    await append('events', 1)
    const at = await append('bulk', 2)
    await append('events', 3)
    overwrite(at, 0, 0xff)
    expect(reader.survey(0, writer.durable(), 'events', everything)).toMatchObject({ at, isDamaged: true })
    expect(readLane('events')).toEqual({ found: [1], next: writer.durable() })
    expect(readLane('bulk')).toEqual({ found: [], next: writer.durable() })
    expect(corrupt).toEqual([at])
  })

  test('the rest of a broken older segment is lost, the next segments are not', async () => {
    const first = await append('events', 1)
    const later: number[] = []
    for (let n = 2; n < 20; n++) {
      const at = await append(n % 2 === 0 ? 'bulk' : 'events', n, 9000)
      if (n % 2 === 1 && segmentOf(at) > segmentOf(first)) later.push(n)
    }
    expect(later.length).toBeGreaterThan(2)
    overwrite(first, laneBytes + 50, 1)
    expect(readLane('events').found).toEqual(later)
    expect(readLane('bulk').found).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18])
  })
})

test('bulk data fills nine tenths of the limit, events all of it', async () => {
  await writer.close()
  writer = await open({ bytesMax: 100_000 })
  const isTaken = (lane: Lane) =>
    append(lane, 1, 4000).then(
      () => true,
      (error: { code: string }) => (expect(error.code).toBe('ACCEPT_OVERLOADED'), false),
    )
  let counts = { bulk: 0, events: 0 }
  while (await isTaken('bulk')) counts = { ...counts, bulk: counts.bulk + 1 }
  while (await isTaken('events')) counts = { ...counts, events: counts.events + 1 }
  expect(counts).toEqual({ bulk: 21, events: 2 })
})

describe('a body beside the journal, while it arrives', () => {
  const MiB = 1024 * 1024
  const codeOf = (run: () => unknown) => {
    try {
      run()
      return 'taken'
    } catch (error) {
      return (error as { code?: string }).code
    }
  }
  /** Grows by MiB until it is refused. */
  const fill = (reservation: BodyReservation, lane?: Lane) => {
    let pieces = 0
    while (pieces < 200 && codeOf(() => reservation.grow(MiB, lane)) === 'taken') pieces++
    return pieces
  }
  beforeEach(async () => {
    await writer.close()
    writer = await open({ bytesMax: 100 * MiB, segmentBytes: 64 * MiB })
  })

  test('fills nine tenths of the limit as bulk data, and what is left is for events', async () => {
    const bodies = [writer.reserve(0, 'bulk'), writer.reserve(0, 'bulk')]
    for (const body of bodies) for (let n = 0; n < 30; n++) body.grow(MiB)
    expect(fill(writer.reserve(0, 'bulk'))).toBe(29)
    expect(await append('bulk', 1, MiB).then(String, (error: { code: string }) => error.code)).toBe('ACCEPT_OVERLOADED')
    expect(await append('events', 2, MiB)).toBeGreaterThan(0)
    expect(fill(writer.reserve())).toBe(9)
  })

  test('reserves its declared size in the share of its lane', () => {
    const promised = writer.reserve(45 * MiB, 'bulk')
    expect(codeOf(() => writer.reserve(46 * MiB, 'bulk'))).toBe('ACCEPT_OVERLOADED')
    expect(codeOf(() => writer.reserve(46 * MiB))).toBe('taken')
    expect(fill(promised)).toBe(45)
  })

  test('that turns out to be bulk data has to fit into its share, with all of its declared size', () => {
    const first = writer.reserve(45 * MiB, 'bulk')
    const later = writer.reserve(46 * MiB)
    expect(codeOf(() => later.grow(MiB))).toBe('taken')
    expect(codeOf(() => later.grow(MiB, 'bulk'))).toBe('ACCEPT_OVERLOADED')
    later.free()
    first.free()
    writer.reserve(50 * MiB, 'bulk')
    const fits = writer.reserve(30 * MiB)
    expect([codeOf(() => fits.grow(MiB, 'bulk')), fill(fits)]).toEqual(['taken', 38])
  })

  test('of an error behind spans gets the room of events once the error is there', () => {
    const others = writer.reserve(0, 'bulk')
    for (let n = 0; n < 50; n++) others.grow(MiB)
    const body = writer.reserve()
    expect(fill(body, 'bulk')).toBe(39)
    expect(fill(body, 'events')).toBe(10)
  })

  test('takes the room of later bulk data, and none of events', () => {
    const [first, spans, errors] = [writer.reserve(0, 'bulk'), writer.reserve(0, 'bulk'), writer.reserve()]
    for (let n = 0; n < 30; n++) for (const body of [first, spans, errors]) codeOf(() => body.grow(MiB))
    expect(codeOf(() => first.grow(MiB))).toBe('taken')
    expect(codeOf(() => spans.grow(MiB))).toBe('ACCEPT_OVERLOADED')
    expect(codeOf(() => errors.grow(MiB))).toBe('taken')
  })
})
