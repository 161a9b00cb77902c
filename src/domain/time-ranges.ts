const dayMs = 86_400_000

/** The lengths that the menus of ranges offer, in menu order, in ms. */
export const relativeRanges = {
  '1h': 3_600_000,
  '24h': dayMs,
  '7d': 7 * dayMs,
  '14d': 14 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
} as const

export type RelativeRange = keyof typeof relativeRanges

/** Whether the text is a key of `relativeRanges`. */
export function isRelativeRange(text: string): text is RelativeRange {
  return Object.hasOwn(relativeRanges, text)
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs }
/** Ten years, the longest retention. */
const lengthMsMax = 3650 * dayMs
/** The events store supports times from 1970 to 2106: seconds in 32 bits. */
const momentMsMax = 4_294_967_295_000
const dateForm = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]{4,18}(?:Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Returns why a text is no time range to save, in a sentence that says what to write; undefined if it is one: a length
 * such as 14d, two dates with a slash between them, or '' for the default.
 */
export function spanFault(text: string): string | undefined {
  if (text === '') return undefined
  const [, digits, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (digits && unit) {
    const lengthMs = Number(digits) * (unitMs[unit] ?? 0)
    return lengthMs > 0 && lengthMs <= lengthMsMax ? undefined : 'A length from 1s to 3650d, such as 14d.'
  }
  const dates = text.split('/')
  const [fromMs = Number.NaN, toMs = Number.NaN] = dates.map((date) =>
    dateForm.test(date) ? Date.parse(date) : Number.NaN,
  )
  if (dates.length !== 2 || !Number.isFinite(fromMs) || !Number.isFinite(toMs))
    return 'A length such as 14d, two dates such as 2026-11-01T00:00:00Z/2026-11-08T00:00:00Z, or empty for the default.'
  if (fromMs < 0 || toMs > momentMsMax) return 'Two dates between 1970 and 2106.'
  return fromMs < toMs ? undefined : 'The first date must be before the second. Exchange them.'
}
