import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { Lock } from './lock.ts'

type PrepareDeps = {
  clock: Clock
  observe: Observe
  events: Pick<EventStore, 'migrate'>
  lock: Lock
  /** Steps to run in order once the tables match this version. */
  next: readonly (() => unknown)[]
  /** Called if the database belongs to another installation (START_EVENTS_TAKEN). Nothing else runs then. */
  refused?(error: MishapError): void
}

/**
 * Migrates the tables of the events store as soon as the engine answers, then runs the rest. Has the lock until then:
 * rows that are deleted or reprocessed during the migration of older tables would come back.
 */
export async function prepareEvents({ clock, observe, events, lock, next, refused }: PrepareDeps): Promise<void> {
  const release = await lock()
  for (let tries = 0; ; tries++) {
    try {
      await events.migrate()
      break
    } catch (error) {
      if (refused && error instanceof MishapError && error.code === 'START_EVENTS_TAKEN') return refused(error)
      if (tries % 50 === 49) observe.warn({ error: faultOf(error) }, 'waiting for the events store')
      await clock.sleep(Math.min(500, 20 * 2 ** Math.min(tries, 5)))
    }
  }
  release()
  for (const item of next) await item()
}
