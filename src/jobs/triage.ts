import type { Alerts } from '../alert/alert.ts'
import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { LiveChange } from '../contract/live.ts'
import type { EventStore } from '../store/events/events.ts'
import type { Issue, MetaStore } from '../store/meta/meta.ts'
import { type Bulks, createBulks } from './bulks.ts'
import { joinFailures } from './error-links.ts'
import { runNotices } from './notices.ts'
import { runOwners } from './owners.ts'
import { runClock, runForecasts } from './scheduled-transitions.ts'

export type TriageDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: Pick<EventStore, 'togetherOf' | 'series' | 'byEventId' | 'newestPlaces' | 'eventsAt'>
  alerts: Pick<Alerts, 'mail' | 'kick'>
  live: { publish(organizationId: number, change: LiveChange): void }
  url: string
}

/** What happens to issues beside their events: by the clock, by rules, by many at once. */
export type Triage = {
  bulks: Bulks
  /** Ages, archives that end, escalations that end. */
  clock(): Promise<Record<string, unknown>>
  forecasts(): Promise<Record<string, unknown>>
  /** Owners of new issues, mails to people. */
  people(): Promise<Record<string, unknown>>
  /** Browser events beside the server errors that they hide. */
  failures(): Promise<Record<string, unknown>>
}

/** More changed issues than this are one message: screens look at everything once. */
const namedMax = 100

/** Wires what triage does in the background. */
export function createTriage(deps: TriageDeps): Triage {
  const { live, alerts } = deps
  const told = (organizationId: number, issueIds: readonly number[]) => {
    if (issueIds.length > namedMax) live.publish(organizationId, { kind: 'missed' })
    else for (const id of issueIds) live.publish(organizationId, { kind: 'issue', id: String(id) })
  }
  const changed = (issues: readonly Issue[]) => {
    for (const [organizationId, own] of Map.groupBy(issues, (item) => item.organizationId))
      told(
        organizationId,
        own.map((item) => item.id),
      )
  }
  const bulks = createBulks({ ...deps, changed: told })
  return {
    bulks,
    clock: async () => {
      const done = await runClock({ ...deps, changed })
      if (done.turned > 0) alerts.kick()
      return { ...done, ...(await bulks.run()) }
    },
    forecasts: () => runForecasts({ ...deps, changed }),
    failures: () => joinFailures({ ...deps, changed }),
    people: async () => {
      // Mails first: they go out while the events store, which owners are found in, is away.
      const told = await runNotices(deps)
      return { ...(await runOwners({ ...deps, changed })), ...told }
    },
  }
}
