import type { Live } from './live.ts'

/** What the events store takes to be asked: its engine answers, and its tables are of this version. */
type Parts = { engine: boolean; tables: boolean }

type StoreState = {
  /** Whether events can be asked. */
  up(): boolean
  note(change: Partial<Parts>): void
}

/**
 * Whether events can be asked, told to the live streams of all organizations when that changes. An engine that answers is
 * not enough: the tables of an older folder are brought to this version first, which may take long.
 */
export function createStoreState(
  live: Pick<Live, 'publish'>,
  organizations: () => readonly { id: number }[],
): StoreState {
  const parts: Parts = { engine: false, tables: false }
  const up = () => parts.engine && parts.tables
  return {
    up,
    note: (change) => {
      const before = up()
      Object.assign(parts, change)
      if (up() === before) return
      for (const { id } of organizations()) live.publish(id, { kind: 'engine', up: up() })
    },
  }
}
