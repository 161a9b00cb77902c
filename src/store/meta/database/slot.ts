/** The place of a value in a prepared query. */
export class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}
