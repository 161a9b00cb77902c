/** What one body that comes in takes, in bytes. */
type RoomUse = {
  /** What came of it. */
  came: number
  /** The same or what it declared, and its record's head. */
  held: number
  /** What is declared and still has to come. */
  coming: number
  /** Its room went to one that came before it. */
  lost: boolean
}

/**
 * Bytes of bodies that lie beside the journal: those that records name and that wait with them, and those that are being
 * written. They take the same disk and wait for the same refining as what lies in it.
 */
export class Beside {
  /** Bodies of records on disk, by the record's position. */
  readonly #standing = new Map<number, number>()
  /** Bodies of all records that wait, those included that are not on disk yet. */
  waiting = 0
  /** What came of bodies that no record names yet. */
  rooms = 0
  /** The same, with what they declared and what still has to come. */
  held = 0
  /** What is declared and still has to come. */
  declared = 0
  /** Bodies that come in and did not say their size, in the order in which they began. */
  readonly #unsized = new Set<RoomUse>()

  /** Makes the use of a room of nothing yet. */
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
   * Takes the room of bodies without size that began later, the latest first, until `fits` says that what they give back
   * is enough; else nobody loses anything.
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

  /** A record that names a body of this size is on its way. */
  add(bytes: number): void {
    this.waiting += bytes
  }

  /** It did not come to be. */
  drop(bytes: number): void {
    this.waiting -= bytes
  }

  /** It stands at a position. */
  stand(jpos: number, bytes: number): void {
    if (bytes > 0) this.#standing.set(jpos, bytes)
  }

  /** What stands before a position is done with. */
  trim(before: number): void {
    for (const [jpos, bytes] of this.#standing) {
      if (jpos >= before) continue
      this.#standing.delete(jpos)
      this.waiting -= bytes
    }
  }
}
