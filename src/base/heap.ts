import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from './clock.ts'

/** The heap of this thread, as `keepHeapSmall` needs it. */
type Heap = {
  /** Bytes that V8 has taken for the heap, in use or not. */
  bytes(): number
  /** Share of the time since the last call in which the thread worked, 0 to 1. */
  busy(): number
  /** Collects the whole heap. */
  collect(): Promise<unknown>
}

/** After the start: Next.js and the engine are open by then, and the first request is seldom so soon. */
const firstMs = 1000
const checkMs = 10_000
/** Below this share of the time a collection delays nobody for long. 100 events/s keep main below 0.1. */
const busyMax = 0.2
/** A collection takes 40 to 160 ms. It is worth that for 8 MB that V8 keeps. */
const worthBytes = 8 * 1024 * 1024
/** At 100 events/s the young generation grows again within a minute. So a collection a minute is 0.1% of a core. */
const pauseChecks = 6

/**
 * Returns the collection that `--expose-gc` adds. V8 stores compiled code under a sum of its flags, so the flag is taken
 * back at once: with it, no code of this run would fit at the next start.
 */
function collector(): () => Promise<unknown> {
  setFlagsFromString('--expose-gc')
  try {
    const gc = runInNewContext('gc') as NonNullable<typeof globalThis.gc>
    return async () => gc({ type: 'major', execution: 'async' })
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** Returns the heap of the thread that calls. */
function ownHeap(): Heap {
  let before: EventLoopUtilization | undefined
  let collect: (() => Promise<unknown>) | undefined
  return {
    bytes: () => getHeapStatistics().total_heap_size,
    busy: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = before ? performance.eventLoopUtilization(now, before) : now
      before = now
      return utilization
    },
    collect: () => {
      collect ??= collector()
      return collect()
    },
  }
}

/**
 * Returns memory that a start or a load left in the heap of this thread. V8 itself collects only when new objects need
 * the space: after 2,000 events/s process app kept 117 MB for 73 MB of objects, and it would keep them for hours at 100
 * events/s. Collects 1 s after the start, and later when the heap has grown by 8 MB, the thread is not busy, and the
 * last time is a minute ago. V8 gives the pages back 8 s after that. Returns a function that stops it.
 */
export function keepHeapSmall(clock: Pick<Clock, 'after' | 'every'>, heap: Heap = ownHeap()): () => void {
  let smallest = Number.POSITIVE_INFINITY
  let checks = 0
  const collect = async () => {
    checks = 0
    await heap.collect()
    smallest = heap.bytes()
  }
  const cancelFirst = clock.after(firstMs, () => void collect())
  const cancel = clock.every(checkMs, () => {
    const isBusy = heap.busy() > busyMax
    if (++checks >= pauseChecks && !isBusy && heap.bytes() - smallest >= worthBytes) void collect()
  })
  return () => {
    cancelFirst()
    cancel()
  }
}
