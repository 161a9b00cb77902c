import { expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { tableSizes } from '../store/events/tables.cases.ts'
import { budgetBytes, measureDisk } from './disk.ts'

const total = 1000

test.each<[string, Parameters<typeof budgetBytes>, number | null]>([
  ['no budget', ['off', { total, used: 999 }, 500, 0], null],
  ['bytes, whatever the volume has', [{ bytes: 77 }, { total, used: 999 }, 500, 0], 77],
  ['bytes, of a volume that is unknown', [{ bytes: 77 }, undefined, 500, 0], 77],
  ['a part of a volume that is unknown', [{ part: 0.8 }, undefined, 500, 0], null],
  ['a part of a volume of its own', [{ part: 0.8 }, { total, used: 300 }, 300, 0], 800],
  ['less where others take some', [{ part: 0.8 }, { total, used: 500 }, 300, 0], 600],
  ['what passes by itself is nobody else’s', [{ part: 0.8 }, { total, used: 500 }, 300, 150], 750],
  ['half of the part in any case', [{ part: 0.8 }, { total, used: 1000 }, 100, 0], 400],
  ['never more than the part', [{ part: 0.8 }, { total, used: 100 }, 300, 0], 800],
])('%s', (_name, given, expected) => {
  expect(budgetBytes(...given)).toBe(expected)
})

const deps = {
  data: '/data',
  budget: { bytes: 5000 },
  meta: {
    explore: { exportBytesOf: async () => 2 },
    ledger: {
      bytesByProject: async () => [
        {
          projectId: 1,
          attachments: { count: 2, bytes: 18 },
          dead: { count: 1, bytes: 3 },
          bundles: { count: 0, bytes: 0 },
        },
        {
          projectId: 2,
          attachments: { count: 1, bytes: 7 },
          dead: { count: 0, bytes: 0 },
          bundles: { count: 1, bytes: 6 },
        },
      ],
    },
  },
  events: {
    size: async () => [
      { table: 'events', rows: 9, bytesOnDisk: 1000, bytesRaw: 1 },
      { table: 'hour_issue', rows: 4, bytesOnDisk: 200, bytesRaw: 1 },
      { table: 'spans', rows: 70, bytesOnDisk: 90, bytesRaw: 1 },
    ],
    replacedBytes: async () => 50,
    serverDisk: async () => ({ total: 10_000, used: 6000 }),
  },
  blobs: { isRemote: false },
  isRemote: false,
  bytesUnder: async (folder: string) =>
    ({ '/data/meta': 300, '/data/journal': 4000, '/data/backup': 600, '/data/rehearsal-1': 60 })[folder] ?? 0,
  copyFolders: async () => ['/data/backup', '/data/rehearsal-1'],
  copying: () => true,
}

test('what is stored, by kind; the journal is not among it', async () => {
  expect(await measureDisk(deps)).toEqual({
    tables: tableSizes({ events: { rows: 9, bytes: 1200 }, spans: { rows: 70, bytes: 90 } }),
    blobs: 36,
    database: 300,
    copies: 0,
    stored: 1626,
    budget: 5000,
  })
})

test('what a backup that was killed left counts as stored, what one that runs takes does not', async () => {
  expect(await measureDisk({ ...deps, copying: () => false })).toMatchObject({ copies: 660, stored: 2286 })
})

test('blobs of another machine count in a limit in bytes, and not in a part of this volume', async () => {
  const remote = { ...deps, blobs: { isRemote: true } }
  expect(await measureDisk(remote)).toMatchObject({ blobs: 36, stored: 1626 })
  expect(await measureDisk({ ...remote, budget: { part: 0.5 } })).toMatchObject({ blobs: 36, stored: 1590 })
  expect(await measureDisk({ ...deps, budget: { part: 0.5 } })).toMatchObject({ blobs: 36, stored: 1626 })
})

test('with a ClickHouse server the budget is a part of its disk, and only the tables count', async () => {
  // 6,000 bytes are used there: 1,290 by the tables, 50 by replaced parts, the rest by others.
  const disk = await measureDisk({ ...deps, budget: { part: 0.8 }, isRemote: true })
  expect(disk).toMatchObject({ stored: 1290, blobs: 36, database: 300, budget: 4000 })
  const boundless = { ...deps.events, serverDisk: async () => undefined }
  expect(await measureDisk({ ...deps, budget: { part: 0.8 }, isRemote: true, events: boundless })).toMatchObject({
    budget: null,
  })
})

test('without the events store nothing is known', async () => {
  const size = () => Promise.reject(new MishapError('STORE_UNAVAILABLE'))
  await expect(measureDisk({ ...deps, events: { ...deps.events, size } })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  })
})
