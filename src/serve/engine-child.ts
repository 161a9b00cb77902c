import { fileURLToPath } from 'node:url'
import type { Config } from '../base/config.ts'
import type { Folders, Sockets } from './messages.ts'
import type { ChildOptions } from './supervise.ts'

/**
 * What keeps glibc's allocator from holding what it no longer needs: two arenas instead of eight for each core, and blocks
 * from 128 kB on by themselves, given back when freed (by default that limit grows up to 32 MB with use). Without it
 * process app held 223 MB there for 70 MB of buffers after 40 minutes of soak. The words are its own: mallopt(3).
 */
export const sparing = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * The engine's allocator gives freed pages back after 0.2 s instead of 10: merging 870,000 events took 285 MB at its peak
 * instead of 380, and as much CPU. At once (0) would take twice the CPU. 32 threads: each query holds one while it runs.
 */
const engineEnvironment = {
  UV_THREADPOOL_SIZE: '32',
  JE_MALLOC_CONF: 'dirty_decay_ms:200,muzzy_decay_ms:0,narenas:4',
}

/** How the process of the embedded events store is started, but for who looks after it. */
export function engineChild(
  { engineMemoryBytes, logLevel }: Pick<Config, 'engineMemoryBytes' | 'logLevel'>,
  { folders, sockets }: { folders: Folders; sockets: Sockets },
  env: Record<string, string | undefined>,
): Pick<ChildOptions, 'name' | 'file' | 'words' | 'nodeOptions' | 'env'> {
  return {
    name: 'engine',
    file: fileURLToPath(new URL('../processes/engine.ts', import.meta.url)),
    words: [folders.engine, sockets.engine, String(engineMemoryBytes), logLevel],
    nodeOptions: ['--max-http-header-size=4194304'],
    env: { ...env, ...sparing, ...engineEnvironment },
  }
}
