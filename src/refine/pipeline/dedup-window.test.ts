import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createDedupWindow } from './dedup-window.ts'

const id = (name: number | string) => createHash('md5').update(String(name)).digest('hex')

test('an id is known within its project until it is forgotten', () => {
  const seen = createDedupWindow(1000, 10)
  seen.add(1, id('a'), 0)
  expect([seen.has(1, id('a')), seen.has(2, id('a')), seen.has(1, id('b'))]).toEqual([true, false, false])
  seen.forget(1, id('a'))
  expect(seen.has(1, id('a'))).toBe(false)
  seen.add(1, id('a'), 1)
  expect(seen.has(1, id('a'))).toBe(true)
})

test('what was put behind a forgotten id is still known', () => {
  const seen = createDedupWindow(1e9, 1e6)
  for (let i = 0; i < 700; i++) seen.add(1, id(i), 0)
  for (let i = 0; i < 700; i += 2) seen.forget(1, id(i))
  expect(Array.from({ length: 700 }, (_, i) => seen.has(1, id(i)))).toEqual(
    Array.from({ length: 700 }, (_, i) => i % 2 === 1),
  )
})

test('an id is known for at least the time and at most twice that', () => {
  const seen = createDedupWindow(1000, 100)
  seen.add(1, id('a'), 5000)
  seen.add(1, id('b'), 5900)
  seen.add(1, id('c'), 6000)
  expect(['a', 'b', 'c'].map((entry) => seen.has(1, id(entry)))).toEqual([true, true, true])
  seen.add(1, id('d'), 7000)
  expect(['a', 'b', 'c', 'd'].map((entry) => seen.has(1, id(entry)))).toEqual([false, false, true, true])
})

test('the newest are known up to the bound, and never more than twice as many', () => {
  const seen = createDedupWindow(1e9, 1000)
  for (let i = 0; i < 10_500; i++) {
    seen.add(1, id(i), i)
    if (i % 97 === 0) {
      expect(seen.has(1, id(Math.max(0, i - 999)))).toBe(true)
      expect(seen.size).toBeLessThanOrEqual(2000)
    }
  }
  expect(seen.has(1, id(8000))).toBe(false)
})

test('projects beyond 2^32, ids of zeros and of nothing but f stay apart', () => {
  const seen = createDedupWindow(1e9, 1000)
  const [zeros, effs] = ['0'.repeat(32), 'f'.repeat(32)]
  seen.add(1, zeros, 0)
  expect([seen.has(1, zeros), seen.has(1, effs), seen.has(2 ** 32 + 1, zeros)]).toEqual([true, false, false])
  seen.add(2 ** 32 + 1, effs, 0)
  expect([seen.has(2 ** 32 + 1, effs), seen.has(1, effs)]).toEqual([true, false])
})

test('ids that differ in one digit are two ids', () => {
  const seen = createDedupWindow(1e9, 1000)
  const known = '8'.repeat(32)
  seen.add(1, known, 0)
  const others = Array.from({ length: 32 }, (_, at) => `${known.slice(0, at)}1${known.slice(at + 1)}`)
  expect(others.filter((other) => seen.has(1, other))).toEqual([])
  expect(seen.has(1, known)).toBe(true)
})
