import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { selfTraces } from './self-traces.ts'

test.each([
  ['one a minute: one at once, the next a minute later', 1, [0, 0, 59_000, 1000, 0], [true, false, false, true, false]],
  ['an idle hour saves no permits', 2, [3_600_000, 0, 0], [true, true, false]],
  ['half a minute gives one of two', 2, [0, 0, 30_000, 0], [true, true, true, false]],
  ['none', 0, [0, 60_000], [false, false]],
])('%s', (_name, perMinute, waits, expected) => {
  const clock = testClock()
  const take = selfTraces(clock, perMinute)
  const taken = waits.map((ms) => {
    clock.advance(ms)
    return take()
  })
  expect(taken).toEqual(expected)
})
