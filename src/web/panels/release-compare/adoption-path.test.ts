import { expect, test } from 'vitest'
import { adoptionPath, adoptionPeak } from './adoption-path.ts'

test.each([
  [[], ''],
  [[0.5], 'M0 50'],
  [[0, 0.5, 1], 'M0 100L50 50L100 0'],
  [[1, null, 0.25], 'M0 0L100 75'],
  [[null, null], ''],
  [[null, 1 / 3, 0], 'M50 66.67L100 100'],
])('the path of %j', (shares, path) => {
  expect(adoptionPath(shares)).toBe(path)
})

test.each([
  [[], undefined],
  [[0, null, 0], undefined],
  [[0.1, 0.9, 0.9, 0.2], { at: 2, share: 0.9 }],
  [[null, 0.4], { at: 1, share: 0.4 }],
])('the peak of %j', (shares, peak) => {
  expect(adoptionPeak(shares)).toEqual(peak)
})
