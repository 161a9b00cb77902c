/**
 * A lock for removing rows from several stores (removals, downsampling, retention) and for reading all of them together
 * (backup, verify). Resolves when the caller has the lock. The returned function releases it.
 */
export type Lock = () => Promise<() => void>

/** Creates a lock: first come, first served. */
export function createLock(): Lock {
  let last = Promise.resolve()
  return async () => {
    const before = last
    const current = Promise.withResolvers<void>()
    last = current.promise
    await before
    return current.resolve
  }
}

/** Runs work with the lock while no commit is in progress. `pause` waits for batches in flight and blocks new ones. */
export async function runExclusive<T>(
  { lock, pause }: { lock: Lock; pause(): Promise<() => void> },
  work: () => Promise<T>,
): Promise<T> {
  const release = await lock()
  try {
    const resume = await pause()
    try {
      return await work()
    } finally {
      resume()
    }
  } finally {
    release()
  }
}
