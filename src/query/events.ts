import { MishapError } from '../base/errors.ts'
import type { RestEvent } from '../contract/events.ts'
import { isDigest } from '../domain/pasted-digest.ts'
import type { Scope, SeenEvent } from '../store/events/events.ts'
import type { Issue } from '../store/meta/meta.ts'
import { failureOf } from './issues/error-links.ts'
import { normalOf, toRestEvent } from './issues/event.ts'
import type { QueryDeps } from './issues/issue.ts'

/** Selects an event of an issue: by word, by number (1 = oldest stored), or by id (32 hex, dashes allowed). */
type EventChoice = 'latest' | 'newest' | 'oldest' | 'first' | 'recommended' | (string & {})

/** Normalizes an event id to 32 lower-case hex characters; undefined for any other text. */
export function eventIdOf(text: string): string | undefined {
  const plain = text.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(plain) ? plain : undefined
}

const missing = () => new MishapError('NOT_FOUND')
const hashesOf = async (deps: QueryDeps, issue: Issue) =>
  (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []

/** Returns the row of one event of an issue. Throws NOT_FOUND, STORE_UNAVAILABLE. */
export async function eventRowOf(
  deps: QueryDeps,
  issue: Issue,
  choice: EventChoice,
  scope?: Scope,
): Promise<SeenEvent> {
  const hashes = await hashesOf(deps, issue)
  if (hashes.length === 0) throw missing()
  const base = { projectId: issue.projectId, hashes, max: 1, ...(scope ? { scope } : {}) }
  const id = eventIdOf(choice)
  if (id !== undefined) {
    const issueHashes = new Set(hashes)
    const row = (await deps.events.byEventId([issue.projectId], id)).find((candidate) =>
      issueHashes.has(candidate.groupHash),
    )
    if (!row) throw missing()
    return row
  }
  const number = /^\d{1,9}$/.test(choice) ? Number(choice) : undefined
  const oldest = choice === 'first' || choice === 'oldest' || number !== undefined
  if (!oldest && !['latest', 'newest', 'recommended'].includes(choice)) throw missing()
  if (number === 0) throw missing()
  const [row] = await deps.events.ofIssue({
    ...base,
    order: oldest ? 'oldest' : 'newest',
    ...(number === undefined ? {} : { offset: number - 1 }),
  })
  if (!row) throw missing()
  return row
}

/** From here on the rollup counts an issue's events, with two queries. For fewer, one query on the rows is faster. */
const largeEvents = 100_000

/** The rollups include downsampled events, so only the rows give the number of stored events of such an issue. */
const isLarge = async (deps: QueryDeps, { id, count }: Issue): Promise<boolean> =>
  count >= largeEvents && !(await deps.meta.retention.downsampledOf([id])).has(id)

/** Returns the repository and the commit that the release of an event was built from; null if that is not clear. */
async function repositoryOf({ meta }: QueryDeps, row: SeenEvent): Promise<RestEvent['repository']> {
  const version = normalOf(row).release
  const organizationId = version && (await meta.projects.projectById(row.projectId))?.organizationId
  if (!version || !organizationId) return null
  const place = { organizationId, version }
  const [newest] = await meta.releases.commitsOf({ ...place, offset: 0, max: 1 })
  if (!newest?.repositoryUrl) return null
  const refs = await meta.releases.refsOf(place)
  if (refs.length > 1 || (refs[0] && refs[0].repository !== newest.repository)) return null
  return { name: newest.repository, url: newest.repositoryUrl, commit: refs[0]?.commit ?? newest.sha }
}

/** The code mappings of an event's project, each at the commit of the event's release or at its branch. */
async function codeMappingsOf({ meta }: QueryDeps, row: SeenEvent): Promise<NonNullable<RestEvent['codeMappings']>> {
  const mappings = (await meta.trackers.mappingsOfProject(row.projectId)).filter(({ repositoryUrl }) => repositoryUrl)
  const version = normalOf(row).release
  const organizationId = mappings.length > 0 && (await meta.projects.projectById(row.projectId))?.organizationId
  if (!organizationId) return []
  const commits = new Map<string, string>()
  if (version) {
    const place = { organizationId, version }
    const [newest] = await meta.releases.commitsOf({ ...place, offset: 0, max: 1 })
    if (newest) commits.set(newest.repository, newest.sha)
    for (const { repository, commit } of await meta.releases.refsOf(place)) commits.set(repository, commit)
  }
  return mappings.map(({ stackRoot, sourceRoot, repository, repositoryUrl, defaultBranch }) => ({
    stackRoot,
    sourceRoot,
    url: repositoryUrl,
    ref: commits.get(repository) ?? defaultBranch,
  }))
}

/** The spans of a performance issue's evidence that retention and downsampling left. */
async function storedSpansOf({ events }: QueryDeps, row: SeenEvent): Promise<ReadonlySet<string> | undefined> {
  const evidence = normalOf(row).findings.performance
  if (!evidence) return undefined
  const ids = evidence.spans.map(({ id }) => id)
  try {
    return new Set(await events.storedSpans(row.projectId, evidence.traceId, ids))
  } catch {
    // The numbers of the evidence are in the event. Whether its spans are there is a note.
    return undefined
  }
}

/**
 * Converts a row with its place in the issue: number, adjacent events, attachments, error link. `readable`: projects
 * from which the other end can be shown (default: the issue's own). Throws STORE_UNAVAILABLE.
 */
export async function positionEvent(
  deps: QueryDeps,
  issue: Issue,
  row: SeenEvent,
  readable: readonly number[] = [issue.projectId],
): Promise<RestEvent> {
  const hashes = await hashesOf(deps, issue)
  const { number, total, olderId, newerId } = await deps.events.placeOf(
    issue.projectId,
    hashes,
    row,
    await isLarge(deps, issue),
  )
  return toRestEvent(row, {
    issueId: issue.id,
    storedSpans: await storedSpansOf(deps, row),
    number,
    total,
    previousEventId: olderId ?? null,
    nextEventId: newerId ?? null,
    attachments: await deps.meta.attachments.attachmentsOf(row.projectId, row.eventId),
    failure: await failureOf(deps, row, normalOf(row).findings, readable),
    repository: await repositoryOf(deps, row),
    codeMappings: await codeMappingsOf(deps, row),
  })
}

/** Returns one event of an issue in the API's shape. Throws NOT_FOUND, STORE_UNAVAILABLE. */
export async function issueEvent(
  deps: QueryDeps,
  issue: Issue,
  choice: EventChoice,
  scope?: Scope,
  readable?: readonly number[],
): Promise<RestEvent> {
  return positionEvent(deps, issue, await eventRowOf(deps, issue, choice, scope), readable)
}

/** Returns the current issue of a row; undefined if its mapping was deleted. */
export async function issueOfRow(deps: QueryDeps, row: SeenEvent): Promise<Issue | undefined> {
  const id = (await deps.meta.issues.issueIdsOf([{ projectId: row.projectId, groupHash: row.groupHash }])).get(
    `${row.projectId}:${row.groupHash}`,
  )
  return id === undefined ? undefined : await deps.meta.issues.issueById(id)
}

/** Converts a row for lists, without adjacent events: number and total are 0. */
export async function toListedEvent(deps: QueryDeps, issueId: number, row: SeenEvent): Promise<RestEvent> {
  return toRestEvent(row, {
    issueId,
    number: 0,
    total: 0,
    previousEventId: null,
    nextEventId: null,
    attachments: await deps.meta.attachments.attachmentsOf(row.projectId, row.eventId),
    failure: null,
    repository: null,
  })
}

/** Finds an event by id in the projects, with its issue. undefined: not stored (yet). Throws STORE_UNAVAILABLE. */
export async function eventById(
  deps: QueryDeps,
  projectIds: number[],
  text: string,
): Promise<{ row: SeenEvent; issue: Issue } | undefined> {
  return (await eventsById(deps, projectIds, text))[0]
}

/**
 * Returns every event with this id in these projects that has an issue, last received first. Looks again if a request has
 * just ended a wait of refine: the event can be on its way.
 */
export async function eventsById(
  deps: QueryDeps,
  projectIds: number[],
  text: string,
): Promise<{ row: SeenEvent; issue: Issue }[]> {
  const id = eventIdOf(text)
  if (id === undefined || projectIds.length === 0) return []
  const waits = deps.readers.isCatchingUp() ? catchUpWaitsMs : []
  let found = await storedEvents(deps, projectIds, id)
  for (const ms of waits) {
    if (found.length > 0) break
    await deps.clock.sleep(ms)
    found = await storedEvents(deps, projectIds, id)
  }
  return found
}

async function storedEvents(
  deps: QueryDeps,
  projectIds: number[],
  id: string,
): Promise<{ row: SeenEvent; issue: Issue }[]> {
  return (
    await Array.fromAsync(await deps.events.byEventId(projectIds, id), async (row) => {
      const issue = await issueOfRow(deps, row)
      return issue ? [{ row, issue }] : []
    })
  ).flat()
}

/** A batch takes 0.1 s on a free machine, and begins at most 0.15 s after the last batch. */
const catchUpWaitsMs = [200, 300, 600]

/** Limit of browser events of a digest whose server errors are looked up. */
const followedMax = 20

/** Returns the linked server events of browser events with a digest. */
async function linkedServers(
  deps: QueryDeps,
  projectIds: readonly number[],
  rows: readonly SeenEvent[],
): Promise<SeenEvent[]> {
  const found = new Map<string, SeenEvent>()
  for (const { projectId, eventId } of rows.slice(0, followedMax)) {
    const server = (await deps.meta.errorLinks.errorLinkOf(projectId, eventId))?.server
    if (!server || found.has(server.eventId) || !projectIds.includes(server.projectId)) continue
    const [row] = await deps.events.byEventId([server.projectId], server.eventId)
    if (row) found.set(server.eventId, row)
  }
  return [...found.values()]
}

/**
 * Selects the rows that a digest opens: server errors with this digest, else server errors linked to its browser
 * events, else rows that are no browser end, else the browser ends.
 */
async function opened(
  deps: QueryDeps,
  projectIds: readonly number[],
  rows: readonly SeenEvent[],
  digest: string,
): Promise<readonly SeenEvent[]> {
  const withFailures = rows.map((row) => ({ row, failure: normalOf(row).findings.failure }))
  const rowsOf = (some: typeof withFailures) => some.map(({ row }) => row)
  // Breadcrumbs of other errors can contain the digest too.
  const serverErrors = withFailures.filter(({ failure }) => failure?.side === 'server' && failure.digest === digest)
  if (serverErrors.length > 0) return rowsOf(serverErrors)
  const linked = await linkedServers(deps, projectIds, rows)
  if (linked.length > 0) return linked
  const others = withFailures.filter(({ failure }) => failure?.side !== 'browser')
  return others.length > 0 ? rowsOf(others) : rows
}

/**
 * Returns events with this digest (which a React framework shows), newest first, with their issues; at most a tenth of
 * `max` per group. If the error itself is stored, events that hide or quote it are left out. Throws STORE_UNAVAILABLE.
 */
export async function eventsOfDigest(
  deps: QueryDeps,
  projectIds: number[],
  digest: string,
  max = 100,
): Promise<{ issue: Issue; events: SeenEvent[] }[]> {
  if (!isDigest(digest) || projectIds.length === 0) return []
  const rows = await deps.events.byDigest(projectIds, digest, max)
  const found = new Map<number, { issue: Issue; events: SeenEvent[] }>()
  const shown = await opened(deps, projectIds, rows, digest)
  for (const row of shown.toSorted((a, b) => b.timestampUs - a.timestampUs)) {
    const issue = await issueOfRow(deps, row)
    if (!issue) continue
    const match = found.get(issue.id)
    if (match) match.events.push(row)
    else found.set(issue.id, { issue, events: [row] })
  }
  return [...found.values()]
}
