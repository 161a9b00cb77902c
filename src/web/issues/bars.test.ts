import { describe, expect, it } from 'vitest'
import type { RestPoint } from '../../protocol/rest.ts'
import { barsOf, roundTop, sparkBars, sparkHeightPx, sparkPath, sparkWidthPx } from './bars.ts'

const hour = 3600

describe('barsOf', () => {
  it.each<[string, RestPoint[], number, number, number, number[]]>([
    ['one point a bar', [[0, 1], [hour, 2], [2 * hour, 3]], 0, 3 * hour, 3, [1, 2, 3]],
    ['two points a bar', [[0, 1], [hour, 2], [2 * hour, 3], [3 * hour, 4]], 0, 4 * hour, 2, [3, 7]],
    ['the hour that the range begins in', [[0, 5], [hour, 1]], 1800, 1800 + 2 * hour, 2, [6, 0]],
    ['long before', [[0, 5], [hour, 1]], 10 * hour, 12 * hour, 2, [0, 0]],
    ['after the end', [[0, 5], [hour, 1], [9 * hour, 9]], 0, 2 * hour, 2, [5, 1]],
    ['exactly the end', [[0, 0], [2 * hour, 7]], 0, 2 * hour, 2, [0, 7]],
    ['nothing', [], 0, hour, 3, [0, 0, 0]],
    ['an empty range', [[0, 4]], 0, 0, 2, [0, 0]],
  ])('%s', (_name, points, from, to, count, expected) => {
    expect(barsOf(points, from, to, count).map((bar) => bar.events)).toEqual(expected)
  })
  it('covers the range without a gap', () => {
    const bars = barsOf([], 100, 340, sparkBars)
    expect(bars[0]?.fromS).toBe(100)
    expect(bars.at(-1)?.toS).toBe(340)
    for (let at = 1; at < bars.length; at++) expect(bars[at]?.fromS).toBeCloseTo(bars[at - 1]?.toS ?? -1)
  })
})

describe('sparkPath', () => {
  it.each<[string, number[], string]>([
    ['empty', [], ''],
    ['flat zero shows the base line', [0, 0], `M1.5 ${sparkHeightPx}v-1M6.5 ${sparkHeightPx}v-1`],
    ['the largest fills it', [4, 2], `M1.5 ${sparkHeightPx}v-23M6.5 ${sparkHeightPx}v-12`],
    ['a negative is a zero', [-3, 1], `M1.5 ${sparkHeightPx}v-1M6.5 ${sparkHeightPx}v-23`],
  ])('%s', (_name, values, expected) => {
    expect(sparkPath(values)).toBe(expected)
  })
  it('stays inside its width', () => {
    const path = sparkPath(new Array(sparkBars).fill(1))
    const last = Number(path.split('M').at(-1)?.split(' ')[0])
    expect(last + 1.5).toBeLessThanOrEqual(sparkWidthPx)
  })
})

describe('roundTop', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 5],
    [7, 10],
    [11, 20],
    [100, 100],
    [4312, 5000],
  ])('%d -> %d', (value, expected) => expect(roundTop(value)).toBe(expected))
})
