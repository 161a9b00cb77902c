/**
 * One at a time: what takes rows out of several stores (removals, thinning, retention), and what looks at all of them
 * together (backup, verify). Resolves when it is the caller's turn; calling what it gives ends that.
 */
export type Turn = () => Promise<() => void>

/** Makes a turn: first come, first served. */
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
