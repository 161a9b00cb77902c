import { expect, test } from 'vitest'
import { nearestTo } from './segments.ts'

const segment = (startTimestamp: number, endTimestamp: number) => ({ startTimestamp, endTimestamp })

test.each<[string, number, [number, number][], [number, number][]]>([
  [
    'the one around the moment, then the nearest on each side, in the order of time',
    100,
    [
      [0, 2],
      [80, 90],
      [95, 110],
      [111, 112],
      [400, 500],
    ],
    [
      [80, 90],
      [95, 110],
      [111, 112],
    ],
  ],
  [
    'of all that hold the moment the shortest',
    100,
    [
      [-9e6, 9e6],
      [99, 101],
      [98, 102],
      [0, 200],
    ],
    [
      [0, 200],
      [98, 102],
      [99, 101],
    ],
  ],
])('%s', (_name, atS, all, expected) => {
  expect(
    nearestTo(
      all.map((item) => segment(...item)),
      atS,
      3,
    ),
  ).toEqual(expected.map((item) => segment(...item)))
})
