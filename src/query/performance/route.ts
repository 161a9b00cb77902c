import type { RestRoutePage, RestRouteTrace } from '../../contract/explore/performance.ts'
import { totalScore, vitalLoads } from '../../domain/traces/vitals.ts'
import type { BreakdownKind, RouteRequest, TracedSegment } from '../../store/events/performance-store.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { bucketOf } from '../range.ts'
import { releaseAnnotations } from '../releases.ts'
import { comparedOf, isoOf, nameOf, type PerformanceView, rateOf, timesOf, wholeBeforeOf } from './compared.ts'
import { projectOfView, routeIdOf, routeOfId } from './ids.ts'
import { measuredOf } from './routes.ts'
import { toRestVitals } from './vitals.ts'

/** In the order of the page. */
const breakdownKinds: readonly BreakdownKind[] = ['release', 'environment', 'browser', 'device']

type Deps = Pick<QueryDeps, 'events' | 'meta'>

const pointsMax = 60
const tracesMax = 5
/** The newest segments whose child spans are read. */
const segmentsMax = 2000
const partsMax = 20
const breakdownMax = 10
const namesMax = 20
const issuesMax = 5
const groupsMax = 100
const marksMax = 20
/** A typical segment took within a tenth of the median. */
const typicalSpread = 0.1

/** Names of segments that say nothing of their route. Errors of all routes have them. */
const generic = new Set(['', 'Pageload', 'Navigation'])

/** A segment as its trace. */
export const toRestTrace = (segment: TracedSegment): RestRouteTrace => ({
  traceId: segment.traceId,
  spanId: segment.spanId,
  start: isoOf(segment.startMs),
  duration: segment.durationMs,
  failed: segment.failed,
  release: segment.release,
})

/** The route that an id names, in a project of the view. Throws NOT_FOUND. */
export function routeOfView(view: PerformanceView, id: string) {
  const key = routeOfId(id)
  return { key: key ?? { projectId: 0, op: '', route: '' }, project: projectOfView(view.projects, key?.projectId) }
}

/** Issues whose events came from the route, by its names, most events first. */
async function issuesOf(
  { events, meta }: Deps,
  { key, scope }: RouteRequest,
  found: readonly string[],
): Promise<RestRoutePage['issues']> {
  const names = [...new Set([...found, key.route])].filter((name) => !generic.has(name))
  if (names.length === 0) return []
  const groups = await events.groups({
    scope: { ...scope, projectIds: [key.projectId] },
    order: 'events',
    max: groupsMax,
    filter: { op: 'or', of: names.map((value) => ({ op: 'field', field: 'transaction', match: 'is', value })) },
  })
  const owners = await meta.issues.issueIdsOf(groups)
  const sums = new Map<number, number>()
  for (const group of groups) {
    const id = owners.get(`${group.projectId}:${group.groupHash}`)
    if (id !== undefined) sums.set(id, (sums.get(id) ?? 0) + group.events)
  }
  const most = [...sums].sort(([a, n], [b, m]) => m - n || a - b).slice(0, issuesMax)
  const issues = new Map((await meta.issues.issuesByIds(most.map(([id]) => id))).map((issue) => [issue.id, issue]))
  return most.flatMap(([id, count]) => {
    const issue = issues.get(id)
    return issue
      ? [{ id: String(id), shortId: issue.shortId, title: issue.title, level: issue.level, events: count }]
      : []
  })
}

/** What the newest segments spent their time on. */
async function timeOf({ events }: Deps, request: RouteRequest): Promise<RestRoutePage['time']> {
  const { segments, totalMs, parts } = await events.routeParts({ ...request, segmentsMax, max: partsMax })
  const inParts = parts.reduce((sum, part) => sum + part.selfMs, 0)
  return {
    segments,
    outside: totalMs > 0 ? Math.max(0, 1 - inParts / totalMs) : 0,
    parts: parts.map((part) => ({
      category: part.category,
      op: part.op,
      statement: part.statement,
      share: totalMs > 0 ? part.selfMs / totalMs : 0,
      selfMs: segments > 0 ? part.selfMs / segments : 0,
      offsetMs: part.offsetMs,
      meanMs: part.spans > 0 ? part.totalMs / part.spans : 0,
      perSegment: part.segments > 0 ? part.spans / part.segments : 0,
      segments: segments > 0 ? Math.min(1, part.segments / segments) : 0,
    })),
  }
}

/** Its distribution and breakdowns, and the issues of the names among them. */
async function summaryOf(
  deps: Deps,
  request: RouteRequest,
): Promise<Pick<RestRoutePage, 'distribution' | 'breakdowns' | 'issues'>> {
  const { durations, breakdowns, names } = await deps.events.routeSummary({
    ...request,
    kinds: breakdownKinds,
    max: breakdownMax,
    namesMax,
  })
  return {
    distribution: durations.map(({ fromUs, toUs, samples, count }) => ({
      from: fromUs / 1000,
      to: toUs / 1000,
      samples,
      count,
    })),
    breakdowns: breakdowns.map(({ kind, rows }) => ({
      kind,
      rows: rows.map((row) => ({
        value: row.value,
        samples: row.samples,
        count: row.count,
        p75: row.p75Ms,
        failureRate: rateOf(row.failed, row.count),
      })),
    })),
    issues: await issuesOf(deps, request, names),
  }
}

/** The newest segments that took about as long as the median. */
async function typicalOf({ events }: Deps, request: RouteRequest, medianMs: number | null): Promise<TracedSegment[]> {
  if (!medianMs) return []
  const durations = {
    fromUs: Math.floor(medianMs * 1000 * (1 - typicalSpread)),
    toUs: Math.ceil(medianMs * 1000 * (1 + typicalSpread)) + 1,
  }
  return events.routeTraces({ ...request, order: 'newest', durations, max: tracesMax })
}

/** Returns all of one route. Throws NOT_FOUND, QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function performanceRoute(deps: Deps, view: PerformanceView, id: string): Promise<RestRoutePage> {
  const { key, project } = routeOfView(view, id)
  const { events } = deps
  const compared = comparedOf(view)
  const scope = { ...compared.scope, projectIds: [key.projectId] }
  const request = { key, scope, withCut: view.withCut }
  const bucketMs = bucketOf(view.range, pointsMax)
  const loads = vitalLoads.find((op) => op === key.op)
  const figures = events.routeCompared({ ...compared, scope, key })
  const [stats, typical, series, slowest, time, summary, vitals, causes, releases] = await Promise.all([
    figures,
    figures.then(({ now }) => typicalOf(deps, request, now?.p50Ms ?? null)),
    events.routeSeries({ scope, keys: [key], bucketMs, withCut: view.withCut }),
    events.routeTraces({ ...request, order: 'slowest', max: tracesMax }),
    timeOf(deps, request),
    summaryOf(deps, request),
    loads
      ? events.vitalStats({ scope, beforeMs: wholeBeforeOf(compared), route: key, loads })
      : { now: [], before: [] },
    loads ? events.vitalCauses({ scope, route: key, loads }) : [],
    releaseAnnotations(deps, {
      organization: view.organization,
      projects: [project],
      environments: view.environments,
      fromMs: scope.fromMs,
      toMs: scope.toMs,
      max: marksMax,
    }),
  ])
  const ofRoute = vitals.now.filter(({ projectId }) => projectId === key.projectId)
  const ofRouteBefore = vitals.before.filter(({ projectId }) => projectId === key.projectId)
  return {
    id: routeIdOf(key),
    project: nameOf(project),
    op: key.op,
    route: key.route,
    ...timesOf(compared),
    ...measuredOf(stats.now, stats.before, scope),
    vitalsScore: totalScore(ofRoute),
    vitalsScoreBefore: totalScore(ofRouteBefore),
    bucketSeconds: bucketMs / 1000,
    series: series.map((point) => [
      point.startMs / 1000,
      point.samples,
      point.p50Ms,
      point.p75Ms,
      point.p95Ms,
      point.failed,
    ]),
    releases,
    slowest: slowest.map(toRestTrace),
    typical: typical.map(toRestTrace),
    time,
    vitals: toRestVitals(ofRoute, ofRouteBefore, causes),
    ...summary,
  }
}
