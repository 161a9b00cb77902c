import type { RestSlowValue, RestWhySlow } from '../../contract/explore/performance.ts'
import { commonEventsMin } from '../../domain/in-common.ts'
import type { SlowCounts, SlowPair, TimeRange } from '../../store/events/performance-store.ts'
import { alikeOf, commonOf } from '../events/lift.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { type PerformanceView, scopeOf } from './compared.ts'
import { routeOfView, toRestTrace } from './route.ts'

/**
 * Segments of each side whose attributes are read, and those whose child spans are read. The children of 2,000 slow ones
 * lie in three quarters of a week of 10M spans: 266 ms, three times as long as for 1M. Of 1,200 they took 187.
 */
const segmentsMax = 10_000
const spanSegmentsMax = 1200
/** Values that are compared, most frequent among the slow ones first. */
const comparedMax = 500
const shownMax = 12
const tracesMax = 3
const alikeMax = 3

/** Whether there are enough samples to compare, by the rules of an issue's "In common". */
const isEnough = ({ own, others }: SlowCounts): boolean => own >= commonEventsMin && others >= commonEventsMin

/** Over-represented values by the rules of an issue's "In common": from 20 samples, 1.5 times as often. */
function valuesOf(counts: SlowCounts): RestSlowValue[] {
  return isEnough(counts) ? commonOf(counts, shownMax) : []
}

/**
 * Returns what segments of a route with durations from `fromMs` to `toMs` that began in `times` have more often than its
 * others in the range. Without `times`, only durations tell them apart. `having`: the traces have this value. Throws NOT_FOUND, QUERY_TIMEOUT,
 * STORE_UNAVAILABLE.
 */
export async function whySlow(
  { events }: Pick<QueryDeps, 'events'>,
  view: PerformanceView,
  id: string,
  durationsMs: { fromMs: number; toMs: number },
  times?: TimeRange,
  having?: SlowPair,
): Promise<RestWhySlow> {
  const { key } = routeOfView(view, id)
  const durations = { fromUs: Math.floor(durationsMs.fromMs * 1000), toUs: Math.ceil(durationsMs.toMs * 1000) }
  const request = {
    key,
    scope: { ...scopeOf(view), projectIds: [key.projectId] },
    withCut: view.withCut,
    durations,
  }
  const selected = { ...request.scope, ...times }
  const [{ attributes, spans }, traces] = await Promise.all([
    events.slowValues({ ...request, times, segmentsMax, spanSegmentsMax, max: comparedMax }),
    events.routeTraces({ ...request, scope: selected, having, order: 'newest', max: tracesMax }),
  ])
  return {
    own: attributes.own,
    others: attributes.others,
    attributes: valuesOf(attributes),
    spans: valuesOf(spans),
    alike: isEnough(attributes) ? alikeOf(attributes, alikeMax) : [],
    traces: traces.map(toRestTrace),
  }
}
