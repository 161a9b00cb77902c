import type { Clock } from '../base/clock.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { trustedNow } from './trusted-clock.ts'

const dayMs = 86_400_000
/** Updates are taken for five days after a start; one more is for what waits in the journal meanwhile. */
const openMs = 6 * dayMs

type SessionDayDeps = {
  clock: Clock
  meta: Pick<MetaStore, 'getValue' | 'setValue' | 'organizations'>
  events: Pick<EventStore, 'openSessionDays' | 'closeSessionDay'>
  /** Lets batches in flight end and holds the others and every other deletion, until the returned function is called. */
  pause(): Promise<() => void>
}

/**
 * Makes rollups of the days of sessions whose updates are over; none while the clock is not trusted, as an update of a day
 * that was closed too early would correct nothing. Safe to repeat. Returns how many days and rows it took.
 */
export async function closeSessionDays({
  clock,
  meta,
  events,
  pause,
}: SessionDayDeps): Promise<{ days: number; rows: number }> {
  const { nowMs, held } = trustedNow({ clock, meta })
  if (held) return { days: 0, rows: 0 }
  const days = await events.openSessionDays(nowMs - openMs)
  let rows = 0
  for (const day of days) {
    // No batch may be open: its rows are asked for by their places, which a rollup has not.
    const resume = await pause()
    try {
      rows += await events.closeSessionDay(day)
    } finally {
      resume()
    }
  }
  return { days: days.length, rows }
}
