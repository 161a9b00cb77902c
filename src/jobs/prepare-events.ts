import type { Clock } from '../base/clock.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { Turn } from './lock.ts'

type BeginParts = {
  clock: Clock
  observe: Observe
  events: Pick<EventStore, 'migrate'>
  turn: Turn
  /** What follows once the tables are those of this version, one after the other. */
  next: readonly (() => unknown)[]
}

/**
 * Makes the events store's tables as soon as the engine answers, then does the rest. It has the turn until the tables are
 * made: rows that are deleted, or mapped again, while older tables are brought over would come back with them.
 */
export async function begin({ clock, observe, events, turn, next }: BeginParts): Promise<void> {
  const release = await turn()
  for (let tries = 0; ; tries++) {
    try {
      await events.migrate()
      break
    } catch (error) {
      if (tries % 50 === 49) observe.warn({ error: faultOf(error) }, 'waiting for the events store')
      await clock.sleep(Math.min(500, 20 * 2 ** Math.min(tries, 5)))
    }
  }
  release()
  for (const item of next) await item()
}
