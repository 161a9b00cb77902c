import { parentPort } from 'node:worker_threads'
import type { FromLoader, ToLoader } from './load.ts'

// Instead of the thread that reads maps, for tests of the desk: what a job's address says is what becomes of it.
if (parentPort) {
  const port = parentPort
  const done = (message: FromLoader) => port.postMessage(message)
  port.on('message', (message: ToLoader) => {
    if (message.kind !== 'load') return
    const { job, sourcemap } = message
    done({ kind: 'begun', job })
    if (sourcemap.includes('endless')) for (;;);
    if (sourcemap.includes('hungry')) {
      const kept: number[][] = []
      for (;;) kept.push(Array.from({ length: 100_000 }, (_, at) => at))
    }
    if (sourcemap.includes('throws')) throw new Error('what it throws ends it')
    done({ kind: 'loaded', job, loaded: { reason: 'map_broken' } })
  })
}
