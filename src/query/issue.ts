import type { Clock } from '../clock.ts'
import type { RestActivity, RestIssue, RestIssueDetail, RestLevel, RestPoint } from '../protocol/rest.ts'
import type { EventStore, GroupCount, Scope } from '../store/events/events.ts'
import type { Activity, Issue, MetaStore, Organization, Person, Project } from '../store/meta/meta.ts'
import type { Range } from './range.ts'
import { bucketOf, pointsOf } from './range.ts'

/** What queries need; App fits. */
export type QueryDeps = {
  meta: MetaStore
  events: EventStore
  clock: Clock
  config: { url: string }
  auth: { personByEmail(email: string): Person | undefined }
}

/** Where issues are looked at: projects of one organization, environments (empty: all), a range. */
export type View = {
  organization: Organization
  projects: Project[]
  environments: string[]
  range: Range
  /** Whose `hasSeen` the rows carry; without it nothing is seen. */
  meUserId?: string | undefined
}

/** Figures of one issue over the asked range and over its life. */
export type Figures = { events: number; users: number; lifetimeUsers: number; points: RestPoint[] }

const levels: readonly string[] = ['fatal', 'error', 'warning', 'info', 'debug']
const levelOf = (text: string): RestLevel => (levels.includes(text) ? (text as RestLevel) : 'error')
const iso = (ms: number) => new Date(ms).toISOString()
const levelPriority = (level: RestLevel): RestIssue['priority'] =>
  level === 'fatal' || level === 'error' ? 'high' : level === 'warning' ? 'medium' : 'low'

/** How urgent an issue is and why: what a person said, else high while it escalates, else by its level. */
export function priorityOf(issue: Pick<Issue, 'priority' | 'substatus' | 'level'>): {
  priority: RestIssue['priority']
  priorityReason: RestIssue['priorityReason']
} {
  if (issue.priority !== null) return { priority: issue.priority, priorityReason: 'set' }
  if (issue.substatus === 'escalating') return { priority: 'high', priorityReason: 'escalating' }
  return { priority: levelPriority(levelOf(issue.level)), priorityReason: 'level' }
}
/** Under which word the points stand: other clients ask for the first two. */
export const statsKey = (range: Range): string =>
  range.period === '24h' || range.period === '14d' ? range.period : 'range'

/** Time of everything that is kept, for figures over an issue's life. */
const lifetimeScope = (projectIds: number[], nowMs: number): Scope => ({
  projectIds,
  environments: [],
  fromMs: 0,
  toMs: nowMs + 86_400_000,
})

/**
 * Counts, users and points of issues over a view, one call each for all of them (side by side).
 * `counted` holds what a query has counted already. Throws STORE_UNAVAILABLE.
 */
export async function figuresOf(
  deps: QueryDeps,
  view: View,
  issues: Issue[],
  counted?: Map<number, { events: number; users: number }>,
): Promise<Map<number, Figures>> {
  const made = new Map<number, Figures>()
  if (issues.length === 0) return made
  const hashesOf = deps.meta.hashesOf(issues.map((one) => one.id))
  const issueOf = new Map<string, number>()
  const refsOf = (list: Issue[]) =>
    list.flatMap((issue) =>
      (hashesOf.get(issue.id) ?? []).map((groupHash) => ({ projectId: issue.projectId, groupHash })),
    )
  for (const issue of issues)
    for (const hash of hashesOf.get(issue.id) ?? []) issueOf.set(`${issue.projectId}:${hash}`, issue.id)
  const projectIds = [...new Set(issues.map((one) => one.projectId))]
  const scope: Scope = { projectIds, environments: view.environments, fromMs: view.range.fromMs, toMs: view.range.toMs }
  const bucketMs = bucketOf(view.range)
  const refs = refsOf(issues)
  // An issue that began within the range needs no second count: its range is its life, unless only some of its events counted.
  const isPart = counted !== undefined || view.environments.length > 0
  const older = issues.filter((one) => isPart || one.firstSeenMs < view.range.fromMs)
  const [counts, buckets, lifetimes] = await Promise.all([
    counted ? [] : deps.events.countsOf(scope, refs),
    deps.events.series(scope, bucketMs, refs),
    older.length ? deps.events.countsOf(lifetimeScope(projectIds, deps.clock.now()), refsOf(older)) : [],
  ])
  const [inRange, inLife] = await Promise.all([
    counted ?? totalsOf(deps, scope, counts, issueOf),
    totalsOf(deps, lifetimeScope(projectIds, deps.clock.now()), lifetimes, issueOf),
  ])
  const series = new Map<number, { startMs: number; events: number }[]>()
  for (const one of buckets) {
    const id = issueOf.get(`${one.projectId}:${one.groupHash}`)
    if (id === undefined) continue
    const list = series.get(id)
    if (list) list.push(one)
    else series.set(id, [one])
  }
  for (const issue of issues) {
    const count = inRange.get(issue.id) ?? { events: 0, users: 0 }
    made.set(issue.id, {
      ...count,
      lifetimeUsers: inLife.get(issue.id)?.users ?? count.users,
      points: pointsOf(view.range, bucketMs, series.get(issue.id) ?? []),
    })
  }
  return made
}

/** Counts by issue. One person in several hashes of a merged issue is one: only the store can say, asked for those alone. */
async function totalsOf(
  { events }: Pick<QueryDeps, 'events'>,
  scope: Scope,
  rows: readonly GroupCount[],
  issueOf: ReadonlyMap<string, number>,
): Promise<Map<number, { events: number; users: number }>> {
  const made = new Map<number, { events: number; users: number }>()
  const groups = Map.groupBy(rows, (one) => issueOf.get(`${one.projectId}:${one.groupHash}`))
  const merged: { id: number; met: GroupCount[] }[] = []
  for (const [id, own] of groups) {
    if (id === undefined) continue
    const met = own.filter((one) => one.users > 0)
    if (met.length > 1) merged.push({ id, met })
    made.set(id, {
      events: own.reduce((sum, one) => sum + one.events, 0),
      users: Math.max(0, ...met.map((one) => one.users)),
    })
  }
  if (merged.length === 0) return made
  const together = await events.togetherOf(
    scope,
    merged.map((one) => one.met),
  )
  for (const [at, { id }] of merged.entries()) {
    const one = made.get(id)
    // A long range is counted in whole hours there, and to the millisecond here: never fewer than one hash alone has.
    if (one) one.users = Math.max(one.users, together[at]?.users ?? 0)
  }
  return made
}

/** Issues in the shape of the API, in the same order. Takes their figures from `figuresOf`. */
export function toRestIssues(deps: QueryDeps, view: View, issues: Issue[], figures: Map<number, Figures>): RestIssue[] {
  const projects = new Map(view.projects.map((one) => [one.id, one]))
  const people = new Map(
    deps.meta
      .people([...new Set(issues.flatMap((one) => (one.assigneeUserId ? [one.assigneeUserId] : [])))])
      .map((one) => [one.id, one]),
  )
  const ids = issues.map((one) => one.id)
  const seen = view.meUserId === undefined ? new Set<number>() : deps.meta.seenBy(view.meUserId, ids)
  const bookmarked = view.meUserId === undefined ? new Set<number>() : deps.meta.bookmarkedBy(view.meUserId, ids)
  return issues.map((issue) =>
    toRestIssue(
      deps,
      view,
      issue,
      { hasSeen: seen.has(issue.id), isBookmarked: bookmarked.has(issue.id) },
      projects.get(issue.projectId),
      issue.assigneeUserId ? people.get(issue.assigneeUserId) : undefined,
      figures.get(issue.id),
    ),
  )
}

function toRestIssue(
  deps: QueryDeps,
  view: View,
  issue: Issue,
  { hasSeen, isBookmarked }: { hasSeen: boolean; isBookmarked: boolean },
  project: Project | undefined,
  assignee: Person | undefined,
  figures: Figures | undefined,
): RestIssue {
  const level = levelOf(issue.level)
  return {
    id: String(issue.id),
    shortId: issue.shortId,
    title: issue.title,
    culprit: issue.culprit,
    permalink: `${deps.config.url}/o/${view.organization.slug}/issues/${issue.id}`,
    level,
    status: issue.status,
    substatus: issue.substatus,
    statusDetails: issue.statusDetails,
    platform: issue.platform,
    project: {
      id: String(issue.projectId),
      slug: project?.slug ?? '',
      name: project?.name ?? '',
      platform: project?.platform ?? null,
    },
    type: issue.kind === 'message' ? 'default' : issue.kind,
    metadata: issue.metadata,
    issueType: 'error',
    issueCategory: 'error',
    ...priorityOf(issue),
    assignedTo: assignee ? { type: 'user', id: assignee.id, name: assignee.name, email: assignee.email } : null,
    isUnhandled: issue.unhandled,
    isBookmarked,
    hasSeen,
    revision: issue.rev,
    count: String(figures?.events ?? 0),
    userCount: figures?.users ?? 0,
    firstSeen: iso(issue.firstSeenMs),
    lastSeen: iso(issue.lastSeenMs),
    stats: { [statsKey(view.range)]: figures?.points ?? [] },
    logger: issue.logger || null,
    numComments: issue.comments,
    lifetime: {
      count: String(issue.count),
      userCount: figures?.lifetimeUsers ?? 0,
      firstSeen: iso(issue.firstSeenMs),
      lastSeen: iso(issue.lastSeenMs),
    },
    firstRelease: issue.firstRelease ? { version: issue.firstRelease } : null,
    lastRelease: issue.lastRelease ? { version: issue.lastRelease } : null,
  }
}

/** What happened to an issue, newest first. */
export function activityOf(deps: QueryDeps, issueId: number): RestActivity[] {
  const rows = deps.meta.activityOf(issueId)
  const ids = rows.flatMap((one) => [one.userId, assigneeOf(one)]).filter((one) => one !== null)
  const people = new Map(deps.meta.people([...new Set(ids)]).map((one) => [one.id, one]))
  return rows
    .map((one) =>
      toRestActivity(one, one.userId ? people.get(one.userId) : undefined, people.get(assigneeOf(one) ?? '')),
    )
    .sort((a, b) => Number(b.id) - Number(a.id))
}

/** Whom an `assigned` activity names. */
const assigneeOf = ({ data }: Activity): string | null => (typeof data.assignee === 'string' ? data.assignee : null)

/** One activity in the shape of the API; `assignee` is the person that it names. */
export function toRestActivity(one: Activity, person: Person | undefined, assignee?: Person): RestActivity {
  return {
    id: String(one.id),
    type: one.type,
    dateCreated: iso(one.createdMs),
    user: person ? { id: person.id, name: person.name, email: person.email } : null,
    data: assignee
      ? { ...one.data, assigneeType: 'user', assigneeEmail: assignee.email, assigneeName: assignee.name }
      : one.data,
  }
}

/** Who has looked at an issue and who follows it. */
function attentionOf({ meta }: QueryDeps, issueId: number, meUserId: string | undefined) {
  const looks = meta.lookedAt(issueId)
  const subscribers = meta.subscribersOf(issueId)
  const people = new Map(
    meta
      .people([...new Set([...looks.map((one) => one.userId), ...subscribers])])
      .map(({ id, name, email }) => [id, { id, name, email }]),
  )
  const mine = meUserId === undefined ? undefined : meta.subscriptionOf(issueId, meUserId)
  return {
    seenBy: looks.flatMap(({ userId, atMs }) => {
      const person = people.get(userId)
      return person ? [{ ...person, lastSeen: iso(atMs) }] : []
    }),
    participants: subscribers.flatMap((id) => people.get(id) ?? []),
    isSubscribed: mine?.active === true,
    subscriptionDetails: mine?.active ? { reason: mine.reason } : null,
  }
}

/** Newest events of an issue that its tag figures are counted over. */
export const tagEventsMax = 5000

/** One issue with tags and activity over the view. Throws STORE_UNAVAILABLE. */
export async function issueDetail(deps: QueryDeps, view: View, issue: Issue): Promise<RestIssueDetail> {
  const hashes = deps.meta.hashesOf([issue.id]).get(issue.id) ?? []
  const scope: Scope = {
    projectIds: [issue.projectId],
    environments: view.environments,
    fromMs: view.range.fromMs,
    toMs: view.range.toMs,
  }
  const [figures, tags] = await Promise.all([
    figuresOf(deps, view, [issue]),
    deps.events.tagsOf({ projectId: issue.projectId, hashes, scope, max: tagEventsMax, valuesMax: 1 }),
  ])
  const [rest] = toRestIssues(deps, view, [issue], figures)
  if (!rest) throw new Error('toRestIssues answers one row for one issue')
  return {
    ...rest,
    tags: tags.map((one) => ({ key: one.key, name: one.key, totalValues: one.total })),
    activity: activityOf(deps, issue.id),
    digests: deps.meta.digestsOf(issue.id),
    ...attentionOf(deps, issue.id, view.meUserId),
    thinned: deps.meta.thinnedOf([issue.id]).get(issue.id) ?? 0,
  }
}
