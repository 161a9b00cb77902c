import { z } from 'zod'
import { vitalLoads } from '../../domain/traces/vitals.ts'
import { restAnnotations } from '../releases.ts'
import { digits, eventId, restProjectName, spanId, time } from '../scalars.ts'

/**
 * Shapes of the performance pages. `samples` are the spans that were read, `count` what they stand for by their sample
 * rates. Durations are in ms, rates from 0 to 1. Null: no samples.
 */

const ms = z.number().nullable()
const rate = z.number().nullable()
const sampled = { samples: z.int(), count: z.number().describe('Estimated from the sample rates.') }
const percentiles = { p50: ms, p75: ms, p95: ms }
const range = { start: time, end: time }
const compared = {
  ...range,
  previousStart: time.describe('Start of the range that changes are compared with.'),
  previousEnd: time,
}

const measured = {
  ...sampled,
  perMinute: z.number().describe('Throughput: `count` per minute of the range.'),
  ...percentiles,
  failureRate: rate,
  apdex: rate,
  totalMs: z.number().describe('Sum of all durations.'),
}
const previous = z.strictObject({ ...sampled, ...percentiles, failureRate: rate, apdex: rate })

const routeName = {
  id: z.string().describe('Identifies the route in addresses.'),
  project: restProjectName,
  op: z.string(),
  route: z.string(),
}

const routeRow = z.strictObject({
  ...routeName,
  ...measured,
  timePerDayMs: z.number().describe('Sum of all durations, per day of the range.'),
  lostPerDayMs: z
    .number()
    .describe('Sum of the time above the target, per day of the range: 3.8 s, and 300 ms for requests to servers.'),
  vitalsScore: rate.describe('Page loads only.'),
  previous,
  p75Change: rate.describe('0.41: 41 % slower. Null with fewer than 50 samples in one of the ranges.'),
  newIn: z
    .string()
    .nullable()
    .describe('The release that brought the route, if it has no segments in the range before.'),
  series: z.array(z.tuple([z.int(), ms, z.int()])).describe('Seconds since 1970, p75, samples.'),
})
export type RestRouteRow = z.infer<typeof routeRow>

/** GET organizations/{org}/performance/ */
export const restRoutes = z
  .strictObject({
    ...compared,
    samples: z.int().describe('Segments of all routes that match.'),
    count: sampled.count,
    all: z.int().describe('Number of routes that match.'),
    bucketSeconds: z.int(),
    rows: z.array(routeRow),
  })
  .meta({ id: 'PerformanceRoutes' })
export type RestRoutes = z.infer<typeof restRoutes>

/** GET organizations/{org}/performance/counts/ */
export const restPerformanceCounts = z
  .strictObject({
    ...range,
    ...sampled,
    routes: z.int(),
    jobs: z.int().describe('Those of the routes that are neither page loads, navigations, requests nor screens.'),
    queries: z.int(),
    requests: z.int(),
    assets: z.int(),
  })
  .meta({ id: 'PerformanceCounts' })
export type RestPerformanceCounts = z.infer<typeof restPerformanceCounts>

const trace = z.strictObject({
  traceId: eventId,
  spanId,
  start: time,
  duration: z.number(),
  failed: z.boolean(),
  release: z.string(),
})
export type RestRouteTrace = z.infer<typeof trace>

const vitalName = z.enum(['lcp', 'inp', 'cls', 'fcp', 'ttfb'])

const vital = z.strictObject({
  vital: vitalName,
  ...sampled,
  p75: z.number().describe('In ms; CLS has no unit.'),
  score: z.number(),
  good: z.number(),
  meh: z.number(),
  poor: z.number(),
  previous: z
    .strictObject({ samples: z.int(), p75: z.number(), score: z.number() })
    .nullable()
    .describe('In the range that is compared with.'),
  cause: z
    .strictObject({ element: z.string(), ...sampled, p75: z.number() })
    .nullable()
    .describe('The element, or the target of the interaction, that caused most of it.'),
})
export type RestVital = z.infer<typeof vital>

const part = z.strictObject({
  category: z.string(),
  op: z.string(),
  statement: z.string(),
  share: z.number().describe('Its part of the time of all segments that were read, outside of its own children.'),
  selfMs: z.number().describe('Per segment.'),
  offsetMs: z.number().describe('Mean time after the start of the segment.'),
  meanMs: z.number().describe('Of one span.'),
  perSegment: z.number().describe('Spans per segment that has any.'),
  segments: z.number().describe('Share of the segments that have any.'),
})
export type RestTimePart = z.infer<typeof part>

const breakdown = z.strictObject({
  kind: z.enum(['release', 'environment', 'browser', 'device']),
  rows: z.array(z.strictObject({ value: z.string(), ...sampled, p75: ms, failureRate: rate })),
})
export type RestBreakdown = z.infer<typeof breakdown>

const routeIssue = z.strictObject({
  id: digits,
  shortId: z.string(),
  title: z.string(),
  level: z.string(),
  events: z.int(),
})

/** GET organizations/{org}/performance/routes/{route}/ */
export const restRoutePage = z
  .strictObject({
    ...routeName,
    ...compared,
    ...measured,
    previous,
    p75Change: rate,
    vitalsScore: rate,
    vitalsScoreBefore: rate.describe('Of the range that is compared with.'),
    bucketSeconds: z.int(),
    series: z
      .array(z.tuple([z.int(), z.int(), ms, ms, ms, z.number()]))
      .describe('Seconds since 1970, samples, p50, p75, p95, failures.'),
    releases: restAnnotations,
    distribution: z
      .array(z.strictObject({ from: z.number(), to: z.number(), ...sampled }))
      .describe('By duration in ms, 20 buckets for each power of ten.'),
    slowest: z.array(trace),
    typical: z.array(trace).describe('The newest that took about as long as half of them.'),
    time: z.strictObject({
      segments: z.int().describe('The newest segments that were read.'),
      outside: z.number().describe('Share of their time without a span.'),
      parts: z.array(part),
    }),
    breakdowns: z.array(breakdown),
    vitals: z.array(vital),
    issues: z.array(routeIssue),
  })
  .meta({ id: 'PerformanceRoute' })
export type RestRoutePage = z.infer<typeof restRoutePage>

const slowValue = z.strictObject({
  key: z.string(),
  value: z.string(),
  own: z.number(),
  ownShare: z.number(),
  otherShare: z.number(),
  lift: z.number(),
  low: z.number(),
  high: z.number(),
})
export type RestSlowValue = z.infer<typeof slowValue>

/** GET organizations/{org}/performance/routes/{route}/why-slow/ */
export const restWhySlow = z
  .strictObject({
    own: z.int().describe('Selected segments that were read.'),
    others: z.int().describe('Other segments that were read.'),
    attributes: z.array(slowValue),
    spans: z.array(slowValue).describe('Child spans: the key is their op, the value their statement.'),
    alike: z
      .array(slowValue)
      .describe('Frequent attributes that the selected ones have about as often as the others: these explain nothing.'),
    traces: z.array(trace).describe('The newest selected ones, with the value of `key` and `value` if these are sent.'),
  })
  .meta({ id: 'PerformanceWhySlow' })
export type RestWhySlow = z.infer<typeof restWhySlow>

const scoreBefore = rate.describe('Score of the range that is compared with.')

/** GET organizations/{org}/performance/vitals/ */
export const restVitals = z
  .strictObject({
    ...compared,
    loads: z.enum(vitalLoads),
    all: z.int().describe('Number of routes that match.'),
    totals: z.array(vital).describe('All routes together.'),
    score: rate,
    scoreBefore,
    rows: z.array(
      z.strictObject({
        id: z.string(),
        project: restProjectName,
        route: z.string(),
        ...sampled,
        score: rate,
        scoreBefore,
        vitals: z.array(vital),
      }),
    ),
  })
  .meta({ id: 'PerformanceVitals' })
export type RestVitals = z.infer<typeof restVitals>

const statement = z.strictObject({
  id: z.string(),
  project: restProjectName,
  statement: z.string(),
  ...sampled,
  totalMs: z.number(),
  p75: ms,
  p95: ms,
  failureRate: rate,
  callers: z.int().describe('Distinct routes that it runs in.'),
  bytes: z.number().nullable().describe('Mean size of an asset.'),
  blocking: rate.describe('Share of render-blocking loads of an asset.'),
  previous: z
    .strictObject({ ...sampled, totalMs: z.number(), p75: ms, p95: ms, failureRate: rate })
    .describe('In the range that is compared with.'),
})
export type RestStatement = z.infer<typeof statement>

/** GET organizations/{org}/performance/{queries,requests,assets}/ */
export const restStatements = z
  .strictObject({ ...compared, all: z.int(), rows: z.array(statement) })
  .meta({ id: 'PerformanceStatements' })
export type RestStatements = z.infer<typeof restStatements>

/** GET organizations/{org}/performance/{queries,requests,assets}/{id}/ */
export const restStatementCallers = z
  .strictObject({
    ...compared,
    statement,
    callers: z.array(
      z.strictObject({
        project: restProjectName,
        route: z.string(),
        ...sampled,
        totalMs: z.number(),
        p95: ms,
        failureRate: rate,
        slowest: z.strictObject({ traceId: eventId, spanId }).nullable().describe('The span that took longest.'),
      }),
    ),
  })
  .meta({ id: 'PerformanceCallers' })
export type RestStatementCallers = z.infer<typeof restStatementCallers>

const counted = z.strictObject(sampled)
const navigationFigures = {
  p75: ms,
  pageLoads: counted,
  navigations: counted,
  slow: counted,
  failed: counted,
  hardNavigations: counted.describe('Failed requests for the data of a page. The browser then loads the document.'),
  prefetches: counted,
  unusedPrefetches: counted.describe('For pages that nobody opened in the range.'),
  backForward: counted.describe('Page loads by the back and forward buttons that the cache of the browser missed.'),
  restored: counted.describe('Pages that the browser restored from that cache. They are no loads.'),
  hydration: z.int().describe('Events of failed hydration.'),
  skew: z.int().describe('Events of version skew.'),
}
const navigationRow = z.strictObject({ project: restProjectName, route: z.string(), ...navigationFigures })
export type RestNavigationRow = z.infer<typeof navigationRow>

/** GET organizations/{org}/performance/navigation/ */
export const restNavigation = z
  .strictObject({
    ...range,
    slowMs: z.int().describe('A slow route load takes longer.'),
    release: z.string().describe('Empty: all releases.'),
    releases: z.array(z.string()).describe('Releases with route loads, most first.'),
    rows: z.array(navigationRow),
  })
  .meta({ id: 'PerformanceNavigation' })
export type RestNavigation = z.infer<typeof restNavigation>

/** GET organizations/{org}/performance/navigation/releases/ */
export const restNavigationReleases = z
  .strictObject({
    ...range,
    slowMs: z.int().describe('A slow route load takes longer.'),
    route: z.string(),
    rows: z
      .array(
        z.strictObject({
          project: restProjectName,
          release: z.string().describe('Empty: the segments have none.'),
          firstSeen: time.describe('Its first load of the route in the range.'),
          ...navigationFigures,
        }),
      )
      .describe('By the first load, newest first.'),
  })
  .meta({ id: 'PerformanceNavigationReleases' })
export type RestNavigationReleases = z.infer<typeof restNavigationReleases>
