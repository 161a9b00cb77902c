import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'

test.each([
  [0, 1000],
  [1, 2000],
  [2, 4000],
  [3, 8000],
  [4, 15_000],
  [5000, 15_000],
])('after %i tries the pause is %i ms', (tries, ms) => expect(backoffMs(tries)).toBe(ms))
