import { parentPort } from 'node:worker_threads'
import type { FromLoader, ToLoader } from './load.ts'

// Replaces the loader thread in tests of the map cache. The address of a job decides its result.
if (parentPort) {
  const port = parentPort
  let loads = 0
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
    if (sourcemap.includes('away') && loads++ < 2)
      return done({ kind: 'loaded', job, loaded: { reason: 'file_gone', away: true } })
    if (sourcemap.includes('throws')) throw new Error('what it throws ends it')
    done({ kind: 'loaded', job, loaded: { reason: 'map_broken' } })
  })
}
