import type { Lane } from '../base/lane.ts'
import type { JournalWriter } from '../journal/journal.ts'
import type { IngestKey } from '../store/meta/meta.ts'
import type { Limited } from './rates.ts'

/**
 * Above this lag, keys are limited to a fair share: 1 to 3 s of work for one worker on two cores. Without a
 * backlog, two batches of events of 12 MiB can be in flight.
 */
export const pressureBytes = 32 * 1024 * 1024
/** Pressure limit for bodies over 1 MiB. Refine copies one of the largest within seconds: that is no flood. */
export const spoolPressureBytes = 256 * 1024 * 1024
/** Interval to recalculate the shares. */
const countMs = 250
/** Time constant with which the lag above `pressureBytes` shrinks. Without it, 83 MiB took 74 s instead of 22 s. */
const recoverS = 10
/** Part of their share that stays for limited senders, however large the lag is. */
const recoverShare = 0.25
/** While limits are on, a count also happens after this many bytes: a new key has no limit until the next count. */
const newKeyBytes = 4 * 1024 * 1024
/** Limits stay until the lag is this part below `pressureBytes`: without limits, the loudest sender gets the most. */
const keptShare = 0.5
/** Rates are averaged over this time, so that a single burst does not count as a flood. */
const meanMs = 4000
/** While refine makes no progress (its store is down), shares apply from this part of the bound on. */
const stalledShare = 0.5
const stalledMs = 3000
/** Then the rest of the journal has to last this long. */
const lastMs = 60_000
/** Smaller shares would refuse single events. */
const shareBytesPerSMin = 64 * 1024
/** Part of bulk data from which a key counts as flooding with it: its events then have `shareBytesPerSMin` of their own. */
const bulkPart = 0.5
const retryAfterS = 5
/** A key that sent within this time counts as company: a flood from another key would delay it. */
const activeMs = 600_000

type Measures = Pick<JournalWriter, 'lagBytes' | 'doneBytes' | 'bodyBytes' | 'waitingBytes'>
/** Room reserved by one key. */
type Reservation = { organizationId: number; bytes: number }
/** `bulk` and `bulkRate`: the part of lane `bulk`. `eventsBudget`: bytes that its events have beside a flood of that. */
type Meter = {
  organizationId: number
  bytes: number
  bulk: number
  rate: number
  bulkRate: number
  budget: number
  eventsBudget: number
  share: number
}

export type Share = {
  /** Returns a limit if a body of this lane must wait, before it is read. Takes nothing. */
  waits(key: IngestKey, lane?: Lane): Limited | undefined
  /**
   * Takes `bytes` for a key at `nowMs`. Returns a limit if the journal is behind and the key is the cause. A flood of bulk
   * data does not hold the key's events to what is left of its share: they are read in a lane of their own.
   */
  take(key: IngestKey, bytes: number, nowMs: number, lane?: Lane): Limited | undefined
  /**
   * Reserves room for `bytes` more of an arriving body over 1 MiB. Returns a limit if the key or its organization
   * already uses its part of the room. The caller frees the room with `release`.
   */
  reserve(key: IngestKey, bytes: number, nowMs: number): Limited | undefined
  release(key: IngestKey, bytes: number): void
  /** Current maximum rate of a key in bytes per second; Infinity while nothing is limited. For tests and logs. */
  level(key: IngestKey): number
}

/**
 * Splits `capacity` fairly: senders below an equal part get what they want, the others split the rest. Returns the
 * level that nobody exceeds, or Infinity if all get what they want.
 */
export function fairLevel(demands: number[], capacity: number): number {
  let remaining = capacity
  let count = demands.length
  for (const want of [...demands].sort((a, b) => a - b)) {
    if (want > remaining / count) return remaining / count
    remaining -= want
    count--
  }
  return Number.POSITIVE_INFINITY
}

/**
 * Admission control while the journal is behind. It splits the throughput of refine fairly between organizations, then
 * between the keys of a limited project. So a flooding key waits and does not delay the others. Refused bytes count as
 * wanted, or refused keys would look modest. Nothing is limited while the lag is below `pressureBytes`, or while only
 * one key sends.
 */
export function createShare(journal: Measures, boundBytes: number): Share {
  return new Admission(journal, boundBytes)
}

class Admission implements Share {
  readonly #journal: Measures
  readonly #boundBytes: number
  readonly #meters = new Map<number, Meter>()
  /** Last time each key sent, as long as it counts as company. */
  readonly #heardMs = new Map<number, number>()
  readonly #organizations = new Map<number, number>()
  /** Room reserved for arriving bodies, by key. */
  readonly #held = new Map<number, Reservation>()
  #countedMs = 0
  /** Bytes taken since the last count. */
  #taken = 0
  #lag = 0
  /** Part of the lag: bodies in the blob store. */
  #beside = 0
  #done = 0
  /** Throughput of refine in bytes per second. */
  #drain = 0
  /** Time of the last progress. */
  #movedMs = 0
  #on = false

  constructor(journal: Measures, boundBytes: number) {
    this.#journal = journal
    this.#boundBytes = boundBytes
  }

  take(key: IngestKey, bytes: number, nowMs: number, lane: Lane = 'events'): Limited | undefined {
    const passedMs = nowMs - this.#countedMs
    // After the clock is set back, counting restarts from there.
    const known = passedMs >= 0 && passedMs < 10 * meanMs
    if (!known || passedMs >= countMs || this.#isCountDue()) this.#count(nowMs, known ? Math.max(1, passedMs) : countMs)
    const meter = this.#meterOf(key)
    meter.bytes += bytes
    if (lane === 'bulk') meter.bulk += bytes
    this.#hear(key, nowMs)
    if (this.#on && meter.share !== Number.POSITIVE_INFINITY) {
      const isBeside = meter.budget <= 0 && lane === 'events' && meter.eventsBudget > 0
      if (meter.budget <= 0 && !isBeside) return { scope: 'key', reason: 'overloaded', retryAfterS }
      if (isBeside) meter.eventsBudget -= bytes
      else meter.budget -= bytes
    }
    this.#taken += bytes
    return undefined
  }

  /** Whether the bytes since the last count ask for the next count. By time alone, a flood can send 60 MiB in between. */
  #isCountDue(): boolean {
    if (this.#on) return this.#taken >= newKeyBytes
    const lag = this.#lag - this.#beside
    return lag < pressureBytes && lag + this.#taken >= pressureBytes
  }

  waits(key: IngestKey, lane: Lane = 'events'): Limited | undefined {
    const meter = this.#on ? this.#meters.get(key.keyId) : undefined
    if (!meter || meter.share === Number.POSITIVE_INFINITY || meter.budget > 0) return undefined
    if (lane === 'events' && meter.eventsBudget > 0) return undefined
    return { scope: 'key', reason: 'overloaded', retryAfterS }
  }

  reserve(key: IngestKey, bytes: number, nowMs: number): Limited | undefined {
    this.#hear(key, nowMs)
    const { keyId, organizationId } = key
    if (this.#isOverPart(key, bytes)) return { scope: 'key', reason: 'overloaded', retryAfterS }
    const reservation = this.#held.get(keyId)
    if (reservation) reservation.bytes += bytes
    else this.#held.set(keyId, { organizationId, bytes })
    return undefined
  }

  release(key: IngestKey, bytes: number): void {
    const reservation = this.#held.get(key.keyId)
    if (!reservation) return
    reservation.bytes -= bytes
    if (reservation.bytes <= 0) this.#held.delete(key.keyId)
  }

  /**
   * While several senders share the budget, each gets an equal part of what the journal has left, and one part stays
   * free for the next sender. The parts are split by organizations first, then by the keys of an organization. The
   * first body of a key always passes: it may be larger than a part.
   */
  #isOverPart(key: IngestKey, bytes: number): boolean {
    const all = [...this.#held.values()]
    const ownReservations = all.filter((reservation) => reservation.organizationId === key.organizationId)
    const sum = (list: Reservation[]) => list.reduce((total, reservation) => total + reservation.bytes, 0)
    if (sum(all) + bytes <= Math.min(spoolPressureBytes, this.#boundBytes / 4)) return false
    let limitBytes = Math.max(0, this.#boundBytes - this.#journal.lagBytes())
    const activeOrganizations = [...this.#organizations.values()]
    const ownActive = activeOrganizations.filter((id) => id === key.organizationId).length
    if (ownActive < activeOrganizations.length) {
      const others = new Set(
        all
          .map((reservation) => reservation.organizationId)
          .filter((reservation) => reservation !== key.organizationId),
      )
      limitBytes /= others.size + 2
      if (ownReservations.length > 0 && sum(ownReservations) + bytes > limitBytes) return true
    }
    const reservation = this.#held.get(key.keyId)
    if (ownActive < 2 || !reservation) return false
    return reservation.bytes + bytes > limitBytes / (ownReservations.length + 1)
  }

  #hear(key: IngestKey, nowMs: number): void {
    this.#heardMs.set(key.keyId, nowMs)
    this.#organizations.set(key.keyId, key.organizationId)
  }

  level(key: IngestKey): number {
    const meter = this.#on ? this.#meters.get(key.keyId) : undefined
    return meter?.share ?? Number.POSITIVE_INFINITY
  }

  #meterOf(key: IngestKey): Meter {
    let meter = this.#meters.get(key.keyId)
    if (!meter) {
      meter = {
        organizationId: key.organizationId,
        bytes: 0,
        bulk: 0,
        rate: 0,
        bulkRate: 0,
        budget: 0,
        eventsBudget: 0,
        share: Number.POSITIVE_INFINITY,
      }
      this.#meters.set(key.keyId, meter)
    }
    return meter
  }

  #count(nowMs: number, spanMs: number): void {
    this.#countedMs = nowMs
    const weight = Math.min(1, spanMs / meanMs)
    this.#taken = 0
    this.#lag = this.#journal.lagBytes() + this.#journal.waitingBytes()
    this.#beside = this.#journal.bodyBytes()
    const done = this.#journal.doneBytes()
    const drained = done - this.#done
    this.#done = done
    if (drained > 0 || this.#lag === 0 || this.#movedMs > nowMs) this.#movedMs = nowMs
    // Refine takes batches of up to 24 MiB, so most counts see no progress. A mean is used instead.
    this.#drain += ((drained * 1000) / spanMs - this.#drain) * weight
    for (const [id, meter] of this.#meters) {
      meter.rate += ((meter.bytes * 1000) / spanMs - meter.rate) * weight
      meter.bulkRate += ((meter.bulk * 1000) / spanMs - meter.bulkRate) * weight
      meter.bytes = 0
      meter.bulk = 0
      if (meter.rate < 1) this.#meters.delete(id)
    }
    for (const [id, ms] of this.#heardMs) {
      if (Math.abs(nowMs - ms) <= activeMs) continue
      this.#heardMs.delete(id)
      this.#organizations.delete(id)
    }
    const capacity = this.#capacity(nowMs)
    const wasOn = this.#on
    this.#on = capacity !== undefined
    if (capacity === undefined) return
    this.#part(capacity.bytesPerS, capacity.withheld)
    for (const meter of this.#meters.values()) {
      const before = wasOn && Number.isFinite(meter.budget) ? meter.budget : (meter.share * countMs) / 1000
      // Up to one second of the share can come in a burst. Excess bytes reduce the next budget.
      meter.budget = Math.min(meter.share, before + (meter.share * spanMs) / 1000)
      const ofEvents = meter.bulkRate > meter.rate * bulkPart ? shareBytesPerSMin : 0
      meter.eventsBudget = Math.min(ofEvents, meter.eventsBudget + (ofEvents * spanMs) / 1000)
    }
  }

  /**
   * Allowed bytes per second: less than the throughput of refine, so that the lag shrinks. `withheld`: the part
   * that limited senders do not get while the lag is large. Others do not pay for a lag that they did not cause.
   */
  #capacity(nowMs: number): { bytesPerS: number; withheld: number } | undefined {
    const excess = Math.max(this.#lag - this.#beside - pressureBytes, this.#beside - spoolPressureBytes)
    if (excess < (this.#on ? -pressureBytes * keptShare : 0)) return undefined
    if (nowMs - this.#movedMs < stalledMs)
      return { bytesPerS: this.#drain * 0.9, withheld: Math.max(0, excess) / recoverS }
    if (this.#lag < this.#boundBytes * stalledShare) return undefined
    return { bytesPerS: (Math.max(0, this.#boundBytes - this.#lag) / lastMs) * 1000, withheld: 0 }
  }

  #part(capacity: number, withheld: number): void {
    // A key that sends alone delays only itself. The journal exists to absorb such a burst.
    if (this.#heardMs.size === 1) {
      for (const meter of this.#meters.values()) meter.share = Number.POSITIVE_INFINITY
      return
    }
    const organizations = [...Map.groupBy(this.#meters.values(), (meter) => meter.organizationId).values()]
    const wanted = (own: Meter[]) => own.reduce((sum, meter) => sum + meter.rate, 0)
    const level = fairLevel(organizations.map(wanted), capacity)
    const limited = organizations.filter((own) => wanted(own) > level).length
    const kept = limited === 0 ? 1 : Math.max(recoverShare, 1 - withheld / (limited * level || 1))
    for (const own of organizations) {
      const rates = own.map((meter) => meter.rate)
      const ownLevel = wanted(own) <= level ? Number.POSITIVE_INFINITY : fairLevel(rates, level)
      for (const meter of own)
        meter.share = Math.max(shareBytesPerSMin, meter.rate > ownLevel ? ownLevel * kept : ownLevel)
    }
  }
}
