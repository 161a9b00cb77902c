import type { Clock } from '../base/clock.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

/** Feedback looked at in one run. */
const rowsMax = 200
/** An event that has not come after a day does not come. */
const hopeMs = 86_400_000
const pauseMinMs = 2000

/**
 * Finds the issues of feedback that names an event, whichever of the two came first. One whose event is not there is
 * asked for again after as long as it has waited, for a day.
 */
export async function linkFeedback({
  clock,
  meta,
  events,
}: {
  clock: Clock
  meta: Pick<MetaStore, 'unlinkedFeedback' | 'linkFeedback' | 'issueIdsOf'>
  events: Pick<EventStore, 'byEventId'>
}): Promise<{ linked: number }> {
  let linked = 0
  for (const item of meta.unlinkedFeedback(clock.now(), rowsMax)) {
    const [event] = await events.byEventId([item.projectId], item.eventId)
    const issueId = event && meta.issueIdsOf([event]).get(`${event.projectId}:${event.groupHash}`)
    if (issueId !== undefined) {
      meta.linkFeedback(item.id, { issueId })
      linked++
      continue
    }
    const waitedMs = Math.max(0, clock.now() - item.receivedMs)
    meta.linkFeedback(item.id, {
      nextMs: waitedMs >= hopeMs ? null : clock.now() + Math.max(pauseMinMs, waitedMs),
    })
  }
  return { linked }
}
