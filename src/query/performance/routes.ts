import type { RestPerformanceCounts, RestRouteRow, RestRoutes } from '../../contract/explore/performance.ts'
import { totalScore } from '../../domain/traces/vitals.ts'
import type {
  Compared,
  RouteFilter,
  RouteKey,
  RouteOrder,
  RouteStats,
  VitalStats,
} from '../../store/events/performance-store.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { bucketOf } from '../range.ts'
import { orRefused } from '../search/parse.ts'
import { changeOf, comparedOf, isoOf, nameOf, type PerformanceView, rateOf, scopeOf, timesOf } from './compared.ts'
import { routeIdOf } from './ids.ts'
import { asksForNew, routeFilterOf } from './route-search.ts'

type Deps = Pick<QueryDeps, 'events'>

const dayMs = 86_400_000
const minuteMs = 60_000
/** Points of the line of a row. */
const pointsMax = 28

const keyOf = ({ projectId, op, route }: RouteKey) => `${projectId} ${op} ${route}`

/** The fields that a row and the page of a route share. Rates of time are those of the range of `scope`. */
export function measuredOf({ now, before }: RouteStats, { fromMs, toMs }: Pick<Compared['scope'], 'fromMs' | 'toMs'>) {
  return {
    samples: now.samples,
    count: now.count,
    perMinute: (now.count * minuteMs) / Math.max(1, toMs - fromMs),
    p50: now.p50Ms,
    p75: now.p75Ms,
    p95: now.p95Ms,
    failureRate: rateOf(now.failed, now.count),
    apdex: now.apdex,
    totalMs: now.totalMs,
    previous: {
      samples: before.samples,
      count: before.count,
      p50: before.p50Ms,
      p75: before.p75Ms,
      p95: before.p95Ms,
      failureRate: rateOf(before.failed, before.count),
      apdex: before.apdex,
    },
    p75Change: changeOf(now, before),
  }
}

/** The score of each route with vitals, by project and route. */
function scoresOf(vitals: readonly VitalStats[]): Map<string, number | null> {
  const byRoute = Map.groupBy(vitals, ({ projectId, route }) => `${projectId} ${route}`)
  return new Map([...byRoute].map(([key, ofRoute]) => [key, totalScore(ofRoute)]))
}

/** Segments of each project in both ranges. */
type Totals = Awaited<ReturnType<QueryDeps['events']['segmentTotals']>>

/** Projects that had segments in the range before. A route of another one is not new. */
const projectsBefore = (totals: Totals): number[] =>
  totals.flatMap(({ projectId, samplesBefore }) => (samplesBefore > 0 ? [projectId] : []))

type RoutesRequest = { order: RouteOrder; text: string; jobs: boolean; max: number; offset: number }

/** The routes of a view that match, and what their rows need of the whole view. */
async function readRoutes({ events }: Deps, view: PerformanceView, compared: Compared, request: RoutesRequest) {
  const { order, text, jobs, max, offset } = request
  const searched = (before: number[]) =>
    orRefused(() => routeFilterOf(text, { projects: view.projects, projectsBefore: before }))
  // A wrong search is refused before anything is read.
  const early = searched([])
  const reading = events.segmentTotals(compared)
  const filtered = async (): Promise<RouteFilter | undefined> => {
    const own = asksForNew(early) ? searched(projectsBefore(await reading)) : early
    if (!jobs) return own
    return { op: 'and', of: own ? [{ op: 'job' }, own] : [{ op: 'job' }] }
  }
  const [found, totals, vitals] = await Promise.all([
    filtered().then((filter) => events.routeStats({ ...compared, order, filter, max, offset })),
    reading,
    events.vitalStats({ scope: compared.scope, loads: 'pageload' }),
  ])
  return { ...found, totals, vitals }
}

/**
 * Returns the routes of a view in an order, each with its change against the range before. `text` is a search
 * (route-search.ts). A route is new in a release if its project has segments in the range before and the route has none.
 * Throws QUERY_*, STORE_UNAVAILABLE.
 */
export async function performanceRoutes(
  deps: Deps,
  view: PerformanceView,
  request: RoutesRequest,
): Promise<RestRoutes> {
  const compared = comparedOf(view)
  const { scope, withCut } = compared
  const bucketMs = bucketOf(view.range, pointsMax)
  const { routes, all, samples, count, totals, vitals } = await readRoutes(deps, view, compared, request)
  const series = Map.groupBy(await deps.events.routeSeries({ scope, keys: routes, bucketMs, withCut }), keyOf)
  const scores = scoresOf(vitals)
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  const hadBefore = new Set(projectsBefore(totals))
  const days = (scope.toMs - scope.fromMs) / dayMs
  const rows = routes.flatMap((stats): RestRouteRow[] => {
    const project = projects.get(stats.projectId)
    if (!project) return []
    const isNew = stats.before.samples === 0 && hadBefore.has(stats.projectId)
    return [
      {
        id: routeIdOf(stats),
        project: nameOf(project),
        op: stats.op,
        route: stats.route,
        ...measuredOf(stats, scope),
        timePerDayMs: stats.now.totalMs / days,
        vitalsScore: stats.op === 'pageload' ? (scores.get(`${stats.projectId} ${stats.route}`) ?? null) : null,
        newIn: isNew && stats.firstRelease !== '' ? stats.firstRelease : null,
        series: (series.get(keyOf(stats)) ?? []).map(({ startMs, samples: own, p75Ms }) => [
          startMs / 1000,
          p75Ms,
          own,
        ]),
      },
    ]
  })
  return { ...timesOf(compared), samples, count, all, bucketSeconds: bucketMs / 1000, rows }
}

/** Returns the numbers beside the tabs: what a view has of each. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function performanceCounts({ events }: Deps, view: PerformanceView): Promise<RestPerformanceCounts> {
  const scope = scopeOf(view)
  return { start: isoOf(scope.fromMs), end: isoOf(scope.toMs), ...(await events.performanceCounts(scope)) }
}
