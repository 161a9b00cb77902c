import { fileURLToPath } from 'node:url'
import type { Config } from '../base/config.ts'
import type { Folders, Sockets } from './messages.ts'
import type { ChildOptions } from './supervise.ts'

/**
 * Settings that make the allocator of glibc return memory: two arenas instead of eight per core, and separate mappings
 * from 128 kB that are freed at once. By default this threshold grows to 32 MB with use. Without the settings, the app
 * process kept 223 MB for 70 MB of buffers after 40 minutes of load. See mallopt(3).
 */
export const sparing = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * The allocator of the engine returns freed pages after 0.2 s instead of 10 s. Merging 870,000 events then peaks at 285
 * MB instead of 380 MB, at equal CPU. 0 would need twice the CPU. Each of 60 threads keeps freed blocks for itself, up to 4
 * kB large instead of 32: 13 to 40 MB less under load, at equal CPU. With 2 kB, parsing a row took twice as long: it takes and
 * frees a block of 4 kB, for which threads then wait for each other. At most 40 blocks of a size stay: they need no more
 * memory than blocks of 2 kB did. 32 threads: each query occupies one while it runs.
 */
const engineEnvironment = {
  UV_THREADPOOL_SIZE: '32',
  JE_MALLOC_CONF: 'dirty_decay_ms:200,muzzy_decay_ms:0,narenas:4,tcache_max:4096,tcache_nslots_small_max:40',
}

/** Returns the start options of the embedded events store, without those of its supervisor. */
export function engineChild(
  { engineMemoryBytes, logLevel }: Pick<Config, 'engineMemoryBytes' | 'logLevel'>,
  { folders, sockets }: { folders: Folders; sockets: Sockets },
  env: Record<string, string | undefined>,
): Pick<ChildOptions, 'name' | 'file' | 'words' | 'nodeOptions' | 'env'> {
  return {
    name: 'engine',
    file: fileURLToPath(new URL('../processes/engine.ts', import.meta.url)),
    words: [folders.engine, sockets.engine, String(engineMemoryBytes), logLevel],
    nodeOptions: ['--max-http-header-size=4194304', '--max-semi-space-size=2'],
    env: { ...env, ...sparing, ...engineEnvironment },
  }
}
