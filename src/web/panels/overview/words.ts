/** Numbers of the overview as text. A change always has a sign. */
export type OverviewWords = {
  count(count: number): string
  /** The change of a count in percent. Undefined without a count before, or without a change of half a percent. */
  growth(counts: { now: number; before: number }): string | undefined
  /** A share of 0 to 1, rounded down: a share with any failure never shows as 100 %. */
  share(share: number): string
  /** A rate of 0 to 1 with two digits. */
  rate(rate: number): string
  /** A difference of shares in points. Undefined if it rounds to 0. */
  points(by: number): string | undefined
  /** Half of an interval in points, without a sign. */
  margin(interval: { low: number; high: number }): string
  /** Milliseconds with three digits: 940 ms, 2.41 s. */
  duration(ms: number): string
  /** A difference of durations. Undefined if it rounds to 0. */
  slower(ms: number): string | undefined
  bytes(bytes: number): string
}

const second = 1000
const leastGrowth = 0.005

/** The formatters for a locale. */
export function overviewWords(locale: string): OverviewWords {
  const integer = new Intl.NumberFormat(locale)
  const whole = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' })
  const down = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2, roundingMode: 'floor' })
  const rate = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, signDisplay: 'exceptZero' })
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
  const three = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
  const signedThree = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3, signDisplay: 'exceptZero' })
  // The symbols are the same in all languages. Intl writes "sec" in English.
  const time = (format: Intl.NumberFormat, ms: number) =>
    Math.abs(ms) < second ? `${format.format(ms)}\u00a0ms` : `${format.format(ms / second)}\u00a0s`
  return {
    count: (count) => integer.format(count),
    growth: ({ now, before }) => {
      if (before === 0) return undefined
      const by = (now - before) / before
      return Math.abs(by) < leastGrowth ? undefined : whole.format(by)
    },
    // Remove the error of binary fractions before rounding down: 0.9912 must show as 99.12 %.
    share: (share) => down.format(Math.round(share * 1e9) / 1e9),
    rate: (part) => rate.format(part),
    points: (by) => (Math.round(by * 10_000) === 0 ? undefined : signed.format(by * 100)),
    margin: ({ low, high }) => `±${plain.format(((high - low) / 2) * 100)}`,
    duration: (ms) => time(three, ms),
    slower: (ms) => (Math.abs(ms) < 1 ? undefined : time(signedThree, ms)),
    bytes: (bytes) => (bytes < 1e9 ? `${three.format(bytes / 1e6)}\u00a0MB` : `${three.format(bytes / 1e9)}\u00a0GB`),
  }
}

/** The word for a change: more of what is bad is worse. Undefined without a change. */
export const toneOf = (by: number): 'worse' | 'better' | undefined => (by > 0 ? 'worse' : by < 0 ? 'better' : undefined)
