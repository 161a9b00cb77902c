import { MishapError } from '../../base/errors.ts'
import type { RestEvent } from '../../contract/events.ts'
import type { EventFilter, Scope, SeenEvent } from '../../store/events/events.ts'
import type { Issue, IssueFilter, Project } from '../../store/meta/meta.ts'
import type { Page } from '../cursor.ts'
import { eventPage, pageRequest, readEventCursor } from '../events/event-cursor.ts'
import { issueOfRow, toListedEvent } from '../events.ts'
import type { Branch } from '../search/branches.ts'
import { searchContextOf } from '../search/context.ts'
import { parseSearch } from '../search/parse.ts'
import { planOf } from '../search/plan.ts'
import type { QueryDeps } from './issue.ts'

/** Limit of issues that can match the conditions on issues when events are listed. */
const issuesMax = 2000

export type EventListRequest = {
  scope: Scope
  query?: string | undefined
  limit: number
  cursor?: string | undefined
  meUserId?: string | undefined
}

/** A filter on events; `true` is every event, `false` no event. */
type Condition = EventFilter | boolean

function all(conditions: Condition[]): Condition {
  const parts = conditions.filter((condition): condition is EventFilter => typeof condition !== 'boolean')
  if (conditions.includes(false)) return false
  return parts.length > 1 ? { op: 'and', of: parts } : (parts[0] ?? true)
}

function any(conditions: Condition[]): Condition {
  const parts = conditions.filter((condition): condition is EventFilter => typeof condition !== 'boolean')
  if (conditions.includes(true)) return true
  return parts.length > 1 ? { op: 'or', of: parts } : (parts[0] ?? false)
}

/** Converts a branch of a plan to a condition on rows. `ofIssues` converts its condition on issues. */
async function conditionOf(branch: Branch, ofIssues: (filter: IssueFilter) => Promise<Condition>): Promise<Condition> {
  const { issue, event, projectIds, fromMs, toMs } = branch
  const time = { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) }
  return all([
    projectIds ? { op: 'projects', ids: projectIds } : true,
    fromMs === undefined && toMs === undefined ? true : { op: 'time', ...time },
    event ?? true,
    issue ? await ofIssues(issue) : true,
  ])
}

/**
 * Converts a search text to a condition on the events of a project. Conditions on issues are evaluated first, so that
 * the events store gets one condition. Throws QUERY_*.
 */
async function searched(
  deps: QueryDeps,
  project: Pick<Project, 'id' | 'slug'>,
  request: EventListRequest,
  ofIssues: (filter: IssueFilter) => Promise<Condition>,
): Promise<Condition> {
  const search = request.query ? parseSearch(request.query) : undefined
  const { environments } = request.scope
  const view = { projects: [project], environments, meUserId: request.meUserId }
  const { branches } = await planOf(search, searchContextOf(deps, view, 'events'))
  return any(await Array.fromAsync(branches, async (branch) => conditionOf(branch, ofIssues)))
}

/** Condition with the hashes of the issues that match a filter. Throws QUERY_TOO_LONG for more than 2,000 issues. */
async function groupsOf(deps: QueryDeps, projectId: number, filter: IssueFilter): Promise<Condition> {
  const issues = await deps.meta.issues.listIssues({
    projectIds: [projectId],
    filter,
    sort: 'last',
    max: issuesMax + 1,
  })
  if (issues.length > issuesMax)
    throw new MishapError('QUERY_TOO_LONG', {
      detail: `Invalid query: more than ${issuesMax} issues match its issue conditions. Narrow them, or use only event conditions.`,
    })
  const hashes = [...(await deps.meta.issues.hashesOf(issues.map((issue) => issue.id))).values()].flat()
  return hashes.length > 0 && { op: 'groups', hashes }
}

/** One page of the rows of an issue, newest first. Throws VALIDATION for the cursor, QUERY_*, STORE_UNAVAILABLE. */
export async function eventRowsOf(deps: QueryDeps, issue: Issue, request: EventListRequest): Promise<Page<SeenEvent>> {
  const cursor = readEventCursor(request.cursor)
  const { limit, scope } = request
  const hashes = (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const project = (await deps.meta.projects.projectById(issue.projectId)) ?? { id: issue.projectId, slug: '' }
  const filter = await searched(
    deps,
    project,
    request,
    async (issueFilter) => (await deps.meta.issues.issuesByIds([issue.id], issueFilter)).length > 0,
  )
  if (hashes.length === 0 || filter === false) return { ...eventPage(cursor, [], limit), rows: [] }
  const rows = await deps.events.ofIssue({
    projectId: issue.projectId,
    hashes,
    scope,
    ...pageRequest(cursor, limit),
    ...(filter === true ? {} : { filter }),
  })
  return eventPage(cursor, rows, limit)
}

/** One page of an issue's events, newest first. Throws VALIDATION for the cursor, QUERY_*, STORE_UNAVAILABLE. */
export async function listEvents(deps: QueryDeps, issue: Issue, request: EventListRequest): Promise<Page<RestEvent>> {
  const page = await eventRowsOf(deps, issue, request)
  return { ...page, rows: await Array.fromAsync(page.rows, async (row) => toListedEvent(deps, issue.id, row)) }
}

/** One page of a project's events, newest first. Throws VALIDATION for the cursor, QUERY_*, STORE_UNAVAILABLE. */
export async function listProjectEvents(
  deps: QueryDeps,
  project: Project,
  request: EventListRequest,
): Promise<Page<RestEvent>> {
  const cursor = readEventCursor(request.cursor)
  const { limit, scope } = request
  const filter = await searched(deps, project, request, (issueFilter) => groupsOf(deps, project.id, issueFilter))
  if (filter === false) return { ...eventPage(cursor, [], limit), rows: [] }
  const rows = await deps.events.inScope({
    scope,
    ...pageRequest(cursor, limit),
    ...(filter === true ? {} : { filter }),
  })
  const page = eventPage(cursor, rows, limit)
  const shown = (
    await Array.fromAsync(page.rows, async (row) => {
      const issue = await issueOfRow(deps, row)
      return issue ? [await toListedEvent(deps, issue.id, row)] : []
    })
  ).flat()
  return { ...page, rows: shown }
}
