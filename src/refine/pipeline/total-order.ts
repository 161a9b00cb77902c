/** A range in the order of those with totals. `before`: the one before it, known (`isPlaced`) once this one is read. */
export type OrderEntry = {
  before: OrderEntry | undefined
  isPlaced: boolean
  hasEnded: boolean
  ended: Promise<void>
  end(): void
}

/** Makes the entry of a range. `end` is called when the range is refined, or has failed. */
export function newOrderEntry(): OrderEntry {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const entry: OrderEntry = {
    before: undefined,
    isPlaced: false,
    hasEnded: false,
    ended,
    end: () => {
      entry.hasEnded = true
      entry.before = undefined
      resolve()
    },
  }
  return entry
}

/** The order in which ranges with totals of cumulative streams are refined. */
export type TotalOrder = {
  /** Returns the end of the range that this one waits for; undefined if it may run. */
  waitsFor(entry: OrderEntry): Promise<void> | undefined
}

/**
 * Creates the order. It is that of the journal, because what a total adds is its difference to the total before it. If two
 * workers refined two such ranges at once, a restart could count some differences twice.
 */
export function createTotalOrder(): TotalOrder {
  let last: OrderEntry | undefined
  return {
    waitsFor: (entry) => {
      // A range whose worker crashed is read again, and keeps its place.
      if (!entry.isPlaced) {
        entry.isPlaced = true
        entry.before = last
        last = entry
      }
      return entry.before && !entry.before.hasEnded ? entry.before.ended : undefined
    },
  }
}
