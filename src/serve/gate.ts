import ipaddr from 'ipaddr.js'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'

/** Whether process app took the request's credential lately: signed-in people and tokens have a reserve of their own. */
export type Kind = 'known' | 'unknown'
/** Who asks: the kind, the address (as a group) that limits count by, and the credential of somebody known. */
export type Asker = { kind: Kind; address: string; credential: string | undefined }

type Bound = { perAddress: number; total: number }
export type GateLimits = {
  /** Bodies that come in. */
  bodies: Record<Kind, Bound>
  /** Requests whose body is there, until they are answered in full. */
  requests: Record<Kind, Bound>
  /** Requests that process app has and did not begin to answer. */
  asking: Record<Kind, number>
  /** Live streams. */
  streams: Bound
}

/** A page takes 40 requests, a build with 8 uploads at once 8; 32 whole ones that nobody is known for keep app busy for 0.3 s. */
export const gateLimits: GateLimits = {
  bodies: { known: { perAddress: 128, total: 512 }, unknown: { perAddress: 64, total: 512 } },
  requests: { known: { perAddress: 1024, total: 2048 }, unknown: { perAddress: 256, total: 1024 } },
  asking: { known: 128, unknown: 32 },
  streams: { perAddress: 200, total: 2000 },
}

/** A request waits this long for its turn at process app. */
const turnMs = 30_000
/** From this age on an incoming body may have to give way to another body. */
const yieldsMs = 2000
const retryAfterS = 5

const tooMany = () => new MishapError('REQUEST_TOO_MANY', { retryAfterS })
const overloaded = () => new MishapError('REQUEST_OVERLOADED', { retryAfterS })

/** The group of an address that limits count as one: a machine has a whole /64 of IPv6. */
export function addressGroup(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const entry = ipaddr.process(address)
  return entry.kind() === 'ipv4' ? entry.toString() : entry.toNormalizedString().split(':').slice(0, 4).join(':')
}

type Count = {
  /** Which bound is reached for this address. */
  full(address: string): 'address' | 'total' | undefined
  /** Counts one; returns the way to give it back, which may be called again. */
  add(address: string): () => void
}

/** Counts what is in progress, by address and in total. */
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
      let given = false
      return () => {
        if (given) return
        given = true
        total--
        const left = (byAddress.get(address) ?? 1) - 1
        if (left > 0) byAddress.set(address, left)
        else byAddress.delete(address)
      }
    },
  }
}

/** Takes one of a count. Throws REQUEST_TOO_MANY for the address's own bound and REQUEST_OVERLOADED for everybody's. */
function takeOne(count: Count, address: string): () => void {
  const full = count.full(address)
  if (full) throw full === 'address' ? tooMany() : overloaded()
  return count.add(address)
}

/** A body that comes in. `release` gives its place back. */
type Coming = { address: string; sinceMs: number; bytes(): number; cut(): void; release(): void }

/**
 * Bodies in progress. When a bound is reached, the slowest of those that have come for two seconds gives way: whoever
 * stalls keeps nobody out who sends.
 */
function createBodies(bound: Bound, clock: Clock) {
  const count = createCount(bound)
  const coming = new Set<Coming>()
  const slowest = (address: string | undefined): Coming | undefined => {
    const nowMs = clock.now()
    const rate = (entry: Coming) => entry.bytes() / (nowMs - entry.sinceMs)
    let found: Coming | undefined
    for (const entry of coming) {
      if (nowMs - entry.sinceMs < yieldsMs || (address !== undefined && entry.address !== address)) continue
      if (!found || rate(entry) < rate(found)) found = entry
    }
    return found
  }
  return (address: string, entry: Pick<Coming, 'bytes' | 'cut'>): (() => void) => {
    const full = count.full(address)
    const gives = full && slowest(full === 'address' ? address : undefined)
    // Its place is free at once: whoever is cut off gives it back only some turns of the event loop later.
    gives?.release()
    gives?.cut()
    const give = takeOne(count, address)
    const release = () => {
      coming.delete(mine)
      give()
    }
    const mine: Coming = { address, sinceMs: clock.now(), ...entry, release }
    coming.add(mine)
    return release
  }
}

/** Turns at process app: `max` at once; who waits is served in turn with the others, not behind all of one asker's. */
export function createTurns(max: number, clock: Clock) {
  const waiting = new Map<string, (() => void)[]>()
  let taken = 0
  const release = () => {
    taken--
    const [first] = waiting
    if (!first) return
    const [name, list] = first
    const next = list.shift()
    waiting.delete(name)
    if (list.length > 0) waiting.set(name, list)
    next?.()
  }
  const once = () => {
    taken++
    let given = false
    return () => {
      if (given) return
      given = true
      release()
    }
  }
  /** Resolves with the way to give the turn back; undefined when `signal` aborts before, or has. Throws REQUEST_OVERLOADED. */
  return (name: string, signal: AbortSignal): Promise<(() => void) | undefined> => {
    if (signal.aborted) return Promise.resolve(undefined)
    if (taken < max) return Promise.resolve(once())
    return new Promise((resolve, reject) => {
      const list = waiting.get(name) ?? []
      waiting.set(name, list)
      const leave = () => {
        const place = list.indexOf(turn)
        if (place >= 0) list.splice(place, 1)
        if (list.length === 0 && waiting.get(name) === list) waiting.delete(name)
        cancel()
        signal.removeEventListener('abort', gone)
      }
      const gone = () => {
        leave()
        resolve(undefined)
      }
      const cancel = clock.after(turnMs, () => {
        leave()
        reject(overloaded())
      })
      function turn() {
        leave()
        resolve(once())
      }
      signal.addEventListener('abort', gone, { once: true })
      list.push(turn)
    })
  }
}

/** All limits on requests to process app. Ingest is not among them. */
export function createGate(clock: Clock, limits: GateLimits = gateLimits) {
  const bodies = {
    known: createBodies(limits.bodies.known, clock),
    unknown: createBodies(limits.bodies.unknown, clock),
  }
  const requests = { known: createCount(limits.requests.known), unknown: createCount(limits.requests.unknown) }
  const turns = { known: createTurns(limits.asking.known, clock), unknown: createTurns(limits.asking.unknown, clock) }
  const streams = createCount(limits.streams)
  return {
    /** A body begins to come; `cut` ends it. Throws REQUEST_TOO_MANY, REQUEST_OVERLOADED. */
    body: ({ kind, address }: Asker, entry: Pick<Coming, 'bytes' | 'cut'>) => bodies[kind](address, entry),
    /** A request with its whole body. Throws REQUEST_TOO_MANY, REQUEST_OVERLOADED. */
    request: ({ kind, address }: Asker) => takeOne(requests[kind], address),
    /** A turn at process app. Throws REQUEST_OVERLOADED; undefined when `signal` aborts before. */
    turn: ({ kind, address, credential }: Asker, signal: AbortSignal) => turns[kind](credential ?? address, signal),
    /** A live stream; undefined when there are too many of this address, or in all. */
    stream: ({ address }: Asker) => (streams.full(address) ? undefined : streams.add(address)),
  }
}
