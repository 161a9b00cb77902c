import { describe, expect, test } from 'vitest'
import { budgetOf } from './disk-budget.ts'

describe('a disk budget', () => {
  test.each<[string, ReturnType<typeof budgetOf>]>([
    ['off', 'off'],
    ['1%', { part: 0.01 }],
    ['80%', { part: 0.8 }],
    ['100%', { part: 1 }],
    ['1048576', { bytes: 1_048_576 }],
    ['1000000000000000', undefined],
    ['999999999999999', { bytes: 999_999_999_999_999 }],
    ['0%', undefined],
    ['101%', undefined],
    ['1.5%', undefined],
    ['-1%', undefined],
    ['1048575', undefined],
    ['1e9', undefined],
    ['80 %', undefined],
    ['10GB', undefined],
    ['Off', undefined],
    ['', undefined],
  ])('%j is %j', (text, budget) => {
    expect(budgetOf(text)).toEqual(budget)
  })
})
