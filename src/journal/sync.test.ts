import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openJournalReader, openJournalWriter } from './files.ts'
import { head, readAll } from './journal.cases.ts'

type Done = (error: Error | null) => void
type Opened = (error: Error | null, fd: number) => void

/** The state after a power cut: the bytes of each file at its last sync. `hold`: syncs that wait for their release. */
const disk = vi.hoisted(() => ({
  paths: new Map<number, string>(),
  kept: new Map<string, Buffer>(),
  done: [] as string[],
  hold: undefined as (() => void)[] | undefined,
}))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const name = (fd: number) => (disk.paths.get(fd) ?? '').split('/').at(-1)
  const keep = (fd: number, what: string) => {
    const path = disk.paths.get(fd) ?? ''
    if (fs.fstatSync(fd).isFile()) disk.kept.set(path, fs.readFileSync(path))
    disk.done.push(`${what} ${name(fd)}`)
  }
  return {
    ...fs,
    openSync: (path: string, flags: string, mode?: number) => {
      const fd = fs.openSync(path, flags, mode)
      disk.paths.set(fd, path)
      return fd
    },
    open: (path: string, flags: number, mode: number, done: Opened) =>
      fs.open(path, flags, mode, (error, fd) => {
        if (!error) disk.paths.set(fd, path)
        done(error, fd)
      }),
    writev: (fd: number, parts: Buffer[], at: number, done: (error: Error | null, bytes: number) => void) =>
      fs.writev(fd, parts, at, (error, bytes) => {
        disk.done.push(`write ${name(fd)}`)
        done(error, bytes)
      }),
    writevSync: (fd: number, parts: Buffer[], at: number) => {
      const bytes = fs.writevSync(fd, parts, at)
      disk.done.push(`write ${name(fd)}`)
      return bytes
    },
    fdatasync: (fd: number, done: Done) => {
      const go = () =>
        fs.fdatasync(fd, (error) => {
          if (!error) keep(fd, 'sync')
          done(error)
        })
      if (disk.hold) disk.hold.push(go)
      else go()
    },
    writeFileSync: (path: string, text: string, options?: { flush?: boolean }) => {
      fs.writeFileSync(path, text, options)
      if (options?.flush) disk.done.push(`sync ${path.split('/').at(-1)}`)
    },
    renameSync: (from: string, to: string) => {
      fs.renameSync(from, to)
      disk.done.push(`name ${to.split('/').at(-1)}`)
    },
    fsyncSync: (fd: number) => {
      fs.fsyncSync(fd)
      keep(fd, 'sync')
    },
  }
})

beforeEach(() => {
  disk.paths.clear()
  disk.kept.clear()
  disk.done.length = 0
  disk.hold = undefined
})

const open = (folder: string) =>
  openJournalWriter({
    folder,
    bytesMax: 1e9,
    diskReserveBytes: 0,
    groupMs: 0,
    clock: systemClock,
    observe: silent,
    segmentBytes: 65_536,
  })
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('what is acknowledged is on disk', () => {
  test('an append is answered after the sync of what was written, not before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mishap-sync-'))
    const writer = await open(folder)
    const before = writer.durable()
    disk.done.length = 0
    disk.hold = []
    const reported: number[] = []
    writer.onDurable((at) => reported.push(at))
    const answers: number[] = []
    const appended = writer.append(head(1), Buffer.from('a')).then((at) => answers.push(at))
    while (disk.hold.length === 0) await turn()
    for (let turns = 0; turns < 20; turns++) await turn()
    // Written, but the sync has not returned.
    expect([disk.done, answers, reported, writer.durable()]).toEqual([['write 000000001.seg'], [], [], before])
    const [go] = disk.hold.splice(0)
    disk.hold = undefined
    go?.()
    await appended
    expect([disk.done, answers.length, reported.length]).toEqual([['write 000000001.seg', 'sync 000000001.seg'], 1, 1])
    await writer.close()
    rmSync(folder, { recursive: true })
  })

  test('a segment has its name and its number on disk before its first record', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mishap-sync-'))
    const writer = await open(folder)
    await writer.append(head(1), Buffer.from('a'))
    const names = ['sync newest~', 'name newest', `sync ${folder.split('/').at(-1)}`]
    const record = ['write 000000001.seg', 'sync 000000001.seg']
    expect(disk.done).toEqual([...record, ...names, ...record])
    await writer.close()
    rmSync(folder, { recursive: true })
  })

  test('what waits when the journal is closed is written behind what is being written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mishap-sync-'))
    const writer = await open(folder)
    disk.done.length = 0
    disk.hold = []
    const first = writer.append(head(1), Buffer.from('a'))
    while (disk.hold.length === 0) await turn()
    const second = writer.append(head(2), Buffer.from('b'))
    const closed = writer.close()
    for (let turns = 0; turns < 20; turns++) await turn()
    expect([disk.done, disk.hold.length]).toEqual([['write 000000001.seg'], 1])
    const [go] = disk.hold.splice(0)
    disk.hold = undefined
    go?.()
    await closed
    expect((await second) - (await first)).toBeGreaterThan(0)
    expect(disk.done).toEqual(['write', 'sync', 'write', 'sync'].map((what) => `${what} 000000001.seg`))
    rmSync(folder, { recursive: true })
  })

  test('a kill, a recovery, then a power cut: what the recovery found whole is still there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mishap-sync-'))
    const killed = await open(folder)
    await killed.append(head(1), Buffer.from('synced'))
    // The record is written completely, then the process is killed during the sync.
    disk.hold = []
    void killed.append(head(2), Buffer.from('in the page cache only'))
    while (disk.hold.length === 0) await turn()
    disk.hold = undefined
    const segment = join(folder, '000000001.seg')
    expect(disk.kept.get(segment)).not.toEqual(readFileSync(segment))

    const recovered = await open(folder)
    const found = (durable: number) => {
      const reader = openJournalReader(folder)
      const records = readAll(reader, durable).map((entry) => entry.head.projectId)
      reader.close()
      return records
    }
    // Refine reads and commits both.
    expect(found(recovered.durable())).toEqual([1, 2])
    for (const [path, bytes] of disk.kept) writeFileSync(path, bytes)
    expect(found(recovered.durable())).toEqual([1, 2])
    await recovered.close()
    rmSync(folder, { recursive: true })
  })
})
