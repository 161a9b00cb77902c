import { MishapError } from '../../base/errors.ts'
import type { RestIssue } from '../../contract/issues.ts'
import type { EventFilter, GroupCount, GroupEvents, Scope } from '../../store/events/events.ts'
import type { Issue, IssueFilter } from '../../store/meta/meta.ts'
import type { Cursor, Page } from '../cursor.ts'
import { pageByOffset, readCursor, writeCursor } from '../cursor.ts'
import type { Branch } from '../search/branches.ts'
import { searchContextOf } from '../search/context.ts'
import { parseSearch } from '../search/parse.ts'
import { type Plan, planOf } from '../search/plan.ts'
import type { CheckDeps, QueryDeps, View } from './issue.ts'
import { checkOnly, issueStatsOf, toRestIssues } from './issue.ts'

export const issueSorts = ['date', 'new', 'freq', 'user'] as const
type IssueSort = (typeof issueSorts)[number]
const issuesPerPageMax = 100
/** The query of a list that names no query. */
export const defaultQuery = 'is:unresolved'
const groupsMax = 10_000
/** The groups that are read at once, before it is known whether there are more than `groupsMax`. */
const fewGroupsMax = 1000

/** `projects` of the view are the selected ones that the caller can see. `limit` is 1 to 100. */
export type IssueListRequest = View & {
  query: string
  sort: IssueSort
  limit: number
  cursor?: string | undefined
  meUserId?: string | undefined
}

/**
 * Returns one page of the issue stream: rows with counts over the range, the number of hits and both cursors. Throws
 * QUERY_* for the text, VALIDATION for the cursor, STORE_UNAVAILABLE if the events store does not answer.
 */
export async function listIssues(deps: QueryDeps, request: IssueListRequest): Promise<Page<RestIssue>> {
  const cursor = readCursor(request.cursor)
  const limit = Math.min(Math.max(1, request.limit), issuesPerPageMax)
  const plan = await planOf(parseSearch(request.query), searchContextOf(deps, request, 'issues'))
  const only = plan.branches.length === 1 ? plan.branches[0] : undefined
  if (request.projects.length === 0 || plan.branches.length === 0)
    return pageByOffset<RestIssue>([], 0, limit, false, 0)
  const page =
    only && startsFromState(deps, request, only)
      ? await fromState(deps, request, only, cursor, limit)
      : await fromEvents(deps, request, plan, cursor, limit)
  const { counted, countHits, ...listPage } = page
  const [stats, ownCounts, hits = page.hits] = await Promise.all([
    issueStatsOf(deps, request, page.rows),
    counted?.(),
    countHits?.(),
  ])
  for (const [id, counts] of ownCounts ?? []) Object.assign(stats.get(id) ?? {}, counts)
  return { ...listPage, hits, rows: await toRestIssues(deps, request, page.rows, stats) }
}

/** Checks that the stream accepts a query, without running it. Throws QUERY_* as listIssues does. */
export async function checkQuery(
  deps: CheckDeps,
  view: Pick<View, 'projects' | 'meUserId'>,
  query: string,
): Promise<void> {
  await planOf(parseSearch(query), searchContextOf(checkOnly(deps), { ...view, environments: [] }, 'issues'))
}

/**
 * Returns every issue that a query finds, latest first, at most `max`. With conditions on events it searches at most
 * 10,000 groups (see `foundBy`). Throws as listIssues does.
 */
export async function issuesMatching(
  deps: QueryDeps,
  search: Omit<IssueListRequest, 'sort' | 'limit' | 'cursor'>,
  max: number,
): Promise<Issue[]> {
  const request: IssueListRequest = { ...search, sort: 'date', limit: max }
  const plan = await planOf(parseSearch(request.query), searchContextOf(deps, request, 'issues'))
  if (request.projects.length === 0 || plan.branches.length === 0) return []
  const only = plan.branches.length === 1 ? plan.branches[0] : undefined
  if (!only || !startsFromState(deps, request, only))
    return readInParts(
      deps,
      (await rankedByEvents(deps, request, plan)).sorted.slice(0, max).map((issue) => issue.id),
    )
  const projectIds = only.projectIds ?? request.projects.map((project) => project.id)
  const filter = only.issue ? { filter: only.issue } : {}
  const ids = await deps.meta.issues.issueIds({
    projectIds,
    fromMs: request.range.fromMs,
    ...filter,
    sort: 'last',
    max,
  })
  return readInParts(deps, ids)
}

/** Rows per read without a pause: 12,000 at once blocked everything else for 0.2 s. */
const readMax = 500

/** Issues by their ids, in their order. Other work can run after each part. */
async function readInParts({ meta, clock }: QueryDeps, ids: readonly number[]): Promise<Issue[]> {
  const rows: Issue[] = []
  for (let start = 0; start < ids.length; start += readMax) {
    if (start > 0) await clock.sleep(0)
    const part = ids.slice(start, start + readMax)
    const found = new Map((await meta.issues.issuesByIds(part)).map((issue) => [issue.id, issue]))
    rows.push(...part.flatMap((id) => found.get(id) ?? []))
  }
  return rows
}

type Counted = Map<number, { events: number; users: number }>
/**
 * `counted` counts the events and users of the page's issues that the query finds. `countHits` counts the hits, if the
 * page does not have them.
 */
type Rows = Page<Issue> & { counted?: () => Promise<Counted>; countHits?: () => Promise<number> }

/** Whether a branch has no condition on events. */
const isPlain = ({ event, fromMs, toMs }: Branch): boolean =>
  event === undefined && fromMs === undefined && toMs === undefined

/** Whether SQLite alone can answer in the order of the list, without the events store. */
function startsFromState(deps: QueryDeps, request: IssueListRequest, branch: Branch): boolean {
  const upToNow = request.range.toMs >= deps.clock.now()
  return (
    isPlain(branch) &&
    upToNow &&
    request.environments.length === 0 &&
    (request.sort === 'date' || request.sort === 'new')
  )
}

async function fromState(
  deps: QueryDeps,
  request: IssueListRequest,
  branch: Branch,
  cursor: Cursor,
  limit: number,
): Promise<Rows> {
  const projectIds = branch.projectIds ?? request.projects.map((project) => project.id)
  const selection = { projectIds, fromMs: request.range.fromMs, ...(branch.issue ? { filter: branch.issue } : {}) }
  const sort = request.sort === 'new' ? 'first' : 'last'
  // For clients that page by offset the rows before the page are read too.
  const skip = cursor.after ? 0 : cursor.offset
  if (skip > groupsMax) throw new MishapError('VALIDATION', { fields: { cursor: [`At most ${groupsMax} rows.`] } })
  const after = cursor.after ? { after: cursor.after } : {}
  const found = await deps.meta.issues.listIssues({ ...selection, sort, max: skip + limit + 1, ...after })
  const rows = found.slice(skip, skip + limit)
  const last = rows.at(-1)
  const more = found.length > skip + limit
  // A short list was read to its end, so a second query would only count the same rows.
  const isWhole = !more && !cursor.after
  const page = pageByOffset(rows, cursor.offset, limit, more, isWhole ? found.length : undefined)
  // A new event moves an issue to the front, past a reader of later pages. When it was first seen never changes.
  if (skip === 0) page.walk = sort === 'first' ? 'stable' : 'may-skip'
  if (last)
    page.next.cursor = writeCursor({
      after: { valueMs: sort === 'first' ? last.firstSeenMs : last.lastSeenMs, id: last.id },
      offset: cursor.offset + rows.length,
    })
  if (isWhole) return page
  const countHits = async () => {
    // SQLite counts 50,000 issues in 3 ms in this process. By then the events store works on its part of the page.
    await deps.clock.sleep(0)
    return deps.meta.issues.countIssues(selection)
  }
  return { ...page, countHits }
}

/**
 * Stats of an issue in a list by events. `plain`: they cover all its events of the view, as in `issueStatsOf`, but
 * maybe no users. Complete rows are only read for the page: for 10,000 they take a tenth of a second.
 */
type Found = { id: number; firstSeenMs: number; events: number; users: number; lastMs: number; plain: boolean }
/** `isTruncated`: there are more groups than were read. `hasUsers`: the users of all groups were counted. */
type BranchResult = { found: Map<number, Found>; isTruncated: boolean; hasUsers: boolean }

/** What the events store knows of an issue. */
type Sum = Omit<Found, 'firstSeenMs'>
/** Orders that need only that. */
const countOf = {
  date: (sum) => sum.lastMs,
  freq: (sum) => sum.events,
  user: (sum) => sum.users,
} satisfies Partial<Record<IssueSort, (sum: Sum) => number>>
const inOrder = <Item extends { id: number }>(items: Iterable<Item>, value: (item: Item) => number): Item[] =>
  [...items].sort((a, b) => value(b) - value(a) || b.id - a.id)

/**
 * Issues that the events store finds, in the order of the list. `isTruncated`: there are more groups than were read. Of
 * such a list maybe only the first `wanted` issues are returned.
 */
async function rankedByEvents(
  deps: QueryDeps,
  request: IssueListRequest,
  plan: Plan,
  wanted = groupsMax,
): Promise<{ sorted: Found[]; isTruncated: boolean; hasUsers: boolean }> {
  // Issues of several branches are merged, so a branch alone does not know which are the first.
  const some = plan.branches.length === 1 ? wanted : groupsMax
  const answers = await Promise.all(plan.branches.map((branch) => foundBy(deps, request, branch, some)))
  const found = answers.length === 1 ? (answers[0]?.found ?? new Map<number, Found>()) : mergedOf(answers)
  const value = request.sort === 'new' ? (issue: Found) => issue.firstSeenMs : countOf[request.sort]
  const sorted = inOrder(found.values(), value)
  return {
    sorted,
    isTruncated: answers.some((answer) => answer.isTruncated),
    hasUsers: answers.every((answer) => answer.hasUsers),
  }
}

async function fromEvents(
  deps: QueryDeps,
  request: IssueListRequest,
  plan: Plan,
  cursor: Cursor,
  limit: number,
): Promise<Rows> {
  const { sorted, isTruncated, hasUsers } = await rankedByEvents(deps, request, plan, cursor.offset + limit + 1)
  const shown = sorted.slice(cursor.offset, cursor.offset + limit)
  const issues = new Map(
    (await deps.meta.issues.issuesByIds(shown.map((issue) => issue.id))).map((issue) => [issue.id, issue]),
  )
  const more = sorted.length > cursor.offset + limit
  // The length of a list that was cut is unknown.
  const hits = isTruncated ? undefined : sorted.length
  const rows = shown.flatMap((issue) => issues.get(issue.id) ?? [])
  const page = pageByOffset(rows, cursor.offset, limit, more, hits)
  return { ...page, counted: () => countedOf(deps, request, plan, { shown, hasUsers }, rows) }
}

/**
 * Events and users of the page's issues that a query on events found. If it found many, their users are merged here for
 * the 25 issues of a page only: for all 50,000 issues a busy engine took half as long again.
 */
async function countedOf(
  deps: QueryDeps,
  request: IssueListRequest,
  plan: Plan,
  { shown, hasUsers }: { shown: Found[]; hasUsers: boolean },
  issues: Issue[],
): Promise<Counted> {
  const filtered = shown.filter((issue) => !issue.plain)
  const counted: Counted = new Map(filtered.map((issue) => [issue.id, { events: issue.events, users: issue.users }]))
  if (hasUsers || filtered.length === 0) return counted
  const hashesOf = await deps.meta.issues.hashesOf(filtered.map((issue) => issue.id))
  const refs = issues.flatMap(({ id, projectId }) =>
    (hashesOf.get(id) ?? []).map((groupHash) => ({ id, projectId, groupHash })),
  )
  const ids = new Map(refs.map((ref) => [`${ref.projectId}:${ref.groupHash}`, ref.id]))
  const hashes = refs.map((ref) => ref.groupHash)
  const answers = await Promise.all(
    plan.branches
      .filter((branch) => !isPlain(branch))
      .map((branch) => {
        const scope = scopeOf(request, branch)
        const filter: EventFilter = {
          op: 'and',
          of: [...(branch.event ? [branch.event] : []), { op: 'groups', hashes }],
        }
        return branch.event
          ? deps.events.groups({ scope, filter, order: 'last', max: groupsMax, users: true })
          : deps.events.eventsOf(scope, refs, { users: true })
      }),
  )
  for (const groups of answers) {
    const sums = new Map<number, { events: number; users: number }>()
    for (const group of groups) {
      const id = ids.get(`${group.projectId}:${group.groupHash}`) ?? 0
      const sum = sums.get(id) ?? { events: 0, users: 0 }
      sums.set(id, { events: sum.events + group.events, users: sum.users + (group.users ?? 0) })
    }
    for (const [id, counts] of counted) {
      counts.users = Math.max(counts.users, sums.get(id)?.users ?? 0)
      counts.events = Math.max(counts.events, sums.get(id)?.events ?? 0)
    }
  }
  return counted
}

/** The issues of several branches. If an issue is in two, the larger count is right more often than the sum. */
function mergedOf(answers: readonly BranchResult[]): Map<number, Found> {
  const all = new Map<number, Found>()
  for (const { found } of answers) {
    for (const [id, counts] of found) {
      const before = all.get(id) ?? counts
      all.set(id, {
        ...counts,
        events: Math.max(before.events, counts.events),
        users: Math.max(before.users, counts.users),
        lastMs: Math.max(before.lastMs, counts.lastMs),
        plain: before.plain || counts.plain,
      })
    }
  }
  return all
}

/**
 * The issues that meet a branch and have events in its scope. If at most 10,000 groups meet the conditions on issues, all
 * of those are counted. Otherwise the first 10,000 groups in the order of the list are read, and the conditions on issues
 * are applied to them: the list begins right, but may not be complete.
 */
async function foundBy(
  deps: QueryDeps,
  request: IssueListRequest,
  branch: Branch,
  wanted: number,
): Promise<BranchResult> {
  const scope = scopeOf(request, branch)
  const plain = isPlain(branch)
  // Users are merged for all issues only when they are the order of the list, or few; otherwise for those of the page.
  const users = request.sort === 'user'
  if (scope.fromMs >= scope.toMs) return { found: new Map(), isTruncated: false, hasUsers: true }
  const candidates = branch.issue && (await candidatesOf(deps, scope, branch.issue))
  const order = ({ date: 'last', new: 'last', freq: 'events', user: 'users' } as const)[request.sort]
  if (candidates) {
    const hashes = candidates.map((candidate) => candidate.groupHash)
    const withUsers = users || (branch.event !== undefined && candidates.length <= fewGroupsMax)
    const groups = branch.event
      ? await deps.events.groups({
          scope,
          order,
          max: groupsMax,
          users: withUsers,
          filter: { op: 'and', of: [branch.event, { op: 'groups', hashes }] },
        })
      : await (request.sort === 'date' ? deps.events.countsOf : deps.events.eventsOf)(scope, candidates, { users })
    const ids = new Map(
      candidates.map((candidate) => [`${candidate.projectId}:${candidate.groupHash}`, candidate.issueId]),
    )
    const starts = new Map(candidates.map((candidate) => [candidate.issueId, candidate.firstSeenMs]))
    const found = withStarts(summed(groups, ids, plain).values(), starts)
    return { found: new Map(found.map((issue) => [issue.id, issue])), isTruncated: false, hasUsers: withUsers }
  }
  // The events of the page's issues are counted in the whole range later (`countedOf`).
  if (branch.event && order === 'last')
    return newestBy(deps, { sort: request.sort, scope, branch, filter: branch.event, wanted })
  const groups = branch.event
    ? await deps.events.groups({ scope, order, max: groupsMax, users, filter: branch.event })
    : await deps.events.groups({
        scope,
        order,
        max: groupsMax,
        users,
        withLast: request.sort === 'date' || request.sort === 'new',
      })
  const isTruncated = groups.length === groupsMax
  // The hits of a list that was cut are not counted, so its first issues are enough.
  const page = isTruncated && request.sort !== 'new' ? { wanted, value: countOf[request.sort] } : undefined
  return { found: await issuesOf(deps, branch, groups, page), isTruncated, hasUsers: users }
}

/** The groups of the issues that meet a filter, if they are at most 10,000; else undefined. */
async function candidatesOf({ meta }: QueryDeps, { projectIds, fromMs }: Scope, filter: IssueFilter) {
  const request = { projectIds, fromMs, filter }
  // Words that most issues have are common. Reading 10,000 groups to learn that there are more took 20 ms, this 7.
  const few = await meta.issues.groupsOfIssues({ ...request, max: fewGroupsMax + 1 })
  if (few.length <= fewGroupsMax) return few
  if (await meta.issues.hasMoreGroups({ ...request, max: groupsMax })) return undefined
  const all = await meta.issues.groupsOfIssues({ ...request, max: groupsMax + 1 })
  return all.length > groupsMax ? undefined : all
}

/**
 * The issues of groups that meet the conditions on issues of a branch. With `page`, maybe only the first `wanted` of
 * them by `value`: the conditions on 10,000 issues took 25 ms of this process, on the first 500 1 ms.
 */
async function issuesOf(
  { meta }: QueryDeps,
  branch: Branch,
  groups: readonly (GroupEvents & Partial<GroupCount>)[],
  page?: { wanted: number; value: (sum: Sum) => number },
): Promise<Map<number, Found>> {
  const sums = summed(groups, await meta.issues.issueIdsOf([...groups]), isPlain(branch))
  const ordered = page ? inOrder(sums.values(), page.value) : [...sums.values()]
  const { wanted, step } = page ? { wanted: page.wanted, step: stateStep } : { wanted: groupsMax, step: groupsMax }
  const found = new Map<number, Found>()
  for (let at = 0; at < ordered.length && found.size < wanted; at += step) {
    const part = ordered.slice(at, at + step)
    const ids = part.map((sum) => sum.id)
    for (const issue of withStarts(part, await meta.issues.issueStarts(ids, branch.issue))) found.set(issue.id, issue)
  }
  return found
}

/** Issues whose conditions are checked at once, until a page is full. */
const stateStep = 500

type NewestRequest = { sort: IssueSort; scope: Scope; branch: Branch; filter: EventFilter; wanted: number }

/** Groups that are read for each row of a page: most issues have one. */
const groupsPerRow = 8

/**
 * The issues whose events meet a filter. If the newest part of the scope has 10,000 groups, a list by the last event
 * reads the first few of them, and the others only if these do not fill the page.
 */
async function newestBy(
  deps: QueryDeps,
  { sort, scope, branch, filter, wanted }: NewestRequest,
): Promise<BranchResult> {
  const read = async (first: number) => {
    const { groups, isCut } = await deps.events.newestGroups({ scope, filter, first, max: groupsMax })
    const found = await issuesOf(deps, branch, groups)
    // Issues of the groups behind are older than the last group here, or as old as it.
    const lastMs = groups.at(-1)?.lastMs ?? 0
    const isFull = [...found.values()].filter((issue) => issue.lastMs > lastMs).length >= wanted
    const isTruncated = isCut || groups.length === groupsMax
    const hasUsers = !isTruncated && groups.every((group) => group.users !== undefined)
    return { result: { found, isTruncated, hasUsers }, isEnough: !isCut || isFull }
  }
  const few = sort === 'date' ? Math.min(groupsMax, wanted * groupsPerRow) : groupsMax
  const { result, isEnough } = await read(few)
  return isEnough || few === groupsMax ? result : (await read(groupsMax)).result
}

function scopeOf(request: IssueListRequest, branch: Branch): Scope {
  return {
    projectIds: branch.projectIds ?? request.projects.map((project) => project.id),
    environments: request.environments,
    fromMs: Math.max(request.range.fromMs, branch.fromMs ?? 0),
    toMs: Math.min(request.range.toMs, branch.toMs ?? Number.MAX_SAFE_INTEGER),
  }
}

/** The sums of groups over their issues, by issue; `ids` by project and hash. */
function summed(
  groups: readonly (GroupEvents & Partial<GroupCount>)[],
  ids: ReadonlyMap<string, number>,
  plain: boolean,
): Map<number, Sum> {
  const sums = new Map<number, Sum>()
  for (const group of groups) {
    const id = ids.get(`${group.projectId}:${group.groupHash}`)
    if (id === undefined) continue
    const sum = sums.get(id) ?? { id, events: 0, users: 0, lastMs: 0, plain }
    sum.events += group.events
    sum.users += group.users ?? 0
    sum.lastMs = Math.max(sum.lastMs, group.lastMs ?? 0)
    sums.set(id, sum)
  }
  return sums
}

/** The issues among `sums` that are in `starts`, which says when each was first seen. */
const withStarts = (sums: Iterable<Sum>, starts: ReadonlyMap<number, number>): Found[] =>
  [...sums].flatMap((sum) => {
    const firstSeenMs = starts.get(sum.id)
    return firstSeenMs === undefined ? [] : [{ ...sum, firstSeenMs }]
  })
