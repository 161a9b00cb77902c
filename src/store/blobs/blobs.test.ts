import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { blobsCases } from './blobs.cases.ts'
import { openFileBlobs } from './files.ts'

const parent = mkdtempSync(join(tmpdir(), 'mishap-blobs-'))
const newRoot = () => join(mkdtempSync(join(parent, 'one-')), 'blobs')
afterAll(() => rmSync(parent, { recursive: true }))

describe('blobs in files', () => blobsCases(() => openFileBlobs(newRoot())))

test('files and folders are their owner’s alone, and nothing unfinished stays', async () => {
  const root = newRoot()
  const blobs = openFileBlobs(root)
  await Promise.all(Array.from({ length: 20 }, () => blobs.put('a/b', Buffer.from('x'))))
  expect(readdirSync(join(root, 'a'))).toEqual(['b'])
  expect([root, join(root, 'a'), join(root, 'a/b')].map((path) => statSync(path).mode & 0o777)).toEqual([
    0o700, 0o700, 0o600,
  ])
})
