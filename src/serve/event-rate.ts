import type { Clock } from '../base/clock.ts'

/** The number of stored events during the last minute, by project. In memory only. */
export type EventRate = {
  /** Adds the events of a commit. */
  add(counts: readonly { projectId: number; events: number }[]): void
  /** Returns the events of these projects during the last minute. */
  perMinute(projectIds: readonly number[]): number
}

const windowMs = 60_000
const slotMs = 1000

/** Creates an empty count. It has one entry per second with commits, at most 61. */
export function createEventRate(clock: Pick<Clock, 'now'>): EventRate {
  const slots: { second: number; events: Map<number, number> }[] = []
  const dropOld = () => {
    const oldest = Math.floor((clock.now() - windowMs) / slotMs)
    while (slots[0] && slots[0].second <= oldest) slots.shift()
  }
  return {
    add: (counts) => {
      dropOld()
      const second = Math.floor(clock.now() / slotMs)
      const newest = slots.at(-1)
      const slot = newest?.second === second ? newest : { second, events: new Map<number, number>() }
      if (slot !== newest) slots.push(slot)
      for (const { projectId, events } of counts) slot.events.set(projectId, (slot.events.get(projectId) ?? 0) + events)
    },
    perMinute: (projectIds) => {
      dropOld()
      const sumOf = (events: Map<number, number>) => projectIds.reduce((sum, id) => sum + (events.get(id) ?? 0), 0)
      return slots.reduce((sum, slot) => sum + sumOf(slot.events), 0)
    },
  }
}
