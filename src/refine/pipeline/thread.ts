import { parentPort, workerData } from 'node:worker_threads'
import { type WorkerSetup, work } from './worker.ts'

// The entry of a refine worker's thread.
if (parentPort) {
  const port = parentPort
  work(
    workerData as WorkerSetup,
    (message, hand) => port.postMessage(message, hand),
    (listener) => port.on('message', listener),
  )
}
