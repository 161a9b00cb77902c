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
import { describe, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openJournalReader, openJournalWriter, type WriterOptions } from './files.ts'
import { head, type JournalUnderTest, journalCases, readAll } from './journal.cases.ts'
import type { Corrupt } from './reader.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'mishap-journal-'))
const options = (folder: string, changes: Partial<WriterOptions> = {}): WriterOptions => ({
  folder,
  bytesMax: 1e9,
  diskReserveBytes: 0,
  groupMs: 0,
  clock: systemClock,
  observe: silent,
  segmentBytes: 65_536,
  ...changes,
})

function filesJournal(): JournalUnderTest {
  const folder = newFolder()
  return {
    open: async (changes = {}) => ({
      writer: await openJournalWriter(options(folder, changes)),
      reader: openJournalReader(folder),
    }),
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

describe('journal in files', () => journalCases(filesJournal))

const segments = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.seg'))
    .sort()
    .map((name) => join(folder, name))

/** Writes five records to one segment, runs `harm` on its file, restarts, and writes one more record. */
async function harmed(harm: (path: string, ends: number[]) => void) {
  const folder = newFolder()
  const corrupt: Corrupt[] = []
  const writer = await openJournalWriter(options(folder))
  const starts: number[] = []
  for (let n = 0; n < 5; n++) starts.push(await writer.append(head(n), Buffer.alloc(500, n)))
  const end = writer.durable()
  await writer.close()
  const [path = ''] = segments(folder)
  harm(
    path,
    [...starts.slice(1), end].map((at) => at % 2 ** 28),
  )
  const reopened = await openJournalWriter(options(folder))
  await reopened.append(head(9), Buffer.from('later'))
  const reader = openJournalReader(folder, { onCorrupt: (found) => corrupt.push(found) })
  const found = readAll(reader, reopened.durable()).map((entry) => entry.head.projectId)
  readAll(reader, reopened.durable())
  reader.close()
  await reopened.close()
  rmSync(folder, { recursive: true })
  return { found, corrupt }
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

describe('torn and broken segments', () => {
  test.each<[string, (path: string, ends: number[]) => void, number[], number]>([
    ['whole', () => {}, [0, 1, 2, 3, 4, 9], 0],
    ['torn in the last body', (path, ends) => truncateSync(path, (ends[4] ?? 0) - 1), [0, 1, 2, 3, 9], 0],
    ['torn in a prefix', (path, ends) => truncateSync(path, (ends[3] ?? 0) + 5), [0, 1, 2, 3, 9], 0],
    ['torn behind a length', (path, ends) => truncateSync(path, (ends[3] ?? 0) + 11), [0, 1, 2, 3, 9], 0],
    ['empty', (path) => truncateSync(path, 0), [9], 0],
    ['zeros behind it', (path) => writeFileSync(path, Buffer.alloc(5000), { flag: 'a' }), [0, 1, 2, 3, 4, 9], 0],
    ['rubbish behind it', (path) => writeFileSync(path, Buffer.alloc(5000, 'x'), { flag: 'a' }), [0, 1, 2, 3, 4, 9], 0],
    [
      'a former life behind it',
      (path, ends) => writeFileSync(path, readFileSync(path).subarray(0, ends[1]), { flag: 'a' }),
      [0, 1, 2, 3, 4, 9],
      0,
    ],
  ])('%s', async (_name, harm, expected, corrupt) => {
    const result = await harmed(harm)
    expect(result.found).toEqual(expected)
    expect(result.corrupt).toHaveLength(corrupt)
  })

  test('a flipped bit costs the rest of its segment, and is told once', async () => {
    const folder = newFolder()
    const writer = await openJournalWriter(options(folder))
    await Promise.all(Array.from({ length: 150 }, (_, n) => writer.append(head(n), Buffer.alloc(1000, n))))
    const durable = writer.durable()
    const [path = ''] = segments(folder)
    flip(path, 2000)
    const corrupt: Corrupt[] = []
    const reader = openJournalReader(folder, { onCorrupt: (found) => corrupt.push(found) })
    const found = readAll(reader, durable).map((entry) => entry.head.projectId)
    readAll(reader, durable)
    expect(found[0]).toBe(0)
    expect(found[1]).toBeGreaterThan(20)
    expect(found.at(-1)).toBe(149)
    expect(corrupt).toHaveLength(1)
    expect(corrupt[0]?.bytes).toBe(statSync(path).size - ((corrupt[0]?.jpos ?? 0) % 2 ** 28))
    reader.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  })

  test('a flipped bit in the segment that is being written costs what is durable there, and no more', async () => {
    const folder = newFolder()
    const writer = await openJournalWriter(options(folder))
    await Promise.all([0, 1, 2].map((n) => writer.append(head(n), Buffer.alloc(300, n))))
    flip(segments(folder)[0] ?? '', 600)
    const reader = openJournalReader(folder)
    const durable = writer.durable()
    expect(readAll(reader, durable).map((entry) => entry.head.projectId)).toEqual([0])
    await writer.append(head(7), Buffer.from('a'))
    expect(readAll(reader, writer.durable(), durable).map((entry) => entry.head.projectId)).toEqual([7])
    reader.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  })
})

describe('the disk', () => {
  test('too little free space refuses, more of it lets in again after a second', async () => {
    const folder = newFolder()
    const clock = testClock()
    const limits = options(folder, { clock, diskReserveBytes: 1e15 })
    const writer = await openJournalWriter(limits)
    await expect(writer.append(head(1), Buffer.alloc(1))).rejects.toMatchObject({
      code: 'ACCEPT_DISK_FULL',
      retryAfterS: 60,
    })
    limits.diskReserveBytes = 0
    await writer.append(head(2), Buffer.alloc(1))
    await writer.close()
    rmSync(folder, { recursive: true })
  })

  test('a failed write refuses its group, and the next one goes to a new segment', async () => {
    const folder = newFolder()
    const writer = await openJournalWriter(options(folder))
    await writer.append(head(1), Buffer.from('a'))
    await Promise.all(Array.from({ length: 40 }, (_, n) => writer.append(head(2 + n), Buffer.alloc(1500))))
    // The folder is removed when the segment is full, so no new segment can be created.
    rmSync(folder, { recursive: true })
    const failed = await Promise.allSettled([
      writer.append(head(90), Buffer.alloc(65_000)),
      writer.append(head(91), Buffer.alloc(65_000)),
    ])
    expect(failed.map((entry) => entry.status === 'rejected' && entry.reason.code)).toEqual([
      'ACCEPT_DISK_FULL',
      'ACCEPT_DISK_FULL',
    ])
    mkdirSync(folder)
    const jpos = await writer.append(head(92), Buffer.from('b'))
    const reader = openJournalReader(folder)
    expect(readAll(reader, writer.durable()).map((entry) => entry.jpos)).toEqual([jpos])
    reader.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  })

  test('folder and files are their owner’s alone; trimmed files are used again, at most two are kept', async () => {
    const parent = newFolder()
    const folder = join(parent, 'journal')
    const writer = await openJournalWriter(options(folder))
    for (let n = 0; n < 8; n++) await writer.append(head(n), Buffer.alloc(60_000))
    await writer.trim(writer.durable())
    expect(readdirSync(folder).filter((name) => name.startsWith('spare-'))).toHaveLength(2)
    for (let n = 0; n < 2; n++) await writer.append(head(n), Buffer.alloc(60_000))
    expect(readdirSync(folder).filter((name) => name !== 'newest')).toHaveLength(3)
    expect([statSync(folder).mode & 0o777, ...segments(folder).map((path) => statSync(path).mode & 0o777)]).toEqual([
      0o700,
      ...segments(folder).map(() => 0o600),
    ])
    await writer.close()
    rmSync(parent, { recursive: true })
  })

  test.each([
    ['one record waits groupMs for others, and no longer', 1, 5],
    ['two records wait for more', 2, 20],
    ['seven records wait for more', 7, 20],
    ['eight records are enough', 8, 5],
  ])('%s', async (_name, records, expectedMs) => {
    const folder = newFolder()
    const clock = testClock()
    const writer = await openJournalWriter(options(folder, { clock, groupMs: 5 }))
    const reported: number[] = []
    writer.onDurable((at) => reported.push(at))
    const all = [writer.append(head(1), Buffer.from('a'))]
    clock.advance(4)
    for (let n = 2; n <= records; n++) all.push(writer.append(head(n), Buffer.from('b')))
    clock.advance(expectedMs - 5)
    await systemClock.sleep(20)
    expect(reported).toEqual([])
    clock.advance(1)
    await Promise.all(all)
    expect(reported).toHaveLength(1)
    await writer.close()
    rmSync(folder, { recursive: true })
  })
})

describe('records that come while a group is written', () => {
  /** Appends `records` during a write. Returns how many are on disk before and after the wait that follows it. */
  async function writtenOf(records: number): Promise<[number, number]> {
    const folder = newFolder()
    const clock = testClock()
    const writer = await openJournalWriter(options(folder, { clock, groupMs: 5 }))
    const first = writer.append(head(0), Buffer.from('a'))
    clock.advance(5)
    let count = 0
    const others = Array.from({ length: records }, async (_, n) => {
      await writer.append(head(n + 1), Buffer.from('b'))
      count++
    })
    await first
    await systemClock.sleep(50)
    const before = count
    clock.advance(5)
    await Promise.all(others)
    await writer.close()
    rmSync(folder, { recursive: true })
    return [before, count]
  }

  test.each([
    ['a few wait once more', 7, [0, 7]],
    ['many are written at once', 8, [8, 8]],
  ])('%s', async (_name, records, expected) => {
    expect(await writtenOf(records)).toEqual(expected)
  })

  test('a few are written when the journal is closed', async () => {
    const folder = newFolder()
    const clock = testClock()
    const writer = await openJournalWriter(options(folder, { clock, groupMs: 5 }))
    const first = writer.append(head(0), Buffer.from('a'))
    clock.advance(5)
    const second = writer.append(head(1), Buffer.from('b'))
    await first
    await systemClock.sleep(20)
    await writer.close()
    expect(await second).toBeGreaterThan(await first)
    rmSync(folder, { recursive: true })
  })
})

describe('segments that were taken away', () => {
  const emptied = async (alsoTheNumber: boolean) => {
    const folder = newFolder()
    const writer = await openJournalWriter(options(folder))
    await Promise.all(Array.from({ length: 150 }, (_, n) => writer.append(head(n), Buffer.alloc(1000, n))))
    const before = writer.durable()
    await writer.close()
    for (const name of readdirSync(folder))
      if (alsoTheNumber || name.endsWith('.seg')) rmSync(join(folder, name), { recursive: true })
    const reopened = await openJournalWriter(options(folder))
    const jpos = await reopened.append(head(7), Buffer.from('later'))
    await reopened.close()
    rmSync(folder, { recursive: true })
    return { before, jpos }
  }

  test('positions go on above all that were ever given', async () => {
    const { before, jpos } = await emptied(false)
    expect(before).toBeGreaterThan(2 * 2 ** 28)
    expect(jpos).toBeGreaterThanOrEqual(before)
  })
  test('without the number too, they begin again: refine finds that (START_JOURNAL_BEHIND)', async () => {
    const { before, jpos } = await emptied(true)
    expect(jpos).toBeLessThan(before)
  })
  test.each(['', 'x\n', '12', '-1\n'])('a number file of %j counts as none', async (content) => {
    const folder = newFolder()
    writeFileSync(join(folder, 'newest'), content)
    const writer = await openJournalWriter(options(folder))
    expect(writer.durable()).toBe(2 ** 28)
    expect(readFileSync(join(folder, 'newest'), 'latin1')).toBe('1\n')
    await writer.close()
    rmSync(folder, { recursive: true })
  })
})
