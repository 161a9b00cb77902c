import type { RestTraceFacts } from '../../contract/explore/trace-compare.ts'
import { spanUserOf } from '../../domain/traces/span-user.ts'
import type { EventStore } from '../../store/events/event-store.ts'

type FactDeps = { events: Pick<EventStore, 'mainSegment' | 'spanOfTrace' | 'routeCompared'> }

/** A week, which is read from sums of hours and days. */
const lookBackMs = 7 * 86_400_000

/**
 * What the head of a trace says beside it: the p75 of its route in the last 7 days, and its user. Both are of its longest
 * segment. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
 */
export async function traceFacts(
  { events }: FactDeps,
  projectIds: readonly number[],
  traceId: string,
  nowMs: number,
): Promise<RestTraceFacts> {
  const segment = await events.mainSegment(projectIds, traceId)
  if (!segment) return { route: null, samples: 0, count: 0, p75: null, user: null }
  const { key, spanId } = segment
  const range = { fromMs: nowMs - lookBackMs, toMs: nowMs }
  const [{ now: stats }, span] = await Promise.all([
    events.routeCompared({
      scope: { projectIds: [key.projectId], environments: [], ...range },
      beforeMs: { fromMs: range.fromMs, toMs: range.fromMs },
      withCut: false,
      key,
    }),
    events.spanOfTrace([key.projectId], traceId, spanId),
  ])
  return {
    route: { project: String(key.projectId), op: key.op, route: key.route },
    samples: stats?.samples ?? 0,
    count: stats?.count ?? 0,
    p75: stats?.p75Ms ?? null,
    user: span ? spanUserOf(span.attributes) : null,
  }
}
