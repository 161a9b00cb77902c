import type { Clock } from '../base/clock.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Feedback rows per run. */
const rowsMax = 200
/** An event that is missing after a day will not arrive. */
const linkWaitMs = 86_400_000
const pauseMinMs = 2000

/**
 * Links feedback to the issue of its event, regardless of which arrived first. If the event is missing, the next
 * attempt comes after as long as the feedback has already waited, for up to a day.
 */
export async function linkFeedback({
  clock,
  meta,
  events,
}: {
  clock: Clock
  meta: MetaWith<'feedback.unlinkedFeedback' | 'feedback.linkFeedback' | 'issues.issueIdsOf'>
  events: Pick<EventStore, 'byEventId'>
}): Promise<{ linked: number }> {
  let linked = 0
  for (const item of await meta.feedback.unlinkedFeedback(clock.now(), rowsMax)) {
    const [event] = await events.byEventId([item.projectId], item.eventId)
    const issueId = event && (await meta.issues.issueIdsOf([event])).get(`${event.projectId}:${event.groupHash}`)
    if (issueId !== undefined) {
      await meta.feedback.linkFeedback(item.id, { issueId })
      linked++
      continue
    }
    const waitedMs = Math.max(0, clock.now() - item.receivedMs)
    await meta.feedback.linkFeedback(item.id, {
      nextMs: waitedMs >= linkWaitMs ? null : clock.now() + Math.max(pauseMinMs, waitedMs),
    })
  }
  return { linked }
}
