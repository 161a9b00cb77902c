import { describe, expect, test } from 'vitest'
import type { Aggregate, Filter, Value } from '../../store/events/question.ts'
import { both, bucketOf, createMerging, type Part, recipesOf } from './measure-parts.ts'

const duration: Value = { of: 'number', column: 'duration' }
const only: Filter = { op: 'match', value: { of: 'text', column: 'route' }, match: 'is', text: '/pay' }
const windowMs = 600_000

/** What is merged of a window, by part. Its first is the number of rows. */
type Merged = Parameters<ReturnType<typeof recipesOf>['valueOf']>[0]

const cases: { name: string; aggregate: Aggregate; parts: string[]; merged: Merged; value: number | null }[] = [
  { name: 'count', aggregate: { fn: 'count' }, parts: ['count'], merged: [7], value: 7 },
  { name: 'count of nothing', aggregate: { fn: 'count' }, parts: ['count'], merged: [null], value: 0 },
  { name: 'samples', aggregate: { fn: 'samples' }, parts: ['samples'], merged: [3], value: 3 },
  { name: 'failures', aggregate: { fn: 'failureCount' }, parts: ['failureCount'], merged: [2], value: 2 },
  {
    name: 'failure rate',
    aggregate: { fn: 'failureRate' },
    parts: ['failureCount', 'count'],
    merged: [2, 8],
    value: 0.25,
  },
  {
    name: 'failure rate of nothing',
    aggregate: { fn: 'failureRate' },
    parts: ['failureCount', 'count'],
    merged: [0, 0],
    value: null,
  },
  { name: 'rate', aggregate: { fn: 'rate', perMs: 60_000 }, parts: ['count'], merged: [50], value: 5 },
  { name: 'sum', aggregate: { fn: 'sum', of: duration }, parts: ['sum', 'valued'], merged: [30, 3], value: 30 },
  {
    name: 'sum of nothing',
    aggregate: { fn: 'sum', of: duration },
    parts: ['sum', 'valued'],
    merged: [0, 0],
    value: null,
  },
  { name: 'mean', aggregate: { fn: 'avg', of: duration }, parts: ['sum', 'valued'], merged: [30, 4], value: 7.5 },
  {
    name: 'mean of nothing',
    aggregate: { fn: 'avg', of: duration },
    parts: ['sum', 'valued'],
    merged: [null, null],
    value: null,
  },
  { name: 'minimum', aggregate: { fn: 'min', of: duration }, parts: ['min'], merged: [-2], value: -2 },
  { name: 'maximum of nothing', aggregate: { fn: 'max', of: duration }, parts: ['max'], merged: [null], value: null },
  {
    name: 'the highest percentile',
    aggregate: { fn: 'percentile', level: 1, of: duration },
    parts: ['percentile'],
    merged: [9],
    value: 9,
  },
  {
    name: 'apdex',
    aggregate: { fn: 'apdex', satisfiedMs: 300 },
    parts: ['count', 'count', 'count'],
    merged: [6, 8, 10],
    value: 0.7,
  },
]

describe('recipesOf', () => {
  test.each(cases)('$name', ({ aggregate, parts, merged, value }) => {
    const recipes = recipesOf([aggregate], 0)
    expect(recipes.parts.map((part) => part.aggregate.fn)).toEqual(['count', ...parts])
    expect(recipes.valueOf([10, ...merged], [], windowMs)).toBe(value)
  })

  test('each part has the filter of the series, and so has the number of rows', () => {
    for (const { aggregate } of cases.filter((item) => item.name !== 'apdex'))
      for (const part of recipesOf([{ ...aggregate, only }], 0).parts) expect(part.aggregate.only).toEqual(only)
    const [rows, satisfied] = recipesOf([{ fn: 'apdex', satisfiedMs: 300, only }], 0).parts
    expect(rows?.aggregate.only).toEqual(only)
    expect(satisfied?.aggregate.only).toMatchObject({ op: 'and', of: [only, { op: 'compare', number: 300 }] })
  })

  test('a formula is made of the series that it names, and of no others', () => {
    const aggregates: Aggregate[] = [
      { fn: 'count' },
      { fn: 'sum', of: duration },
      { fn: 'unique', of: { of: 'id', column: 'user' } },
      {
        fn: 'formula',
        of: {
          op: '/',
          of: [
            { op: 'aggregate', at: 0 },
            {
              op: '+',
              of: [
                { op: 'aggregate', at: 2 },
                { op: 'number', value: 1 },
              ],
            },
          ],
        },
      },
    ]
    const recipes = recipesOf(aggregates, 3)
    const { parts, uniques } = recipes
    expect(parts.map(({ aggregate }) => aggregate.fn)).toEqual(['count', 'count'])
    expect(uniques).toEqual([{ of: { of: 'id', column: 'user' }, only: undefined }])
    expect(recipes.valueOf([10, 12], [5], windowMs)).toBe(2)
  })

  test('a division by 0 has no value', () => {
    const half: Aggregate = {
      fn: 'formula',
      of: {
        op: '/',
        of: [
          { op: 'number', value: 1 },
          { op: 'aggregate', at: 0 },
        ],
      },
    }
    expect(recipesOf([{ fn: 'count' }, half], 1).valueOf([0, 0], [], windowMs)).toBeNull()
  })

  test('a share is refused', () => {
    expect(() => recipesOf([{ fn: 'share' }], 0)).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
  })
})

test('both joins conditions, and leaves out those that are not there', () => {
  expect(both(undefined, undefined)).toBeUndefined()
  expect(both(undefined, only)).toEqual(only)
  expect(both(only, undefined, only)).toEqual({ op: 'and', of: [only, only] })
})

describe('createMerging', () => {
  const parts: Part[] = [
    { aggregate: { fn: 'count' }, merge: 'sum' },
    { aggregate: { fn: 'min', of: duration }, merge: 'min' },
    { aggregate: { fn: 'max', of: duration }, merge: 'max' },
    { aggregate: { fn: 'bins', of: duration }, merge: 'bins' },
  ]
  const buckets = [
    bucketOf(parts, [2, 5, 9, '[[100,200],[1,"3"]]']),
    bucketOf(parts, [1, 3, 4, '[[100],[2]]']),
    bucketOf(parts, [4, null, null, '[[],[]]']),
  ]

  test('adds and drops buckets', () => {
    const merging = createMerging(parts)
    for (const [at, bucket] of buckets.entries()) merging.add(at, bucket)
    expect(merging.merged()).toEqual([
      7,
      3,
      9,
      new Map([
        [100, 3],
        [200, 3],
      ]),
    ])
    merging.drop(0)
    expect(merging.merged().slice(0, 3)).toEqual([5, 3, 4])
    expect(merging.merged()[3]).toEqual(
      new Map([
        [100, 2],
        [200, 0],
      ]),
    )
    merging.drop(1)
    expect(merging.merged().slice(0, 3)).toEqual([4, null, null])
  })

  test('a bucket that is not there is not dropped', () => {
    const merging = createMerging(parts)
    merging.drop(5)
    expect(merging.merged()).toEqual([null, null, null, new Map()])
  })

  test('a percentile is that of the bins that are left', () => {
    const recipes = recipesOf([{ fn: 'percentile', level: 0.5, of: duration }], 0)
    const bin = (value: number) => Math.floor(Math.log2(value) * 35) + 40_000
    const at = (weights: [number, number][]) => recipes.valueOf([1, new Map(weights)], [], windowMs)
    expect(
      at([
        [bin(10), 5],
        [bin(1000), 4],
      ]),
    ).toBeCloseTo(10, 0)
    expect(
      at([
        [bin(10), 4],
        [bin(1000), 5],
      ]) ?? 0,
    ).toBeCloseTo(1000, -2)
    expect(
      at([
        [bin(10), 0],
        [bin(1000), 0],
      ]),
    ).toBeNull()
    expect(
      at([
        [0, 9],
        [bin(5), 1],
      ]),
    ).toBe(0)
    expect(
      at([
        [-bin(8), 9],
        [bin(5), 1],
      ]) ?? 0,
    ).toBeCloseTo(-8, 0)
  })
})
