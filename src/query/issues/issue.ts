import type { Clock } from '../../base/clock.ts'
import type { RestActivity, RestIssue, RestIssueDetail, RestLevel, RestPoint } from '../../contract/issues.ts'
import { decodedTitle } from '../../domain/decoded-title.ts'
import { isPerformanceKind } from '../../domain/detectors/detectors.ts'
import { noiseKinds } from '../../domain/diagnostics.ts'
import type { TagCount } from '../../domain/event.ts'
import { inboundFilters } from '../../domain/filters.ts'
import { filterFor } from '../../domain/noise.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { Scope } from '../../store/events/events.ts'
import type { Activity, Issue, Organization, Person, Project } from '../../store/meta/meta.ts'
import type { MetaStore } from '../../store/meta/meta-store.ts'
import { filterState } from '../filters.ts'
import { bucketOf, pointsOf, type Range } from '../range.ts'
import type { RecentStages } from '../release-stages.ts'
import { clientEndsOf } from './error-links.ts'
/** Dependencies of queries. The App has all of them. */
export type QueryDeps = {
  meta: MetaStore
  events: EventStore
  clock: Clock
  config: { url: string }
  auth: { personByEmail(email: string): Promise<Person | undefined> }
  /** `isCatchingUp`: a request has just ended a wait of refine, so what came before it is not readable yet. */
  readers: { isCatchingUp(): boolean }
  /** Without it each search for stages reads the sessions. */
  releaseStages?: RecentStages
}

/** What checks a search or a plan reads. It asks the events store nothing, so it works beside a stopped store. */
export type CheckDeps = Pick<QueryDeps, 'meta' | 'clock' | 'auth'>

/** What compiles a search or a plan reads. The events store is only asked for stages of releases. */
export type CompileDeps = CheckDeps & Pick<QueryDeps, 'releaseStages'> & { events: Pick<EventStore, 'sessionGroups'> }

/** Compiles only to check: no release has a stage. */
export const checkOnly = ({ meta, clock, auth }: CheckDeps): CompileDeps => ({
  meta,
  clock,
  auth,
  events: { sessionGroups: async () => [] },
})

/** Scope of an issue list: projects of one organization, environments (empty: all), a range. */
export type View = {
  organization: Organization
  projects: Project[]
  environments: string[]
  range: Range
  /** The user for whom rows have `hasSeen`. Without it no row is seen. */
  meUserId?: string | undefined
  /** Projects whose issues the caller can read. Default: the projects of the view. */
  readableIds?: readonly number[] | undefined
}

/** Maximum hidden errors that a row names. */
const hiddenMax = 5

/** Counts of one issue in the range and over its lifetime. */
type IssueStats = { events: number; users: number; lifetimeUsers: number; points: RestPoint[] }

const levels: readonly string[] = ['fatal', 'error', 'warning', 'info', 'debug']
const levelOf = (text: string): RestLevel => (levels.includes(text) ? (text as RestLevel) : 'error')
const iso = (ms: number) => new Date(ms).toISOString()
const levelPriority = (level: RestLevel): RestIssue['priority'] =>
  level === 'fatal' || level === 'error' ? 'high' : level === 'warning' ? 'medium' : 'low'

/** Returns the priority of an issue and its reason: set by a user, else high while escalating, else by level. */
function priorityOf(issue: Pick<Issue, 'priority' | 'substatus' | 'level'>): {
  priority: RestIssue['priority']
  priorityReason: RestIssue['priorityReason']
} {
  if (issue.priority !== null) return { priority: issue.priority, priorityReason: 'set' }
  if (issue.substatus === 'escalating') return { priority: 'high', priorityReason: 'escalating' }
  return { priority: levelPriority(levelOf(issue.level)), priorityReason: 'level' }
}
/** Returns the name of the points in the answer. Other clients read `24h` and `14d`. */
const statsKey = (range: Range): string => (range.period === '24h' || range.period === '14d' ? range.period : 'range')

/**
 * Returns counts, users and points of issues over a view, and lifetime users, in one call for all of them. Throws
 * STORE_UNAVAILABLE.
 */
export async function issueStatsOf(deps: QueryDeps, view: View, issues: Issue[]): Promise<Map<number, IssueStats>> {
  if (issues.length === 0) return new Map()
  const hashesOf = await deps.meta.issues.hashesOf(issues.map((issue) => issue.id))
  const sets = issues.map(({ id, projectId }) =>
    (hashesOf.get(id) ?? []).map((groupHash) => ({ projectId, groupHash })),
  )
  const projectIds = [...new Set(issues.map((issue) => issue.projectId))]
  const { fromMs, toMs } = view.range
  const scope: Scope = { projectIds, environments: view.environments, fromMs, toMs }
  const bucketMs = bucketOf(view.range)
  // An issue within the range needs no lifetime query: its range is its lifetime, unless the view filters environments.
  const isLonger = ({ firstSeenMs, lastSeenMs }: Issue) =>
    view.environments.length > 0 || firstSeenMs < fromMs || lastSeenMs >= toMs
  const withLife = (at: number) => {
    const issue = issues[at]
    return issue !== undefined && isLonger(issue)
  }
  const found = await deps.events.statsOf(scope, bucketMs, sets, withLife)
  return new Map(
    issues.map((issue, at) => {
      const { events = 0, users = 0, lifetimeUsers = 0, series = [] } = found[at] ?? {}
      const points = pointsOf(view.range, bucketMs, series)
      const life = isLonger(issue) ? lifetimeUsers : users
      return [issue.id, { events, users, lifetimeUsers: life, points }]
    }),
  )
}

/** Converts issues to the API's shape, in the same order. `stats` come from `issueStatsOf`. */
export async function toRestIssues(
  deps: QueryDeps,
  view: View,
  issues: Issue[],
  stats: Map<number, IssueStats>,
): Promise<RestIssue[]> {
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  const people = new Map(
    (
      await deps.meta.people.people([
        ...new Set(issues.flatMap((issue) => (issue.assigneeUserId ? [issue.assigneeUserId] : []))),
      ])
    ).map((person) => [person.id, person]),
  )
  const ids = issues.map((issue) => issue.id)
  const seen = view.meUserId === undefined ? new Set<number>() : await deps.meta.issues.seenBy(view.meUserId, ids)
  const bookmarked =
    view.meUserId === undefined ? new Set<number>() : await deps.meta.issues.bookmarkedBy(view.meUserId, ids)
  const hidden = await deps.meta.errorLinks.hiddenErrorsOf(
    ids,
    view.readableIds ?? view.projects.map((project) => project.id),
  )
  const ownerOf = await suggestionsFor(deps, issues)
  return issues.map((issue) =>
    toRestIssue(deps, view, issue, {
      hasSeen: seen.has(issue.id),
      isBookmarked: bookmarked.has(issue.id),
      project: projects.get(issue.projectId),
      assignee: issue.assigneeUserId ? people.get(issue.assigneeUserId) : undefined,
      stats: stats.get(issue.id),
      suggestedOwner: ownerOf(issue.id),
      hides: (hidden.get(issue.id) ?? []).slice(0, hiddenMax).map(({ id, shortId }) => ({ id: String(id), shortId })),
    }),
  )
}

/** Returns a lookup of the first suggested owner of each issue without an assignee. */
async function suggestionsFor(
  { meta }: QueryDeps,
  issues: readonly Issue[],
): Promise<(issueId: number) => RestIssue['suggestedOwner']> {
  const first = await meta.issues.firstSuggestionsOf(
    issues.filter((issue) => !issue.assigneeUserId).map((issue) => issue.id),
  )
  const userIds = new Set([...first.values()].map((suggestion) => suggestion.userId))
  const people = new Map((await meta.people.people([...userIds])).map((person) => [person.id, person]))
  return (issueId) => {
    const suggestion = first.get(issueId)
    const person = suggestion && people.get(suggestion.userId)
    return person ? { id: person.id, name: person.name, email: person.email, rule: suggestion.rule } : null
  }
}

type RowParts = Pick<RestIssue, 'hasSeen' | 'isBookmarked' | 'hides' | 'suggestedOwner'> & {
  project: Project | undefined
  assignee: Person | undefined
  stats: IssueStats | undefined
}

function toRestIssue(
  deps: QueryDeps,
  view: View,
  issue: Issue,
  { hasSeen, isBookmarked, hides, suggestedOwner, project, assignee, stats }: RowParts,
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
    type: isPerformanceKind(issue.kind) ? 'generic' : issue.kind === 'message' ? 'default' : issue.kind,
    metadata: issue.metadata,
    decodedTitle: decodedTitle(issue.metadata.type ?? '', issue.metadata.value ?? issue.title) ?? null,
    hides,
    issueType: isPerformanceKind(issue.kind) ? issue.kind : 'error',
    issueCategory: isPerformanceKind(issue.kind) ? 'performance' : 'error',
    ...priorityOf(issue),
    assignedTo: assignee ? { type: 'user', id: assignee.id, name: assignee.name, email: assignee.email } : null,
    suggestedOwner,
    isUnhandled: issue.unhandled,
    noise: issue.noise && { kind: issue.noise, sentence: noiseKinds[issue.noise] },
    isBookmarked,
    hasSeen,
    revision: issue.rev,
    count: String(stats?.events ?? 0),
    userCount: stats?.users ?? 0,
    firstSeen: iso(issue.firstSeenMs),
    lastSeen: iso(issue.lastSeenMs),
    stats: { [statsKey(view.range)]: stats?.points ?? [] },
    logger: issue.logger || null,
    numComments: issue.comments,
    lifetime: {
      count: String(issue.count),
      userCount: stats?.lifetimeUsers ?? 0,
      firstSeen: iso(issue.firstSeenMs),
      lastSeen: iso(issue.lastSeenMs),
    },
    firstRelease: issue.firstRelease ? { version: issue.firstRelease } : null,
    lastRelease: issue.lastRelease ? { version: issue.lastRelease } : null,
  }
}

/** Returns the activity of an issue, newest first. */
export async function activityOf(deps: QueryDeps, issueId: number): Promise<RestActivity[]> {
  const rows = await deps.meta.issues.activityOf(issueId)
  const ids = rows.flatMap((row) => [row.userId, assigneeOf(row)]).filter((item) => item !== null)
  const people = new Map((await deps.meta.people.people([...new Set(ids)])).map((person) => [person.id, person]))
  return rows
    .map((row) =>
      toRestActivity(row, row.userId ? people.get(row.userId) : undefined, people.get(assigneeOf(row) ?? '')),
    )
    .sort((a, b) => Number(b.id) - Number(a.id))
}

/** Returns the assignee that an `assigned` activity names. */
const assigneeOf = ({ data }: Activity): string | null => (typeof data.assignee === 'string' ? data.assignee : null)

/** Converts an activity to the API's shape. `assignee` is the user that it names. */
export function toRestActivity(activity: Activity, person: Person | undefined, assignee?: Person): RestActivity {
  return {
    id: String(activity.id),
    type: activity.type,
    dateCreated: iso(activity.createdMs),
    user: person ? { id: person.id, name: person.name, email: person.email } : null,
    data: assignee
      ? { ...activity.data, assigneeType: 'user', assigneeEmail: assignee.email, assigneeName: assignee.name }
      : activity.type === 'merge'
        ? mergeData(activity.data)
        : activity.data,
  }
}

/** Returns the data of a merge without what only its undo needs. */
function mergeData({ issues, count, undone }: Activity['data']): RestActivity['data'] {
  const named = Array.isArray(issues) ? issues.map(({ id, shortId, title }) => ({ id, shortId, title })) : []
  return { issues: named, count, ...(undone === true ? { undone } : {}) }
}

/** Returns the users who viewed an issue and those who follow it. */
async function attentionOf({ meta }: QueryDeps, issueId: number, meUserId: string | undefined) {
  const views = await meta.issues.viewersOf(issueId)
  const subscribers = await meta.issues.subscribersOf(issueId)
  const people = new Map(
    (await meta.people.people([...new Set([...views.map((viewed) => viewed.userId), ...subscribers])])).map(
      ({ id, name, email }) => [id, { id, name, email }],
    ),
  )
  const mine = meUserId === undefined ? undefined : await meta.issues.subscriptionOf(issueId, meUserId)
  return {
    seenBy: views.flatMap(({ userId, atMs }) => {
      const person = people.get(userId)
      return person ? [{ ...person, lastSeen: iso(atMs) }] : []
    }),
    participants: subscribers.flatMap((id) => people.get(id) ?? []),
    isSubscribed: mine?.active === true,
    subscriptionDetails: mine?.active ? { reason: mine.reason } : null,
  }
}

/** Returns the inbound filter of the project that drops such events, if the issue is noise. */
async function noiseFilterOf(
  { meta }: QueryDeps,
  { projectId, noise, diagnosticCounts: signCounts }: Issue,
): Promise<RestIssueDetail['noiseFilter']> {
  const id = noise && filterFor(noise, signCounts)
  const inboundFilter = inboundFilters.find((candidate) => candidate.id === id)
  return inboundFilter
    ? {
        id: inboundFilter.id,
        isActive: filterState(await meta.projects.filtersOf(projectId), inboundFilter).active === true,
      }
    : null
}

/** Returns the owners that the ownership rules suggest for an issue. */
async function suggestedOwnersOf({ meta }: QueryDeps, issueId: number): Promise<RestIssueDetail['suggestedOwners']> {
  const found = await meta.issues.suggestionsOf(issueId)
  const people = new Map(
    (await meta.people.people(found.map((suggestion) => suggestion.userId))).map((person) => [person.id, person]),
  )
  return found.flatMap(({ userId, rule }) => {
    const person = people.get(userId)
    return person ? [{ id: person.id, name: person.name, email: person.email, rule }] : []
  })
}

/** Limit of an issue's newest events from which its tags are counted. */
export const tagEventsMax = 5000

/**
 * Returns an issue with tags and activity over the view. `readable`: projects whose browser events are counted
 * (default: the issue's own). Throws STORE_UNAVAILABLE.
 */
export const issueDetail = async (
  deps: QueryDeps,
  view: View,
  issue: Issue,
  readable?: readonly number[],
): Promise<RestIssueDetail> => (await issueWithTags(deps, view, issue, 1, readable)).detail

/** Like `issueDetail`, with up to `valuesMax` values of each tag from the same query. */
export async function issueWithTags(
  deps: QueryDeps,
  view: View,
  issue: Issue,
  valuesMax: number,
  readable: readonly number[] = [issue.projectId],
): Promise<{ detail: RestIssueDetail; tags: TagCount[] }> {
  const hashes = (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const scope: Scope = {
    projectIds: [issue.projectId],
    environments: view.environments,
    fromMs: view.range.fromMs,
    toMs: view.range.toMs,
  }
  const [stats, tags] = await Promise.all([
    issueStatsOf(deps, view, [issue]),
    deps.events.tagsOf({ projectId: issue.projectId, hashes, scope, max: tagEventsMax, valuesMax }),
  ])
  const [restIssue] = await toRestIssues(deps, view, [issue], stats)
  if (!restIssue) throw new Error('toRestIssues answers one row for one issue')
  const detail: RestIssueDetail = {
    ...restIssue,
    tags: tags.map((tag) => ({ key: tag.key, name: tag.key, totalValues: tag.total })),
    activity: await activityOf(deps, issue.id),
    digests: await deps.meta.issues.digestsOf(issue.id),
    browserSide: await clientEndsOf(deps, issue, readable),
    noiseFilter: await noiseFilterOf(deps, issue),
    ...(await attentionOf(deps, issue.id, view.meUserId)),
    suggestedOwners: await suggestedOwnersOf(deps, issue.id),
    thinned: (await deps.meta.retention.downsampledOf([issue.id])).get(issue.id) ?? 0,
  }
  return { detail, tags }
}
