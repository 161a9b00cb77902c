import { type Clock, systemClock } from '../../base/clock.ts'

/** What `whenIdle` needs of the browser. Tests pass their own. */
export type IdleEnvironment = {
  after: Clock['after']
  /** Calls `run` each time the page has worked: a request ended, or a script ran for 50 ms and more. Returns a function that stops it. */
  watch(run: () => void): () => void
  /** Whether a request is without an answer. */
  isBusy(): boolean
}

/**
 * Runs `run` once when the page was idle for `idleMs` ms and no request is open, and after `atMostMs` ms in any
 * case. Returns a function that cancels it.
 */
export function whenIdle(
  { idleMs, atMostMs }: { idleMs: number; atMostMs: number },
  run: () => void,
  environment: IdleEnvironment = browserRoom,
): () => void {
  const leave = () => {
    cancelIdle()
    cancelLast()
    stop()
  }
  const end = () => {
    leave()
    run()
  }
  const again = () => {
    cancelIdle()
    cancelIdle = environment.after(idleMs, () => (environment.isBusy() ? again() : end()))
  }
  let cancelIdle = () => {}
  const cancelLast = environment.after(atMostMs, end)
  const stop = environment.watch(again)
  again()
  return leave
}

const browserRoom: IdleEnvironment = {
  after: systemClock.after,
  isBusy: () => (window.mishap?.navigation?.running ?? 0) > 0,
  watch: (run) => {
    if (!('PerformanceObserver' in window)) return () => {}
    const observer = new PerformanceObserver(run)
    for (const type of ['resource', 'longtask'])
      if (PerformanceObserver.supportedEntryTypes.includes(type)) observer.observe({ type })
    return () => observer.disconnect()
  },
}
