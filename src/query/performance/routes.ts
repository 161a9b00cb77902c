import type { RestPerformanceCounts, RestRouteRow, RestRoutes } from '../../contract/explore/performance.ts'
import { totalScore } from '../../domain/traces/vitals.ts'
import {
  type Compared,
  type MeasuredRoute,
  type RouteBefore,
  type RouteFilter,
  type RouteKey,
  type RouteOrder,
  textOfRoute,
  type VitalStats,
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

const nothing = {
  samples: 0,
  count: 0,
  failed: 0,
  totalMs: 0,
  lostMs: 0,
  p50Ms: null,
  p75Ms: null,
  p95Ms: null,
  apdex: null,
}
type Measured = Omit<MeasuredRoute, keyof RouteKey | 'firstRelease'>
type Before = Omit<RouteBefore, keyof RouteKey>

/**
 * The fields that a row and the page of a route share; zeros without segments. Rates of time are those of the range of
 * `scope`.
 */
export function measuredOf(
  now: Measured = nothing,
  before: Before = nothing,
  { fromMs, toMs }: Pick<Compared['scope'], 'fromMs' | 'toMs'>,
) {
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
function scoresOf(
  vitals: readonly Pick<VitalStats, 'projectId' | 'route' | 'vital' | 'score'>[],
): Map<string, number | null> {
  const byRoute = Map.groupBy(vitals, ({ projectId, route }) => `${projectId} ${route}`)
  return new Map([...byRoute].map(([key, ofRoute]) => [key, totalScore(ofRoute)]))
}

type RoutesRequest = { order: RouteOrder; text: string; jobs: boolean; max: number; offset: number }

/** Asks for the projects with segments in the range before, once however often it is called. */
function projectsBeforeOf({ events }: Deps, compared: Compared): () => Promise<number[]> {
  let asked: Promise<number[]> | undefined
  return () => {
    asked ??= events.projectsBefore(compared)
    return asked
  }
}

/** The routes of a view that match, and what their rows need of the whole view. */
async function readRoutes(
  { events }: Deps,
  view: PerformanceView,
  compared: Compared,
  request: RoutesRequest,
  projectsBefore: () => Promise<number[]>,
) {
  const { order, text, jobs, max, offset } = request
  const searched = (before: number[]) =>
    orRefused(() => routeFilterOf(text, { projects: view.projects, projectsBefore: before }))
  // A wrong search is refused before anything is read.
  const early = searched([])
  const filtered = async (): Promise<RouteFilter | undefined> => {
    const own = asksForNew(early) ? searched(await projectsBefore()) : early
    if (!jobs) return own
    return { op: 'and', of: own ? [{ op: 'job' }, own] : [{ op: 'job' }] }
  }
  const [found, vitals] = await Promise.all([
    filtered().then((filter) => events.routeStats({ ...compared, order, filter, max, offset })),
    events.vitalScores(compared.scope),
  ])
  return { ...found, vitals }
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
  const projectsBefore = projectsBeforeOf(deps, compared)
  const { routes, before, all, samples, count, vitals } = await readRoutes(
    deps,
    view,
    compared,
    request,
    projectsBefore,
  )
  // Only for the rows of the page: to compare all routes took a fifth more time. An order that compares them has all of it.
  const [points, earlier] = await Promise.all([
    deps.events.routeSeries({ scope, keys: routes, bucketMs, withCut }),
    before ?? deps.events.routesBefore({ ...compared, keys: routes }),
  ])
  const series = Map.groupBy(points, textOfRoute)
  const beforeOf = new Map<string, RouteBefore>(earlier.map((found) => [textOfRoute(found), found]))
  const scores = scoresOf(vitals)
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  // A route without segments before is new only in a project that had some.
  const isAnyMissing = routes.some((route) => !beforeOf.has(textOfRoute(route)))
  const hadBefore = new Set(isAnyMissing ? await projectsBefore() : [])
  const days = (scope.toMs - scope.fromMs) / dayMs
  const rows = routes.flatMap((stats): RestRouteRow[] => {
    const project = projects.get(stats.projectId)
    if (!project) return []
    const earlierStats = beforeOf.get(textOfRoute(stats))
    const isNew = earlierStats === undefined && hadBefore.has(stats.projectId)
    return [
      {
        id: routeIdOf(stats),
        project: nameOf(project),
        op: stats.op,
        route: stats.route,
        ...measuredOf(stats, earlierStats, scope),
        timePerDayMs: stats.totalMs / days,
        lostPerDayMs: stats.lostMs / days,
        vitalsScore: stats.op === 'pageload' ? (scores.get(`${stats.projectId} ${stats.route}`) ?? null) : null,
        newIn: isNew && stats.firstRelease !== '' ? stats.firstRelease : null,
        series: (series.get(textOfRoute(stats)) ?? []).map(({ startMs, samples: own, p75Ms }) => [
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
