import type { Clock } from '../base/clock.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { trustedNow } from './trusted-clock.ts'

const dayMs = 86_400_000
/** Updates are accepted for five days after a session starts. One more day covers journal lag. */
const openMs = 6 * dayMs

type SessionDayDeps = {
  clock: Clock
  meta: MetaWith<'values.getValue' | 'values.setValue' | 'organizations.organizations'>
  events: Pick<EventStore, 'openSessionDays' | 'closeSessionDay'>
  /** Waits for batches in flight. Blocks new ones and other deletions until the returned function is called. */
  pause(): Promise<() => void>
}

/**
 * Builds rollups of session days that accept no more updates, and returns the number of days and rows. Skips while the
 * clock is not trusted: an update could not correct a day that was closed too early. Safe to repeat.
 */
export async function closeSessionDays({
  clock,
  meta,
  events,
  pause,
}: SessionDayDeps): Promise<{ days: number; rows: number }> {
  const { nowMs, untrusted } = await trustedNow({ clock, meta })
  if (untrusted) return { days: 0, rows: 0 }
  const days = await events.openSessionDays(nowMs - openMs)
  let rows = 0
  for (const day of days) {
    // No batch can be open: its rows are found by position, and a rollup has no positions.
    const resume = await pause()
    try {
      rows += await events.closeSessionDay(day)
    } finally {
      resume()
    }
  }
  return { days: days.length, rows }
}
