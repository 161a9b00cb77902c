import { expect, test } from 'vitest'
import { axisTop, brushOf, eventsIn, movedBrush, partsOf, rangeOfBrush, ticksOf } from './volume.ts'

const bucket = (error: number, warning = 0, other = 0) => ({ start: 0, error, warning, other })

test.each([
  [[], 2],
  [[1], 2],
  [[7, 3], 8],
  [[11], 20],
  [[599], 600],
  [[1001], 2000],
])('the axis of %j ends at %i', (counts, top) => {
  expect(axisTop(counts.map((count) => bucket(count)))).toBe(top)
})

test('parts keep their share, and one event can be seen', () => {
  expect(partsOf(bucket(30, 20, 10), 60, 0.025)).toEqual({ error: 0.5, warning: 1 / 3, other: 1 / 6 })
  expect(partsOf(bucket(1), 1000, 0.025)).toEqual({ error: 0.025, warning: 0, other: 0 })
  expect(partsOf(bucket(0), 1000, 0.025)).toEqual({ error: 0, warning: 0, other: 0 })
})

const volume = {
  interval: 3600,
  truncated: false,
  buckets: [0, 1, 2, 3].map((at) => ({ start: 7200 + at * 3600, error: at, warning: 1, other: 0 })),
}

test('a selection has the times and the events of its bars', () => {
  expect(rangeOfBrush(volume, { from: 1, to: 2 }, 99_999_999)).toEqual({ fromMs: 10_800_000, toMs: 18_000_000 })
  expect(rangeOfBrush(volume, { from: 3, to: 3 }, 19_000_000).toMs).toBe(19_000_000)
  expect(eventsIn(volume, { from: 1, to: 2 })).toBe(5)
})

test('a selection stays inside, and its ends do not pass each other', () => {
  expect(brushOf(9, -4, 4)).toEqual({ from: 0, to: 3 })
  expect(brushOf(1, 2, 4)).toEqual({ from: 1, to: 2 })
  expect(movedBrush({ from: 1, to: 2 }, 'from', 5, 4)).toEqual({ from: 2, to: 2 })
  expect(movedBrush({ from: 1, to: 2 }, 'from', -5, 4)).toEqual({ from: 0, to: 2 })
  expect(movedBrush({ from: 1, to: 2 }, 'to', -5, 4)).toEqual({ from: 1, to: 1 })
  expect(movedBrush({ from: 1, to: 2 }, 'to', 5, 4)).toEqual({ from: 1, to: 3 })
})

test('ticks have equal distances', () => {
  expect(ticksOf(112, 8)).toEqual([0, 14, 28, 42, 56, 70, 84, 98])
  expect(ticksOf(3, 8)).toEqual([0, 1, 2])
  expect(ticksOf(0, 8)).toEqual([])
})
