import type { VitalLoads, VitalName } from '../../domain/traces/vitals.ts'
import type { Scope } from './events.ts'

/** Identifies a route: page loads, navigations and requests of one route are told apart by their op. */
export type RouteKey = { projectId: number; op: string; route: string }

/** Returns a text that only this route has, whatever blanks its op and name contain. */
export const textOfRoute = ({ projectId, op, route }: RouteKey): string => JSON.stringify([projectId, op, route])

/** `samples`: the spans that were read. `count`: what they stand for, by their sample rates. */
type Sampled = { samples: number; count: number }

/** Percentiles in ms. Null without samples. */
export type Percentiles = { p50Ms: number | null; p75Ms: number | null; p95Ms: number | null }

/** Segments of one period. `failed`, `totalMs` and `lostMs`, the time above the target, are weighted. Cut segments only count, unless they are asked for. */
type Measured = Sampled & Percentiles & { failed: number; totalMs: number; lostMs: number; apdex: number | null }

/** Orders of the routes: time above the target, p75, growth of the p75, failure rate, number of segments. */
export const routeOrders = ['lost', 'slow', 'worse', 'failing', 'volume'] as const
export type RouteOrder = (typeof routeOrders)[number]

/**
 * Figures of a route that a search compares. Durations are in ms; `lost` is the time above the target per day of the scope, `throughput` the
 * requests per minute of it.
 */
export type RouteMetric =
  | 'requests'
  | 'throughput'
  | 'samples'
  | 'lost'
  | 'p50'
  | 'p75'
  | 'p95'
  | 'failureRate'
  | 'apdex'
  | 'change'

/** A condition on routes. A figure that a route does not have meets no comparison. */
export type RouteFilter =
  | { op: 'and' | 'or'; of: RouteFilter[] }
  | { op: 'not'; of: RouteFilter }
  | { op: 'match'; column: 'route' | 'op'; match: 'is' | 'like'; text: string }
  | { op: 'projects'; ids: number[] }
  | { op: 'compare'; metric: RouteMetric; compare: '<' | '<=' | '=' | '>=' | '>'; number: number }
  /** Without segments in the range before, in a project that had some. */
  | { op: 'new'; projectIds: number[] }
  /** Neither a page load, a navigation, a request nor a screen (src/domain/traces/job-ops.ts). */
  | { op: 'job' }

/** What a scope has, for the tabs: routes, jobs among them, statements by kind, and segments. */
type PerformanceCounts = Sampled & Record<'routes' | 'jobs' | StatementKind, number>

/** A route in one period. `firstRelease`: the release of its first segment there. */
export type MeasuredRoute = RouteKey & Measured & { firstRelease: string }

/** A route in the range before: the figures that rows compare. */
export type RouteBefore = RouteKey & Omit<Measured, 'totalMs' | 'lostMs'>

/** Two periods of one length. Segments of `before` are compared with those of the scope. */
export type Compared = { scope: Scope; beforeMs: { fromMs: number; toMs: number }; withCut: boolean }

/** A web vital of a route. Shares and the score are from 0 to 1. CLS has no unit, the others are in ms. */
export type VitalStats = Sampled & {
  projectId: number
  route: string
  vital: VitalName
  p75: number
  score: number
  good: number
  poor: number
}

/** What caused most of a vital: an element or the target of an interaction. */
export type VitalCause = Sampled & { projectId: number; route: string; vital: VitalName; element: string; p75: number }

type VitalsRequest = { scope: Scope; route?: RouteKey; loads: VitalLoads }

/** A range of durations in microseconds: the upper end is excluded. */
export type DurationRange = { fromUs: number; toUs: number }

/** A range of starts in milliseconds since 1970: the upper end is excluded. */
export type TimeRange = { fromMs: number; toMs: number }

/** One route in one scope, and optionally the durations that the reader selected. */
export type RouteRequest = { key: RouteKey; scope: Scope; withCut: boolean }

export type TracedSegment = {
  traceId: string
  spanId: string
  startMs: number
  durationMs: number
  failed: boolean
  release: string
}

/** Child spans of some segments of a route that spend their time on the same thing. */
type TimePart = {
  category: string
  op: string
  statement: string
  spans: number
  /** Segments with at least one of them. */
  segments: number
  /** Of all segments that were read, outside of children of their own. */
  selfMs: number
  totalMs: number
  /** Mean time after the start of the segment. */
  offsetMs: number
}

/** What the segments of a route are broken down by. */
export type BreakdownKind = 'release' | 'environment' | 'browser' | 'device'
type BreakdownRow = Sampled & { value: string; p75Ms: number | null; failed: number }

/** A value of an attribute, or of a column that counts as an attribute. */
export type SlowPair = { key: string; value: string }

/**
 * Values of slow segments and of others. `own` and `others` are the segments that were read, `ownCount` what the slow ones
 * stand for. The counts of values are of the segments that were read, corrected by weights.
 */
export type SlowCounts = {
  own: number
  others: number
  ownCount: number
  values: { key: string; value: string; own: number; others: number }[]
}

export const statementKinds = ['queries', 'requests', 'assets'] as const
export type StatementKind = (typeof statementKinds)[number]

export type StatementStats = Sampled & {
  projectId: number
  /** 16 hex digits. */
  hash: string
  statement: string
  totalMs: number
  p75Ms: number | null
  p95Ms: number | null
  failed: number
  /** Distinct routes that it runs in. */
  callers: number
  /** Mean size in bytes and share of render-blocking loads: assets only. */
  bytes: number | null
  blocking: number | null
}

type Caller = Sampled & {
  route: string
  totalMs: number
  p95Ms: number | null
  failed: number
  /** The span that took longest. Null if it is gone, and only the rollup remembers it. */
  slowest: { traceId: string; spanId: string } | null
}

/** Health of the navigation to a route. */
export type NavigationStats = {
  projectId: number
  route: string
  /** Of one release where releases are told apart, else ''. */
  release: string
  /** The first load, ms since 1970. */
  firstMs: number
  p75Ms: number | null
} & Record<NavigationCount, Sampled>

/** What is counted of a route: each by samples, and by what they stand for. */
type NavigationCount =
  /** Page loads of the browser, and navigations of the router. */
  | 'pageLoads'
  | 'navigations'
  | 'slow'
  | 'failed'
  /** Page loads by the back and forward buttons: the browser could not restore the page from its cache. */
  | 'backForward'
  /** Pages that it could restore. They are no loads: they take no time. */
  | 'restored'
  /** Failed requests of the router for a page's data. The browser then loads the whole document. */
  | 'hardNavigations'
  /** Requests that loaded pages ahead, and those for pages that nobody opened in the range. */
  | 'prefetches'
  | 'unusedPrefetches'

/** Errors by route: failed hydration and version skew. */
type RouteFailures = { projectId: number; route: string; release: string; hydration: number; skew: number }

/** Queries of the performance pages. All of them throw QUERY_TIMEOUT or STORE_UNAVAILABLE. */
export type PerformanceStore = {
  /**
   * Routes in an order. `all`: the number of routes that match, with `samples` and `count` of their
   * segments together. The range before counts only for an order and for conditions. If it was read, `before` has the figures of
   * these routes in it, without those that have no segments there; else it is undefined.
   */
  routeStats(
    request: Compared & {
      order: RouteOrder
      filter: RouteFilter | undefined
      max: number
      offset: number
    },
  ): Promise<{ routes: MeasuredRoute[]; before: RouteBefore[] | undefined; all: number } & Sampled>
  /** One route in the scope and in the range before, by one statement. Undefined where it has no segments. */
  routeCompared(
    request: Compared & { key: RouteKey },
  ): Promise<{ now: MeasuredRoute | undefined; before: MeasuredRoute | undefined }>
  /** Some routes in the range before, in no order. Those without segments in it are left out. */
  routesBefore(request: Compared & { keys: readonly RouteKey[] }): Promise<MeasuredRoute[]>
  /** Projects with segments in the range before. */
  projectsBefore(request: Compared): Promise<number[]>
  performanceCounts(scope: Scope): Promise<PerformanceCounts>
  /** p50, p75 and p95 of routes by bucket, oldest first. Buckets without segments are left out. */
  routeSeries(request: {
    scope: Scope
    keys: readonly RouteKey[]
    bucketMs: number
    withCut: boolean
  }): Promise<(RouteKey & Sampled & Percentiles & { startMs: number; failed: number })[]>
  /** Vitals of both ranges by route, and of all routes together: these have the project 0. */
  vitalStats(request: VitalsRequest & Pick<Compared, 'beforeMs'>): Promise<{ now: VitalStats[]; before: VitalStats[] }>
  /** Only the scores of the vitals of page loads by route: half the work of `vitalStats`. */
  vitalScores(scope: Scope): Promise<Pick<VitalStats, 'projectId' | 'route' | 'vital' | 'score'>[]>
  /** The element that caused most of each vital of each route. */
  vitalCauses(request: VitalsRequest): Promise<VitalCause[]>
  /** Segments of a route by duration: 20 buckets for each power of ten, shortest first. */
  routeDurations(request: RouteRequest): Promise<(Sampled & DurationRange)[]>
  /** Segments of a route: the slowest, or the newest with durations in a range. `having`: a value that `slowValues` found. */
  routeTraces(
    request: RouteRequest & {
      durations?: DurationRange
      having?: SlowPair | undefined
      order: 'slowest' | 'newest'
      max: number
    },
  ): Promise<TracedSegment[]>
  /** What the newest segments of a route, at most `segmentsMax`, spent their time on. */
  routeParts(
    request: RouteRequest & { durations?: DurationRange; segmentsMax: number; max: number },
  ): Promise<{ segments: number; totalMs: number; parts: TimePart[] }>
  /**
   * Groups of the segments of a route: its durations as `routeDurations`, the values of each kind, `max` of each and those of
   * most segments first, and the names under which segments came, cut ones too, most frequent first.
   */
  routeSummary(request: RouteRequest & { kinds: readonly BreakdownKind[]; max: number; namesMax: number }): Promise<{
    durations: (Sampled & DurationRange)[]
    breakdowns: { kind: BreakdownKind; rows: BreakdownRow[] }[]
    names: string[]
  }>
  /**
   * Attributes and child spans of the newest segments with these durations, and that began in `times`, and of the newest
   * others of the scope.
   */
  slowValues(
    request: RouteRequest & {
      durations: DurationRange
      times?: TimeRange | undefined
      segmentsMax: number
      spanSegmentsMax: number
      max: number
    },
  ): Promise<{ attributes: SlowCounts; spans: SlowCounts }>
  /** Statements by total time. `hash` selects a single statement, `only` some, without sizes and blocking of assets. */
  statementStats(request: {
    scope: Scope
    kind: StatementKind
    text: string
    hash?: string
    only?: readonly string[]
    order: 'total' | 'slow' | 'count' | 'failing'
    max: number
    offset: number
  }): Promise<{ statements: StatementStats[]; all: number }>
  /** The routes that a statement runs in, by total time. */
  statementCallers(request: { scope: Scope; kind: StatementKind; statement: string; max: number }): Promise<Caller[]>
  /**
   * Navigation health by route, most page loads and navigations first. `release`: only segments of it. `ofRoute`: of this
   * route only and by release, newest first.
   */
  navigationStats(request: {
    scope: Scope
    release: string
    ofRoute?: string
    slowUs: number
    max: number
  }): Promise<NavigationStats[]>
  /** Releases of page loads and navigations, most first. */
  navigationReleases(scope: Scope, max: number): Promise<{ release: string; count: number }[]>
  routeFailures(request: {
    scope: Scope
    release: string
    ofRoute?: string
    hydrationTexts: readonly string[]
    max: number
  }): Promise<RouteFailures[]>
}
