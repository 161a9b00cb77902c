import type { RestBrowserEvent, RestClientEnds, RestErrorLink } from '../../contract/error-links.ts'
import type { Findings } from '../../domain/event.ts'
import type { SeenEvent } from '../../store/events/events.ts'
import type { ErrorLink } from '../../store/meta/issues/error-links.ts'
import type { Issue } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'

type Deps = {
  meta: MetaWith<
    | 'errorLinks.errorEndState'
    | 'errorLinks.errorLinkOf'
    | 'errorLinks.errorLinksOfEvent'
    | 'errorLinks.clientEndsOf'
    | 'issues.issueIdsOf'
    | 'issues.issueById'
    | 'projects.projectById'
  >
}

/** Limit of browser events that are listed. The others are only counted. */
const newestMax = 10

/** Returns the current issue of a group's events. */
async function issueOf({ meta }: Deps, projectId: number, groupHash: string): Promise<Issue | undefined> {
  const id = (await meta.issues.issueIdsOf([{ projectId, groupHash }])).get(`${projectId}:${groupHash}`)
  return id === undefined ? undefined : await meta.issues.issueById(id)
}

const slugOf = async ({ meta }: Deps, projectId: number) => (await meta.projects.projectById(projectId))?.slug ?? ''

const toBrowserEvent = async (deps: Deps, { browser, reason }: ErrorLink): Promise<RestBrowserEvent> => {
  const issue = await issueOf(deps, browser.projectId, browser.groupHash)
  return {
    eventID: browser.eventId,
    groupID: issue ? String(issue.id) : null,
    projectID: String(browser.projectId),
    projectSlug: await slugOf(deps, browser.projectId),
    dateReceived: new Date(browser.receivedMs).toISOString(),
    reason,
    sure: reason === 'digest',
  }
}

/** Returns the server error of a browser event. Null if the caller cannot read its project. */
async function serverOf(deps: Deps, row: SeenEvent, readable: readonly number[]): Promise<RestErrorLink['server']> {
  const link = await deps.meta.errorLinks.errorLinkOf(row.projectId, row.eventId)
  if (!link || !readable.includes(link.server.projectId)) return null
  const { projectId, eventId, groupHash } = link.server
  const issue = await issueOf(deps, projectId, groupHash)
  if (!issue) return null
  return {
    reason: link.reason,
    sure: link.reason === 'digest',
    eventID: eventId,
    groupID: String(issue.id),
    shortId: issue.shortId,
    title: issue.title,
    projectID: String(projectId),
    projectSlug: await slugOf(deps, projectId),
  }
}

/**
 * Returns an event's error link; null for nearly all events, without any query. `readable`: projects of the other end
 * that the caller can read.
 */
export async function failureOf(
  deps: Deps,
  row: SeenEvent,
  { failure }: Findings,
  readable: readonly number[],
): Promise<RestErrorLink | null> {
  if (!failure) return null
  const { projectId, eventId } = row
  if (failure.side === 'server') {
    const { events, newest } = await deps.meta.errorLinks.errorLinksOfEvent(projectId, eventId, readable, newestMax)
    const browser = { events, newest: await Array.fromAsync(newest, async (link) => toBrowserEvent(deps, link)) }
    return { side: 'server', server: null, alone: null, browser }
  }
  const server = await serverOf(deps, row, readable)
  const state = server ? undefined : await deps.meta.errorLinks.errorEndState(projectId, eventId)
  const unlinkedReason = server ? null : state?.waiting ? 'waiting' : state?.alone || 'none'
  return { side: 'browser', server, alone: unlinkedReason, browser: null }
}

/** Returns the browser events of an issue's server errors, from projects that the caller can read. */
export async function clientEndsOf(deps: Deps, issue: Issue, readable: readonly number[]): Promise<RestClientEnds> {
  const { events, people, lastMs, newest } = await deps.meta.errorLinks.clientEndsOf(issue.id, readable, newestMax)
  return {
    events,
    people,
    lastSeen: lastMs === null ? null : new Date(lastMs).toISOString(),
    newest: await Array.fromAsync(newest, async (link) => toBrowserEvent(deps, link)),
  }
}
