import { expect, test } from 'vitest'
import { demandFreeSpace } from './move-space.ts'

const mib = 1024 * 1024
const incoming = { events: 400 * mib, blobs: 100 * mib, database: 44 * mib }

test.each([
  ['fits with a merge and the journal', 900 * mib, incoming, true],
  ['lacks one byte', 900 * mib - 1, incoming, false],
  ['nothing comes into the folder', 0, { events: 0, blobs: 0, database: 0 }, true],
  ['only the copy of the database', 300 * mib, { events: 0, blobs: 0, database: 44 * mib }, true],
])('%s', async (_name, free, parts, fits) => {
  const demanded = demandFreeSpace('/data', 256 * mib, parts, async () => free)
  if (fits) await expect(demanded).resolves.toBeUndefined()
  else
    await expect(demanded).rejects.toThrow(
      'The move needs 944 MB on the disk of the data folder (events 420 MB, blobs 105 MB, database 47 MB), and 944 MB are free. The old stores are still in use.',
    )
})

test('the free bytes are those of the disk', async () => {
  await expect(demandFreeSpace('/', 0, { events: 1e15, blobs: 0, database: 0 })).rejects.toThrow('are free')
  await expect(demandFreeSpace('/', 0, { events: 0, blobs: 1, database: 0 })).resolves.toBeUndefined()
})
