import type { RestRouteRow, RestRoutes } from '../contract/performance.ts'
import { totalScore } from '../domain/vitals.ts'
import type { RouteKey, RouteOrder, RouteStats, VitalStats } from '../store/events/performance-store.ts'
import type { QueryDeps } from './issue.ts'
import { changeOf, comparedOf, nameOf, type PerformanceView, rateOf, timesOf } from './performance-compared.ts'
import { routeIdOf } from './performance-ids.ts'
import { bucketOf } from './range.ts'

type Deps = Pick<QueryDeps, 'events'>

const dayMs = 86_400_000
/** Points of the line of a row. */
const pointsMax = 14

const keyOf = ({ projectId, op, route }: RouteKey) => `${projectId} ${op} ${route}`

/** The fields that a row and the page of a route share. */
export function measuredOf({ now, before }: RouteStats) {
  return {
    samples: now.samples,
    count: now.count,
    p50: now.p50Ms,
    p75: now.p75Ms,
    p95: now.p95Ms,
    failureRate: rateOf(now.failed, now.count),
    apdex: now.apdex,
    totalMs: now.totalMs,
    previous: {
      samples: before.samples,
      count: before.count,
      p75: before.p75Ms,
      failureRate: rateOf(before.failed, before.count),
    },
    p75Change: changeOf(now, before),
  }
}

/** The score of each route with vitals, by project and route. */
function scoresOf(vitals: readonly VitalStats[]): Map<string, number | null> {
  const byRoute = Map.groupBy(vitals, ({ projectId, route }) => `${projectId} ${route}`)
  return new Map([...byRoute].map(([key, ofRoute]) => [key, totalScore(ofRoute)]))
}

/**
 * Returns the routes of a view in an order, each with its change against the range before. A route is new in a release
 * if its project has segments in the range before and the route has none. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function performanceRoutes(
  { events }: Deps,
  view: PerformanceView,
  { order, text, max, offset }: { order: RouteOrder; text: string; max: number; offset: number },
): Promise<RestRoutes> {
  const compared = comparedOf(view)
  const { scope, withCut } = compared
  const bucketMs = bucketOf(view.range, pointsMax)
  const [{ routes, all }, totals, vitals] = await Promise.all([
    events.routeStats({ ...compared, order, text, max, offset }),
    events.segmentTotals(compared),
    events.vitalStats({ scope }),
  ])
  const series = Map.groupBy(await events.routeSeries({ scope, keys: routes, bucketMs, withCut }), keyOf)
  const scores = scoresOf(vitals)
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  const hadBefore = new Set(totals.flatMap(({ projectId, samplesBefore }) => (samplesBefore > 0 ? [projectId] : [])))
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
        ...measuredOf(stats),
        timePerDayMs: stats.now.totalMs / days,
        vitalsScore: stats.op === 'pageload' ? (scores.get(`${stats.projectId} ${stats.route}`) ?? null) : null,
        newIn: isNew && stats.firstRelease !== '' ? stats.firstRelease : null,
        series: (series.get(keyOf(stats)) ?? []).map(({ startMs, p75Ms }) => [startMs / 1000, p75Ms]),
      },
    ]
  })
  return {
    ...timesOf(compared),
    samples: totals.reduce((sum, total) => sum + total.samples, 0),
    count: totals.reduce((sum, total) => sum + total.count, 0),
    all,
    bucketSeconds: bucketMs / 1000,
    rows,
  }
}
