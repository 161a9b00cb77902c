/** The web vitals that Mishap scores, in the order of screens. */
export const vitalNames = ['lcp', 'inp', 'cls', 'fcp', 'ttfb'] as const
export type VitalName = (typeof vitalNames)[number]

/**
 * The curve of each web vital's score, and the bounds of good and poor. A value at `p10` scores 0.9, at `p50` 0.5, on a
 * log-normal curve. Times are in ms, CLS has no unit. `weight` is its part of the total.
 */
export const vitalCurves = {
  lcp: { p10: 1200, p50: 2400, good: 2500, poor: 4000, weight: 0.3 },
  inp: { p10: 200, p50: 500, good: 200, poor: 500, weight: 0.3 },
  cls: { p10: 0.1, p50: 0.25, good: 0.1, poor: 0.25, weight: 0.15 },
  fcp: { p10: 900, p50: 1600, good: 1000, poor: 3000, weight: 0.15 },
  ttfb: { p10: 200, p50: 400, good: 800, poor: 1800, weight: 0.1 },
} as const

/** A total from this on is good, and below the second bound poor. */
export const scoreBounds = { good: 0.9, poor: 0.5 } as const

/**
 * The total of a page: the mean of its scores by their weights. Vitals that no browser reported are left out, as Safari
 * has neither LCP nor CLS of older versions. Null without any.
 */
export function totalScore(scores: readonly { vital: keyof typeof vitalCurves; score: number }[]): number | null {
  const weight = scores.reduce((sum, { vital }) => sum + vitalCurves[vital].weight, 0)
  if (weight === 0) return null
  return scores.reduce((sum, { vital, score }) => sum + vitalCurves[vital].weight * score, 0) / weight
}

/** The word for a value of a vital. */
export function vitalRating(vital: keyof typeof vitalCurves, value: number): 'good' | 'meh' | 'poor' {
  const { good, poor } = vitalCurves[vital]
  return value <= good ? 'good' : value > poor ? 'poor' : 'meh'
}

/** A slow route load takes longer, in ms: Mishap's own limit of a route load. */
export const slowLoadMs = 3800

/** Whose vitals: of page loads, or of navigations that the browser takes for a new page without a page load. */
export const vitalLoads = ['pageload', 'navigation'] as const
export type VitalLoads = (typeof vitalLoads)[number]

/** The names of measurements of such a navigation begin with this (refine/kinds/span/parts.ts). */
export const softVitalPrefix = 'soft.'
