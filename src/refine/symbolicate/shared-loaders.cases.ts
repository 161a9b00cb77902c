import { Worker } from 'node:worker_threads'
import type { BlobSource } from '../../store/blobs/open.ts'
import type { FromLoader, ToLoader } from './load.ts'
import type { LoaderThread } from './map-cache.ts'

/** Threads that read maps in one blob store, for one map cache after the other. */
export type SharedLoaders = { start(): LoaderThread; close(): Promise<void> }

/**
 * Keeps threads whose cache ended them while they had no job. A start costs 0.2 s of the processor, nearly all of it for
 * modules.
 */
export function sharedLoaders(blobSource: BlobSource): SharedLoaders {
  const idle: Worker[] = []
  const newLoader = () => {
    const worker = new Worker(new URL('./loader.ts', import.meta.url), { workerData: { blobSource } })
    worker.unref()
    return worker
  }

  function start(): LoaderThread {
    const worker = idle.pop() ?? newLoader()
    const state = { jobs: 0, exited: false }
    worker.on('message', ({ kind }: FromLoader) => {
      if (kind === 'loaded') state.jobs--
    })
    worker.once('exit', () => {
      state.exited = true
    })
    const thread = {
      on: worker.on.bind(worker),
      postMessage: (message: ToLoader) => {
        if (message.kind === 'load') state.jobs++
        worker.postMessage(message)
      },
      terminate: async () => {
        for (const name of ['message', 'error', 'exit']) worker.removeAllListeners(name)
        if (state.jobs > 0 || state.exited) return worker.terminate()
        idle.push(worker)
        return 0
      },
    }
    return thread as unknown as LoaderThread
  }
  return {
    start,
    close: async () => {
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()))
    },
  }
}
