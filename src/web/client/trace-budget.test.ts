import { expect, test } from 'vitest'
import { pageItemsMax, traceBudget } from './trace-budget.ts'

const transaction = (spans: number) => ({ name: 'page', spans: Array.from({ length: spans }, (_, at) => at) })

test('a page without a permit sends no trace', () => {
  const budget = traceBudget(false)
  expect([budget.sample(), budget.cut(transaction(1))]).toEqual([0, null])
})

test.each([
  [[10, 10], [10, 10], 1],
  [[100], [pageItemsMax - 1], 0],
  [[40, 40], [40, 3], 0],
  [[40, 40, 1], [40, 3, undefined], 0],
])('transactions with %j spans are sent with %j', (spans, expected, sample) => {
  const budget = traceBudget(true)
  expect(spans.map((count) => budget.cut(transaction(count))?.spans.length)).toEqual(expected)
  expect(budget.sample()).toBe(sample)
})
