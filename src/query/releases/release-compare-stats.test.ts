import { describe, expect, test } from 'vitest'
import { compareRates } from './release-compare-stats.ts'

const side = (events: number, exposure: number, users = 0) => ({ events, users, exposure })

describe('compareRates', () => {
  test.each([
    ['twice as often with many events', side(500, 10_000), side(1000, 10_000), 'more'],
    ['half as often', side(1000, 10_000), side(500, 10_000), 'fewer'],
    ['as often', side(100, 10_000), side(105, 10_000), 'same'],
    ['as often at a tenth of the sessions', side(1000, 10_000), side(100, 1000), 'same'],
    ['more events but no higher rate', side(100, 1000), side(1000, 10_000), 'same'],
    ['new with a few events', side(0, 10_000), side(4, 10_000), 'same'],
    ['new with many events', side(0, 10_000), side(40, 10_000), 'more'],
    ['new, but the release before had few sessions', side(0, 10), side(40, 10_000), 'same'],
    ['gone', side(40, 10_000), side(0, 10_000), 'fewer'],
    ['gone, but the release after is young', side(40, 10_000), side(0, 100), 'same'],
    ['a hundred events of one user', side(0, 10_000), side(100, 10_000, 1), 'same'],
    ['a hundred events of fifty users', side(0, 10_000), side(100, 10_000, 50), 'more'],
    ['gone: a hundred events of one user', side(100, 10_000, 1), side(0, 10_000), 'same'],
    ['an estimate of more users than events', side(0, 10_000), side(40, 10_000, 60), 'more'],
  ] as const)('%s', (_name, before, after, verdict) => {
    const found = compareRates(before, after)
    expect(found?.verdict).toBe(verdict)
    expect(found?.difference.by).toBeCloseTo(after.events / after.exposure - before.events / before.exposure, 12)
    expect(found?.difference.low).toBeLessThan(found?.difference.by ?? 0)
    expect(found?.difference.high).toBeGreaterThan(found?.difference.by ?? 0)
    for (const rate of [found?.before, found?.after]) {
      expect(rate?.low).toBeGreaterThanOrEqual(0)
      expect(rate?.low).toBeLessThanOrEqual(rate?.rate ?? -1)
      expect(rate?.high).toBeGreaterThan(rate?.rate ?? 0)
    }
  })

  test.each([
    [0, 100],
    [100, 0],
  ])('without exposure (%d, %d) there is nothing to compare', (first, second) => {
    expect(compareRates(side(1, first), side(1, second))).toBeUndefined()
  })

  test('finds few differences among unchanged issues', () => {
    // Counts of a Poisson distribution with mean 20 from a seeded generator: no two releases differ.
    let state = 7
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    const poisson = (mean: number) => {
      let [count, product] = [0, random()]
      for (; product > Math.exp(-mean); count++) product *= random()
      return count
    }
    const found = Array.from({ length: 2000 }, () => compareRates(side(poisson(20), 1000), side(poisson(20), 1000)))
    expect(found.filter((pair) => pair?.verdict !== 'same').length).toBeLessThan(2000 * 0.02)
  })
})
