import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { syncPath } from './sync.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-sync-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
afterEach(() => void vi.restoreAllMocks())
const file = join(root, 'a')
writeFileSync(file, 'bytes')

/** The `sync` of every handle, watched. */
async function watched() {
  const handle = await open(file)
  await handle.close()
  return vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync')
}
/** A handle that was closed has no descriptor. */
const descriptors = (sync: Awaited<ReturnType<typeof watched>>) =>
  (sync.mock.contexts as FileHandle[]).map(({ fd }) => fd)

test.each([
  ['a file', file],
  ['a folder', root],
])('%s is synced once and let go', async (_what, path) => {
  const sync = await watched()
  await syncPath(path)
  expect(descriptors(sync)).toEqual([-1])
})

test('what fails is told, and the handle is let go', async () => {
  const sync = await watched()
  sync.mockRejectedValueOnce(Object.assign(new Error('disk'), { code: 'EIO' }))
  await expect(syncPath(file)).rejects.toMatchObject({ code: 'EIO' })
  expect(descriptors(sync)).toEqual([-1])
  await expect(syncPath(join(root, 'gone'))).rejects.toMatchObject({ code: 'ENOENT' })
})
