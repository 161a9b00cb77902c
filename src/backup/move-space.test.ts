import { expect, test } from 'vitest'
import { demandFreeSpace } from './move-space.ts'

const mib = 1024 * 1024
const incoming = { events: 250 * mib, blobs: 100 * mib, database: 44 * mib }
const nothing = { events: 0, blobs: 0, database: 0 }

test.each([
  ['fits with a merge and the journal', 900 * mib, incoming, 0, true],
  ['lacks one byte', 900 * mib - 1, incoming, 0, false],
  ['replaces what an interrupted move left', 700 * mib, incoming, 200 * mib, true],
  ['replaces more than it needs', 0, incoming, 700 * mib, true],
  ['nothing comes into the folder', 0, nothing, 0, true],
  ['only the copy of the database', 300 * mib, { ...nothing, database: 44 * mib }, 0, true],
])('%s', async (_name, free, parts, replaced, fits) => {
  const demanded = demandFreeSpace('/data', 256 * mib, { incoming: parts, replaced }, async () => free)
  if (fits) await expect(demanded).resolves.toBeUndefined()
  else
    await expect(demanded).rejects.toThrow(
      'The move needs 944 MB on the disk of the data folder (events 263 MB, blobs 105 MB, database 47 MB), and 944 MB are free. The old stores are still in use.',
    )
})

test('the free bytes are those of the disk', async () => {
  const demand = (parts: object) => demandFreeSpace('/', 0, { incoming: { ...nothing, ...parts }, replaced: 0 })
  await expect(demand({ events: 1e15 })).rejects.toThrow('are free')
  await expect(demand({ blobs: 1 })).resolves.toBeUndefined()
})
