import { describe, expect, it } from 'vitest'
import type { RestPoint } from '../../../contract/issues.ts'
import { barsOf, roundTop, type TrendScale, trendBarPx, trendBars, trendPath, trendTop, trendWidthPx } from './bars.ts'

describe('barsOf', () => {
  it.each<[string, RestPoint[], [number, number, number][]]>([
    ['nothing', [], []],
    ['one alone lasts an hour', [[7200, 4]], [[7200, 10_800, 4]]],
    [
      'each until the next',
      [
        [0, 1],
        [60, 2],
        [120, 3],
      ],
      [
        [0, 60, 1],
        [60, 120, 2],
        [120, 180, 3],
      ],
    ],
  ])('%s', (_name, points, expected) => {
    expect(barsOf(points).map((bar) => [bar.fromS, bar.toS, bar.events])).toEqual(expected)
  })
})

const pointsOf = (values: readonly number[], stepS = 43_200): RestPoint[] =>
  values.map((events, at) => [at * stepS, events])
const ones = (count: number) => new Array<number>(count).fill(1)

describe('trendBars', () => {
  it.each<[string, RestPoint[], number[], number]>([
    ['nothing', [], [], 3600],
    ['one point', pointsOf([3]), [3], 3600],
    ['fewer points than bars stay', pointsOf([1, 2, 3], 60), [1, 2, 3], 60],
    ['14 days in halves are whole days', pointsOf([9, ...ones(28)]), new Array(14).fill(2), 86_400],
    ['24 hours are pairs, the oldest alone', pointsOf(ones(25), 3600), [1, ...new Array(12).fill(2)], 7200],
    ['31 days are threes', pointsOf(ones(31), 86_400), [1, ...new Array(10).fill(3)], 259_200],
  ])('%s', (_name, points, values, barS) => expect(trendBars(points)).toEqual({ values, barS }))
  it.each([0, 1, 13, 14, 15, 28, 29, 60, 61, 121])('%d points are at most 14 bars, the newest whole', (count) => {
    const { values } = trendBars(pointsOf(ones(count)))
    expect(values.length).toBeLessThanOrEqual(14)
    expect(values.at(-1) ?? 0).toBe(Math.max(0, ...values))
  })
})

describe('trendTop', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 6],
    [7, 10],
    [11, 20],
    [60, 60],
    [512, 600],
    [601, 1000],
    [Number.NaN, 1],
  ])('%d -> %d', (value, expected) => expect(trendTop(value)).toBe(expected))
})

describe('trendPath', () => {
  const heights = (values: number[], top: number, scale: TrendScale = 'root') =>
    [...trendPath(values, top, scale).matchAll(/v-([\d.]+)/g)].map((found) => Number(found[1]))
  it.each<[string, number[], number, TrendScale, number[]]>([
    ['nothing', [], 1, 'root', []],
    ['bars without events are left out', [0, -3, 1], 1, 'root', [23]],
    ['a quarter of the top is half as high', [25, 100], 100, 'root', [11.5, 23]],
    ['linear', [25, 100], 100, 'linear', [5.8, 23]],
    ['logarithmic', [9, 99], 99, 'log', [11.5, 23]],
    ['one event beside many is visible', [1], 1_000_000, 'linear', [1.5]],
    ['more than the top stays inside', [900], 600, 'root', [23]],
    ['a top of 0', [1], 0, 'log', [23]],
  ])('%s', (_name, values, top, scale, expected) => expect(heights(values, top, scale)).toEqual(expected))
  it.each([1, 7, 14])('%d bars end at the right and stay apart', (count) => {
    const xs = [...trendPath(ones(count), 1, 'root').matchAll(/M([\d.]+) /g)].map((found) => Number(found[1]))
    expect(xs).toHaveLength(count)
    expect((xs[0] ?? -1) - trendBarPx / 2).toBeGreaterThanOrEqual(0)
    expect((xs.at(-1) ?? 0) + trendBarPx / 2).toBe(trendWidthPx - 1)
    for (let at = 1; at < count; at++) expect((xs[at] ?? 0) - (xs[at - 1] ?? 0)).toBeGreaterThan(trendBarPx)
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
