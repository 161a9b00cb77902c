import { expect, test } from 'vitest'
import { hueOf } from '../../client/op-hue.ts'
import { kindOf, laneOf, positionOn } from './lane.ts'

const splitOff = ([hereS, ...others]: [number, ...number[]]) => [hereS, others] as const
const segment = (startTimestamp: number, endTimestamp: number) => ({ startTimestamp, endTimestamp })

test.each<[string, [number, number][], [number, ...number[]], { fromS: number; toS: number } | undefined]>([
  ['no segment', [], [5], undefined],
  ['one segment', [[10, 12]], [10], { fromS: 10, toS: 12 }],
  ['an error within', [[10, 12]], [11], { fromS: 10, toS: 12 }],
  ['an error a little later', [[10, 12]], [15], { fromS: 10, toS: 15 }],
  ['an error before', [[10, 12]], [7], { fromS: 7, toS: 12 }],
  ['an error minutes later', [[10, 12]], [500], { fromS: 10, toS: 12 }],
  ['a segment of no length', [[10, 10]], [10], { fromS: 10, toS: 10.001 }],
  [
    'several',
    [
      [11, 12],
      [10, 13],
    ],
    [11],
    { fromS: 10, toS: 13 },
  ],
  [
    'a request of another day, as all visitors of a page that was built once have its trace',
    [
      [0, 2],
      [100_000, 100_002],
      [200_000, 200_003],
    ],
    [100_001, 100_001.5, 200_001],
    { fromS: 100_000, toS: 100_002 },
  ],
  [
    'a clock that is a month behind, and an error within',
    [
      [1_000_000, 3_592_000],
      [3_591_990, 3_591_992],
    ],
    [3_591_991],
    { fromS: 3_591_990, toS: 3_591_992 },
  ],
  [
    'a page load minutes before its error',
    [
      [0, 2],
      [590, 591],
    ],
    [600],
    { fromS: 0, toS: 600 },
  ],
])('the lane of %s', (_name, segments, moments, expected) => {
  expect(
    laneOf(
      segments.map((item) => segment(...item)),
      ...splitOff(moments),
    ),
  ).toEqual(expected)
})

test.each([
  [[10, 20], { x: 0, width: 100, isOutside: false }],
  [[15, 15], { x: 50, width: 0, isOutside: false }],
  [[15, 15.001], { x: 50, width: 0.4, isOutside: false }],
  [[20, 20], { x: 100, width: 0, isOutside: false }],
  [[19.999, 20], { x: 99.6, width: 0.4, isOutside: false }],
  [[500, 500], { x: 100, width: 0, isOutside: true }],
  [[1, 1], { x: 0, width: 0, isOutside: true }],
])('%j on ten seconds', ([from = 0, to = 0], expected) => {
  const { x, width, isOutside } = positionOn({ fromS: 10, toS: 20 }, from, to)
  expect({ x: Number(x.toFixed(6)), width: Number(width.toFixed(6)), isOutside }).toEqual(expected)
})

test.each([
  ['pageload', 'pageload', 'c2'],
  ['navigation', 'navigation', 'c2'],
  ['http.server', 'server', 'c3'],
  ['http.client', undefined, 'c4'],
  ['db.sql.query', undefined, 'c1'],
  ['queue.process', undefined, 'c7'],
  ['', undefined, 'c7'],
])('%s is a %s in %s', (op, kind, hue) => expect([kindOf(op), hueOf(op)]).toEqual([kind, hue]))
