import type { Live } from './live.ts'

/** Conditions to query the events store: its engine answers, and its tables match this version. */
type Parts = { engine: boolean; tables: boolean }

type StoreState = {
  /** Whether events can be queried. */
  up(): boolean
  update(change: Partial<Parts>): Promise<void>
}

/**
 * Tracks whether events can be queried and reports changes to the live streams of all organizations. A running engine
 * is not enough: the tables of an older folder are migrated first, which can take long.
 */
export function createStoreState(
  live: Pick<Live, 'publish'>,
  organizations: () => Promise<readonly { id: number }[]>,
): StoreState {
  const parts: Parts = { engine: false, tables: false }
  const up = () => parts.engine && parts.tables
  return {
    up,
    update: async (change) => {
      const before = up()
      Object.assign(parts, change)
      if (up() === before) return
      for (const { id } of await organizations()) live.publish(id, { kind: 'engine', up: up() })
    },
  }
}
