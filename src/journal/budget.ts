/** The budget that one incoming body uses, in bytes. */
type RoomUse = {
  /** Bytes received. */
  came: number
  /** Bytes reserved: the larger of declared and received bytes, plus the head of its record. */
  held: number
  /** Declared bytes that have not arrived yet. */
  coming: number
  /** The reservation was revoked in favour of a body that began earlier. */
  lost: boolean
}

/**
 * Counts the bodies stored outside the journal: bodies of waiting records, and bodies that are still being written.
 * They use the same disk as the journal and wait for the same processing.
 */
export class Beside {
  /** Sizes of bodies whose record is on disk, by the record's position. */
  readonly #standing = new Map<number, number>()
  /** Bytes of the bodies of all waiting records, including records that are not on disk yet. */
  waiting = 0
  /** Received bytes of bodies that no record names yet. */
  rooms = 0
  /** Reserved bytes of the same bodies, including declared bytes that have not arrived. */
  held = 0
  /** Declared bytes that have not arrived yet. */
  declared = 0
  /** Incoming bodies of undeclared size, in the order in which they began. */
  readonly #unsized = new Set<RoomUse>()

  /** Begins a reservation that uses no bytes yet. `declared`: bytes, 0 when unknown. */
  begin(declared: number): RoomUse {
    const use = { came: 0, held: 0, coming: 0, lost: false }
    if (declared === 0) this.#unsized.add(use)
    return use
  }

  count(use: RoomUse, came: number, held: number, coming: number): void {
    this.rooms += came - use.came
    this.held += held - use.held
    this.declared += coming - use.coming
    Object.assign(use, { came, held, coming })
  }

  end(use: RoomUse): void {
    this.count(use, 0, 0, 0)
    this.#unsized.delete(use)
  }

  /**
   * Revokes reservations of undeclared size that began after `use`, the latest first, until `fits` accepts the freed
   * bytes. Revokes none and returns false when all of them are not enough.
   */
  takeFromLater(use: RoomUse, fits: (givenBack: number) => boolean): boolean {
    let givenBack = 0
    const later: RoomUse[] = []
    for (const entry of [...this.#unsized].reverse()) {
      if (entry === use) return false
      later.push(entry)
      givenBack += entry.held
      if (!fits(givenBack)) continue
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
  stand(jpos: number, bytes: number): void {
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
