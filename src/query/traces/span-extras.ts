import type { RestTraceItem } from '../../contract/explore/trace-views.ts'
import type { EventStore } from '../../store/events/event-store.ts'

/** Events and links of a span, as its drawer shows them. */
export type SpanExtra = { spanId: string; startUs: number } & Pick<RestTraceItem, 'links' | 'events'>

/** Spans whose events and links are read. A model reads every line of them. */
const spansMax = 100

/**
 * The events and links of the first spans of a trace that have any, in projects that the caller can read.
 * @throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
 */
export async function spanExtras(
  { events }: { events: Pick<EventStore, 'spansWithExtras'> },
  projectIds: readonly number[],
  traceId: string,
): Promise<SpanExtra[]> {
  const found = await events.spansWithExtras(projectIds, traceId, spansMax)
  return found.map(({ spanId, startUs, links, events: sent }) => ({
    spanId,
    startUs,
    links: links === '' ? [] : (JSON.parse(links) as SpanExtra['links']),
    events: sent === '' ? [] : (JSON.parse(sent) as SpanExtra['events']),
  }))
}
