import { type Clock, systemClock } from '../../base/clock.ts'

/** What `whenQuiet` needs of the browser; tests give their own. */
type QuietRoom = {
  after: Clock['after']
  /** Calls `run` each time the page has worked: a request ended, or a script ran for 50 ms and more. Returns the way to stop. */
  watch(run: () => void): () => void
  /** Whether a request is without an answer. */
  isBusy(): boolean
}

/**
 * Runs `run` once when the page has not worked for `quietMs` ms and no request is under way, after `atMostMs` ms in any
 * case. Returns the way to leave it.
 */
export function whenQuiet(
  { quietMs, atMostMs }: { quietMs: number; atMostMs: number },
  run: () => void,
  room: QuietRoom = browserRoom,
): () => void {
  const leave = () => {
    cancelQuiet()
    cancelLast()
    stop()
  }
  const end = () => {
    leave()
    run()
  }
  const again = () => {
    cancelQuiet()
    cancelQuiet = room.after(quietMs, () => (room.isBusy() ? again() : end()))
  }
  let cancelQuiet = () => {}
  const cancelLast = room.after(atMostMs, end)
  const stop = room.watch(again)
  again()
  return leave
}

const browserRoom: QuietRoom = {
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
