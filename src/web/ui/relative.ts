type RelativeUnit = 'now' | 's' | 'min' | 'h' | 'd' | 'w' | 'mo' | 'y'

const minute = 60_000
const steps: [RelativeUnit, number, number][] = [
  ['s', 1000, minute],
  ['min', minute, 60 * minute],
  ['h', 60 * minute, 24 * 60 * minute],
  ['d', 24 * 60 * minute, 14 * 24 * 60 * minute],
  ['w', 7 * 24 * 60 * minute, 60 * 24 * 60 * minute],
  ['mo', 30.44 * 24 * 60 * minute, 730 * 24 * 60 * minute],
  ['y', 365.25 * 24 * 60 * minute, Number.POSITIVE_INFINITY],
]

/** An age in ms as one unit and a whole count. Below one second or in the future it is 'now'. */
export function relativeParts(ageMs: number): { unit: RelativeUnit; count: number } {
  if (!(ageMs >= 1000)) return { unit: 'now', count: 0 }
  for (const [unit, size, below] of steps)
    if (ageMs < below) return { unit, count: Math.max(1, Math.floor(ageMs / size)) }
  return { unit: 'now', count: 0 }
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
/** Units of long durations: unit, its length, and the minimum duration for it, ms. */
const longUnits = [
  ['d', dayMs, 2 * dayMs],
  ['h', hourMs, 2 * hourMs],
  ['min', minuteMs, 10 * minuteMs],
] as const

/** A number with 3 significant digits in a locale's form, without separators of thousands. */
const three = (value: number, locale: string): string =>
  new Intl.NumberFormat(locale, { maximumSignificantDigits: 3, useGrouping: false }).format(value)

/**
 * A duration with 3 significant digits: µs, ms, s, and from ten minutes on min, h or d. `number` formats the number: a
 * view with many durations passes one that it made once, because the format costs 30 µs.
 */
export function durationText(ms: number, locale: string, number = three): string {
  if (ms < 1) return `${number(ms * 1000, locale)} µs`
  if (ms < 1000) return `${number(ms, locale)} ms`
  const [unit, length] = longUnits.find(([, , fromMs]) => ms >= fromMs) ?? (['s', 1000] as const)
  return `${number(ms / length, locale)} ${unit}`
}

const sizes = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Bytes with 3 significant digits and decimal units. */
export function bytesText(bytes: number, locale: string): string {
  let value = Math.max(0, bytes)
  let step = 0
  while (value >= 1000 && step < sizes.length - 1) {
    value /= 1000
    step += 1
  }
  return `${three(value, locale)} ${sizes[step]}`
}
