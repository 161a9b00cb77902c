import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'

/** Wrong passwords within one window: for one account from anywhere, and from one address for any account. */
export const accountFailuresMax = 10
export const addressFailuresMax = 30
const windowMs = 60_000
/** Names remembered at most; beyond it the longest unused ones are forgotten, so that made-up e-mails can't fill the memory. */
const namesMax = 10_000

/** Counts failed sign-ins, so that guessing is slow and never locks anybody out for longer than a minute. */
export type Attempts = {
  /** Seconds to wait before the next try, or 0. */
  waitS(email: string, address: string): number
  failed(email: string, address: string): void
  /** Takes one `failed` back: a try is counted before its password is checked, or tries at the same time would all pass. */
  undo(email: string, address: string): void
  succeeded(email: string): void
}

export function createAttempts(clock: Clock): Attempts {
  const failures = new LRUCache<string, { count: number; sinceMs: number }>({ max: namesMax })
  const current = (name: string) => {
    const found = failures.get(name)
    return found && clock.now() - found.sinceMs < windowMs ? found : undefined
  }
  const wait = (name: string, max: number) => {
    const found = current(name)
    return found && found.count >= max ? Math.ceil((found.sinceMs + windowMs - clock.now()) / 1000) : 0
  }
  const count = (name: string) => {
    const found = current(name)
    if (found) found.count += 1
    else failures.set(name, { count: 1, sinceMs: clock.now() })
  }
  const uncount = (name: string) => {
    const found = current(name)
    if (found && found.count > 0) found.count -= 1
  }
  return {
    waitS: (email, address) =>
      Math.max(
        wait(`account ${email}`, accountFailuresMax),
        address === '' ? 0 : wait(`address ${address}`, addressFailuresMax),
      ),
    failed: (email, address) => {
      count(`account ${email}`)
      if (address !== '') count(`address ${address}`)
    },
    undo: (email, address) => {
      uncount(`account ${email}`)
      if (address !== '') uncount(`address ${address}`)
    },
    succeeded: (email) => void failures.delete(`account ${email}`),
  }
}
