import { type MessagePort, parentPort } from 'node:worker_threads'
import { refineRange, type ToWorker, type WorkerSetup, work } from './worker.ts'

// A thread that is many workers, one after the other: each has a port of its own. It loads the modules once.

/** Tells a worker to end. */
export type EndWorker = { kind: 'end' }

/** Is a worker until it gets `end`. Its running ranges end first, as they write files. */
function host(setup: WorkerSetup, port: MessagePort): void {
  const running = new Set<Promise<unknown>>()
  const end = async () => {
    while (running.size > 0) await Promise.allSettled(running)
    port.close()
  }
  work(
    setup,
    (message, transfer) => port.postMessage(message, transfer),
    (listener) =>
      port.on('message', (message: ToWorker | EndWorker) => (message.kind === 'end' ? end() : listener(message))),
    (...words) => {
      const range = refineRange(...words)
      running.add(range)
      const ended = () => void running.delete(range)
      range.then(ended, ended)
      return range
    },
  )
}

parentPort?.on('message', ({ setup, port }: { setup: WorkerSetup; port: MessagePort }) => host(setup, port))
