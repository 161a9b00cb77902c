import { expect, test } from 'vitest'
import { createEventRate } from './event-rate.ts'

test.each<[afterMs: number, perMinute: number]>([
  [0, 7],
  [58_999, 7],
  [60_000, 4],
  [61_000, 0],
  [3_600_000, 0],
])('%i ms after 3 events, and 4 one second later, the last minute has %i', (afterMs, perMinute) => {
  const state = { nowMs: 10_000 }
  const rate = createEventRate({ now: () => state.nowMs })
  rate.add([{ projectId: 1, events: 3 }])
  state.nowMs += 1000
  rate.add([{ projectId: 1, events: 1 }])
  rate.add([{ projectId: 1, events: 3 }])
  state.nowMs = 10_000 + Math.max(1000, afterMs)
  expect(rate.perMinute([1])).toBe(perMinute)
})

test('it counts only the given projects', () => {
  const rate = createEventRate({ now: () => 5000 })
  rate.add([
    { projectId: 1, events: 2 },
    { projectId: 2, events: 5 },
    { projectId: 3, events: 9 },
  ])
  expect([rate.perMinute([1, 3]), rate.perMinute([2]), rate.perMinute([]), rate.perMinute([4])]).toEqual([11, 5, 0, 0])
})
