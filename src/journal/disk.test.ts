import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testClock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import { openJournalReader, openJournalWriter, type WriterOptions } from './files.ts'
import { segmentPath } from './folder.ts'
import { head, readAll } from './journal.cases.ts'
import type { JournalWriter } from './journal.ts'
import { recordBytes } from './record.ts'

type Done = (error: Error | null, ...rest: unknown[]) => void
type Call = 'statfs' | 'writev' | 'writevSync' | 'fdatasync' | 'ftruncate'

/**
 * A disk of 4 kB blocks. `fails`: calls that fail. `short`: bytes that each write omits. `open`: open files. `syncMs`: how
 * long each sync takes. `writes`: whether each write was made by another thread.
 */
const disk = vi.hoisted(() => ({
  free: 0,
  blocks: 0,
  asked: 0,
  short: 0,
  fails: new Set<Call>(),
  open: new Map<number, string>(),
  opened: [] as string[],
  syncMs: 0,
  writes: [] as ('thread' | 'direct')[],
}))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const failing = (call: Call, done: Done) => {
    if (!disk.fails.has(call)) return false
    setImmediate(() => done(new Error(`planted: ${call}`)))
    return true
  }
  const noteOpen = (fd: number, path: string) => {
    disk.open.set(fd, path.split('/').at(-1) ?? '')
    disk.opened.push(path.split('/').at(-1) ?? '')
  }
  return {
    ...fs,
    statfs: (_path: string, done: Done) => {
      disk.asked++
      if (failing('statfs', done)) return
      const found = { bavail: disk.free / 4096, blocks: disk.blocks / 4096, bsize: 4096 }
      setImmediate(() => done(null, found))
    },
    writev: (fd: number, parts: Buffer[], at: number, done: Done) => {
      if (failing('writev', done)) return
      disk.writes.push('thread')
      fs.writev(fd, parts, at, (error, bytes) => done(error, bytes - disk.short))
    },
    writevSync: (fd: number, parts: Buffer[], at: number) => {
      if (disk.fails.has('writevSync')) throw new Error('planted: writevSync')
      disk.writes.push('direct')
      return fs.writevSync(fd, parts, at) - disk.short
    },
    fdatasync: (fd: number, done: Done) => {
      if (failing('fdatasync', done)) return
      clock.advance(disk.syncMs)
      fs.fdatasync(fd, done)
    },
    ftruncate: (fd: number, bytes: number, done: Done) => failing('ftruncate', done) || fs.ftruncate(fd, bytes, done),
    openSync: (path: string, flags: string, mode?: number) => {
      const fd = fs.openSync(path, flags, mode)
      noteOpen(fd, path)
      return fd
    },
    closeSync: (fd: number) => {
      fs.closeSync(fd)
      disk.open.delete(fd)
    },
    open: (path: string, flags: number, mode: number, done: (error: Error | null, fd: number) => void) =>
      fs.open(path, flags, mode, (error, fd) => {
        if (!error) noteOpen(fd, path)
        done(error, fd)
      }),
    close: (fd: number, done: (error: Error | null) => void) =>
      fs.close(fd, (error) => {
        disk.open.delete(fd)
        done(error)
      }),
    // A folder can list its names in any order, and a read can return fewer bytes than requested.
    readdirSync: (path: string) => fs.readdirSync(path).reverse(),
    readSync: (fd: number, into: Buffer, at: number, bytes: number, offset: number) =>
      fs.readSync(fd, into, at, Math.min(bytes, 1000), offset),
  }
})

const kibibyte = 1024
const clock = testClock()
let lines: { level: string; fields: Record<string, unknown> }[] = []
const line = (level: string) => (fields: Record<string, unknown>) => void lines.push({ level, fields })
const observe = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') } as Observe
let folder = ''
let writers: JournalWriter[] = []

beforeEach(() => {
  Object.assign(disk, { free: 1e12, blocks: 1e15, asked: 0, short: 0, opened: [], syncMs: 0, writes: [] })
  disk.fails.clear()
  disk.open.clear()
  lines = []
  folder = mkdtempSync(join(tmpdir(), 'mishap-disk-'))
})
afterEach(async () => {
  disk.fails.clear()
  for (const writer of writers) await writer.close()
  writers = []
  rmSync(folder, { recursive: true, force: true })
})

async function open(changes: Partial<WriterOptions> = {}): Promise<JournalWriter> {
  const writer = await openJournalWriter({
    folder,
    bytesMax: 1e12,
    diskReserveBytes: 0,
    groupMs: 0,
    clock,
    observe,
    segmentBytes: 64 * kibibyte,
    ...changes,
  })
  writers.push(writer)
  return writer
}

/** Appends a record of this many bytes in the journal. Returns its position or the error code. */
const append = (writer: JournalWriter, bytes: number) =>
  writer
    .append(head(1), Buffer.alloc(bytes - recordBytes(Buffer.byteLength(JSON.stringify(head(1))), 0)))
    .catch((error: { code?: string }) => error.code ?? String(error))
const codeOf = (run: () => unknown) => {
  try {
    run()
    return 'taken'
  } catch (error) {
    return (error as { code?: string }).code
  }
}
const projects = (writer: JournalWriter) => {
  const reader = openJournalReader(folder)
  const found = readAll(reader, writer.durable()).map((record) => record.head.projectId)
  reader.close()
  return found
}

describe('free space', () => {
  test('is kept down to the reserve, to the byte', async () => {
    disk.free = 100 * kibibyte
    const writer = await open({ diskReserveBytes: 60 * kibibyte })
    expect(await append(writer, 40 * kibibyte + 1)).toBe('ACCEPT_DISK_FULL')
    expect(await append(writer, 40 * kibibyte)).toBeGreaterThan(0)
  })

  test('what waits to be written and what was written since the last look count', async () => {
    disk.free = 100 * kibibyte
    const writer = await open()
    const [first, second, third] = [30, 30, 41].map((size) => append(writer, size * kibibyte))
    expect([await third, typeof (await first), typeof (await second)]).toEqual(['ACCEPT_DISK_FULL', 'number', 'number'])
    expect(await append(writer, 40 * kibibyte + 1)).toBe('ACCEPT_DISK_FULL')
    expect(await append(writer, 40 * kibibyte)).toBeGreaterThan(0)
  })

  test.each([
    ['999 ms later', 999, 1],
    ['a second later', 1000, 2],
    ['when the clock was set back by a second', -1000, 2],
  ])('is looked up again a second later: %s', async (_name, ms, looks) => {
    const moved = testClock()
    let now = moved.now()
    const writer = await open({ clock: { ...moved, now: () => now } })
    now += ms
    await append(writer, kibibyte)
    expect(disk.asked).toBe(looks)
  })

  test('the last answer holds while the system gives none', async () => {
    disk.free = 100 * kibibyte
    const writer = await open()
    disk.fails.add('statfs')
    disk.free = 0
    clock.advance(1000)
    expect(await append(writer, 30 * kibibyte)).toBeGreaterThan(0)
    expect(await append(writer, 80 * kibibyte)).toBe('ACCEPT_DISK_FULL')
    expect(lines).toEqual([{ level: 'warn', fields: { error: 'Error: planted: statfs' } }])
  })

  test('bodies take it as they come, and keep what they declared', async () => {
    disk.free = 1000 * kibibyte
    const writer = await open()
    const reservation = writer.reserve(600 * kibibyte)
    expect(codeOf(() => writer.reserve(400 * kibibyte + 1))).toBe('ACCEPT_DISK_FULL')
    const other = writer.reserve(400 * kibibyte)
    other.free()
    for (let n = 0; n < 5; n++) reservation.grow(100 * kibibyte)
    // 500 KiB arrived and 100 KiB are still reserved.
    expect(codeOf(() => writer.reserve(400 * kibibyte + 1))).toBe('ACCEPT_DISK_FULL')
    const unsized = writer.reserve()
    expect(codeOf(() => unsized.grow(400 * kibibyte + 1))).toBe('ACCEPT_DISK_FULL')
    expect(codeOf(() => unsized.grow(400 * kibibyte))).toBe('taken')
    reservation.grow(100 * kibibyte)
    expect(codeOf(() => unsized.grow(1))).toBe('ACCEPT_DISK_FULL')
  })

  test('a body that grows beyond what it declared has to find the rest of it', async () => {
    disk.free = 1000 * kibibyte
    const writer = await open()
    const reservation = writer.reserve(100 * kibibyte)
    writer.reserve(600 * kibibyte)
    reservation.grow(100 * kibibyte)
    expect(codeOf(() => reservation.grow(300 * kibibyte + 1))).toBe('ACCEPT_DISK_FULL')
    expect(codeOf(() => reservation.grow(300 * kibibyte))).toBe('taken')
  })
})

test('a tenth of the disk is the most that waits, to the byte', async () => {
  disk.blocks = 4000 * kibibyte
  const writer = await open()
  const taken = [150, 150, 100].map((size) => append(writer, size * kibibyte))
  const refused = append(writer, kibibyte)
  expect((await Promise.all(taken)).every((at) => typeof at === 'number')).toBe(true)
  expect(await refused).toBe('ACCEPT_OVERLOADED')
})

describe('a group of a few kilobytes', () => {
  test.each<[string, number, number, string]>([
    ['is written by this thread', 4, 0, 'direct'],
    ['is written by this thread up to 64 KiB', 64, 24, 'direct'],
    ['is written by another thread above that', 65, 0, 'thread'],
    ['is written by another thread after a slow sync, which a write may wait for', 4, 25, 'thread'],
  ])('%s', async (_name, size, syncMs, expected) => {
    const writer = await open({ segmentBytes: 1024 * kibibyte })
    disk.syncMs = syncMs
    await append(writer, kibibyte)
    disk.syncMs = 0
    disk.writes = []
    await append(writer, size * kibibyte)
    expect(disk.writes).toEqual([expected])
    // One quick sync is enough to go back.
    await append(writer, kibibyte)
    expect(disk.writes).toEqual([expected, 'direct'])
    expect(projects(writer)).toEqual([1, 1, 1])
  })
})

describe('a write that fails', () => {
  test.each<[string, () => void]>([
    ['the write gives an error', () => disk.fails.add('writevSync')],
    ['the write is short', () => Object.assign(disk, { short: 8 })],
    ['the sync gives an error', () => disk.fails.add('fdatasync')],
  ])('refuses its group, and nobody reads that: %s', async (_name, fail) => {
    const writer = await open()
    const first = await append(writer, kibibyte)
    const end = writer.durable()
    fail()
    const refused = [append(writer, 2 * kibibyte), append(writer, 2 * kibibyte)]
    expect(await Promise.all(refused)).toEqual(['ACCEPT_DISK_FULL', 'ACCEPT_DISK_FULL'])
    expect(lines[0]).toMatchObject({ level: 'error', fields: { records: 2, error: expect.any(String) } })
    // The segment was truncated, so a restart does not find the records.
    expect(statSync(segmentPath(folder, 1)).size).toBe(end % 2 ** 28)
    disk.fails.clear()
    disk.short = 0
    const next = await append(writer, kibibyte)
    expect([first, next]).toEqual([2 ** 28, 2 * 2 ** 28])
    expect(projects(writer)).toEqual([1, 1])
    await writer.close()
    expect([...disk.open.values()]).toEqual([])
  })

  test('by another thread refuses its group as well', async () => {
    const writer = await open({ segmentBytes: 1024 * kibibyte })
    disk.fails.add('writev')
    expect(await append(writer, 65 * kibibyte)).toBe('ACCEPT_DISK_FULL')
    disk.fails.clear()
    expect(await append(writer, 4 * kibibyte)).toBe(2 * 2 ** 28)
  })

  test('of a first group leaves no segment behind a trim', async () => {
    const writer = await open()
    disk.short = 8
    expect(await append(writer, kibibyte)).toBe('ACCEPT_DISK_FULL')
    disk.short = 0
    await append(writer, kibibyte)
    await writer.trim(writer.durable())
    expect([existsSync(segmentPath(folder, 1)), existsSync(segmentPath(folder, 2))]).toEqual([false, true])
  })

  test('a segment that could not be begun is taken away, with its file closed', async () => {
    const writer = await open()
    await append(writer, 60 * kibibyte)
    disk.fails.add('fdatasync')
    expect(await append(writer, 60 * kibibyte)).toBe('ACCEPT_DISK_FULL')
    expect(existsSync(segmentPath(folder, 2))).toBe(false)
    disk.fails.clear()
    expect(await append(writer, 60 * kibibyte)).toBe(3 * 2 ** 28)
    await writer.close()
    expect([...disk.open.values()]).toEqual([])
  })

  test('a file that cannot be cut is reported, and the journal goes on', async () => {
    const writer = await open()
    await append(writer, 60 * kibibyte)
    disk.fails.add('ftruncate')
    expect(await append(writer, 60 * kibibyte)).toBe(2 * 2 ** 28)
    expect(lines).toEqual([{ level: 'warn', fields: { error: 'Error: planted: ftruncate', segment: 1 } }])
    await writer.close()
    expect([...disk.open.values()]).toEqual([])
  })

  test('a file that stands where the next segment belongs is not written over', async () => {
    const writer = await open()
    await append(writer, 60 * kibibyte)
    const { writeFileSync } = await import('node:fs')
    writeFileSync(segmentPath(folder, 2), 'whose?')
    expect(await append(writer, 60 * kibibyte)).toBe('ACCEPT_DISK_FULL')
    expect(readFileSync(segmentPath(folder, 2), 'utf8')).toBe('whose?')
    expect(await append(writer, 60 * kibibyte)).toBe(3 * 2 ** 28)
  })
})

describe('files', () => {
  test('a writer keeps one open, and none after it was closed or recovered', async () => {
    const writer = await open()
    for (let n = 0; n < 3; n++) await append(writer, 60 * kibibyte)
    expect([...disk.open.values()]).toEqual(['000000003.seg'])
    await writer.close()
    expect([...disk.open.values()]).toEqual([])
    const next = await open()
    expect([...disk.open.values()]).toEqual(['000000004.seg'])
    await next.close()
  })

  test('a reader keeps two open, opens none twice, and closes them', async () => {
    const writer = await open()
    const starts: number[] = []
    for (let n = 0; n < 4; n++) starts.push(Number(await append(writer, 60 * kibibyte)))
    const durable = writer.durable()
    await writer.close()
    disk.opened.length = 0
    const reader = openJournalReader(folder)
    const read = (n: number) => reader.read(starts[n] ?? 0, durable, 1, 9).records.length
    for (let n = 0; n < 3; n++) expect([read(0), read(1)]).toEqual([1, 1])
    expect(disk.opened).toEqual(['000000001.seg', '000000002.seg'])
    expect([read(2), read(3), read(2)]).toEqual([1, 1, 1])
    expect(disk.opened.slice(2)).toEqual(['000000003.seg', '000000004.seg'])
    expect([...disk.open.values()].sort()).toEqual(['000000003.seg', '000000004.seg'])
    reader.close()
    expect([...disk.open.values()]).toEqual([])
  })

  test('segments are found and recovered in whatever order the folder lists them', async () => {
    const writer = await open()
    for (let n = 0; n < 3; n++) await writer.append(head(n), Buffer.alloc(60 * kibibyte))
    const durable = writer.durable()
    expect(projects(writer)).toEqual([0, 1, 2])
    await writer.close()
    expect(readdirSync(folder)[0]).toBe('newest')
    truncateSync(segmentPath(folder, 3), 50 * kibibyte)
    const next = await open()
    expect(lines).toEqual([{ level: 'info', fields: { segment: 3, bytes: 50 * kibibyte } }])
    expect(Number(await append(next, kibibyte))).toBeGreaterThan(durable)
    expect(projects(next)).toEqual([0, 1, 1])
  })

  test('what a crash left behind the last whole record is cut and reported; a clean end is not', async () => {
    const first = await open()
    await append(first, kibibyte)
    await first.close()
    const second = await open()
    expect(lines).toEqual([])
    await append(second, kibibyte)
    // The process ends here and seals no segment.
    const third = await open()
    expect(lines).toEqual([{ level: 'info', fields: { segment: 2, bytes: 8 } }])
    expect(statSync(segmentPath(folder, 2)).size).toBe(kibibyte)
    expect(projects(third)).toEqual([1, 1])
  })

  test('a body is counted until its record is trimmed, and not from the same position on', async () => {
    const writer = await open()
    await append(writer, kibibyte)
    const at = await writer.append({ ...head(2), spool: { key: 'spool/1', bytes: 5000 } }, Buffer.alloc(0))
    await writer.trim(at)
    expect(writer.bodyBytes()).toBe(5000)
    await writer.trim(at + 1)
    expect(writer.bodyBytes()).toBe(0)
    // A body from before a restart, whose record is the next to be processed.
    writer.addBody(at + 1, 70)
    writer.addBody(at, 1000)
    expect(writer.bodyBytes()).toBe(70)
  })
})
