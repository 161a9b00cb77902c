import type { RestNavigation, RestNavigationReleases, RestNavigationRow } from '../../contract/explore/performance.ts'
import { slowLoadMs } from '../../domain/traces/vitals.ts'
import type { NavigationStats } from '../../store/events/performance-store.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { isoOf, nameOf, type PerformanceView, scopeOf } from './compared.ts'

const routesMax = 200
const releasesMax = 20

/** Texts of errors of failed hydration, of React 16 to 19 and of its minified codes. */
const hydrationTexts = [
  'Hydration failed because',
  'error while hydrating',
  'Text content does not match',
  'Text content did not match',
  'A tree hydrated but some attributes',
  'Expected server HTML to contain',
  'Minified React error #418',
  'Minified React error #423',
  'Minified React error #425',
]

const none = { samples: 0, count: 0 }
const noLoads = (projectId: number, route: string): NavigationStats => ({
  projectId,
  route,
  release: '',
  firstMs: 0,
  p75Ms: null,
  pageLoads: none,
  navigations: none,
  slow: none,
  failed: none,
  backForward: none,
  restored: none,
  hardNavigations: none,
  prefetches: none,
  unusedPrefetches: none,
})

/**
 * Returns the health of navigation by route: what spans say of it, and errors of hydration and skew beside. A route with
 * such errors and without spans is listed too. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function performanceNavigation(
  { events }: Pick<QueryDeps, 'events'>,
  view: PerformanceView,
  { release, text }: { release: string; text: string },
): Promise<RestNavigation> {
  const scope = scopeOf(view)
  const [stats, releases, failures] = await Promise.all([
    events.navigationStats({ scope, release, slowUs: slowLoadMs * 1000, max: routesMax }),
    events.navigationReleases(scope, releasesMax),
    events.routeFailures({ scope, release, hydrationTexts, max: routesMax }),
  ])
  const keyOf = ({ projectId, route }: { projectId: number; route: string }) => `${projectId} ${route}`
  const failuresOf = new Map(failures.map((found) => [keyOf(found), found]))
  const known = new Set(stats.map(keyOf))
  const alone = failures.filter((found) => !known.has(keyOf(found)))
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  const wanted = text.toLowerCase()
  const all = [...stats, ...alone.map(({ projectId, route }) => noLoads(projectId, route))]
  return {
    start: isoOf(scope.fromMs),
    end: isoOf(scope.toMs),
    slowMs: slowLoadMs,
    release,
    releases: releases.map((found) => found.release),
    rows: all.flatMap(({ projectId, p75Ms, release: _, firstMs: _first, ...row }): RestNavigationRow[] => {
      const project = projects.get(projectId)
      if (!project || !row.route.toLowerCase().includes(wanted)) return []
      const { hydration = 0, skew = 0 } = failuresOf.get(keyOf({ projectId, route: row.route })) ?? {}
      return [{ project: nameOf(project), ...row, p75: p75Ms, hydration, skew }]
    }),
  }
}

/**
 * Returns the health of navigation of one route by release, newest first. A release without a load of it is left out.
 * Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function navigationByRelease(
  { events }: Pick<QueryDeps, 'events'>,
  view: PerformanceView,
  route: string,
): Promise<RestNavigationReleases> {
  const scope = scopeOf(view)
  const narrowed = { scope, release: '', ofRoute: route }
  const [stats, failures] = await Promise.all([
    events.navigationStats({ ...narrowed, slowUs: slowLoadMs * 1000, max: releasesMax }),
    events.routeFailures({ ...narrowed, hydrationTexts, max: routesMax }),
  ])
  const keyOf = ({ projectId, release }: { projectId: number; release: string }) => `${projectId} ${release}`
  const failuresOf = new Map(failures.map((found) => [keyOf(found), found]))
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  return {
    start: isoOf(scope.fromMs),
    end: isoOf(scope.toMs),
    slowMs: slowLoadMs,
    route,
    rows: stats.flatMap(({ projectId, route: _, p75Ms, firstMs, ...row }): RestNavigationReleases['rows'] => {
      const project = projects.get(projectId)
      if (!project) return []
      const { hydration = 0, skew = 0 } = failuresOf.get(keyOf({ projectId, release: row.release })) ?? {}
      return [{ project: nameOf(project), firstSeen: isoOf(firstMs), ...row, p75: p75Ms, hydration, skew }]
    }),
  }
}
