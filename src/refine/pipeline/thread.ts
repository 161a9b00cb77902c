import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { keepHeapSmall } from '../../base/heap.ts'
import { type WorkerSetup, work } from './worker.ts'

// The entry point of a refine worker thread.
if (parentPort) {
  const port = parentPort
  work(
    workerData as WorkerSetup,
    (message, transfer) => port.postMessage(message, transfer),
    (listener) => port.on('message', listener),
  )
  keepHeapSmall(systemClock)
}
