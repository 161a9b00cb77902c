/**
 * Bytes of bodies that lie beside the journal: those that records name and that wait with them, and those that are being
 * written. They take the same disk and wait for the same refining as what lies in it.
 */
export class Beside {
  /** Bodies of records on disk, by the record's position. */
  readonly #standing = new Map<number, number>()
  /** Bodies of all records that wait, those included that are not on disk yet. */
  waiting = 0
  /** Bodies that no record names yet. */
  rooms = 0

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
