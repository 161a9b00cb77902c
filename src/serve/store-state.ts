import type { ServerAway } from '../store/events/server-check.ts'
import type { Live } from './live.ts'

/** Conditions to query the events store: its engine answers, and its tables match this version. */
type Parts = { engine: boolean; tables: boolean; away?: ServerAway | undefined }

type StoreState = {
  /** Whether events can be queried. */
  up(): boolean
  /** Why the ClickHouse server cannot be used. */
  away(): ServerAway | undefined
  update(change: Partial<Parts>): void
}

/**
 * Tracks whether events can be queried and reports changes to the live streams of all organizations. A running engine
 * is not enough: the tables of an older folder are migrated first, which can take long. `host` is that of a ClickHouse
 * server, which the screens name.
 */
export function createStoreState(
  live: Pick<Live, 'publish'>,
  organizations: () => readonly { id: number }[],
  host?: string,
): StoreState {
  const parts: Parts = { engine: false, tables: false }
  const up = () => parts.engine && parts.tables
  return {
    up,
    away: () => parts.away,
    update: (change) => {
      const before = up()
      Object.assign(parts, change)
      if (up() === before) return
      for (const { id } of organizations())
        live.publish(id, { kind: 'engine', up: up(), ...(host === undefined ? {} : { host }) })
    },
  }
}
