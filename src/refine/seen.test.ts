import { expect, test } from 'vitest'
import { createSeen } from './seen.ts'

test('an id is known within its project until it is forgotten', () => {
  const seen = createSeen(1000, 10)
  seen.add(1, 'a', 0)
  expect([seen.has(1, 'a'), seen.has(2, 'a'), seen.has(1, 'b')]).toEqual([true, false, false])
  seen.forget(1, 'a')
  expect(seen.has(1, 'a')).toBe(false)
})

test('ids older than the time go, the oldest first', () => {
  const seen = createSeen(1000, 10)
  seen.add(1, 'a', 0)
  seen.add(1, 'b', 600)
  seen.add(1, 'c', 1100)
  expect([seen.has(1, 'a'), seen.has(1, 'b'), seen.has(1, 'c')]).toEqual([false, true, true])
})

test('never more than its bound', () => {
  const seen = createSeen(1e9, 100)
  for (let i = 0; i < 1000; i++) seen.add(1, String(i), i)
  expect([seen.size, seen.has(1, '899'), seen.has(1, '900')]).toEqual([100, false, true])
})
