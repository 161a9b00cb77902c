import { describe, expect, test } from 'vitest'
import { type Counted, differenceOf, firstOf, type Share, shareOf } from './release-health-stats.ts'

const share = (good: number, sample: number): Share => {
  const found = shareOf(good, sample)
  if (!found) throw new Error('an empty sample')
  return found
}

describe('a share with its interval', () => {
  // Published values (Newcombe 1998, method 3), to four digits.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i', (good, sample, low, high) => {
    const found = share(good, sample)
    expect(found.share).toBe(good / sample)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })

  test('says something where all are good, and stays within 0 and 1', () => {
    const all = share(20, 20)
    expect([all.share, all.high]).toEqual([1, 1])
    expect(all.low).toBeCloseTo(0.8389, 4)
    // An estimate of users can exceed their number.
    expect(share(21, 20)).toMatchObject({ share: 1, high: 1 })
    expect(share(-1, 20)).toMatchObject({ share: 0, low: 0 })
  })

  test.each([0, -1, Number.NaN])('of a sample of %d there is none', (sample) => {
    expect(shareOf(0, sample)).toBeUndefined()
  })

  test('grows narrower with the sample', () => {
    const widths = [10, 100, 1000, 10_000].map((n) => {
      const { low, high } = share(n * 0.9, n)
      return high - low
    })
    expect(widths).toEqual(widths.toSorted((a, b) => b - a))
  })
})

describe('a difference', () => {
  test('is that of the literature', () => {
    // Newcombe 1998, method 10: 56 of 70 against 48 of 80.
    const found = differenceOf(share(56, 70), share(48, 80))
    expect(found.by).toBeCloseTo(0.2, 4)
    expect(found.low).toBeCloseTo(0.0524, 4)
    expect(found.high).toBeCloseTo(0.3339, 4)
    expect(found.verdict).toBe('better')
  })

  test.each([
    [[47_786, 48_210], [61_538, 61_872], 'worse'],
    [[61_538, 61_872], [47_786, 48_210], 'better'],
    [[1_888, 1_900], [61_538, 61_872], 'same'],
    [[10, 10], [10, 10], 'same'],
  ] as const)('%j against %j is %s', ([good, sample], [goodBefore, before], verdict) => {
    const found = differenceOf(share(good, sample), share(goodBefore, before))
    expect(found.verdict).toBe(verdict)
    expect(found.low).toBeLessThanOrEqual(found.by)
    expect(found.high).toBeGreaterThanOrEqual(found.by)
    if (verdict === 'same') expect(found.needed).toBeGreaterThan(sample)
    else expect(found.needed).toBe(0)
  })

  test('sessions that would be needed are told in two digits', () => {
    const { needed } = differenceOf(share(1_888, 1_900), share(61_538, 61_872))
    expect(String(needed)).toMatch(/^\d{1,2}0*$/)
  })
})

describe('the first sessions of a release', () => {
  const buckets: Counted[] = [
    { startMs: 3_600_000, all: 100, crashed: 10 },
    { startMs: 0, all: 50, crashed: 1 },
    { startMs: 7_200_000, all: 200, crashed: 0 },
  ]
  test.each([
    [0, { all: 0, crashed: 0, untilMs: 0 }],
    [50, { all: 50, crashed: 1, untilMs: 0 }],
    [100, { all: 100, crashed: 6, untilMs: 3_600_000 }],
    [350, { all: 350, crashed: 11, untilMs: 7_200_000 }],
    [9999, { all: 350, crashed: 11, untilMs: 7_200_000 }],
  ])('%i of them', (sessions, expected) => {
    expect(firstOf(buckets, sessions)).toEqual(expected)
  })
  test('of none are none', () => expect(firstOf([], 5)).toEqual({ all: 0, crashed: 0, untilMs: 0 }))
})
