import type { RestBrowserEvent, RestBrowserSide, RestFailure } from '../contract/error-links.ts'
import type { Findings } from '../domain/event.ts'
import type { SeenEvent } from '../store/events/events.ts'
import type { FailureLink } from '../store/meta/issues/error-links.ts'
import type { Issue, MetaStore } from '../store/meta/meta.ts'

type Deps = {
  meta: Pick<
    MetaStore,
    'failureState' | 'failureLinkOf' | 'failuresOfEvent' | 'browserSideOf' | 'issueIdsOf' | 'issueById' | 'projectById'
  >
}

/** Browser events that are named; the others are a count. */
const newestMax = 10

/** The issue that an event of a group belongs to now. */
function issueOf({ meta }: Deps, projectId: number, groupHash: string): Issue | undefined {
  const id = meta.issueIdsOf([{ projectId, groupHash }]).get(`${projectId}:${groupHash}`)
  return id === undefined ? undefined : meta.issueById(id)
}

const slugOf = ({ meta }: Deps, projectId: number) => meta.projectById(projectId)?.slug ?? ''

const toBrowserEvent = (deps: Deps, { browser, reason }: FailureLink): RestBrowserEvent => {
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

/** The server error of a browser event, for who may read its project: else it is as if there were none. */
function serverOf(deps: Deps, row: SeenEvent, readable: readonly number[]): RestFailure['server'] {
  const link = deps.meta.failureLinkOf(row.projectId, row.eventId)
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
 * What an event has to do with a hidden server error; null for nearly all, which cost nothing. `readable`: projects that
 * the caller may read, of the other side.
 */
export function failureOf(
  deps: Deps,
  row: SeenEvent,
  { failure }: Findings,
  readable: readonly number[],
): RestFailure | null {
  if (!failure) return null
  const { projectId, eventId } = row
  if (failure.side === 'server') {
    const { events, newest } = deps.meta.failuresOfEvent(projectId, eventId, readable, newestMax)
    const browser = { events, newest: newest.map((item) => toBrowserEvent(deps, item)) }
    return { side: 'server', server: null, alone: null, browser }
  }
  const server = serverOf(deps, row, readable)
  const state = server ? undefined : deps.meta.failureState(projectId, eventId)
  const alone = server ? null : state?.waiting ? 'waiting' : state?.alone || 'none'
  return { side: 'browser', server, alone, browser: null }
}

/** What an issue's server errors were in the browser, as far as the caller may read those projects. */
export function browserSideOf(deps: Deps, issue: Issue, readable: readonly number[]): RestBrowserSide {
  const { events, people, lastMs, newest } = deps.meta.browserSideOf(issue.id, readable, newestMax)
  return {
    events,
    people,
    lastSeen: lastMs === null ? null : new Date(lastMs).toISOString(),
    newest: newest.map((item) => toBrowserEvent(deps, item)),
  }
}
