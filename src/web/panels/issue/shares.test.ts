import { describe, expect, it } from 'vitest'
import { sharesOf } from './shares.ts'

describe('sharesOf', () => {
  it.each<[number, number[], number[]]>([
    [10, [5, 3], [50, 30]],
    [0, [0], [0]],
    [2, [3, 1], [75, 25]],
  ])('of %d', (total, counts, expected) => {
    const values = counts.map((count) => ({ value: 'x', count }))
    expect(sharesOf(values, total).map((share) => share.percent)).toEqual(expected)
  })
})
