import { expect, test } from 'vitest'
import type { Clock } from '../base/clock.ts'
import { closeSessionDays } from './session-days.ts'

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 10, 20, 12)

/** The store throws for this day. */
const away = 13

/** A store with open days. Records the calls, and whether refining was paused. */
function rig(days: number[], clockMs = nowMs) {
  const done: string[] = []
  const values = new Map<string, string>()
  const state = { paused: 0 }
  const clock: Pick<Clock, 'now'> = { now: () => clockMs }
  return {
    done,
    state,
    deps: {
      clock: clock as Clock,
      meta: {
        values: {
          getValue: async (name: string) => values.get(name),
          setValue: async (name: string, value: string) => void values.set(name, value),
        },
        organizations: { organizations: async () => [] },
      },
      events: {
        openSessionDays: async (beforeMs: number) => {
          done.push(`open before ${new Date(beforeMs).toISOString()}`)
          return days
        },
        closeSessionDay: async (day: number) => {
          done.push(`close ${new Date(day).toISOString().slice(0, 10)} ${state.paused}`)
          if (day === away) throw new Error('away')
          return 10
        },
      },
      pause: async () => {
        state.paused++
        return () => void state.paused--
      },
    },
  }
}

test('closes each day whose updates are over, while nothing is refined', async () => {
  const { done, state, deps } = rig([Date.UTC(2026, 10, 12), Date.UTC(2026, 10, 13)])
  expect(await closeSessionDays(deps)).toEqual({ days: 2, rows: 20 })
  expect(done).toEqual(['open before 2026-11-14T12:00:00.000Z', 'close 2026-11-12 1', 'close 2026-11-13 1'])
  expect(state.paused).toBe(0)
})

test('goes on refining when the store fails', async () => {
  const { state, deps } = rig([away])
  await expect(closeSessionDays(deps)).rejects.toThrow('away')
  expect(state.paused).toBe(0)
})

test('closes nothing by a clock that has jumped', async () => {
  const first = rig([])
  await closeSessionDays(first.deps)
  const later = rig([Date.UTC(2026, 10, 12)], nowMs + 40 * dayMs)
  later.deps.meta = first.deps.meta
  expect(await closeSessionDays(later.deps)).toEqual({ days: 0, rows: 0 })
  expect(later.done).toEqual([])
})
