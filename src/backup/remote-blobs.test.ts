import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { fetchBlobs, remoteKeys, sendBlobs } from './remote-blobs.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-remote-'))
afterAll(() => rmSync(root, { recursive: true }))
const newFolder = () => mkdtempSync(join(root, 'one-'))

/** A folder that stands for the store of another machine. */
const otherStore = (): BlobStore => ({ ...openFileBlobs(newFolder()), isRemote: true })

test('every blob but the spool is fetched into its own file; one that is deleted meanwhile is left out', async () => {
  const blobs = otherStore()
  const keys = Array.from({ length: 30 }, (_, at) => `attachments/1/${String(at).padStart(2, '0')}`)
  for (const key of keys) await blobs.put(key, Buffer.from(key))
  await blobs.put('spool/1/a', Buffer.from('local'))
  const found = await remoteKeys(blobs)
  expect(found).toEqual(keys)
  await blobs.delete('attachments/1/07')
  const folder = newFolder()
  expect(await fetchBlobs(blobs, found, folder)).toBe(29)
  expect(readdirSync(join(folder, 'attachments/1')).length).toBe(29)
  expect(readFileSync(join(folder, 'attachments/1/08'), 'utf8')).toBe('attachments/1/08')
  expect(statSync(join(folder, 'attachments/1/08')).mode & 0o777).toBe(0o600)
})

test('a fetch that fails ends with that error', async () => {
  const away = new MishapError('BLOBS_UNAVAILABLE')
  const getStream = () => Promise.reject(away)
  await expect(fetchBlobs({ getStream }, ['a', 'b'], newFolder())).rejects.toBe(away)
})

/** Files of a backup: two blobs and a spooled body. */
function restored(): string {
  const from = newFolder()
  for (const folder of ['attachments/1', 'spool/20260101']) mkdirSync(join(from, folder), { recursive: true })
  writeFileSync(join(from, 'attachments/1/a'), 'first')
  writeFileSync(join(from, 'attachments/1/b'), 'second')
  writeFileSync(join(from, 'spool/20260101/c'), 'accepted')
  return from
}

test('restored blobs go to the store, and the spool to its folder', async () => {
  const [blobs, folder] = [otherStore(), newFolder()]
  const takeBack = await sendBlobs(blobs, restored(), folder)
  expect(await blobs.list('')).toEqual(['attachments/1/a', 'attachments/1/b'])
  expect((await blobs.get('attachments/1/b'))?.toString()).toBe('second')
  expect(await openFileBlobs(folder).list('')).toEqual(['spool/20260101/c'])
  await takeBack()
  expect(await blobs.list('')).toEqual([])
})

test('a restore that fails takes back what it wrote', async () => {
  const [blobs, folder] = [otherStore(), newFolder()]
  const putStream: BlobStore['putStream'] = (key, stream, bytesMax) =>
    key.endsWith('b') ? Promise.reject(new Error('away')) : blobs.putStream(key, stream, bytesMax)
  await expect(sendBlobs({ ...blobs, putStream }, restored(), folder)).rejects.toThrow('away')
  expect(await blobs.list('')).toEqual([])
  expect(existsSync(folder)).toBe(true)
})
