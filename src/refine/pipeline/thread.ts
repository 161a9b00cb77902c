import { parentPort, workerData } from 'node:worker_threads'
import { type WorkerSetup, work } from './worker.ts'

// The entry point of a refine worker thread.
if (parentPort) {
  const port = parentPort
  work(
    workerData as WorkerSetup,
    (message, transfer) => port.postMessage(message, transfer),
    (listener) => port.on('message', listener),
  )
}
