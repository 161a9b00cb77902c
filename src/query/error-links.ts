import type { RestBrowserEvent, RestClientEnds, RestErrorLink } from '../contract/error-links.ts'
import type { Findings } from '../domain/event.ts'
import type { SeenEvent } from '../store/events/events.ts'
import type { ErrorLink } from '../store/meta/issues/error-links.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

type Deps = {
  meta: Pick<
    MetaStore,
    'errorEndState' | 'errorLinkOf' | 'errorLinksOfEvent' | 'clientEndsOf' | 'issueIdsOf' | 'issueById' | 'projectById'
  >
}

/** Limit of browser events that are listed. The others are only counted. */
const newestMax = 10

/** Returns the current issue of a group's events. */
function issueOf({ meta }: Deps, projectId: number, groupHash: string): Issue | undefined {
  const id = meta.issueIdsOf([{ projectId, groupHash }]).get(`${projectId}:${groupHash}`)
  return id === undefined ? undefined : meta.issueById(id)
}

const slugOf = ({ meta }: Deps, projectId: number) => meta.projectById(projectId)?.slug ?? ''

const toBrowserEvent = (deps: Deps, { browser, reason }: ErrorLink): RestBrowserEvent => {
  const issue = issueOf(deps, browser.projectId, browser.groupHash)
  return {
    eventID: browser.eventId,
    groupID: issue ? String(issue.id) : null,
    projectID: String(browser.projectId),
    projectSlug: slugOf(deps, browser.projectId),
    dateReceived: new Date(browser.receivedMs).toISOString(),
    reason,
    sure: reason === 'digest',
  }
}

/** Returns the server error of a browser event. Null if the caller cannot read its project. */
function serverOf(deps: Deps, row: SeenEvent, readable: readonly number[]): RestErrorLink['server'] {
  const link = deps.meta.errorLinkOf(row.projectId, row.eventId)
  if (!link || !readable.includes(link.server.projectId)) return null
  const { projectId, eventId, groupHash } = link.server
  const issue = issueOf(deps, projectId, groupHash)
  if (!issue) return null
  return {
    reason: link.reason,
    sure: link.reason === 'digest',
    eventID: eventId,
    groupID: String(issue.id),
    shortId: issue.shortId,
    title: issue.title,
    projectID: String(projectId),
    projectSlug: slugOf(deps, projectId),
  }
}

/**
 * Returns an event's error link; null for nearly all events, without any query. `readable`: projects of the other end
 * that the caller can read.
 */
export function failureOf(
  deps: Deps,
  row: SeenEvent,
  { failure }: Findings,
  readable: readonly number[],
): RestErrorLink | null {
  if (!failure) return null
  const { projectId, eventId } = row
  if (failure.side === 'server') {
    const { events, newest } = deps.meta.errorLinksOfEvent(projectId, eventId, readable, newestMax)
    const browser = { events, newest: newest.map((link) => toBrowserEvent(deps, link)) }
    return { side: 'server', server: null, alone: null, browser }
  }
  const server = serverOf(deps, row, readable)
  const state = server ? undefined : deps.meta.errorEndState(projectId, eventId)
  const unlinkedReason = server ? null : state?.waiting ? 'waiting' : state?.alone || 'none'
  return { side: 'browser', server, alone: unlinkedReason, browser: null }
}

/** Returns the browser events of an issue's server errors, from projects that the caller can read. */
export function clientEndsOf(deps: Deps, issue: Issue, readable: readonly number[]): RestClientEnds {
  const { events, people, lastMs, newest } = deps.meta.clientEndsOf(issue.id, readable, newestMax)
  return {
    events,
    people,
    lastSeen: lastMs === null ? null : new Date(lastMs).toISOString(),
    newest: newest.map((link) => toBrowserEvent(deps, link)),
  }
}
