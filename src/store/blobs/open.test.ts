import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { openFileBlobs } from './files.ts'
import { type BlobSource, openBlobs } from './open.ts'
import { blobStoreFile, checkBlobStore, demandBlobPlace, recordBlobPlace } from './start.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-open-'))
afterAll(() => rmSync(root, { recursive: true }))

/** A bucket whose server is not there: port 9 of this machine. */
const bucketAt = (folder: string, bucket = 'mishap'): BlobSource => ({
  folder: join(folder, 'blobs'),
  s3: {
    config: { bucket, prefix: 'blobs', endpoint: 'http://127.0.0.1:9', region: 'us-east-1' },
    credentials: { accessKeyId: 'K', secretAccessKey: 'S' },
  },
})
const newFolder = () => mkdtempSync(join(root, 'data-'))

test('the spool stays in files, and works while the bucket is away', async () => {
  const folder = newFolder()
  const blobs = openBlobs(bucketAt(folder))
  await blobs.put('spool/20260101/a', Buffer.from('accepted'))
  expect((await blobs.get('spool/20260101/a'))?.toString()).toBe('accepted')
  expect(await blobs.list('spool')).toEqual(['spool/20260101/a'])
  expect(await openFileBlobs(join(folder, 'blobs')).list('')).toEqual(['spool/20260101/a'])
  await expect(blobs.put('attachments/a', Buffer.from('x'))).rejects.toMatchObject({ code: 'BLOBS_UNAVAILABLE' })
  await expect(blobs.list('')).rejects.toMatchObject({ code: 'BLOBS_UNAVAILABLE' })
  await blobs.delete('spool/20260101/a')
  expect(blobs.isRemote).toBe(true)
  expect(openBlobs({ folder }).isRemote).toBe(false)
})

describe('the place of the blobs', () => {
  const refused = { code: 'START_BLOBS_ELSEWHERE' }
  test('files never need a record; a bucket is taken by a folder without stored files', async () => {
    const folder = newFolder()
    await demandBlobPlace(folder, { folder: join(folder, 'blobs') })
    await openFileBlobs(join(folder, 'blobs')).put('spool/a', Buffer.from('x'))
    await demandBlobPlace(folder, bucketAt(folder))
    await openFileBlobs(join(folder, 'blobs')).put('attachments/a', Buffer.from('x'))
    await expect(demandBlobPlace(folder, bucketAt(folder))).rejects.toMatchObject(refused)
  })

  test('a recorded bucket is the only one', async () => {
    const folder = newFolder()
    await recordBlobPlace(folder, bucketAt(folder))
    await demandBlobPlace(folder, bucketAt(folder))
    await expect(demandBlobPlace(folder, bucketAt(folder, 'other'))).rejects.toMatchObject(refused)
    await expect(demandBlobPlace(folder, { folder: join(folder, 'blobs') })).rejects.toMatchObject(refused)
  })

  test('a bucket that is away ends the first start, and is only reported by a later one', async () => {
    const folder = newFolder()
    const unreachable = { code: 'START_BLOBS_UNREACHABLE', status: 78 }
    await expect(checkBlobStore(folder, bucketAt(folder), systemClock)).rejects.toMatchObject(unreachable)
    writeFileSync(join(folder, blobStoreFile), JSON.stringify({ place: 's3://mishap/blobs' }))
    expect(await checkBlobStore(folder, bucketAt(folder), systemClock)).toContain('ECONNREFUSED')
  })
})
