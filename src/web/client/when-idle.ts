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
  environment: IdleEnvironment = browserEnvironment,
): () => void {
  const leave = () => {
    cancelIdle()
    cancelLast()
    stop()
  }
  const finish = () => {
    leave()
    run()
  }
  const restart = () => {
    cancelIdle()
    cancelIdle = environment.after(idleMs, () => (environment.isBusy() ? restart() : finish()))
  }
  let cancelIdle = () => {}
  const cancelLast = environment.after(atMostMs, finish)
  const stop = environment.watch(restart)
  restart()
  return leave
}

const browserEnvironment: IdleEnvironment = {
  after: systemClock.after,
  isBusy: () => (window.mishap?.navigation?.running ?? 0) > 0,
  watch: (run) => {
    const observer = new PerformanceObserver(run)
    for (const type of ['resource', 'longtask'])
      if (PerformanceObserver.supportedEntryTypes.includes(type)) observer.observe({ type })
    return () => observer.disconnect()
  },
}
