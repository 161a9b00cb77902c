import ipaddr from 'ipaddr.js'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'

/** Whether the app process accepted the credential recently. Signed-in people and tokens have separate capacity. */
export type Kind = 'known' | 'unknown'
/** The caller: its kind, the address group for limits, and the credential if known. */
export type Requester = { kind: Kind; address: string; credential: string | undefined }

type Bound = { perAddress: number; total: number }
export type GateLimits = {
  /** Bodies in transit. */
  bodies: Record<Kind, Bound>
  /** Requests with a complete body, until their answer is complete. */
  requests: Record<Kind, Bound>
  /** Requests that the app process has not begun to answer. */
  unanswered: Record<Kind, number>
  /** Live streams. */
  streams: Bound
}

/** A page needs 40 requests, a build 8 parallel uploads. 32 unknown requests keep the app busy for 0.3 s. */
export const gateLimits: GateLimits = {
  bodies: { known: { perAddress: 128, total: 512 }, unknown: { perAddress: 64, total: 512 } },
  requests: { known: { perAddress: 1024, total: 2048 }, unknown: { perAddress: 256, total: 1024 } },
  unanswered: { known: 128, unknown: 32 },
  streams: { perAddress: 200, total: 2000 },
}

/** Maximum wait for a turn at the app process. */
const queueMs = 30_000
/** From this age on, an incoming body can be aborted in favor of another body. */
const yieldsMs = 2000
const retryAfterS = 5

const tooMany = () => new MishapError('REQUEST_TOO_MANY', { retryAfterS })
const overloaded = () => new MishapError('REQUEST_OVERLOADED', { retryAfterS })

/** Returns the address group for limits: a machine has a whole /64 of IPv6. */
export function addressGroup(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toNormalizedString().split(':').slice(0, 4).join(':')
}

type Count = {
  /** Returns the limit that this address has reached, if any. */
  full(address: string): 'address' | 'total' | undefined
  /** Counts a request. Returns its release function, which can be called repeatedly. */
  add(address: string): () => void
}

/** Counts work in progress, by address and in total. */
function createCount(bound: Bound): Count {
  const byAddress = new Map<string, number>()
  let total = 0
  return {
    full: (address) => {
      if ((byAddress.get(address) ?? 0) >= bound.perAddress) return 'address'
      return total >= bound.total ? 'total' : undefined
    },
    add: (address) => {
      total++
      byAddress.set(address, (byAddress.get(address) ?? 0) + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        total--
        const remaining = (byAddress.get(address) ?? 1) - 1
        if (remaining > 0) byAddress.set(address, remaining)
        else byAddress.delete(address)
      }
    },
  }
}

/** Takes one of a count. Throws REQUEST_TOO_MANY for the limit of the address and REQUEST_OVERLOADED for the total. */
function acquire(count: Count, address: string): () => void {
  const full = count.full(address)
  if (full) throw full === 'address' ? tooMany() : overloaded()
  return count.add(address)
}

/** An incoming body. `release` frees its slot. */
type IncomingBody = { address: string; sinceMs: number; bytes(): number; cut(): void; release(): void }

/**
 * Creates the limit on bodies in transit. At the limit, the slowest body that is older than two seconds is aborted, so
 * that stalled clients do not block others.
 */
function createBodies(bound: Bound, clock: Clock) {
  const count = createCount(bound)
  const incoming = new Set<IncomingBody>()
  const slowest = (address: string | undefined): IncomingBody | undefined => {
    const nowMs = clock.now()
    const rate = (body: IncomingBody) => body.bytes() / (nowMs - body.sinceMs)
    let found: IncomingBody | undefined
    for (const body of incoming) {
      if (nowMs - body.sinceMs < yieldsMs || (address !== undefined && body.address !== address)) continue
      if (!found || rate(body) < rate(found)) found = body
    }
    return found
  }
  return (address: string, body: Pick<IncomingBody, 'bytes' | 'cut'>): (() => void) => {
    const full = count.full(address)
    const evicted = full && slowest(full === 'address' ? address : undefined)
    // Free the slot at once: the aborted request would release it only some turns of the event loop later.
    evicted?.release()
    evicted?.cut()
    const releaseCount = acquire(count, address)
    const release = () => {
      incoming.delete(mine)
      releaseCount()
    }
    const mine: IncomingBody = { address, sinceMs: clock.now(), ...body, release }
    incoming.add(mine)
    return release
  }
}

/** Limits the app process to `max` parallel requests. Waiting callers alternate, so that none starves. */
export function createQueue(max: number, clock: Clock) {
  const waiting = new Map<string, (() => void)[]>()
  let running = 0
  const release = () => {
    running--
    const [first] = waiting
    if (!first) return
    const [name, list] = first
    const next = list.shift()
    waiting.delete(name)
    if (list.length > 0) waiting.set(name, list)
    next?.()
  }
  const once = () => {
    running++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      release()
    }
  }
  /** Resolves with a release function, or undefined if `signal` is aborted first. Throws REQUEST_OVERLOADED. */
  return (name: string, signal: AbortSignal): Promise<(() => void) | undefined> => {
    if (signal.aborted) return Promise.resolve(undefined)
    if (running < max) return Promise.resolve(once())
    return new Promise((resolve, reject) => {
      const list = waiting.get(name) ?? []
      waiting.set(name, list)
      const leave = () => {
        const position = list.indexOf(admit)
        if (position >= 0) list.splice(position, 1)
        if (list.length === 0 && waiting.get(name) === list) waiting.delete(name)
        cancel()
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = () => {
        leave()
        resolve(undefined)
      }
      const cancel = clock.after(queueMs, () => {
        leave()
        reject(overloaded())
      })
      function admit() {
        leave()
        resolve(once())
      }
      signal.addEventListener('abort', onAbort, { once: true })
      list.push(admit)
    })
  }
}

/** Creates all limits on requests to the app process. Ingest is not included. */
export function createGate(clock: Clock, limits: GateLimits = gateLimits) {
  const bodies = {
    known: createBodies(limits.bodies.known, clock),
    unknown: createBodies(limits.bodies.unknown, clock),
  }
  const requests = { known: createCount(limits.requests.known), unknown: createCount(limits.requests.unknown) }
  const queues = {
    known: createQueue(limits.unanswered.known, clock),
    unknown: createQueue(limits.unanswered.unknown, clock),
  }
  const streams = createCount(limits.streams)
  return {
    /** Registers an incoming body. `cut` aborts it. Throws REQUEST_TOO_MANY, REQUEST_OVERLOADED. */
    body: ({ kind, address }: Requester, body: Pick<IncomingBody, 'bytes' | 'cut'>) => bodies[kind](address, body),
    /** Registers a request with its complete body. Throws REQUEST_TOO_MANY, REQUEST_OVERLOADED. */
    request: ({ kind, address }: Requester) => acquire(requests[kind], address),
    /** Waits for a turn at the app process. Throws REQUEST_OVERLOADED; undefined if `signal` is aborted first. */
    enqueue: ({ kind, address, credential }: Requester, signal: AbortSignal) =>
      queues[kind](credential ?? address, signal),
    /** Registers a live stream. Returns undefined if the address, or all together, have too many. */
    stream: ({ address }: Requester) => (streams.full(address) ? undefined : streams.add(address)),
  }
}
