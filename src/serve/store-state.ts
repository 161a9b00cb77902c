import { faultOf, type Observe } from '../base/observe.ts'
import type { ServerAway } from '../store/events/server-check.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
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
 * is not enough: the tables of an older folder are migrated first, which can take long. When the
 * organizations cannot be read, it warns; their screens then notice at their next request. `host` is that of a ClickHouse
 * server, which the screens name.
 */
export function createStoreState(
  live: Pick<Live, 'publish'>,
  meta: MetaWith<'organizations.organizations'>,
  observe: Pick<Observe, 'warn'>,
  host?: string,
): StoreState {
  const parts: Parts = { engine: false, tables: false }
  const up = () => parts.engine && parts.tables
  const publish = async () => {
    for (const { id } of await meta.organizations.organizations())
      live.publish(id, { kind: 'engine', up: up(), ...(host === undefined ? {} : { host }) })
  }
  const failed = (error: unknown) =>
    observe.warn({ error: faultOf(error) }, 'the state of the events store was not announced')
  return {
    up,
    away: () => parts.away,
    update: (change) => {
      const before = up()
      Object.assign(parts, change)
      if (up() !== before) publish().catch(failed)
    },
  }
}
