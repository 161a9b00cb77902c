import { writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { refineRange, type WorkerSetup, work } from './worker.ts'

// A worker for tests. A record with the first word in its body ends the process. One with the second word blocks the
// worker forever and writes a marker file.
const killer = 'KILLS-ITS-WORKER'
const holder = 'HOLDS-ITS-WORKER'

if (parentPort) {
  const port = parentPort
  work(
    workerData as WorkerSetup,
    (message, transfer) => port.postMessage(message, transfer),
    (listener) => port.on('message', listener),
    (job, records, ...rest) => {
      const has = (word: string) =>
        job.quarantineReason === undefined && records.some((record) => record.body.includes(word))
      if (has(killer)) process.exit(9)
      if (!has(holder)) return refineRange(job, records, ...rest)
      writeFileSync(`${(workerData as WorkerSetup).journalFolder}-held`, '')
      return new Promise(() => undefined)
    },
  )
}
