import { skewKindIds, skewTag } from '../../../domain/skew.ts'
import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import { compileScope, createValues } from '../filter.ts'
import type { NavigationStats, PerformanceStore } from '../performance-store.ts'
import { compileSpanScope, readMs, weighed } from './segments.ts'

/** A request of the Next.js router for the data of a page. */
const isRouterRequest = "(position(tags['url.query'], '_rsc=') > 0 OR position(tags['url.full'], '_rsc=') > 0)"
const isPrefetch = "tags['http.request.prefetch'] = 'true'"

type StoredLoads = {
  project_id: string
  route: string
  n: string
  loads: number
  navigations: number
  slow: number
  failed_loads: number
  p75: number | null
  back: number
}
type StoredRequests = { project_id: string; route: string; hard: number; prefetches: number; unused: number }

function createStats(connection: Connection, table: string): PerformanceStore['navigationStats'] {
  const loadsOf = (scope: Scope, release: string, slowUs: number, max: number) => {
    const values = createValues()
    const ofRelease = release === '' ? '1' : `release = ${values.add('String', release)}`
    // A cut load took longer than it says: it is slow, and counts for no percentile.
    const slow = values.add('UInt64', slowUs)
    // A streamed page ends the browser's span with its first bytes: a navigation that waited 4 s for its server component
    // is 25 ms long, and "ok" if that component threw. The request on the server is in the same trace.
    const served = (fault: string) =>
      `(trace_id, route) IN (SELECT trace_id, route FROM ${table} WHERE ${compileSpanScope(values, scope)}
         AND is_segment = 1 AND op = 'http.server' AND ${fault})`
    const isSlow = `(duration > ${slow} OR cut != '' OR ${served(`duration > ${slow}`)})`
    const isFailed = `(failed = 1 AND cut = '' OR ${served('failed = 1')})`
    return connection.rows<StoredLoads>(
      `SELECT project_id, toString(route) AS route, count() AS n, sumIf(toFloat64(weight), op = 'pageload') AS loads,
         sumIf(toFloat64(weight), op = 'navigation') AS navigations, sumIf(toFloat64(weight), ${isSlow}) AS slow,
         sumIf(toFloat64(weight), ${isFailed}) AS failed_loads,
         quantileTDigestWeightedIf(0.75)(duration, ${weighed}, cut = '') AS p75,
         sumIf(toFloat64(weight), op = 'pageload' AND tags['browser.navigation.type'] = 'back_forward') AS back
       FROM ${table} WHERE ${compileSpanScope(values, scope)} AND is_segment = 1 AND op IN ('pageload', 'navigation') AND ${ofRelease}
       GROUP BY project_id, route ORDER BY loads + navigations DESC, project_id, route LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
  }
  const requestsOf = (scope: Scope, release: string) => {
    const values = createValues()
    const where = `${compileSpanScope(values, scope)} AND ${release === '' ? '1' : `release = ${values.add('String', release)}`}`
    return connection.rows<StoredRequests>(
      `WITH opened AS (SELECT DISTINCT project_id, tags['url.path'] AS path FROM ${table}
         WHERE ${where} AND is_segment = 1 AND op IN ('pageload', 'navigation'))
       SELECT project_id, toString(route) AS route, sumIf(weight, NOT prefetch AND bad) AS hard, sumIf(weight, prefetch) AS prefetches,
         sumIf(weight, prefetch AND (project_id, path) NOT IN opened) AS unused
       FROM (SELECT project_id, route, toFloat64(weight) AS weight, ${isPrefetch} AS prefetch,
           failed = 1 OR http_status >= 400 AS bad, path(tags['url.full']) AS path
         FROM ${table} WHERE ${where} AND op = 'http.client' AND is_segment = 0 AND ${isRouterRequest})
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
        samples: Number(row.n),
        pageLoads: row.loads,
        navigations: row.navigations,
        slow: row.slow,
        failed: row.failed_loads,
        p75Ms: readMs(row.p75),
        backForward: row.back,
        hardNavigations: own?.hard ?? 0,
        prefetches: own?.prefetches ?? 0,
        unusedPrefetches: own?.unused ?? 0,
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
): Pick<PerformanceStore, 'navigationStats' | 'navigationReleases' | 'routeFailures'> {
  const table = `${database}.spans`
  return {
    navigationStats: createStats(connection, table),
    routeFailures: createFailures(connection, database),
    async navigationReleases(scope, max) {
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      return connection.rows<{ release: string; count: number }>(
        `SELECT toString(release) AS release, sum(toFloat64(weight)) AS count FROM ${table}
         WHERE ${compileSpanScope(values, scope)} AND is_segment = 1 AND op IN ('pageload', 'navigation') AND release != ''
         GROUP BY release ORDER BY count DESC, release LIMIT ${values.add('UInt32', max)}`,
        values.bound,
      )
    },
  }
}
