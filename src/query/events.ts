import { MishapError } from '../errors.ts'
import type { RestEvent } from '../protocol/rest.ts'
import type { Scope, SeenEvent } from '../store/events/events.ts'
import type { Issue } from '../store/meta/meta.ts'
import { toRestEvent } from './event.ts'
import type { QueryDeps } from './issue.ts'

/** Which event of an issue: by word, by number (1 = oldest kept), or by id (32 hex, dashes allowed). */
export type EventChoice = 'latest' | 'newest' | 'oldest' | 'first' | 'recommended' | (string & {})

/** 32 lower-case hex of an event id in any spelling; undefined when it is none. */
export function eventIdOf(text: string): string | undefined {
  const plain = text.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(plain) ? plain : undefined
}

const missing = () => new MishapError('NOT_FOUND')
const hashesOf = (deps: QueryDeps, issue: Issue) => deps.meta.hashesOf([issue.id]).get(issue.id) ?? []

/** One event of an issue as a row. Throws NOT_FOUND when there is none, STORE_UNAVAILABLE. */
export async function eventRowOf(
  deps: QueryDeps,
  issue: Issue,
  choice: EventChoice,
  scope?: Scope,
): Promise<SeenEvent> {
  const hashes = hashesOf(deps, issue)
  if (hashes.length === 0) throw missing()
  const base = { projectId: issue.projectId, hashes, max: 1, ...(scope ? { scope } : {}) }
  const id = eventIdOf(choice)
  if (id !== undefined) {
    const known = new Set(hashes)
    const row = (await deps.events.byEventId([issue.projectId], id)).find((one) => known.has(one.groupHash))
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

/** A row with its place in the issue: number, neighbours, attachments. Throws STORE_UNAVAILABLE. */
export async function placeEvent(deps: QueryDeps, issue: Issue, row: SeenEvent): Promise<RestEvent> {
  const hashes = hashesOf(deps, issue)
  const { number, total, olderId, newerId } = await deps.events.placeOf(issue.projectId, hashes, row)
  return toRestEvent(row, {
    issueId: issue.id,
    number,
    total,
    previousEventId: olderId ?? null,
    nextEventId: newerId ?? null,
    attachments: deps.meta.attachmentsOf(row.projectId, row.eventId),
  })
}

/** One event of an issue in the shape of the API. Throws NOT_FOUND, STORE_UNAVAILABLE. */
export async function issueEvent(
  deps: QueryDeps,
  issue: Issue,
  choice: EventChoice,
  scope?: Scope,
): Promise<RestEvent> {
  return placeEvent(deps, issue, await eventRowOf(deps, issue, choice, scope))
}

/** The issue that a row belongs to now; undefined when its mapping is gone. */
export function issueOfRow(deps: QueryDeps, row: SeenEvent): Issue | undefined {
  const id = deps.meta
    .issueIdsOf([{ projectId: row.projectId, groupHash: row.groupHash }])
    .get(`${row.projectId}:${row.groupHash}`)
  return id === undefined ? undefined : deps.meta.issueById(id)
}

/** A row without its neighbours, for lists: number and total stay 0. */
export function toListedEvent(deps: QueryDeps, issueId: number, row: SeenEvent): RestEvent {
  return toRestEvent(row, {
    issueId,
    number: 0,
    total: 0,
    previousEventId: null,
    nextEventId: null,
    attachments: deps.meta.attachmentsOf(row.projectId, row.eventId),
  })
}

/** The event with this id in one of the projects, and its issue. undefined: not there (yet). Throws STORE_UNAVAILABLE. */
export async function eventById(
  deps: QueryDeps,
  projectIds: number[],
  text: string,
): Promise<{ row: SeenEvent; issue: Issue } | undefined> {
  const id = eventIdOf(text)
  if (id === undefined || projectIds.length === 0) return undefined
  for (const row of await deps.events.byEventId(projectIds, id)) {
    const issue = issueOfRow(deps, row)
    if (issue) return { row, issue }
  }
  return undefined
}

/** Events with this digest (the number that a React framework shows), newest first, with their issues. Throws STORE_UNAVAILABLE. */
export async function eventsOfDigest(
  deps: QueryDeps,
  projectIds: number[],
  digest: string,
  max = 100,
): Promise<{ issue: Issue; events: SeenEvent[] }[]> {
  if (!/^[\w@;:.-]{1,200}$/.test(digest) || projectIds.length === 0) return []
  const found = new Map<number, { issue: Issue; events: SeenEvent[] }>()
  for (const row of await deps.events.byDigest(projectIds, digest, max)) {
    const issue = issueOfRow(deps, row)
    if (!issue) continue
    const known = found.get(issue.id)
    if (known) known.events.push(row)
    else found.set(issue.id, { issue, events: [row] })
  }
  return [...found.values()]
}
