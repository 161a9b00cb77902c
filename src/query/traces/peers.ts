import type { RestTracePeers } from '../../contract/explore/trace-compare.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { DurationRange, TracedSegment } from '../../store/events/performance-store.ts'
import { isoOf } from '../performance/compared.ts'

type PeerDeps = {
  events: Pick<EventStore, 'mainSegment' | 'segmentBefore' | 'routeTraces' | 'routeDurations'>
}

const dayMs = 86_400_000
/** Traces of the same route are looked for in this time before now. */
const lookBackMs = 7 * dayMs

/** The bucket that holds the median. */
function medianOf(durations: readonly (DurationRange & { count: number })[]): DurationRange | undefined {
  const half = durations.reduce((sum, { count }) => sum + count, 0) / 2
  let sum = 0
  return durations.find(({ count }) => {
    sum += count
    return sum >= half
  })
}

/** The first segment of another trace. */
function peerOf(segments: readonly Omit<TracedSegment, 'failed' | 'release'>[], traceId: string) {
  const found = segments.find((segment) => segment.traceId !== traceId)
  return found
    ? { traceId: found.traceId, spanId: found.spanId, start: isoOf(found.startMs), duration: found.durationMs }
    : null
}

/**
 * Traces of the same route as this one: the slowest, a typical trace, and the trace before. The route of a trace is that of
 * its longest segment. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
 */
export async function tracePeers(
  { events }: PeerDeps,
  projectIds: readonly number[],
  traceId: string,
  nowMs: number,
): Promise<RestTracePeers> {
  const segment = await events.mainSegment(projectIds, traceId)
  if (!segment) return { route: null, slowest: null, typical: null, previous: null }
  const { key, startUs } = segment
  const scope = { projectIds: [key.projectId], environments: [], fromMs: nowMs - lookBackMs, toMs: nowMs }
  const request = { key, scope, withCut: false }
  const [slowest, durations, previous] = await Promise.all([
    events.routeTraces({ ...request, order: 'slowest', max: 2 }),
    events.routeDurations(request),
    events.segmentBefore(key, startUs, traceId),
  ])
  const median = medianOf(durations)
  const typical = median ? await events.routeTraces({ ...request, durations: median, order: 'newest', max: 2 }) : []
  return {
    route: { project: String(key.projectId), op: key.op, route: key.route },
    slowest: peerOf(slowest, traceId),
    typical: peerOf(typical, traceId),
    previous: peerOf(previous ? [previous] : [], traceId),
  }
}
