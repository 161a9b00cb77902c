import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, list } from 'tar'
import { afterAll, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { tableRows } from '../store/events/tables.cases.ts'
import { type BackupDeps, createBackups } from './backup.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { restoreBackup } from './restore.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-backup-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let made = 0

const manifest: Manifest = {
  format: 1,
  version: '0.1.0',
  takenMs: 1,
  cursor: 5,
  organizations: 1,
  projects: 2,
  spans: 7,
  sessions: 0,
  logs: 0,
  issues: 3,
  events: 4,
  blobs: 1,
}
const tally = { organizations: 1, projects: 2, issues: 3, attachments: 0, deadItems: 0 }

function emptyData() {
  const data = join(root, `data-${++made}`)
  const folders = {
    journal: join(data, 'journal'),
    blobs: join(data, 'blobs'),
    meta: join(data, 'meta'),
    engine: join(data, 'events'),
  }
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true })
  return { data, folders, mark: join(data, 'restoring') }
}

/** A data folder with a file in each part. A stand-in for the engine copies the events. */
function usedData() {
  const here = emptyData()
  writeFileSync(join(here.folders.journal, '000000001.seg'), 'waiting')
  mkdirSync(join(here.folders.blobs, 'attachments'))
  writeFileSync(join(here.folders.blobs, 'attachments', 'a'), 'bytes')
  writeFileSync(join(here.folders.blobs, 'half~'), 'half')
  writeFileSync(join(here.data, 'secrets.json'), 'secret')
  writeFileSync(join(here.folders.meta, 'mishap.sqlite'), 'rows')
  return here
}

const order: string[] = []
function backups(here: ReturnType<typeof usedData>, more: Partial<BackupDeps> = {}) {
  order.length = 0
  return createBackups({
    clock: testClock(),
    version: '0.1.0',
    data: here.data,
    folders: here.folders,
    blobs: openFileBlobs(here.folders.blobs),
    meta: {
      snapshots: {
        copyTo: async (to) => {
          order.push('meta')
          writeFileSync(to, 'rows')
        },
        tally: async () => tally,
        blobWatermark: async () => ({ attachment: 0, deadItem: 0, bundle: 0 }),
        blobKeys: async () => [],
      },
      batches: {
        cursor: async () => 5,
      },
    },
    events: {
      backup: async (name) => {
        order.push('events')
        mkdirSync(join(here.data, 'backup', name), { recursive: true })
        writeFileSync(join(here.data, 'backup', name, 'part'), 'x')
        return tableRows({ events: 4, spans: 7 })
      },
      copying: async () => false,
      size: async () => [
        { table: 'events', rows: 4, bytesOnDisk: 1, bytesRaw: 1 },
        { table: 'spans', rows: 7, bytesOnDisk: 1, bytesRaw: 1 },
      ],
    },
    pause: async () => {
      order.push('pause')
      return () => void order.push('resume')
    },
    ...more,
  })
}
const take = (here: ReturnType<typeof usedData>, file: string, more: Partial<BackupDeps> = {}) =>
  backups(here, more).take(file)

type Stores = Parameters<Parameters<Parameters<typeof restoreBackup>[2]['withStores']>[0]>[0]
type Target = Parameters<typeof restoreBackup>[2]['target']
const restore = (
  here: ReturnType<typeof emptyData>,
  file: string,
  change: Partial<Manifest> = {},
  target: Partial<Target> = {},
  more: Partial<Parameters<typeof restoreBackup>[2]> = {},
) =>
  restoreBackup(here.data, file, {
    folders: here.folders,
    blobs: openFileBlobs(here.folders.blobs),
    recordPlace: async () => undefined,
    mark: here.mark,
    target: {
      isUsed: async () => false,
      place: (from) => rename(from, join(here.folders.meta, 'mishap.sqlite')),
      clear: async () => undefined,
      ...target,
    },
    withStores: (work) => {
      expect(existsSync(here.mark)).toBe(true)
      return work({
        meta: {
          snapshots: { tally: async () => ({ ...tally, ...change }) },
          batches: { cursor: async () => change.cursor ?? 5 },
        },
        events: {
          restore: async (name: string) => {
            writeFileSync(join(here.folders.engine, 'restored'), readdirSync(join(here.data, 'backup', name)).join())
          },
          size: async () => [
            { table: 'events', rows: change.events ?? 4, bytesOnDisk: 1, bytesRaw: 1 },
            { table: 'spans', rows: change.spans ?? 7, bytesOnDisk: 1, bytesRaw: 1 },
          ],
        },
      } satisfies Stores)
    },
    ...more,
  })
const filesOf = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort()

describe('backup and back', () => {
  const file = join(root, 'whole.tar')
  test('takes every part while refining pauses, and leaves nothing lying about', async () => {
    const here = usedData()
    expect(await take(here, file)).toEqual({ ...manifest, takenMs: testClock().now() })
    expect(order).toEqual(['pause', 'events', 'meta', 'resume'])
    expect(readdirSync(join(here.data, 'backup'))).toEqual([])
    expect(readdirSync(root).filter((item) => item.endsWith('.part'))).toEqual([])
  })
  test('brings every part back', async () => {
    const here = emptyData()
    expect(await restore(here, file)).toMatchObject(manifest.issues ? { issues: 3, events: 4 } : {})
    expect(filesOf(here.data)).toEqual([
      'blobs',
      'blobs/attachments',
      'blobs/attachments/a',
      'events',
      'events/restored',
      'journal',
      'journal/000000001.seg',
      'meta',
      'meta/mishap.sqlite',
      'secrets.json',
    ])
  })
  test('goes on after a restore that was cut off, not over data', async () => {
    const cut = usedData()
    writeFileSync(cut.mark, '')
    await restore(cut, file)
    expect(existsSync(cut.mark)).toBe(false)
    const used = usedData()
    await expect(restore(used, file)).rejects.toThrow('already holds data')
    expect(existsSync(join(used.folders.journal, '000000001.seg'))).toBe(true)
  })
  test.each<[Partial<Manifest>, string]>([
    [{ events: 3 }, 'holds 4 events, but 3 were restored'],
    [{ issues: 9 }, 'holds 3 issues, but 9 were restored'],
    [{ spans: 6 }, 'holds 7 spans, but 6 were restored'],
    [{ cursor: 6 }, 'holds 5 cursor, but 6 were restored'],
  ])('other counts than the manifest’s are refused and leave an empty folder: %j', async (change, sentence) => {
    const here = emptyData()
    let cleared = 0
    const clear = async () => void cleared++
    await expect(restore(here, file, change, { clear })).rejects.toThrow(sentence)
    expect([filesOf(here.data), cleared]).toEqual([[], 1])
  })
  test('a restore into servers that fails takes back the blobs, and the next one replaces the rows', async () => {
    const here = emptyData()
    const blobs = { ...openFileBlobs(join(root, `bucket-${made}`)), isRemote: true }
    const converted = tableRows({ events: 4, spans: 7 })
    const servers = { blobs, convert: async () => converted }
    await expect(restore(here, file, { events: 3 }, {}, servers)).rejects.toThrow('holds 4 events')
    expect([await blobs.list(''), filesOf(here.data)]).toEqual([[], ['restoring']])
    await restore(here, file, {}, { isUsed: async () => true }, servers)
    expect([await blobs.list(''), existsSync(here.mark)]).toEqual([['attachments/a'], false])
  })
  test('a restore that fails before a server has its rows leaves no mark, and says what could not be cleared', async () => {
    const here = emptyData()
    const clear = () => Promise.reject(new Error('away'))
    const servers = {
      convert: async () => tableRows({ events: 4, spans: 7 }),
      withStores: () => Promise.reject(new Error('it holds rows')),
    }
    await expect(restore(here, file, {}, {}, servers)).rejects.toThrow('it holds rows')
    expect(filesOf(here.data)).toEqual([])
    await expect(restore(here, file, {}, { clear }, servers)).rejects.toMatchObject({
      message: expect.stringContaining('still holds a part of it'),
      causes: ['it holds rows'],
    })
  })
  test('a database elsewhere that holds data is refused, unless an interrupted restore put it there', async () => {
    const here = emptyData()
    const isUsed = async () => true
    await expect(restore(here, file, {}, { isUsed })).rejects.toThrow('The database in MISHAP_META already holds data')
    expect(filesOf(here.folders.blobs)).toEqual([])
    writeFileSync(here.mark, '')
    const placed: string[] = []
    await restore(here, file, {}, { isUsed, place: async (from) => void placed.push(from) })
    expect([placed.length, filesOf(here.folders.meta)]).toEqual([1, []])
  })
})

const filesIn = async (file: string): Promise<string[]> => {
  const found: string[] = []
  await list({ file, onReadEntry: (entry) => void found.push(entry.path) })
  return found.filter((item) => item.startsWith('blobs/') && !item.endsWith('/')).sort()
}

describe('under load', () => {
  test('what comes and goes meanwhile is in the copy wherever a row or a record of the copy names it', async () => {
    const here = usedData()
    const { blobs } = here.folders
    const put = (...path: string[]) => {
      mkdirSync(join(blobs, ...path.slice(0, -1)), { recursive: true })
      writeFileSync(join(blobs, ...path), 'bytes')
    }
    put('spool', '1', 'refined')
    const mark = { attachment: 7, deadItem: 0, bundle: 0 }
    const file = join(root, 'load.tar')
    const made = await take(here, file, {
      pause: async () => {
        // The last batch before the pause.
        put('attachments', '7', 'e', '5-0')
        rmSync(join(blobs, 'spool', '1', 'refined'))
        return () => rmSync(join(blobs, 'spool', '1', 'waiting'))
      },
      meta: {
        snapshots: {
          copyTo: async (to) => {
            writeFileSync(to, 'rows')
            // The row is in the copy, then a user deletes the object. Ingest continues.
            rmSync(join(blobs, 'attachments', '7', 'e', '5-0'))
            put('spool', '1', 'waiting')
          },
          tally: async () => tally,
          blobWatermark: async () => mark,
          // 'gone' was deleted with its row before the copy. 'a' is from the first pass.
          blobKeys: async (since) =>
            since === mark ? ['attachments/7/e/5-0', 'attachments/7/e/gone', 'attachments/a'] : [],
        },
        batches: {
          cursor: async () => 5,
        },
      },
    })
    const files = ['blobs/attachments/7/e/5-0', 'blobs/attachments/a', 'blobs/spool/1/refined', 'blobs/spool/1/waiting']
    expect([made.blobs, await filesIn(file)]).toEqual([4, files])
  })
})

describe('refused', () => {
  test('a file that is there, a folder that is not, a failure on the way: no file, refining goes on', async () => {
    const here = usedData()
    const there = join(root, 'there.tar')
    writeFileSync(there, '')
    await expect(take(here, there)).rejects.toThrow('exists already')
    await expect(take(here, join(root, 'no', 'x.tar'))).rejects.toThrow('cannot write to the folder')
    const failing = join(root, 'failing.tar')
    const copying = async () => false
    const events = { backup: () => Promise.reject(new Error('no')), copying, size: async () => [] }
    await expect(take(here, failing, { events })).rejects.toThrow('no')
    expect(order).toEqual(['pause', 'resume'])
    expect([existsSync(failing), readdirSync(join(here.data, 'backup'))]).toEqual([false, []])
    const full = {
      backup: async () => tableRows({ events: 1 }),
      copying,
      size: async () => [{ table: 'events', rows: 1, bytesOnDisk: 1e18, bytesRaw: 1 }],
    }
    await expect(take(here, failing, { events: full })).rejects.toThrow('MiB free')
  })
  test('no backup, a part of one, one of a newer program, none at all', async () => {
    const text = join(root, 'text.tar')
    writeFileSync(text, 'x'.repeat(5000))
    await expect(restore(emptyData(), text)).rejects.toMatchObject({ code: 'VALIDATION' })
    const newer = join(root, 'newer')
    mkdirSync(newer)
    writeFileSync(join(newer, 'manifest.json'), JSON.stringify({ ...manifest, format: 2, version: '9.0.0' }))
    await create({ file: join(root, 'newer.tar'), cwd: newer }, ['manifest.json'])
    const here = emptyData()
    await expect(restore(here, join(root, 'newer.tar'))).rejects.toThrow('comes from Mishap 9.0.0')
    expect(filesOf(here.data)).toEqual([])
    await expect(restore(emptyData(), join(root, 'none.tar'))).rejects.toThrow('does not exist')
  })
  test.each(['', '[]', '{}', '{"format":1}', JSON.stringify({ ...manifest, events: -1 })])('the manifest %j', (text) =>
    expect(() => readManifest(text)).toThrow('is not a Mishap backup'),
  )
})
