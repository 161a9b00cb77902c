import { describe, expect, test } from 'vitest'
import { healthWords, positionOf, scaleOf, sureOf } from './words.ts'

test.each([
  ['en', 0.9912, '99.12%'],
  ['en', 0.99999, '99.99%'],
  ['en', 1, '100%'],
  ['en', 0, '0%'],
  ['de', 0.9912, '99,12\u00a0%'],
])('in %s %d is %s', (locale, share, text) => {
  expect(healthWords(locale).percent(share)).toBe(text)
})

test('intervals are rounded outwards, differences have no sign', () => {
  const words = healthWords('en')
  expect(words.interval({ low: 0.98999, high: 0.99301 })).toBe('98.99–99.31')
  expect(words.interval({ low: 0, high: 1 })).toBe('0.00–100.00')
  expect(words.points(-0.0034)).toBe('0.34')
  expect(words.count(48_210)).toBe('48,210')
})

describe('the scale of intervals', () => {
  test.each([
    [[{ low: 0.9903, high: 0.992 }], 0.99, 0.992],
    [
      [
        { low: 0.9893, high: 0.9921 },
        { low: 0.994, high: 0.9952 },
      ],
      0.988,
      0.996,
    ],
    [[{ low: 0.2, high: 1 }], 0.2, 1],
    [[{ low: 1, high: 1 }], 0.9999, 1],
    [[{ low: 0, high: 0 }], 0, 0.0001],
    [[{ low: 0, high: 1 }], 0, 1],
  ])('of %j is round and holds them', (shares, from, to) => {
    const scale = scaleOf(shares)
    expect(scale.from).toBeCloseTo(from, 6)
    expect(scale.to).toBeCloseTo(to, 6)
    expect(scale.ticks.length).toBeLessThanOrEqual(7)
    expect([scale.ticks[0], scale.ticks.at(-1)]).toEqual([scale.from, scale.to])
    for (const { low, high } of shares) {
      expect(scale.from).toBeLessThanOrEqual(low + 1e-9)
      expect(scale.to).toBeGreaterThanOrEqual(high - 1e-9)
    }
  })

  test('has a place for each share', () => {
    const scale = { from: 0.98, to: 1, ticks: [] }
    expect([0.97, 0.98, 0.99, 1].map((share) => Math.round(positionOf(scale, share)))).toEqual([0, 0, 50, 100])
  })
})

test.each([
  [{ by: -0.0034, low: -0.0044, high: -0.0024 }, 0.99],
  [{ by: -0.0034, low: -0.0066, high: -0.0002 }, 0.95],
  [{ by: 0.01, low: 0.003, high: 0.02 }, 0.99],
  [{ by: 0.01, low: 0.001, high: 0.02 }, 0.95],
])('a difference of %j is over %d sure', (difference, sure) => {
  expect(sureOf(difference)).toBe(sure)
})
