import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openJournalReader, openJournalWriter } from '../journal/files.ts'
import { head } from '../journal/journal.cases.ts'
import { dropUnfinished, openFileBlobs } from '../store/blobs/files.ts'
import { findOrphans } from './spool.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-spool-'))
  folders.push(folder)
  return folder
}

test('bodies that no record names go, named and new ones stay', async () => {
  const folder = newFolder()
  const blobs = openFileBlobs(join(folder, 'blobs'))
  const journal = join(folder, 'journal')
  const options = {
    folder: journal,
    bytesMax: 1e9,
    diskReserveBytes: 0,
    groupMs: 0,
    clock: systemClock,
    observe: silent,
    segmentBytes: 4096,
  }
  const body = Buffer.from('{}')
  const writer = await openJournalWriter(options)
  for (const key of [
    'spool/20261121/named',
    'spool/20261121/lost',
    'spool/20261120/lost',
    'dead/5',
    'attachments/7/a/1-0',
  ])
    await blobs.put(key, body)
  for (let n = 0; n < 30; n++) await writer.append(head(n), Buffer.alloc(1000))
  const at = await writer.append({ ...head(1), spool: { key: 'spool/20261121/named', bytes: 2 } }, Buffer.alloc(0))
  for (let n = 0; n < 5; n++) await writer.append(head(n), Buffer.alloc(1000))
  await writer.close()
  // Restart.
  const again = await openJournalWriter(options)
  const reader = openJournalReader(journal)
  const named: [number, number][] = []
  const clean = await findOrphans({
    blobs,
    reader,
    durable: again.durable(),
    clock: systemClock,
    observe: silent,
    named: (...entry) => void named.push(entry),
  })
  await blobs.put('spool/20261121/new', body)
  expect(await clean()).toBe(2)
  expect(named).toEqual([[at, 2]])
  expect(await blobs.list('')).toEqual(['attachments/7/a/1-0', 'dead/5', 'spool/20261121/named', 'spool/20261121/new'])
  reader.close()
  await again.close()
})

test('a journal that cannot be read costs nothing', async () => {
  const blobs = openFileBlobs(join(newFolder(), 'blobs'))
  await blobs.put('spool/20261121/lost', Buffer.from('x'))
  const reader = {
    read: () => {
      throw new Error('EIO')
    },
    count: () => 0,
    survey: () => ({ records: 0, bytes: 0, at: 0, isDamaged: false }),
    close: () => undefined,
  }
  const clean = await findOrphans({ blobs, reader, durable: 5, clock: systemClock, observe: silent })
  expect(await clean()).toBe(0)
  expect(await blobs.list('spool')).toEqual(['spool/20261121/lost'])
})

test('what was half written goes, wherever it stands; finished bodies stay', async () => {
  const root = join(newFolder(), 'blobs')
  const blobs = openFileBlobs(root)
  await blobs.put('spool/20261121/whole', Buffer.from('x'))
  mkdirSync(join(root, 'attachments/7'), { recursive: true })
  for (const name of ['spool/20261121/a~', 'attachments/7/b~', 'c~']) writeFileSync(join(root, name), 'half')
  expect(await dropUnfinished(root)).toBe(3)
  expect(await blobs.list('')).toEqual(['spool/20261121/whole'])
  expect(await blobs.size()).toBe(1)
  expect(await dropUnfinished(join(root, 'none'))).toBe(0)
})
