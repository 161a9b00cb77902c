import type { Alerts } from '../alert/alert.ts'
import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { LiveChange } from '../contract/live.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { Issue, Organization, Person, Project } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type Bulks, createBulks } from './bulks.ts'
import { linkErrors } from './error-links.ts'
import { runNotices } from './notices.ts'
import { runOwners } from './owners.ts'
import { runPersonalMails } from './personal-mails.ts'
import { runForecasts, runTransitions } from './scheduled-transitions.ts'

type TriageDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: Pick<EventStore, 'togetherOf' | 'series' | 'byEventId' | 'newestPlaces' | 'eventsAt' | 'groups'>
  alerts: Pick<Alerts, 'kick' | 'mail' | 'push'>
  live: { publish(organizationId: number, change: LiveChange): void }
  url: string
  /** The projects whose issues a person can read. */
  projectsFor(person: Person, organization: Organization): Promise<Project[]>
  /** Makes the links that unsubscribe. */
  seal: { seal(text: string): string }
}

/** Changes of issues without an event: by time, by rules, in bulk. */
export type Triage = {
  bulks: Bulks
  /** Age, end of archives, end of escalations. */
  clock(): Promise<Record<string, unknown>>
  forecasts(): Promise<Record<string, unknown>>
  /** Owners of new issues, and mail to people. */
  people(): Promise<Record<string, unknown>>
  /** Digests and weekly reports that are due. */
  summaries(): Promise<Record<string, unknown>>
  /** Links browser events to the server errors that they hide. */
  failures(): Promise<Record<string, unknown>>
}

/** Above this number, changes are sent as one message and screens reload everything once. */
const namedMax = 100

/** Creates the background jobs of triage. */
export function createTriage(deps: TriageDeps): Triage {
  const { live, alerts } = deps
  const publishIssues = (organizationId: number, issueIds: readonly number[]) => {
    if (issueIds.length > namedMax) live.publish(organizationId, { kind: 'missed' })
    else for (const id of issueIds) live.publish(organizationId, { kind: 'issue', id: String(id) })
  }
  const changed = (issues: readonly Issue[]) => {
    for (const [organizationId, organizationIssues] of Map.groupBy(issues, (issue) => issue.organizationId))
      publishIssues(
        organizationId,
        organizationIssues.map((item) => item.id),
      )
  }
  const bulks = createBulks({ ...deps, changed: publishIssues })
  return {
    bulks,
    clock: async () => {
      const done = await runTransitions({ ...deps, changed })
      if (done.changed > 0) alerts.kick()
      return { ...done, ...(await bulks.run()) }
    },
    forecasts: () => runForecasts({ ...deps, changed }),
    failures: () => linkErrors({ ...deps, changed }),
    summaries: () => runPersonalMails(deps),
    people: async () => {
      // Send mail first: owners need the events store, mail does not.
      const notified = await runNotices(deps)
      return { ...(await runOwners({ ...deps, changed })), ...notified }
    },
  }
}
