import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { testClock } from '../base/clock.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { tableRows } from '../store/events/tables.cases.ts'
import { createBackups } from './backup.ts'

/** A process that stays in the middle of a backup of `data` to `file` until it is killed. */
const [data = '', file = ''] = process.argv.slice(2)
const folders = { journal: join(data, 'journal'), blobs: join(data, 'blobs') }
for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true })
const segment = join(folders.journal, '1.seg')
writeFileSync(segment, '')
truncateSync(segment, 1024 * 1024 * 1024)
// The archive must still be growing when the test kills: on a busy machine, a test that only looked for the archive came
// after 4 GiB. So the process stops itself in the middle.
const part = join(dirname(file), `.${basename(file)}.part`)
const watch = setInterval(() => {
  if (existsSync(part)) process.kill(process.pid, 'SIGSTOP')
}, 1)
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
