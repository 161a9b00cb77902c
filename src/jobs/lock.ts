/**
 * A lock for removing rows from several stores (removals, downsampling, retention) and for reading all of them together
 * (backup, verify). Resolves when the caller has the lock. The returned function releases it.
 */
export type Turn = () => Promise<() => void>

/** Creates a lock: first come, first served. */
export function createTurn(): Turn {
  let last = Promise.resolve()
  return async () => {
    const before = last
    const own = Promise.withResolvers<void>()
    last = own.promise
    await before
    return own.resolve
  }
}
