import { describe, expect, it } from 'vitest'
import type { RestPoint } from '../../../contract/issues.ts'
import { barsOf, roundTop, sparkHeightPx, sparkOf, sparkWidthPx } from './bars.ts'

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

describe('sparkOf', () => {
  const heights = (values: number[]) => [...sparkOf(values).path.matchAll(/v-(\d+)/g)].map((found) => Number(found[1]))
  it.each<[string, number[], number[]]>([
    ['empty', [], []],
    ['flat zero shows the base line', [0, 0], [1, 1]],
    ['the largest fills it', [4, 2], [23, 12]],
    ['a negative is a zero', [-3, 1], [1, 23]],
    ['a small one beside a large one still shows', [1, 10_000], [1, 23]],
  ])('%s', (_name, values, expected) => expect(heights(values)).toEqual(expected))
  it.each([1, 7, 13, 24, 30, 100])('%d bars stay inside and apart', (count) => {
    const { path, barPx } = sparkOf(new Array(count).fill(1))
    const xs = [...path.matchAll(/M([\d.]+) /g)].map((found) => Number(found[1]))
    expect(xs).toHaveLength(count)
    expect((xs[0] ?? -1) - barPx / 2).toBeGreaterThanOrEqual(0)
    expect((xs.at(-1) ?? 999) + barPx / 2).toBeLessThanOrEqual(sparkWidthPx)
    for (let at = 1; at < count; at++) expect((xs[at] ?? 0) - (xs[at - 1] ?? 0)).toBeGreaterThan(barPx)
    expect(path).toContain(` ${sparkHeightPx}v-`)
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
