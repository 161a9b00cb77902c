import { skewKindIds, skewTag } from '../../../domain/skew.ts'
import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import type { NavigationStats, PerformanceStore } from '../performance-store.ts'
import { compileScope, createValues, type Values } from '../reading/filter.ts'
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
  its_release: string
  first_ms: string
  p75: number | null
} & Record<'loads' | 'navigations' | 'slow' | 'failed' | 'back' | 'restored', StoredCount>
type StoredRequests = { project_id: string; route: string; its_release: string } & Record<
  'hard' | 'prefetches' | 'unused',
  StoredCount
>

const countIf = (condition: string): string => `(countIf(${condition}), sumIf(toFloat64(weight), ${condition}))`
const readCount = (stored: StoredCount | undefined) => ({ samples: Number(stored?.[0] ?? 0), count: stored?.[1] ?? 0 })

/** Which segments are read: those of a release, and those of a route, which are told apart by release. */
type Narrowed = { release: string; ofRoute?: string | undefined }

/** The condition of a choice, the column of the release, and what rows are grouped by. */
function compileNarrowed(values: Values, { release, ofRoute }: Narrowed, routeColumn = 'route') {
  const parts = [
    release === '' ? '1' : `release = ${values.add('String', release)}`,
    ofRoute === undefined ? '1' : `${routeColumn} = ${values.add('String', ofRoute)}`,
  ]
  return {
    where: parts.join(' AND '),
    column: `${ofRoute === undefined ? "''" : 'toString(release)'} AS its_release`,
    group: 'project_id, route, its_release',
  }
}

/** Requests of the router for the data of pages, by route. */
function readRequests(connection: Connection, segments: string, scope: Scope, narrowed: Narrowed) {
  const values = createValues()
  const { where, column, group } = compileNarrowed(values, narrowed)
  // A page that was loaded ahead is used whichever release and route opened it.
  const opening = compileNarrowed(values, { release: narrowed.release }).where
  return connection.rows<StoredRequests>(
    `WITH opened AS (SELECT DISTINCT project_id, path FROM ${segments}
       WHERE ${compileSegmentScope(values, scope)} AND ${opening} AND is_segment = 1 AND op IN ('pageload', 'navigation'))
     SELECT project_id, toString(route) AS route, its_release, ${countIf('NOT prefetch AND bad')} AS hard, ${countIf('prefetch')} AS prefetches,
       ${countIf('prefetch AND (project_id, path) NOT IN opened')} AS unused
     FROM (SELECT project_id, route, ${column}, weight, ${isPrefetch} AS prefetch,
         failed = 1 OR http_status >= 400 AS bad, path
       FROM ${segments} WHERE ${compileSegmentScope(values, scope)} AND ${where} AND ${isRouterRequest})
     GROUP BY ${group}`,
    values.bound,
  )
}

function createStats(connection: Connection, segments: string): PerformanceStore['navigationStats'] {
  const loadsOf = (scope: Scope, narrowed: Narrowed, slowUs: number, max: number) => {
    const values = createValues()
    const { where, column, group } = compileNarrowed(values, narrowed)
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
      `SELECT project_id, toString(route) AS route, ${column}, toUnixTimestamp64Milli(min(start)) AS first_ms,
         ${countIf("op = 'pageload'")} AS loads, ${countIf(`op = 'navigation' AND NOT ${isRestored}`)} AS navigations,
         ${countIf(`${isSlow} AND NOT ${isRestored}`)} AS slow, ${countIf(`${isFailed} AND NOT ${isRestored}`)} AS failed,
         quantileTDigestWeightedIf(0.75)(duration, ${weighed}, cut = '' AND NOT ${isRestored}) AS p75,
         ${countIf(isBackForward)} AS back, ${countIf(isRestored)} AS restored
       FROM ${segments} WHERE ${compileSegmentScope(values, scope)} AND is_segment = 1 AND op IN ('pageload', 'navigation') AND ${where}
       GROUP BY ${group} ORDER BY ${narrowed.ofRoute === undefined ? 'sum(toFloat64(weight))' : 'first_ms'} DESC, ${group} LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
  }
  return async ({ scope, release, ofRoute, slowUs, max }) => {
    if (scope.projectIds.length === 0) return []
    const narrowed = { release, ofRoute }
    const [loads, requests] = await Promise.all([
      loadsOf(scope, narrowed, slowUs, max),
      readRequests(connection, segments, scope, narrowed),
    ])
    const keyOf = (row: StoredRequests | StoredLoads) => JSON.stringify([row.project_id, row.route, row.its_release])
    const byRoute = new Map(requests.map((row) => [keyOf(row), row]))
    return loads.map((row): NavigationStats => {
      const own = byRoute.get(keyOf(row))
      return {
        projectId: Number(row.project_id),
        route: row.route,
        release: row.its_release,
        firstMs: Number(row.first_ms),
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
  return async ({ scope, release, ofRoute, hydrationTexts, max }) => {
    if (scope.projectIds.length === 0) return []
    const values = createValues()
    const skew = skewKindIds.map((kind) => `has(tagkv, ${values.add('String', `${skewTag}=${kind}`)})`).join(' OR ')
    const texts = values.add('Array(String)', [...hydrationTexts])
    const { where, column, group } = compileNarrowed(values, { release, ofRoute }, 'transaction')
    type Row = { project_id: string; route: string; its_release: string; hydration: string; skew: string }
    const rows = await connection.rows<Row>(
      `SELECT project_id, toString(transaction) AS route, its_release, countIf(hydrated) AS hydration, countIf(skewed) AS skew
       FROM (SELECT project_id, transaction, ${column}, multiSearchAny(message, ${texts}) AS hydrated, (${skew}) AS skewed
         FROM ${database}.events WHERE ${compileScope(values, scope)}
           AND ${where} AND (hydrated OR skewed))
       GROUP BY ${group} ORDER BY hydration + skew DESC, ${group} LIMIT ${values.add('UInt32', max)}`,
      values.bound,
    )
    return rows.map((row) => ({
      projectId: Number(row.project_id),
      route: row.route,
      release: row.its_release,
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
