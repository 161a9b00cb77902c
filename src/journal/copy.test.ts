import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { copyWaiting } from './copy.ts'
import { openJournalReader, openJournalWriter, type WriterOptions } from './files.ts'
import { segmentPath } from './folder.ts'
import { type JournalWriter, type RecordHead, segmentSpan } from './journal.ts'
import { encodePrefix, endMark } from './record.ts'

const folders: string[] = []
const open: JournalWriter[] = []
afterEach(async () => {
  for (const entry of open.splice(0)) await entry.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function writerIn(folder: string, trimmedTo = 0, changes: Partial<WriterOptions> = {}): Promise<JournalWriter> {
  const limits = { bytesMax: 1e9, diskReserveBytes: 0, groupMs: 0, ...changes }
  const writer = await openJournalWriter({ folder, ...limits, clock: systemClock, observe: silent, trimmedTo })
  open.push(writer)
  return writer
}

const head = { kind: 'envelope', receivedMs: 1, projectId: 1, keyId: 1 } as RecordHead
const place = () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-copy-'))
  folders.push(folder)
  return { from: join(folder, 'from'), to: join(folder, 'to') }
}
/** Both lanes at one position. */
const at = (cursor: number) => ({ events: cursor, bulk: cursor })
const bytesIn = (folder: string) =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join()
/** Bodies of all records from `cursor` on. One read stops at the end of a segment. */
function bodiesIn(folder: string, cursor: number, durable: number): string[] {
  const reader = openJournalReader(folder)
  const bodies: string[] = []
  for (let at = cursor; ; ) {
    const { records, next } = reader.read(at, durable, 1e6, 1e9)
    bodies.push(...records.map((record) => record.body.toString()))
    if (next <= at) break
    at = next
  }
  reader.close()
  return bodies
}

test.each([
  ['small records', 40, 30],
  ['records larger than what is read at once', 6, 2_500_000],
  // the part below the cursor is longer than one filler
  ['much below the cursor', 30, 3_000_000],
])(
  '%s: what waits is there, what was processed is not, and a writer goes on behind it',
  async (_name, count, bytes) => {
    const { from, to } = place()
    const writer = await writerIn(from)
    const bodyOf = (word: string, n: number) => Buffer.from(`${word}-${n}-`.padEnd(bytes, '.'))
    for (let n = 0; n < count; n++) await writer.append(head, bodyOf('done', n))
    const cursor = writer.durable()
    for (let n = 0; n < 3; n++) await writer.append(head, bodyOf('waits', n))
    writeFileSync(join(from, 'spare-1'), 'done-spare')
    await copyWaiting(from, to, at(cursor))
    const wanted = [0, 1, 2].map((n) => bodyOf('waits', n).toString())
    expect(bodiesIn(to, cursor, writer.durable())).toEqual(wanted)
    expect(bytesIn(to)).not.toContain('done-')
    const next = await writerIn(to, cursor)
    await next.append(head, Buffer.from('later'))
    expect(bodiesIn(to, cursor, next.durable())).toEqual([...wanted, 'later'])
  },
)

test('a torn record at the end, and the former life of a file behind it, stay behind', async () => {
  const { from, to } = place()
  const writer = await writerIn(from)
  await writer.append(head, Buffer.from('waits'))
  const durable = writer.durable()
  const [name = ''] = readdirSync(from).filter((file) => file.endsWith('.seg'))
  writeFileSync(join(from, name), Buffer.from([60, 0, 0, 0, 1, 2, 3, 4, 9, 0, 0, 0, ...Buffer.from('old-life')]), {
    flag: 'a',
  })
  await copyWaiting(from, to, at(durable - (durable % 2 ** 28)))
  expect(bodiesIn(to, durable - (durable % 2 ** 28), durable)).toEqual(['waits'])
  expect(bytesIn(to)).not.toContain('old-life')
})

test('of an empty journal, or one that is processed whole, nothing is copied but its number', async () => {
  const { from, to } = place()
  const writer = await writerIn(from)
  await writer.append(head, Buffer.from('done'))
  const cursor = writer.durable()
  await writer.close()
  await copyWaiting(from, to, at(cursor))
  expect(bodiesIn(to, cursor, cursor)).toEqual([])
  expect(readFileSync(join(to, 'newest'), 'latin1')).toBe(readFileSync(join(from, 'newest'), 'latin1'))
  expect(bytesIn(to)).not.toContain('done')
})

const mebibyte = 1024 * 1024
/** The bytes of a record at a position. */
const recordAt = (jpos: number, body: string) => {
  const [headBytes, bytes] = [Buffer.from(JSON.stringify(head)), Buffer.from(body)]
  return Buffer.concat([encodePrefix(jpos, headBytes, bytes), headBytes, bytes])
}
/** Writes a journal of one segment: empty bytes below `offset`, then these parts. */
function segmentOf(from: string, offset: number, ...parts: Buffer[]): void {
  mkdirSync(from)
  writeFileSync(segmentPath(from, 1), '')
  truncateSync(segmentPath(from, 1), offset)
  writeFileSync(segmentPath(from, 1), Buffer.concat(parts), { flag: 'a' })
}

// A filler has 16 MiB. The last one can have up to 32 MiB, so that no filler is shorter than a record.
test.each([
  [20, 1],
  [32, 1],
  [40, 2],
  [49, 3],
])('%i MiB below the cursor are filled by %i records that can be read', async (offsetMiB, count) => {
  const { from, to } = place()
  const cursor = segmentSpan + offsetMiB * mebibyte
  segmentOf(from, offsetMiB * mebibyte, recordAt(cursor, 'waits'))
  await copyWaiting(from, to, at(cursor))
  const bodies = bodiesIn(to, segmentSpan, cursor + recordAt(cursor, 'waits').length)
  expect([bodies.length, bodies.at(-1)]).toEqual([count + 1, 'waits'])
})

// The rest of the file is longer than one read, so the end of the file does not stop the copy.
test.each([
  ['an end mark and a former life', [endMark, Buffer.alloc(3 * mebibyte, 'old-life')]],
  ['a record with a wrong checksum', [recordAt(7, 'x'.repeat(2 * mebibyte)), Buffer.alloc(3 * mebibyte, 'old-life')]],
])('%s ends the copy of a segment', async (_name, behind) => {
  const { from, to } = place()
  segmentOf(from, 0, recordAt(segmentSpan, 'waits'), ...behind)
  await copyWaiting(from, to, at(segmentSpan))
  expect(bytesIn(to)).not.toContain('old-life')
  expect(bodiesIn(to, segmentSpan, segmentSpan + recordAt(segmentSpan, 'waits').length)).toEqual(['waits'])
})

test('segments behind the one of the cursor are copied from their beginning', async () => {
  const { from, to } = place()
  const writer = await writerIn(from, 0, { segmentBytes: 65_536 })
  await writer.append(head, Buffer.from('done'.repeat(10_000)))
  const cursor = writer.durable()
  for (let n = 0; n < 3; n++) await writer.append(head, Buffer.from(`waits-${n}`.padEnd(40_000, '.')))
  await copyWaiting(from, to, at(cursor))
  expect(bodiesIn(to, cursor, writer.durable()).map((body) => body.slice(0, 7))).toEqual([
    'waits-0',
    'waits-1',
    'waits-2',
  ])
})

test('the copy is its owner’s alone, in folders that it makes', async () => {
  const { from, to } = place()
  await writerIn(from)
  const nested = join(to, 'a/b')
  await copyWaiting(from, nested, at(0))
  expect([statSync(nested).mode & 0o777, statSync(segmentPath(nested, 1)).mode & 0o777]).toEqual([0o700, 0o600])
})

test('a journal without the number of its newest segment is copied without it; one that cannot be read is an error', async () => {
  const { from, to } = place()
  segmentOf(from, 0, recordAt(segmentSpan, 'waits'))
  await copyWaiting(from, to, at(0))
  expect(readdirSync(to)).toEqual(['000000001.seg'])
  mkdirSync(join(from, 'newest'))
  await expect(copyWaiting(from, join(to, 'other'), at(0))).rejects.toMatchObject({ syscall: 'copyfile' })
})

test('what one lane has processed behind the cursor of the other is left out, and the rest is where it was', async () => {
  const { from, to } = place()
  const writer = await writerIn(from)
  const bulk = { ...head, lane: 'bulk' as const }
  const ends: number[] = []
  for (const [lane, text] of [
    [bulk, 'bulk-1 waits'],
    [head, 'event-1 was-done'],
    [bulk, 'bulk-2 waits'],
    [head, 'event-2 waits'],
  ] as const) {
    await writer.append(lane, Buffer.from(text))
    ends.push(writer.durable())
  }
  const cursors = { bulk: segmentSpan, events: ends[2] ?? 0 }
  await copyWaiting(from, to, cursors)
  expect(bytesIn(to)).not.toContain('was-done')
  const reader = openJournalReader(to)
  const bodies = (lane: 'events' | 'bulk') =>
    reader.read(cursors[lane], writer.durable(), 9, 1e6, lane).records.map(({ body }) => body.toString())
  expect([bodies('bulk'), bodies('events')]).toEqual([['bulk-1 waits', 'bulk-2 waits'], ['event-2 waits']])
  await copyWaiting(from, join(to, 'other'), { bulk: ends[2] ?? 0, events: segmentSpan })
  expect(bytesIn(join(to, 'other'))).not.toContain('bulk-')
  reader.close()
})

test('a writer keeps what waits behind bulk data that was processed', async () => {
  const { from, to } = place()
  const writer = await writerIn(from)
  await writer.append(head, Buffer.from('event-1 waits'))
  await writer.append({ ...head, lane: 'bulk' }, Buffer.from('bulk-1 was-done'))
  const bulk = writer.durable()
  await writer.append(head, Buffer.from('event-2 waits'))
  const durable = writer.durable()
  await copyWaiting(from, to, { events: segmentSpan, bulk })
  await writerIn(to, segmentSpan)
  const reader = openJournalReader(to)
  const { records } = reader.read(segmentSpan, durable, 10, 1e6, 'events')
  reader.close()
  expect(records.map(({ body }) => body.toString())).toEqual(['event-1 waits', 'event-2 waits'])
  expect(bytesIn(to)).not.toContain('was-done')
})
