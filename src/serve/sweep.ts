import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (how: { type: 'minor' }) => void

const everyBytes = 8 * 1024 * 1024

/** Returns the garbage collector of V8, which only contexts created after the flag expose. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}

/**
 * Returns a function to call with the body bytes that pass through this process. Every 8 MiB it collects young garbage.
 * Read buffers of Node lie outside the heap, where V8 leaves 64 MB of them. A bare Node proxy grew by 80 MB while 500
 * MB passed, and by 18 MB with sweeps, in the same time. Fewer parallel requests, a smaller young generation or
 * allocator settings changed nothing.
 */
export function createSweep(): (bytes: number) => void {
  let passed = 0
  let collect: Collect | undefined
  return (bytes) => {
    passed += bytes
    if (passed < everyBytes) return
    passed = 0
    collect ??= collector()
    collect({ type: 'minor' })
  }
}
