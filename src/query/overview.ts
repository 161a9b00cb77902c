import type { OverviewPart, RestDecision, RestOverview, RestOverviewProject } from '../contract/overview.ts'
import { sortReleases } from '../domain/release-order.ts'
import type { SegmentStats } from '../store/events/overview.ts'
import type { SessionGroup } from '../store/events/session-store.ts'
import type { Issue, Project } from '../store/meta/meta.ts'
import { errorSeries } from './issues/error-series.ts'
import { issueStatsOf, toRestIssues, type View } from './issues/issue.ts'
import {
  channelDecisions,
  type DecisionDeps,
  diskDecisions,
  escalatingDecisions,
  openIssues,
  ownDecisions,
  regressedDecisions,
  releaseDecisions,
  sourceMapDecisions,
} from './overview-decisions.ts'
import { bucketOf, pointsOf } from './range.ts'
import { shareOf } from './release-health-stats.ts'
import { releaseAnnotations } from './releases.ts'

/** Bars of the charts, and points of a project's trend. */
const barsMax = 60
const trendMax = 30
const issuesMax = 5
const reviewed = ['escalating', 'regressed', 'new'] as const
const comparedMax = 15
const routesMax = 5
/** Fewer segments give no stable percentile. */
const routeCountMin = 50
const sessionGroupsMax = 5000
/** Spans have no rollup. A busy installation has too many for the first page after sign-in. */
const segmentSeconds = 3
/** Releases that are put in order to find the newest. */
const releasesMax = 20
const marksMax = 20

const iso = (ms: number) => new Date(ms).toISOString()
const nameOf = ({ id, slug }: Project) => ({ id: String(id), slug })

type NowAndBefore = { now: number; before: number }
type Periods = View & { beforeMs: number; bucketMs: number; trendMs: number }
type Failures = RestOverview['failed']

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Runs a part. If its store fails it is undefined and noted. Every other error is a bug and is thrown. */
async function part<T>(failed: Failures, name: OverviewPart, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined || !/^(STORE_UNAVAILABLE|QUERY_[A-Z_]+)$/.test(code)) throw error
    failed.push({ part: name, code })
    return undefined
  }
}

const scopeOf = ({ projects, environments }: View, fromMs: number, toMs: number) => ({
  projectIds: projects.map((project) => project.id),
  environments,
  fromMs,
  toMs,
})

type Counted = {
  all: NowAndBefore
  byProject: Map<number, NowAndBefore>
  points: [number, number][]
  trends: Map<number, [number, number][]>
}

/** Events by project and bucket, of the range and of the one before. */
async function eventsPart(deps: DecisionDeps, view: Periods): Promise<Counted> {
  const { range, beforeMs, bucketMs, trendMs } = view
  const now = scopeOf(view, range.fromMs, range.toMs)
  // Before: one bucket that is longer than the range would end at multiples of its length, so buckets are summed.
  const [found, before] = await Promise.all([
    errorSeries(deps, now, bucketMs),
    errorSeries(deps, scopeOf(view, beforeMs, range.fromMs), bucketMs),
  ])
  const byProject = new Map<number, NowAndBefore>(view.projects.map(({ id }) => [id, { now: 0, before: 0 }]))
  for (const [rows, period] of [[found, 'now'] as const, [before, 'before'] as const])
    for (const row of rows) {
      const sums = byProject.get(row.projectId)
      if (sums) sums[period] += row.events
    }
  const sumOf = (period: keyof NowAndBefore) => [...byProject.values()].reduce((sum, counts) => sum + counts[period], 0)
  const coarse = (projectId: number) =>
    found
      .filter((row) => row.projectId === projectId)
      .map((row) => ({ ...row, startMs: Math.floor(row.startMs / trendMs) * trendMs }))
  return {
    all: { now: sumOf('now'), before: sumOf('before') },
    byProject,
    points: pointsOf(range, bucketMs, found),
    trends: new Map(view.projects.map(({ id }) => [id, pointsOf(range, trendMs, coarse(id))])),
  }
}

const usersPart = ({ events }: DecisionDeps, view: Periods) =>
  events.userSeries(scopeOf(view, view.beforeMs, view.range.toMs), view.bucketMs, view.range.fromMs)

type Sessions = { now: SessionGroup[]; before: SessionGroup[] }

async function sessionsPart({ events }: DecisionDeps, view: Periods): Promise<Sessions> {
  const { range, beforeMs } = view
  const [now, before] = await Promise.all([
    events.sessionGroups({
      scope: scopeOf(view, range.fromMs, range.toMs),
      by: ['project', 'release'],
      max: sessionGroupsMax,
    }),
    events.sessionGroups({
      scope: scopeOf(view, beforeMs, range.fromMs),
      by: ['project'],
      max: sessionGroupsMax,
    }),
  ])
  return { now, before }
}

/** Crash-free sessions of some projects in both periods. Null without sessions in the range. */
function crashFreeOf(sessions: Sessions | undefined, projectIds: ReadonlySet<number>): RestOverview['crashFree'] {
  const share = (groups: readonly SessionGroup[]) => {
    const own = groups.filter((group) => projectIds.has(group.projectId))
    const all = own.reduce((sum, group) => sum + group.sessions.all, 0)
    const crashed = own.reduce((sum, group) => sum + group.sessions.crashed, 0)
    return shareOf(all - crashed, all) ?? null
  }
  const now = sessions ? share(sessions.now) : null
  return sessions && now ? { now, before: share(sessions.before) } : null
}

const toSegments = (stats: SegmentStats | undefined) =>
  stats && stats.now.count > 0 ? { now: stats.now, before: stats.before } : null

/**
 * Open issues that are new, escalating or regressed, escalating ones first, then those with the most events. Only the
 * latest of each state are compared: to count all 50,000 of an installation took 0.2 s.
 */
async function issuesPart(deps: DecisionDeps, view: Periods): Promise<RestOverview['issues']> {
  const projectIds = view.projects.map((project) => project.id)
  const latest = (
    await Array.fromAsync(reviewed, async (substatus) =>
      deps.meta.issues.listIssues({ projectIds, filter: openIssues(substatus), sort: 'last', max: comparedMax }),
    )
  ).flat()
  const stats = await issueStatsOf(deps, view, latest)
  const eventsOf = (issue: Issue) => stats.get(issue.id)?.events ?? 0
  const isEscalating = (issue: Issue) => (issue.substatus === 'escalating' ? 1 : 0)
  const rows = latest
    .filter((issue) => eventsOf(issue) > 0)
    .sort((a, b) => isEscalating(b) - isEscalating(a) || eventsOf(b) - eventsOf(a) || b.id - a.id)
    .slice(0, issuesMax)
  return { rows: await toRestIssues(deps, view, rows, stats) }
}

/** Open issues by state, now. */
async function unresolvedOf({ meta }: DecisionDeps, projectIds: number[]): Promise<RestOverview['unresolved']> {
  const count = (substatus: string) => meta.issues.countIssues({ projectIds, filter: openIssues(substatus) })
  return {
    all: await meta.issues.countIssues({ projectIds, filter: { op: 'status', value: 'unresolved' } }),
    new: await count('new'),
    regressed: await count('regressed'),
    escalating: await count('escalating'),
  }
}

async function newestRelease({ meta }: DecisionDeps, projectId: number): Promise<string | null> {
  const times = await meta.releases.releaseTimes({ projectIds: [projectId], text: '', offset: 0, max: releasesMax })
  return sortReleases(times)[0]?.version ?? null
}

/** The urgent ones first: what grows now, then what people or data wait for, then what was known before. */
const order: readonly RestDecision['kind'][] = [
  'lag',
  'escalating',
  'release',
  'channel',
  'deadLetters',
  'disk',
  'regressed',
  'sourceMaps',
]

async function decisionsOf(
  deps: DecisionDeps,
  view: Periods,
  failed: Failures,
  sessions: Promise<Sessions | undefined>,
): Promise<RestDecision[]> {
  const found = await Promise.all([
    part(failed, 'issues', () => escalatingDecisions(deps, view)),
    part(failed, 'release', async () => releaseDecisions(deps, view, (await sessions)?.now ?? [])),
    part(failed, 'disk', () => diskDecisions(deps)),
  ])
  const all = [
    ...found.flatMap((decisions) => decisions ?? []),
    ...(await regressedDecisions(deps, view.projects)),
    ...(await sourceMapDecisions(deps, view.projects)),
    ...(await channelDecisions(deps, view)),
    ...(await ownDecisions(deps, view)),
  ]
  return all.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
}

function periodsOf(view: View): Periods {
  const { fromMs, toMs } = view.range
  const bucketMs = bucketOf(view.range, barsMax)
  return {
    ...view,
    beforeMs: Math.max(0, fromMs - (toMs - fromMs)),
    bucketMs,
    trendMs: Math.max(bucketMs, bucketOf(view.range, trendMax)),
  }
}

/** Events and users by bucket. */
function seriesOf(
  view: Periods,
  counted: Counted | undefined,
  users: { startMs: number; users: number }[] | undefined,
): RestOverview['series'] {
  const people = new Map(users?.map((bucket) => [bucket.startMs / 1000, bucket.users]))
  const events = new Map(counted?.points)
  return pointsOf(view.range, view.bucketMs, []).map(([atS]) => [
    atS,
    counted ? (events.get(atS) ?? 0) : null,
    users ? (people.get(atS) ?? 0) : null,
  ])
}

/**
 * Returns what happened in a view, compared with the range before, and what waits for a decision. Each part fails by
 * itself: it is named in `failed`, and the rest stays.
 */
export async function overviewOf(deps: DecisionDeps, given: View): Promise<RestOverview> {
  const view = periodsOf(given)
  const { organization, projects, environments, range, beforeMs, bucketMs } = view
  const projectIds = projects.map((project) => project.id)
  const failed: Failures = []
  const sessionsRead = part(failed, 'sessions', () => sessionsPart(deps, view))
  const [counted, users, sessions, segments, issues, decisions] = await Promise.all([
    part(failed, 'events', () => eventsPart(deps, view)),
    part(failed, 'users', () => usersPart(deps, view)),
    sessionsRead,
    part(failed, 'segments', () =>
      deps.events.segmentStats({
        scope: scopeOf(view, beforeMs, range.toMs),
        splitMs: range.fromMs,
        countMin: routeCountMin,
        routesMax,
        seconds: segmentSeconds,
      }),
    ),
    part(failed, 'issues', () => issuesPart(deps, view)),
    decisionsOf(deps, view, failed, sessionsRead),
  ])
  const sums = new Map(segments?.filter((stats) => stats.transaction === '').map((stats) => [stats.projectId, stats]))
  const rows = await Array.fromAsync(
    projects,
    async (project): Promise<RestOverviewProject> => ({
      project: nameOf(project),
      unresolved: await deps.meta.issues.countIssues({
        projectIds: [project.id],
        filter: { op: 'status', value: 'unresolved' },
      }),
      release: await newestRelease(deps, project.id),
      events: counted?.byProject.get(project.id) ?? null,
      trend: counted?.trends.get(project.id) ?? [],
      crashFree: crashFreeOf(sessions, new Set([project.id])),
      segments: toSegments(sums.get(project.id)),
    }),
  )
  return {
    start: iso(range.fromMs),
    end: iso(range.toMs),
    previousStart: iso(beforeMs),
    bucketSeconds: bucketMs / 1000,
    events: counted?.all ?? null,
    users: users ? { now: users.now, before: users.before } : null,
    crashFree: crashFreeOf(sessions, new Set(projectIds)),
    segments: toSegments(sums.get(0)),
    unresolved: await unresolvedOf(deps, projectIds),
    series: seriesOf(view, counted, users?.buckets),
    releases: await releaseAnnotations(deps, {
      organization,
      projects,
      environments,
      fromMs: range.fromMs,
      toMs: range.toMs,
      max: marksMax,
    }),
    projects: rows,
    issues: issues ?? null,
    routes: routesOf(projects, segments ?? []),
    decisions,
    failed: failed.filter(({ part: name }, at) => failed.findIndex((other) => other.part === name) === at),
  }
}

function routesOf(projects: readonly Project[], segments: readonly SegmentStats[]): RestOverview['routes'] {
  const byId = new Map(projects.map((project) => [project.id, nameOf(project)]))
  return segments.flatMap(({ projectId, transaction, now, before }) => {
    const project = byId.get(projectId)
    return transaction !== '' && project ? [{ project, route: transaction, now, before }] : []
  })
}
