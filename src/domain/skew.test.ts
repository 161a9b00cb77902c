import { expect, test } from 'vitest'
import { lastsOn } from './skew.ts'

const minute = 60_000

test.each<[string, number, number, number, boolean | undefined]>([
  ['too early to say', 900, 900, 29, undefined],
  ['nothing at all', 0, 0, 30, false],
  ['40, 20, 10: it halves every ten minutes', 70, 10, 30, false],
  ['20, 20, 20: it stays as it was', 60, 20, 30, true],
  ['5, 10, 40: it grows', 55, 40, 30, true],
  ['one at the start', 1, 0, 30, false],
  ['two, the last just now', 2, 1, 30, true],
  ['much at first, and a rest that stays: after six hours it is small', 1000, 10, 360, false],
])('%s', (_says, events, last, minutes, expected) => {
  expect(lastsOn(events, last, minutes * minute)).toBe(expected)
})
