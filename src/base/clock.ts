/** The only access to the system clock and to timers, so that tests control both. */
export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` every `ms` milliseconds until the returned function is called; never keeps a process alive. */
  every(ms: number, run: () => void): () => void
  /** Calls `run` once after `ms` milliseconds unless the returned function is called first. */
  after(ms: number, run: () => void): () => void
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const timer = setTimeout(done, ms)
      function done() {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      signal?.addEventListener('abort', done, { once: true })
    }),
  every: (ms, run) => {
    const timer = setInterval(run, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Returns a clock that only `advance` moves. Due timers run in time order. */
export function testClock(startMs = 1_795_000_000_000): Clock & { advance(ms: number): void } {
  let now = startMs
  const timers = new Set<{ at: number; run: () => void }>()
  const after = (ms: number, run: () => void) => {
    const timer = { at: now + ms, run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    now: () => now,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const cancel = after(ms, resolve)
        signal?.addEventListener('abort', () => (cancel(), resolve()), { once: true })
      }),
    every: (ms, run) => {
      let cancel = after(ms, tick)
      function tick() {
        cancel = after(ms, tick)
        run()
      }
      return () => cancel()
    },
    advance: (ms) => {
      const end = now + ms
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!due) break
        timers.delete(due)
        now = due.at
        due.run()
      }
      now = end
    },
  }
}
