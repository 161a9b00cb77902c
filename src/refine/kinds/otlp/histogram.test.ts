import { describe, expect, test } from 'vitest'
import { type Bucket, bucketsOf, exemplarIn, sumsOf } from './histogram.ts'
import { emptyPoint, type OtlpPoint } from './metric-message.ts'

const point = (more: Partial<OtlpPoint>): OtlpPoint => ({ ...emptyPoint(), ...more })
const limits = (buckets: readonly Bucket[]) => buckets.map(({ low, high, count }) => [low, high, count])
const explicit = (more: Partial<OtlpPoint>) => limits(bucketsOf(point(more), false))
const exponential = (more: Partial<OtlpPoint>) => limits(bucketsOf(point(more), true))

describe('a histogram with bounds', () => {
  test.each<[string, Partial<OtlpPoint>, number[][]]>([
    ['no measurement', { counts: [0, 0], bounds: [10] }, []],
    [
      'ends without limits',
      { counts: [1, 1, 1], bounds: [10, 100] },
      [
        [0, 10, 1],
        [10, 100, 1],
        [100, 100, 1],
      ],
    ],
    [
      'ends with limits',
      { counts: [1, 0, 1], bounds: [10, 100], min: 4, max: 700 },
      [
        [4, 10, 1],
        [100, 700, 1],
      ],
    ],
    ['only negative bounds', { counts: [2, 0], bounds: [-5] }, [[-5, -5, 2]]],
    ['limits that exclude each other', { counts: [0, 3, 0], bounds: [10, 20], min: 50, max: 60 }, [[10, 20, 3]]],
    ['no bounds', { counts: [5], bounds: [], min: 1, max: 3 }, [[1, 3, 5]]],
    ['no buckets, and a mean', { count: 4, sum: 20 }, [[5, 5, 4]]],
    ['no buckets, and limits', { count: 4, sum: 20, min: 2, max: 9 }, [[2, 9, 4]]],
    ['counts that are no counts', { counts: [Number.NaN, -3, 1.7], bounds: [1, 2], max: 3 }, [[2, 3, 1]]],
    ['more counts than bounds', { counts: [0, 0, 0, 7], bounds: [1] }, [[1, 1, 7]]],
  ])('%s', (_name, more, found) => expect(explicit(more)).toEqual(found))
})

describe('an exponential histogram', () => {
  test.each<[string, Partial<OtlpPoint>, number[][]]>([
    [
      'powers of two',
      { scale: 0, positive: { offset: 0, counts: [1, 0, 2] } },
      [
        [1, 2, 1],
        [4, 8, 2],
      ],
    ],
    ['powers of four', { scale: -1, positive: { offset: -1, counts: [3] } }, [[0.25, 1, 3]]],
    [
      'the order from the lowest up',
      { negative: { offset: 0, counts: [1, 2] }, zeroCount: 4, positive: { offset: 1, counts: [5] } },
      [
        [-4, -2, 2],
        [-2, -1, 1],
        [0, 0, 4],
        [2, 4, 5],
      ],
    ],
    ['limits', { positive: { offset: 3, counts: [1] }, min: 9, max: 11 }, [[9, 11, 1]]],
    [
      'an index beyond all numbers',
      { positive: { offset: 2 ** 30, counts: [1] } },
      [[Number.MAX_VALUE, Number.MAX_VALUE, 1]],
    ],
    ['an index below all numbers', { positive: { offset: -(2 ** 30), counts: [1] } }, [[0, 0, 1]]],
  ])('%s', (_name, more, found) => expect(exponential(more)).toEqual(found))

  test('a scale that nobody has is limited', () => {
    for (const scale of [1e9, -1e9])
      for (const [low = 0, high = 0] of exponential({ scale, positive: { offset: 0, counts: [1] } }))
        expect([Number.isFinite(low), Number.isFinite(high), low <= high]).toEqual([true, true, true])
  })
})

test('sums are those of the middles, scaled to the sum that was sent', () => {
  const buckets = bucketsOf(point({ counts: [2, 1], bounds: [10], max: 30 }), false)
  expect(sumsOf(buckets, undefined)).toEqual([10, 20])
  expect(sumsOf(buckets, 60)).toEqual([20, 40])
  expect(sumsOf(buckets, -3)).toEqual([-2, -1])
  expect(sumsOf([], 5)).toEqual([])
})

test('an exemplar is found in its bucket if it names a trace', () => {
  const exemplar = (value: number, traceId?: string) => ({ value, traceId, spanId: undefined })
  const all = [exemplar(5), exemplar(15, 'a'), exemplar(16, 'b')]
  expect([exemplarIn(all, 0, 10), exemplarIn(all, 10, 20)?.traceId]).toEqual([undefined, 'a'])
})
