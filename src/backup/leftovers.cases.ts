import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testClock } from '../base/clock.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { tableRows } from '../store/events/tables.cases.ts'
import { createBackups } from './backup.ts'

/** A process that stays in the middle of a backup of `data` to `file` until it is killed. */
const [data = '', file = ''] = process.argv.slice(2)
const folders = { journal: join(data, 'journal'), blobs: join(data, 'blobs') }
for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true })
// The archive must still be growing when the test sees it. A busy machine had written 1 GiB by then.
const segment = join(folders.journal, '1.seg')
writeFileSync(segment, '')
truncateSync(segment, 4 * 1024 * 1024 * 1024)
const watch = setInterval(() => undefined, 1000)
const backups = createBackups({
  clock: testClock(),
  version: '0.1.0',
  data,
  folders,
  blobs: openFileBlobs(folders.blobs),
  meta: {
    snapshots: {
      copyTo: async (to) => writeFileSync(to, 'rows'),
      tally: async () => ({ organizations: 1, projects: 1, issues: 1, attachments: 0, deadItems: 0 }),
      blobWatermark: async () => ({ attachment: 0, deadItem: 0, bundle: 0 }),
      blobKeys: async () => [],
    },
    batches: {
      cursor: async () => 5,
    },
  },
  events: {
    backup: async (name) => {
      mkdirSync(join(data, 'backup', name), { recursive: true })
      writeFileSync(join(data, 'backup', name, 'part'), 'x')
      return tableRows({ events: 4 })
    },
    copying: async () => false,
    size: async () => [{ table: 'events', rows: 4, bytesOnDisk: 1, bytesRaw: 1 }],
  },
  pause: async () => () => undefined,
})
await backups.take(file)
clearInterval(watch)
