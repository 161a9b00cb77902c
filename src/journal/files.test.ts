import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openJournalReader, openJournalWriter, type WriterOptions } from './files.ts'
import { segmentPath } from './folder.ts'
import { head, readAll } from './journal.cases.ts'
import { type JournalWriter, segmentSpan } from './journal.ts'
import { recordBytes, recordBytesMax } from './record.ts'

const MiB = 1024 * 1024
const segmentBytes = 65_536
let folder = ''
let writers: JournalWriter[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mishap-files-'))
})
afterEach(async () => {
  for (const writer of writers) await writer.close()
  writers = []
  rmSync(folder, { recursive: true })
})

async function open(changes: Partial<WriterOptions> = {}): Promise<JournalWriter> {
  const limits = { bytesMax: 1e9, diskReserveBytes: 0, groupMs: 0, segmentBytes }
  const writer = await openJournalWriter({ folder, ...limits, clock: systemClock, observe: silent, ...changes })
  writers.push(writer)
  return writer
}
/** A body that makes a record of this many bytes in the journal. */
const bodyFor = (bytes: number, of = head(1)) =>
  Buffer.alloc(bytes - recordBytes(Buffer.byteLength(JSON.stringify(of)), 0))
const append = (writer: JournalWriter, bytes: number) => writer.append(head(1), bodyFor(bytes))
const names = () => readdirSync(folder).filter((name) => name !== 'newest')
const refusalOf = async (run: () => unknown): Promise<{ code?: string; status?: number; retryAfterS?: number }> => {
  try {
    await run()
    return {}
  } catch (error) {
    const { code, status, retryAfterS } = error as { code: string; status: number; retryAfterS: number }
    return { code, status, retryAfterS }
  }
}

describe('a group', () => {
  /** Durable positions that a listener received. */
  const groups = async (sizes: number[]) => {
    const writer = await open()
    const heard: number[] = []
    writer.onDurable((at) => heard.push(at - segmentSpan))
    await Promise.all(sizes.map((size) => append(writer, size)))
    return heard
  }

  test.each([
    ['of a quarter of the segment, to the byte', [8192, 8192, 8192], [16_384, 24_576]],
    ['of a byte more is two', [8192, 8193], [8192, 16_385]],
    ['takes one record at least', [30_000, 300, 300], [30_000, 30_600]],
  ])('%s', async (_name, sizes, expected) => {
    expect(await groups(sizes)).toEqual(expected)
  })

  test.each([
    [340, 1],
    [341, 2],
    [680, 2],
  ])('of %i records is written in %i parts', async (records, parts) => {
    const writer = await open({ segmentBytes: 64 * MiB })
    const heard: number[] = []
    writer.onDurable((at) => heard.push(at))
    await Promise.all(Array.from({ length: records }, () => append(writer, 300)))
    expect([heard.length, heard[0], heard.at(-1)]).toEqual([
      parts,
      segmentSpan + Math.min(records, 340) * 300,
      segmentSpan + records * 300,
    ])
  })

  test('waits its own time, whatever waited in the one before it', async () => {
    const clock = testClock()
    const writer = await open({ clock, groupMs: 5 })
    const first = [append(writer, 300)]
    clock.advance(4)
    first.push(append(writer, 300))
    clock.advance(16)
    await Promise.all(first)
    let isDone = false
    const second = append(writer, 300).then(() => {
      isDone = true
    })
    clock.advance(4)
    await systemClock.sleep(20)
    expect(isDone).toBe(false)
    clock.advance(1)
    await second
  })

  test('that waits is written when the journal is closed', async () => {
    const writer = await open({ clock: testClock(), groupMs: 5 })
    const waiting = append(writer, 300)
    await writer.close()
    expect(await waiting).toBe(segmentSpan)
  })

  test('a listener that throws is reported, and the others hear of it all the same', async () => {
    const errors: unknown[] = []
    const writer = await open({ observe: { ...silent, error: (fields) => errors.push(fields) } })
    const heard: number[] = []
    writer.onDurable(() => {
      throw new Error('planted')
    })
    writer.onDurable((at) => heard.push(at))
    await append(writer, 300)
    expect(await append(writer, 300)).toBe(segmentSpan + 300)
    expect(heard).toEqual([segmentSpan + 300, segmentSpan + 600])
    expect(errors).toEqual([{ error: 'Error: planted' }, { error: 'Error: planted' }])
  })
})

describe('a segment', () => {
  test('is filled to the byte, then the next one begins', async () => {
    const writer = await open()
    const positions: number[] = []
    for (let n = 0; n < 5; n++) positions.push(await append(writer, segmentBytes / 4))
    expect(positions).toEqual([...[0, 1, 2, 3].map((n) => segmentSpan + (n * segmentBytes) / 4), 2 * segmentSpan])
  })

  test('takes a record that is longer than a segment when it is empty', async () => {
    const writer = await open()
    expect(await append(writer, 2 * segmentBytes)).toBe(segmentSpan)
    expect(await append(writer, 300)).toBe(2 * segmentSpan)
  })

  test('of the usual size takes more than one group', async () => {
    const limits = { bytesMax: 1e9, diskReserveBytes: 0, groupMs: 0 }
    const writer = await openJournalWriter({ folder, ...limits, clock: systemClock, observe: silent })
    writers.push(writer)
    await append(writer, 300)
    expect(await append(writer, 300)).toBe(segmentSpan + 300)
  })

  test('begins with an end mark, in a new file and in a spare one, and ends with its last record', async () => {
    const writer = await open()
    expect(readFileSync(segmentPath(folder, 1))).toEqual(Buffer.alloc(8))
    await append(writer, segmentBytes)
    await append(writer, segmentBytes)
    expect(statSync(segmentPath(folder, 1)).size).toBe(segmentBytes)
    await writer.trim(2 * segmentSpan)
    expect(names().sort()).toEqual(['000000002.seg', 'spare-1'])
    await writer.close()
    expect(statSync(segmentPath(folder, 2)).size).toBe(segmentBytes)
    await open()
    expect(names().sort()).toEqual(['000000002.seg', '000000003.seg'])
    expect(readFileSync(segmentPath(folder, 3)).subarray(0, 8)).toEqual(Buffer.alloc(8))
  })
})

describe('a trim', () => {
  test('counts what it is done with over all segments, and never goes back', async () => {
    const writer = await open()
    for (let n = 0; n < 4; n++) await append(writer, 60_000)
    expect([writer.lagBytes(), writer.doneBytes()]).toEqual([240_000, 0])
    await writer.trim(3 * segmentSpan + 1000)
    expect([writer.lagBytes(), writer.doneBytes()]).toEqual([119_000, 121_000])
    await writer.trim(2 * segmentSpan)
    expect([writer.lagBytes(), writer.doneBytes()]).toEqual([119_000, 121_000])
    await writer.trim(writer.durable())
    expect([writer.lagBytes(), writer.doneBytes()]).toEqual([0, 240_000])
  })

  test('of an earlier life is made up for at the start', async () => {
    const writer = await open()
    for (let n = 0; n < 3; n++) await append(writer, 60_000)
    const durable = writer.durable()
    await writer.close()
    const next = await open({ trimmedTo: durable })
    expect([names().sort(), next.lagBytes()]).toEqual([['000000003.seg', '000000004.seg', 'spare-1', 'spare-2'], 0])
  })

  test('beyond what was written leaves the segment that is being written', async () => {
    const writer = await open()
    await append(writer, 300)
    await writer.trim(9 * segmentSpan)
    expect(await append(writer, 300)).toBe(segmentSpan + 300)
    expect(existsSync(segmentPath(folder, 1))).toBe(true)
    const reader = openJournalReader(folder)
    expect(readAll(reader, writer.durable())).toHaveLength(2)
    reader.close()
  })

  test('goes on where somebody else took a segment away, and after the journal was closed', async () => {
    const writer = await open()
    for (let n = 0; n < 5; n++) await append(writer, 60_000)
    // The first two become spares, and the third would be removed.
    rmSync(segmentPath(folder, 3))
    await writer.close()
    await writer.trim(5 * segmentSpan)
    expect(names().sort()).toEqual(['000000005.seg', 'spare-1', 'spare-2'])
  })
})

describe('a refusal', () => {
  test.each([
    ['is of its size from a byte over the largest record', recordBytesMax + 1, 'ACCEPT_TOO_LARGE'],
    ['is of the disk before', recordBytesMax, 'ACCEPT_DISK_FULL'],
  ])('%s', async (_name, bytes, code) => {
    const writer = await open({ diskReserveBytes: 1e18 })
    expect(await refusalOf(() => append(writer, bytes))).toMatchObject({ code })
  })

  test('says when to come again', async () => {
    const full = await open({ bytesMax: 40_000 })
    await append(full, 40_000)
    const reservation = full.reserve()
    const late = { code: 'ACCEPT_OVERLOADED', status: 503, retryAfterS: 10 }
    expect([await refusalOf(() => append(full, 300)), await refusalOf(() => reservation.grow(1))]).toEqual([late, late])
    await full.close()
    expect(await refusalOf(() => append(full, 300))).toMatchObject({ code: 'ACCEPT_OVERLOADED', retryAfterS: 5 })
    rmSync(folder, { recursive: true })
    const away = await open({ groupMs: 0 })
    await append(away, 60_000)
    rmSync(folder, { recursive: true })
    expect(await refusalOf(() => append(away, 60_000))).toMatchObject({ code: 'ACCEPT_DISK_FULL', retryAfterS: 60 })
    await away.close()
    writers = []
    folder = mkdtempSync(join(tmpdir(), 'mishap-files-'))
  })

  test('comes for a record that is over the bound by a byte', async () => {
    const writer = await open({ bytesMax: 40_000 })
    expect(await refusalOf(() => append(writer, 40_001))).toMatchObject({ code: 'ACCEPT_OVERLOADED' })
    expect(await refusalOf(() => append(writer, 40_000))).toEqual({})
  })

  test('of a body that grows over what it declared takes no room from those without a size', async () => {
    const writer = await open({ bytesMax: 64 * MiB })
    const sized = writer.reserve(MiB)
    const unsized = writer.reserve()
    unsized.grow(40 * MiB)
    const grown = Array.from({ length: 30 }, () => refusalOf(() => sized.grow(MiB)))
    expect((await Promise.all(grown)).some((entry) => entry.code === 'ACCEPT_OVERLOADED')).toBe(true)
    expect(await refusalOf(() => unsized.grow(0))).toEqual({})
  })

  test('of a body whose room went to one before it says when to come again', async () => {
    const writer = await open({ bytesMax: 64 * MiB })
    const [first, later] = [writer.reserve(), writer.reserve()]
    later.grow(30 * MiB)
    for (let n = 0; n < 40; n++) first.grow(MiB)
    expect(await refusalOf(() => later.grow(1))).toMatchObject({ code: 'ACCEPT_OVERLOADED', retryAfterS: 10 })
  })
})
