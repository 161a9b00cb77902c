import { EventEmitter, once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { EndWorker } from './thread-host.cases.ts'
import type { WorkerSetup } from './worker.ts'
import type { WorkerThread } from './worker-pool.ts'

const state: { host?: Worker } = {}

/** Starts the host. It does not keep the test process alive. */
function startHost(): Worker {
  const host = new Worker(new URL('./thread-host.cases.ts', import.meta.url))
  host.unref()
  return host
}

/**
 * A worker in a thread that all cases of a test process share. A thread of its own costs 0.3 s of the processor, nearly
 * all of it for its modules. Cases of crashed workers need their own thread.
 */
export function sharedThread(setup: WorkerSetup): WorkerThread {
  state.host ??= startHost()
  const { port1: port, port2 } = new MessageChannel()
  state.host.postMessage({ setup, port: port2 }, [port2])
  const closed = once(port, 'close')
  const events = new EventEmitter()
  port.on('message', (message) => events.emit('message', message))
  port.on('close', () => events.emit('exit', 0))
  const thread = {
    on: events.on.bind(events),
    postMessage: port.postMessage.bind(port),
    terminate: async () => {
      port.postMessage({ kind: 'end' } satisfies EndWorker)
      await closed
      return 0
    },
  }
  return thread as unknown as WorkerThread
}
