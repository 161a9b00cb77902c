import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../base/clock.ts'

/** Wrong passwords per account and address before each further one causes a delay. */
export const freeFailures = 5
/** Wrong passwords per address and minute, for all accounts. */
export const addressFailuresMax = 30
/** How many failures are allowed: per name and address before delays, and per address and minute for all names. */
type AttemptLimits = { freeFailures: number; addressFailuresMax: number }
const windowMs = 60_000
/** Delays double up to this, so that people who share an address cannot lock each other out for longer. */
export const pauseMaxS = 60
/** Failures of an account from an address are forgotten after this long without a new failure. */
const memoryMs = 60 * 60_000
/** Maximum tracked names. The least recently used ones are dropped, so that invented e-mails cannot fill the memory. */
const namesMax = 10_000

/**
 * Counts wrong passwords at sign-in and at password changes, and calls of webhooks without a valid signature (then the
 * name is the receiver of the calls instead of an e-mail address). Failures count per account and address: an attacker on
 * one address never locks out the owner, who uses another address.
 */
export type Attempts = {
  /** Returns the seconds to wait before the next attempt, or 0. */
  waitS(email: string, address: string): number
  failed(email: string, address: string): void
  /** Reverts one `failed`. Attempts count before the password check, or parallel ones would all pass. */
  undo(email: string, address: string): void
  succeeded(email: string, address: string): void
}

/** Returns an IPv6 address as its /64, because one subscriber has a whole /64. Other texts are returned unchanged. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toNormalizedString().split(':').slice(0, 4).join(':')
}

type Failures = { count: number; atMs: number }

/** Creates a counter with the limits of passwords, or with others. */
export function createAttempts(clock: Clock, limits: AttemptLimits = { freeFailures, addressFailuresMax }): Attempts {
  const pairs = new LRUCache<string, Failures>({ max: namesMax })
  const networks = new LRUCache<string, Failures>({ max: namesMax })
  const pairOf = (email: string, address: string) => `${networkOf(address)} ${email}`
  const pauseOf = (email: string, address: string) => {
    const found = pairs.get(pairOf(email, address))
    if (!found || found.count < limits.freeFailures || clock.now() - found.atMs > memoryMs) return 0
    const pauseMs = 1000 * Math.min(pauseMaxS, 2 ** (found.count - limits.freeFailures))
    return Math.max(0, found.atMs + pauseMs - clock.now())
  }
  const windowOf = (address: string) => {
    const found = networks.get(networkOf(address))
    return found && clock.now() - found.atMs < windowMs ? found : undefined
  }
  const addressPause = (address: string) => {
    const found = windowOf(address)
    return found && found.count >= limits.addressFailuresMax ? found.atMs + windowMs - clock.now() : 0
  }
  return {
    waitS: (email, address) => Math.ceil(Math.max(pauseOf(email, address), addressPause(address)) / 1000),
    failed: (email, address) => {
      const pair = pairs.get(pairOf(email, address))
      const isExpired = !pair || clock.now() - pair.atMs > memoryMs
      pairs.set(pairOf(email, address), { count: isExpired ? 1 : pair.count + 1, atMs: clock.now() })
      const found = windowOf(address)
      if (found) found.count += 1
      else networks.set(networkOf(address), { count: 1, atMs: clock.now() })
    },
    undo: (email, address) => {
      for (const found of [pairs.get(pairOf(email, address)), windowOf(address)])
        if (found && found.count > 0) found.count -= 1
    },
    succeeded: (email, address) => void pairs.delete(pairOf(email, address)),
  }
}
