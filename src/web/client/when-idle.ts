import { type Clock, systemClock } from '../../base/clock.ts'

/** The browser functions that `whenIdle` uses. Tests pass their own. */
type IdleEnvironment = {
  after: Clock['after']
  /** Calls `run` after each request and each script of 50 ms or more. Returns a function that stops it. */
  watch(run: () => void): () => void
  /** Whether a request has no response yet. */
  isBusy(): boolean
}

/**
 * Calls `run` once, when the page has been idle for `idleMs` ms without open requests, or after `atMostMs` ms. Returns
 * a function that cancels it.
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
