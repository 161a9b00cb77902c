import { expect, test } from 'vitest'
import { totalScore, vitalRating } from './vitals.ts'

test.each([
  ['lcp', 2500, 'good'],
  ['lcp', 2501, 'meh'],
  ['lcp', 4001, 'poor'],
  ['cls', 0.1, 'good'],
  ['cls', 0.26, 'poor'],
  ['inp', 200.5, 'meh'],
] as const)('%s of %d is %s', (vital, value, rating) => expect(vitalRating(vital, value)).toBe(rating))

test('the total weighs the vitals that are there', () => {
  expect(totalScore([])).toBeNull()
  expect(totalScore([{ vital: 'lcp', score: 0.5 }])).toBe(0.5)
  const all = (['lcp', 'inp', 'cls', 'fcp', 'ttfb'] as const).map((vital) => ({
    vital,
    score: vital === 'lcp' ? 0 : 1,
  }))
  expect(totalScore(all)).toBeCloseTo(0.7, 10)
  // Without LCP and CLS, as in older Safari, the rest counts for all.
  expect(totalScore(all.filter(({ vital }) => vital === 'inp' || vital === 'ttfb'))).toBe(1)
})
