import type { RestComparedIssue } from '../../../contract/release-compare.ts'

type Basis = NonNullable<RestComparedIssue['basis']>

/** Formats rates of issues: per 1,000 sessions, or as a share of the events. */
export type CompareWords = {
  rate(rate: number, basis: Basis): string
  /** With its sign. */
  difference(by: number, basis: Basis): string
  /** A signed number of percentage points. */
  points(by: number): string
  count(count: number): string
  percent(share: number): string
}

const perSessions = 1000

/** The formatters for a locale. */
export function compareWords(locale: string): CompareWords {
  const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options)
  const shapes = {
    sessions: { maximumSignificantDigits: 3 },
    events: { maximumSignificantDigits: 3, style: 'percent' },
  } as const
  const plain = { sessions: number(shapes.sessions), events: number(shapes.events) }
  const signDisplay = 'exceptZero'
  const signed = {
    sessions: number({ maximumSignificantDigits: 3, signDisplay }),
    events: number({ maximumSignificantDigits: 3, style: 'percent', signDisplay }),
  }
  const point = number({ maximumFractionDigits: 2, signDisplay })
  const integer = number({})
  const whole = number({ style: 'percent', maximumFractionDigits: 0 })
  const scaled = (rate: number, basis: Basis) => (basis === 'sessions' ? rate * perSessions : rate)
  return {
    rate: (rate, basis) => plain[basis].format(scaled(rate, basis)),
    difference: (by, basis) => signed[basis].format(scaled(by, basis)),
    points: (by) => point.format(by * 100),
    count: (count) => integer.format(count),
    percent: (share) => whole.format(share),
  }
}
