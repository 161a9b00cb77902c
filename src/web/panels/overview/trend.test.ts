import { describe, expect, test } from 'vitest'
import { barsOfPoints, barsPath, linePath, rowsTop, trendHeightPx } from './trend.ts'

describe('barsOfPoints', () => {
  test.each<[string, number[], number, number[]]>([
    ['none', [], 14, []],
    ['fewer stay', [1, 2], 14, [1, 2]],
    ['pairs', [1, 2, 3, 4], 2, [3, 7]],
    ['an odd one is the oldest bar', [5, 1, 2, 3, 4], 3, [5, 3, 7]],
  ])('%s', (_name, values, max, expected) =>
    expect(
      barsOfPoints(
        values.map((events, at) => [at * 60, events]),
        max,
      ),
    ).toEqual(expected),
  )
})

test.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 6],
  [7, 10],
  [11, 20],
  [512, 600],
  [601, 1000],
])('rowsTop of %d is %d', (value, expected) => expect(rowsTop(value)).toBe(expected))

describe('barsPath', () => {
  const heights = (bars: number[], top: number) =>
    [...barsPath(bars, top).matchAll(/v-([\d.]+)/g)].map((found) => Number(found[1]))
  test('a height is the square root of the part of the top', () =>
    expect(heights([600, 150], 600)).toEqual([trendHeightPx, trendHeightPx / 2]))
  test('one event stays visible, none does not', () => expect(heights([0, 1], 10_000)).toEqual([1.5]))
  test('no bar leaves the box', () => expect(heights([900], 600)).toEqual([trendHeightPx]))
})

describe('linePath', () => {
  test.each<[string, number[], string]>([
    ['one point is no line', [3], ''],
    ['begins and ends at the edges', [0, 4, 2], 'M0 10L50 0L100 5'],
    ['zeros lie on the base', [0, 0], 'M0 10L100 10'],
  ])('%s', (_name, values, expected) => expect(linePath(values, 100, 10)).toBe(expected))
})
