import { skewKindIds, skewTag } from '../../../domain/skew.ts'
import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import type { NavigationStats, PerformanceStore } from '../performance-store.ts'
import { compileScope, createValues } from '../reading/filter.ts'
import { compileSegmentScope, readMs, weighed } from './segments.ts'

/** Requests of the Next.js router for the data of a page: of no other client spans are there rows in `segments`. */
const isRouterRequest = "is_segment = 0 AND op = 'http.client'"
const isPrefetch = "tags['http.request.prefetch'] = 'true'"
/** A page that the browser restored from its back/forward cache: SDK 11 sends a navigation of this type, which takes no time. */
const isRestored = "(op = 'navigation' AND tags['browser.navigation.type'] = 'back-forward-cache')"
/** A page load by the back and forward buttons. SDK 11 writes the type with a hyphen, the browser with an underscore. */
const isBackForward = "(op = 'pageload' AND tags['browser.navigation.type'] IN ('back-forward', 'back_forward'))"

/** Number of samples, and what they stand for. The engine writes whole numbers of 64 bits as texts. */
type StoredCount = [samples: string, count: number]
type StoredLoads = {
  project_id: string
  route: string
  p75: number | null
} & Record<'loads' | 'navigations' | 'slow' | 'failed' | 'back' | 'restored', StoredCount>
type StoredRequests = { project_id: string; route: string } & Record<'hard' | 'prefetches' | 'unused', StoredCount>

const countIf = (condition: string): string => `(countIf(${condition}), sumIf(toFloat64(weight), ${condition}))`
const readCount = (stored: StoredCount | undefined) => ({ samples: Number(stored?.[0] ?? 0), count: stored?.[1] ?? 0 })

function createStats(connection: Connection, segments: string): PerformanceStore['navigationStats'] {
  const loadsOf = (scope: Scope, release: string, slowUs: number, max: number) => {
    const values = createValues()
    const ofRelease = release === '' ? '1' : `release = ${values.add('String', release)}`
    // A cut load took longer than it says: it is slow, and counts for no percentile.
    const slow = values.add('UInt64', slowUs)
    // A streamed page ends the browser's span with its first bytes: a navigation that waited 4 s for its server component
    // is 25 ms long, and "ok" if that component threw. The request on the server is in the same trace. A cached page puts
    // the trace of the request that made it into all its loads, so the request also has to begin in the minute of the load
    // or in one beside it: a browser's clock is seldom further off.
    const served = (fault: string) =>
      `(trace_id, route, toStartOfMinute(start)) IN (SELECT trace_id, route,
           arrayJoin(arrayMap(n -> addMinutes(toStartOfMinute(start), n), [-1, 0, 1]))
         FROM ${segments} WHERE ${compileSegmentScope(values, scope)}
         AND is_segment = 1 AND op = 'http.server' AND ${fault})`
    const isSlow = `(duration > ${slow} OR cut != '' OR ${served(`duration > ${slow}`)})`
    const isFailed = `(failed = 1 AND cut = '' OR ${served('failed = 1')})`
    return connection.rows<StoredLoads>(
      `SELECT project_id, toString(route) AS route, ${countIf("op = 'pageload'")} AS loads, ${countIf(`op = 'navigation' AND NOT ${isRestored}`)} AS navigations,
         ${countIf(`${isSlow} AND NOT ${isRestored}`)} AS slow, ${countIf(`${isFailed} AND NOT ${isRestored}`)} AS failed,
         quantileTDigestWeightedIf(0.75)(duration, ${weighed}, cut = '' AND NOT ${isRestored}) AS p75,
         ${countIf(isBackForward)} AS back, ${countIf(isRestored)} AS restored
       FROM ${segments} WHERE ${compileSegmentScope(values, scope)} AND is_segment = 1 AND op IN ('pageload', 'navigation') AND ${ofRelease}
       GROUP BY project_id, route ORDER BY sum(toFloat64(weight)) DESC, project_id, route LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
  }
  const requestsOf = (scope: Scope, release: string) => {
    const values = createValues()
    const ofRelease = release === '' ? '1' : `release = ${values.add('String', release)}`
    return connection.rows<StoredRequests>(
      `WITH opened AS (SELECT DISTINCT project_id, path FROM ${segments}
         WHERE ${compileSegmentScope(values, scope)} AND ${ofRelease} AND is_segment = 1 AND op IN ('pageload', 'navigation'))
       SELECT project_id, toString(route) AS route, ${countIf('NOT prefetch AND bad')} AS hard, ${countIf('prefetch')} AS prefetches,
         ${countIf('prefetch AND (project_id, path) NOT IN opened')} AS unused
       FROM (SELECT project_id, route, weight, ${isPrefetch} AS prefetch,
           failed = 1 OR http_status >= 400 AS bad, path
         FROM ${segments} WHERE ${compileSegmentScope(values, scope)} AND ${ofRelease} AND ${isRouterRequest})
       GROUP BY project_id, route`,
      values.bound,
    )
  }
  return async ({ scope, release, slowUs, max }) => {
    if (scope.projectIds.length === 0) return []
    const [loads, requests] = await Promise.all([loadsOf(scope, release, slowUs, max), requestsOf(scope, release)])
    const byRoute = new Map(requests.map((row) => [`${row.project_id} ${row.route}`, row]))
    return loads.map((row): NavigationStats => {
      const own = byRoute.get(`${row.project_id} ${row.route}`)
      return {
        projectId: Number(row.project_id),
        route: row.route,
        p75Ms: readMs(row.p75),
        pageLoads: readCount(row.loads),
        navigations: readCount(row.navigations),
        slow: readCount(row.slow),
        failed: readCount(row.failed),
        backForward: readCount(row.back),
        restored: readCount(row.restored),
        hardNavigations: readCount(own?.hard),
        prefetches: readCount(own?.prefetches),
        unusedPrefetches: readCount(own?.unused),
      }
    })
  }
}

function createFailures(connection: Connection, database: string): PerformanceStore['routeFailures'] {
  return async ({ scope, release, hydrationTexts, max }) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const skew = skewKindIds.map((kind) => `has(tagkv, ${values.add('String', `${skewTag}=${kind}`)})`).join(' OR ')
    const texts = values.add('Array(String)', [...hydrationTexts])
    const rows = await connection.rows<{ project_id: string; route: string; hydration: string; skew: string }>(
      `SELECT project_id, toString(transaction) AS route, countIf(hydrated) AS hydration, countIf(skewed) AS skew
       FROM (SELECT project_id, transaction, multiSearchAny(message, ${texts}) AS hydrated, (${skew}) AS skewed
         FROM ${database}.events WHERE ${compileScope(values, scope)}
           AND ${release === '' ? '1' : `release = ${values.add('String', release)}`} AND (hydrated OR skewed))
       GROUP BY project_id, route ORDER BY hydration + skew DESC, project_id, route LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    return rows.map((row) => ({
      projectId: Number(row.project_id),
      route: row.route,
      hydration: Number(row.hydration),
      skew: Number(row.skew),
    }))
  }
}

/** Creates the queries of navigation health. */
export function createNavigation(
  connection: Connection,
  database: string,
  table: string,
): Pick<PerformanceStore, 'navigationStats' | 'navigationReleases' | 'routeFailures'> {
  return {
    navigationStats: createStats(connection, table),
    routeFailures: createFailures(connection, database),
    async navigationReleases(scope, max) {
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      return connection.rows<{ release: string; count: number }>(
        `SELECT toString(release) AS release, sum(toFloat64(weight)) AS count FROM ${table}
         WHERE ${compileSegmentScope(values, scope)} AND is_segment = 1 AND op IN ('pageload', 'navigation') AND release != ''
         GROUP BY release ORDER BY count DESC, release LIMIT ${values.add('UInt32', max)}`,
        values.bound,
      )
    },
  }
}
