import { describe, expect, it, test } from 'vitest'
import { alignSeries, axisOf, readingStep, seriesColour, stackSeries, timeTicks } from './time-series.ts'

const points = (...values: [number, number | null][]) => values.map(([startMs, value]) => ({ startMs, value }))

describe('alignSeries', () => {
  it('nothing', () =>
    expect(alignSeries([])).toEqual({ startsMs: [], intervalMs: 3_600_000, values: [], previous: [], incomplete: [] }))
  it('series with different starts share one axis, and a missing start is a gap', () =>
    expect(alignSeries([{ points: points([0, 1], [120, 3]) }, { points: points([60, 0]) }])).toEqual({
      startsMs: [0, 60, 120],
      intervalMs: 60,
      values: [
        [1, null, 3],
        [null, 0, null],
      ],
      previous: [],
      incomplete: [false, false, false],
    }))
  it('a previous period and incomplete intervals', () => {
    const own = [
      { startMs: 0, value: 1, previous: 4 },
      { startMs: 60, value: 2, previous: null, incomplete: true },
    ]
    expect(alignSeries([{ points: own }])).toMatchObject({ previous: [[4, null]], incomplete: [false, true] })
  })
})

test('stackSeries adds gaps as nothing, and is a gap where all are', () =>
  expect(
    stackSeries([
      [1, null, null],
      [2, 5, null],
    ]),
  ).toEqual([
    [1, null, null],
    [3, 5, null],
  ]))

test.each<[(number | null)[], number, number, number[]]>([
  [[], 0, 1, [1, 0.5, 0]],
  [[null, 0], 0, 1, [1, 0.5, 0]],
  [[0.031], 0, 0.04, [0.04, 0.02, 0]],
  [[7], 0, 8, [8, 4, 0]],
  [[10], 0, 10, [10, 5, 0]],
  [[101, 3], 0, 150, [150, 75, 0]],
  [[-12, 4], -15, 4, [4, 0, -15]],
  [[-12], -15, 0, [0, -15]],
  [[Number.POSITIVE_INFINITY, 2], 0, 2, [2, 1, 0]],
])('axisOf %j', (values, min, max, ticks) => expect(axisOf([values])).toEqual({ min, max, ticks }))

test('timeTicks are at most as many as asked for, and leave the end free', () => {
  const starts = Array.from({ length: 24 }, (_value, at) => at * 10)
  expect(timeTicks(starts, 0, 240, 5)).toEqual([0, 50, 100, 150, 200])
  expect(timeTicks([0, 10, 20], 5, 30, 5)).toEqual([10, 20])
})

test.each<[string, number | null, number | null | undefined]>([
  ['ArrowLeft', null, 9],
  ['ArrowLeft', 0, 0],
  ['ArrowRight', null, 0],
  ['ArrowRight', 9, 9],
  ['PageUp', 2, 9],
  ['PageDown', 2, 0],
  ['Home', 5, 0],
  ['End', null, 9],
  ['Escape', 5, null],
  ['Escape', null, undefined],
  ['a', 5, undefined],
])('the key %s from %s', (key, at, expected) => expect(readingStep(key, at, 9)).toBe(expected))

test.each<[{ colour?: string }, number, number, string]>([
  [{}, 0, 1, '--c7'],
  [{}, 0, 2, '--c1'],
  [{}, 8, 9, '--c1'],
  [{ colour: '--error' }, 0, 1, '--error'],
])('the colour of %j at %d of %d', (series, place, count, expected) =>
  expect(seriesColour(series, place, count)).toBe(expected),
)
