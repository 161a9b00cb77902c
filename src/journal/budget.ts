import { MishapError } from '../base/errors.ts'
import type { Lane } from '../base/lane.ts'
import type { BodyReservation } from './journal.ts'

/** Reserved for the record of a body, so that a complete body is not refused for lack of space for its head. */
const recordReserveBytes = 16 * 1024

/** The budget that one incoming body uses, in bytes. */
type Reservation = {
  /** As far as the items that have arrived say it. */
  lane: Lane
  /** Bytes received. */
  written: number
  /** Bytes reserved: the larger of declared and received bytes, plus the head of its record. */
  reserved: number
  /** Declared bytes that have not arrived yet. */
  expected: number
  /** The reservation was revoked in favour of a body that began earlier. */
  lost: boolean
}

/**
 * Counts the bodies stored outside the journal: bodies of waiting records, and bodies that are still being written.
 * They use the same disk as the journal and wait for the same processing.
 */
export class BodyBudget {
  /** Sizes of bodies whose record is on disk, by the record's position. */
  readonly #standing = new Map<number, number>()
  /** Bytes of the bodies of all waiting records, including records that are not on disk yet. */
  waiting = 0
  /** Received bytes of bodies that no record names yet. */
  writtenBytes = 0
  /** Reserved bytes of the same bodies, including declared bytes that have not arrived. */
  reserved = 0
  /** Declared bytes that have not arrived yet. */
  declared = 0
  /** Incoming bodies of undeclared size, in the order in which they began. */
  readonly #unsized = new Set<Reservation>()

  /** Begins a reservation that uses no bytes yet. `declared`: bytes, 0 when unknown. */
  begin(declared: number, lane: Lane = 'events'): Reservation {
    const reservation = { lane, written: 0, reserved: 0, expected: 0, lost: false }
    if (declared === 0) this.#unsized.add(reservation)
    return reservation
  }

  count(reservation: Reservation, written: number, reserved: number, expected: number): void {
    this.writtenBytes += written - reservation.written
    this.reserved += reserved - reservation.reserved
    this.declared += expected - reservation.expected
    Object.assign(reservation, { written, reserved, expected })
  }

  end(reservation: Reservation): void {
    this.count(reservation, 0, 0, 0)
    this.#unsized.delete(reservation)
  }

  /**
   * Revokes reservations of undeclared size that began after `reservation`, the latest first, until `isEnough` accepts the freed
   * bytes. Revokes none and returns false when all of them are not enough. Bulk data revokes no events.
   */
  evictLater(reservation: Reservation, isEnough: (freedBytes: number) => boolean): boolean {
    let freedBytes = 0
    const later: Reservation[] = []
    for (const entry of [...this.#unsized].reverse()) {
      if (entry === reservation) return false
      if (reservation.lane === 'bulk' && entry.lane !== 'bulk') continue
      later.push(entry)
      freedBytes += entry.reserved
      if (!isEnough(freedBytes)) continue
      for (const each of later) {
        this.end(each)
        each.lost = true
      }
      return true
    }
    return false
  }

  /** Counts the body of a record that waits to be written. */
  add(bytes: number): void {
    this.waiting += bytes
  }

  /** Removes the body of a record that could not be written. */
  drop(bytes: number): void {
    this.waiting -= bytes
  }

  /** Notes the position of a body's record once the record is on disk. */
  addStored(jpos: number, bytes: number): void {
    if (bytes > 0) this.#standing.set(jpos, bytes)
  }

  /** Removes the bodies of records before a position. */
  trim(before: number): void {
    for (const [jpos, bytes] of this.#standing) {
      if (jpos >= before) continue
      this.#standing.delete(jpos)
      this.waiting -= bytes
    }
  }
}

/** What a reservation is checked against, and who hears of its bytes. */
type Limits = {
  /**
   * Checks a body of `bodyBytes` beside `writtenBytes` of others against the limits of a lane. `free`: bytes not yet on
   * disk. Undefined: it fits.
   */
  refusal(bodyBytes: number, free: number, writtenBytes: number, lane: Lane): MishapError | undefined
  taken(bytes: number): void
}

/** See `JournalWriter.reserve`. */
export function reserveBody(bodies: BodyBudget, declared: number, lane: Lane, limits: Limits): BodyReservation {
  const reservation = bodies.begin(declared, lane)
  if (declared > 0) {
    const reserved = declared + recordReserveBytes
    const refusal = limits.refusal(reserved, declared + bodies.declared, bodies.reserved, lane)
    if (refusal) throw refusal
    bodies.count(reservation, 0, reserved, declared)
  }
  return {
    grow: (bytes, known = reservation.lane) => {
      if (reservation.lost) throw new MishapError('ACCEPT_OVERLOADED', { retryAfterS: 10 })
      const written = reservation.written + bytes
      const reserved = Math.max(reservation.reserved, written + recordReserveBytes)
      const refusalFor = (freedBytes: number) =>
        limits.refusal(
          reserved,
          bytes + bodies.declared - reservation.expected,
          bodies.reserved - reservation.reserved - freedBytes,
          known,
        )
      // All of it was reserved in the share of events, before its items were known.
      const isNowBulk = known === 'bulk' && reservation.lane !== 'bulk'
      reservation.lane = known
      // Within the declared size, only the received bytes of other bodies count.
      const refusal =
        written <= declared && !isNowBulk
          ? limits.refusal(written, bytes, bodies.writtenBytes - reservation.written, known)
          : refusalFor(0)
      if (refusal && (declared > 0 || !bodies.evictLater(reservation, (freedBytes) => !refusalFor(freedBytes))))
        throw refusal
      bodies.count(reservation, written, reserved, Math.max(0, declared - written))
      limits.taken(bytes)
    },
    free: () => bodies.end(reservation),
  }
}
