import { expect, test } from 'vitest'
import { filterAsync, someAsync } from './sequence.ts'

const isEven = async (value: number) => value % 2 === 0

test.each([
  [[], [], false],
  [[1, 3], [], false],
  [[4, 1, 2], [4, 2], true],
])('of %j the even ones are %j', async (items, even, some) => {
  expect([await filterAsync(items, isEven), await someAsync(items, isEven)]).toEqual([even, some])
})

test('asks one item after the other, and stops at the first that is found', async () => {
  const asked: number[] = []
  const ask = async (value: number) => {
    asked.push(value)
    await Promise.resolve()
    asked.push(-value)
    return value === 2
  }
  expect(await someAsync([1, 2, 3], ask)).toBe(true)
  expect(asked).toEqual([1, -1, 2, -2])
})
