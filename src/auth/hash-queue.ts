import { MishapError } from '../base/errors.ts'

/** How passwords are hashed and checked; each takes about 0.1 s of a core and 16 MiB. */
export type Hashing = {
  hash(password: string): Promise<string>
  verify(value: { hash: string; password: string }): Promise<boolean>
}

/** Passwords that wait at most: with one at a time the last one waits some 3 s. */
export const hashesWaitingMax = 30

/**
 * Passwords are hashed one after the other. Sixty at once held all threads that read files and both cores for 19 s, and
 * everything else waited. `demandRoom` throws AUTH_BUSY while too many wait; ask it before the work begins.
 */
export function createHashQueue(hashing: Hashing): Hashing & { demandRoom(): void } {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  const queued = <Value>(work: () => Promise<Value>): Promise<Value> => {
    waiting += 1
    const mine = last.then(work).finally(() => {
      waiting -= 1
    })
    last = mine.catch(() => undefined)
    return mine
  }
  return {
    hash: (password) => queued(() => hashing.hash(password)),
    verify: (value) => queued(() => hashing.verify(value)),
    demandRoom: () => {
      if (waiting >= hashesWaitingMax) throw new MishapError('AUTH_BUSY', { retryAfterS: 5 })
    },
  }
}
