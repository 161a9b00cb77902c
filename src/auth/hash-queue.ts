import { MishapError } from '../base/errors.ts'

/** Hashes and verifies passwords. Each call takes about 0.1 s of a core and 16 MiB. */
export type Hashing = {
  hash(password: string): Promise<string>
  verify(value: { hash: string; password: string }): Promise<boolean>
}

/** Maximum waiting passwords. They run one at a time, so the last one waits some 3 s. */
export const hashesWaitingMax = 30

/**
 * Hashes passwords one at a time. Sixty in parallel blocked both cores and all threads that read files for 19 s.
 * `demandCapacity` throws AUTH_BUSY while too many wait. Call it before the work starts.
 */
export function createHashQueue(hashing: Hashing): Hashing & { demandCapacity(): void } {
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
    demandCapacity: () => {
      if (waiting >= hashesWaitingMax) throw new MishapError('AUTH_BUSY', { retryAfterS: 5 })
    },
  }
}
