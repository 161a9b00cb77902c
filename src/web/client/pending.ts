/** How long a navigation may take before it is shown, ms. A flash for each fast page would disturb. */
const delayMs = 150
/** A navigation that came back to its own page has no end that can be seen. After this time it counts as over, ms. */
const atMostMs = 30_000

/** Whether the page waits for another page. */
export type Pending = {
  /** A navigation to this address begins. */
  starts(address: string): void
  /** The page with this address is on screen. */
  ends(address: string): void
  /** Whether the wait is long enough to be shown. */
  isShown(): boolean
  /** Calls `run` after each change of `isShown`, until the returned function is called. */
  listen(run: () => void): () => void
}

/** Creates the state of the current navigation. `after` is that of the clock. Addresses are those of `pageAddress`. */
export function createPending(after: (ms: number, run: () => void) => () => void): Pending {
  const listeners = new Set<() => void>()
  let onScreen: string | undefined
  let isShown = false
  let cancel = () => {}
  function show(next: boolean): void {
    if (isShown === next) return
    isShown = next
    for (const run of listeners) run()
  }
  return {
    starts: (address) => {
      cancel()
      // Another place of the same page, or back to it before the other page came.
      if (address === onScreen) return show(false)
      cancel = after(delayMs, () => {
        show(true)
        cancel = after(atMostMs, () => show(false))
      })
    },
    ends: (address) => {
      onScreen = address
      cancel()
      show(false)
    },
    isShown: () => isShown,
    listen: (run) => {
      listeners.add(run)
      return () => void listeners.delete(run)
    },
  }
}
