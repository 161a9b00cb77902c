import { MishapError } from '../errors.ts'
import type { RestIssue } from '../protocol/rest.ts'
import type { EventFilter, GroupCount, Scope } from '../store/events/events.ts'
import type { Issue, IssueFilter } from '../store/meta/meta.ts'
import type { Cursor, Page } from './cursor.ts'
import { pageByOffset, readCursor, writeCursor } from './cursor.ts'
import type { QueryDeps, View } from './issue.ts'
import { figuresOf, toRestIssues } from './issue.ts'
import { namesOf } from './names.ts'
import type { Branch, Plan } from './plan.ts'
import { planOf } from './plan.ts'
import { parseSearch } from './search/parse.ts'

export const issueSorts = ['date', 'new', 'freq', 'user'] as const
export type IssueSort = (typeof issueSorts)[number]
export const issuesPerPageMax = 100
/** What a list asks for when no query is given. */
export const defaultQuery = 'is:unresolved'
const groupsMax = 10_000

/** `projects` of the view are those that the caller may see and has asked for; `limit` is 1 to 100. */
export type IssueListRequest = View & {
  query: string
  sort: IssueSort
  limit: number
  cursor?: string | undefined
  meUserId?: string | undefined
}

/**
 * One page of the issue stream: rows with counts over the range, the number of hits and both cursors.
 * Throws QUERY_* for the text, VALIDATION for the cursor, STORE_UNAVAILABLE when events can't be asked.
 */
export async function listIssues(deps: QueryDeps, request: IssueListRequest): Promise<Page<RestIssue>> {
  const cursor = readCursor(request.cursor)
  const limit = Math.min(Math.max(1, request.limit), issuesPerPageMax)
  const plan = planOf(parseSearch(request.query), namesOf(deps, request.projects, request.meUserId))
  const only = plan.branches.length === 1 ? plan.branches[0] : undefined
  if (request.projects.length === 0 || plan.branches.length === 0)
    return pageByOffset<RestIssue>([], 0, limit, false, 0)
  const page =
    only && startsFromState(deps, request, only)
      ? fromState(deps, request, only, cursor, limit)
      : await fromEvents(deps, request, plan, cursor, limit)
  const figures = await figuresOf(deps, request, page.rows, page.counted)
  return { ...page, rows: toRestIssues(deps, request, page.rows, figures) }
}

/**
 * Every issue that a query asks for, the latest first, at most `max`; where only events can say which, the 10,000 latest.
 * Throws as listIssues does.
 */
export async function issuesMatching(
  deps: QueryDeps,
  asked: Omit<IssueListRequest, 'sort' | 'limit' | 'cursor'>,
  max: number,
): Promise<Issue[]> {
  const request: IssueListRequest = { ...asked, sort: 'date', limit: max }
  const plan = planOf(parseSearch(request.query), namesOf(deps, request.projects, request.meUserId))
  if (request.projects.length === 0 || plan.branches.length === 0) return []
  const only = plan.branches.length === 1 ? plan.branches[0] : undefined
  if (!only || !startsFromState(deps, request, only))
    return (await fromEvents(deps, request, plan, { after: undefined, offset: 0 }, max)).rows
  const projectIds = only.projectIds ?? request.projects.map((one) => one.id)
  const filter = only.issue ? { filter: only.issue } : {}
  return deps.meta.listIssues({ projectIds, fromMs: request.range.fromMs, ...filter, sort: 'last', max })
}

type Rows = Page<Issue> & { counted?: Map<number, { events: number; users: number }> }

/** Issue state alone answers it, in its order: no events need to be asked which issues there are. */
function startsFromState(deps: QueryDeps, request: IssueListRequest, branch: Branch): boolean {
  const upToNow = request.range.toMs >= deps.clock.now()
  const plain = branch.event === undefined && branch.fromMs === undefined && branch.toMs === undefined
  return plain && upToNow && request.environments.length === 0 && (request.sort === 'date' || request.sort === 'new')
}

function fromState(deps: QueryDeps, request: IssueListRequest, branch: Branch, cursor: Cursor, limit: number): Rows {
  const projectIds = branch.projectIds ?? request.projects.map((one) => one.id)
  const asked = { projectIds, fromMs: request.range.fromMs, ...(branch.issue ? { filter: branch.issue } : {}) }
  const sort = request.sort === 'new' ? 'first' : 'last'
  // A client that counts by offset reads the rows before it, too: at most a few thousand.
  const skip = cursor.after ? 0 : cursor.offset
  if (skip > groupsMax) throw new MishapError('VALIDATION', { fields: { cursor: [`At most ${groupsMax} rows.`] } })
  const found = deps.meta
    .listIssues({ ...asked, sort, max: skip + limit + 1, ...(cursor.after ? { after: cursor.after } : {}) })
    .slice(skip)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const page = pageByOffset(rows, cursor.offset, limit, found.length > limit, deps.meta.countIssues(asked))
  if (last)
    page.next.cursor = writeCursor({
      after: { valueMs: sort === 'first' ? last.firstSeenMs : last.lastSeenMs, id: last.id },
      offset: cursor.offset + rows.length,
    })
  return page
}

type Total = { events: number; users: number; lastMs: number }

async function fromEvents(
  deps: QueryDeps,
  request: IssueListRequest,
  plan: Plan,
  cursor: Cursor,
  limit: number,
): Promise<Rows> {
  const order = ({ date: 'last', new: 'last', freq: 'events', user: 'users' } as const)[request.sort]
  const answers = await Promise.all(
    plan.branches.map(async (branch) => {
      const scope = scopeOf(request, branch)
      if (scope.fromMs >= scope.toMs) return new Map<number, Total & { issue: Issue }>()
      const groups = await deps.events.groups({
        scope,
        order,
        max: groupsMax,
        ...(branch.event ? { filter: branch.event satisfies EventFilter } : {}),
      })
      return issuesOf(deps, groups, branch.issue)
    }),
  )
  const totals = new Map<number, Total & { issue: Issue }>()
  for (const answer of answers) {
    for (const [id, one] of answer) {
      const before = totals.get(id)
      // Branches overlap, so the larger figure is right more often than the sum.
      totals.set(
        id,
        before
          ? {
              issue: one.issue,
              events: Math.max(before.events, one.events),
              users: Math.max(before.users, one.users),
              lastMs: Math.max(before.lastMs, one.lastMs),
            }
          : one,
      )
    }
  }
  const value = (
    {
      date: (one) => one.lastMs,
      new: (one) => one.issue.firstSeenMs,
      freq: (one) => one.events,
      user: (one) => one.users,
    } satisfies Record<IssueSort, (one: Total & { issue: Issue }) => number>
  )[request.sort]
  const sorted = [...totals.values()].sort((a, b) => value(b) - value(a) || b.issue.id - a.issue.id)
  const rows = sorted.slice(cursor.offset, cursor.offset + limit)
  const page = pageByOffset(
    rows.map((one) => one.issue),
    cursor.offset,
    limit,
    sorted.length > cursor.offset + limit,
    sorted.length,
  )
  return { ...page, counted: new Map(rows.map((one) => [one.issue.id, { events: one.events, users: one.users }])) }
}

function scopeOf(request: IssueListRequest, branch: Branch): Scope {
  return {
    projectIds: branch.projectIds ?? request.projects.map((one) => one.id),
    environments: request.environments,
    fromMs: Math.max(request.range.fromMs, branch.fromMs ?? 0),
    toMs: Math.min(request.range.toMs, branch.toMs ?? Number.MAX_SAFE_INTEGER),
  }
}

/** The issues of groups that meet the filter, with the sums over their hashes. */
function issuesOf(
  deps: QueryDeps,
  groups: GroupCount[],
  filter: IssueFilter | undefined,
): Map<number, Total & { issue: Issue }> {
  const ids = deps.meta.issueIdsOf(groups)
  const totals = new Map<number, Total>()
  for (const one of groups) {
    const id = ids.get(`${one.projectId}:${one.groupHash}`)
    if (id === undefined) continue
    const sum = totals.get(id) ?? { events: 0, users: 0, lastMs: 0 }
    totals.set(id, {
      events: sum.events + one.events,
      users: sum.users + one.users,
      lastMs: Math.max(sum.lastMs, one.lastMs),
    })
  }
  const made = new Map<number, Total & { issue: Issue }>()
  for (const issue of deps.meta.issuesByIds([...totals.keys()], filter)) {
    const total = totals.get(issue.id)
    if (total) made.set(issue.id, { ...total, issue })
  }
  return made
}
