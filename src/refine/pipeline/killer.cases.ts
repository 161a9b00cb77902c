import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { refineRange, type WorkerSetup, work } from './worker.ts'

// A worker for tests. A record with the first word in its body ends the process. One with the second word blocks the
// worker forever and writes a marker file. One with the third word ends the process once, after its range is refined.
const killer = 'KILLS-ITS-WORKER'
const holder = 'HOLDS-ITS-WORKER'
const once = 'KILLS-ONCE'

if (parentPort) {
  const port = parentPort
  const { journalFolder } = workerData as WorkerSetup
  work(
    workerData as WorkerSetup,
    (message, transfer) => port.postMessage(message, transfer),
    (listener) => port.on('message', listener),
    async (job, records, ...rest) => {
      const has = (word: string) =>
        job.quarantineReason === undefined && records.some((record) => record.body.includes(word))
      if (has(killer)) process.exit(9)
      if (has(holder)) {
        writeFileSync(`${journalFolder}-held`, '')
        return new Promise(() => undefined)
      }
      const range = await refineRange(job, records, ...rest)
      const marker = `${journalFolder}-once`
      if (has(once) && !existsSync(marker)) {
        writeFileSync(marker, '')
        process.exit(9)
      }
      return range
    },
  )
}
