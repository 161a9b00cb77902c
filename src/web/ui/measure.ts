/** Milliseconds of each unit of time that SDKs and queries name. */
const timeUnitsMs: Readonly<Record<string, number>> = {
  nanosecond: 1e-6,
  microsecond: 1e-3,
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
}

/** Bytes of each unit of size. A bit is an eighth, so that all sizes share one scale. */
const byteUnits: Readonly<Record<string, number>> = {
  bit: 0.125,
  byte: 1,
  kilobyte: 1e3,
  kibibyte: 1024,
  megabyte: 1e6,
  mebibyte: 1024 ** 2,
  gigabyte: 1e9,
  gibibyte: 1024 ** 3,
  terabyte: 1e12,
  tebibyte: 1024 ** 4,
}

const timeSteps = [
  [2 * 86_400_000, 86_400_000, 'd'],
  [2 * 3_600_000, 3_600_000, 'h'],
  [2 * 60_000, 60_000, 'min'],
  [1000, 1000, 's'],
  [1, 1, 'ms'],
  [1e-3, 1e-3, 'µs'],
] as const
const byteSteps = [
  [1e12, 1e12, 'TB'],
  [1e9, 1e9, 'GB'],
  [1e6, 1e6, 'MB'],
  [1e3, 1e3, 'kB'],
] as const

const space = '\u00a0'
const dash = '–'

/**
 * Returns a function that writes a value with its unit: 1,234 ms is "1.23 s", a ratio is a percentage, an unknown unit
 * follows its number. Null is a dash. Large plain numbers are short: 41.2K.
 */
export function measureText(locale: string): (value: number | null, unit: string | null) => string {
  const three = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 3 })
  const scaled = (
    value: number,
    steps: readonly (readonly [number, number, string])[],
    least: string,
    unit: number,
  ) => {
    const [, length, name] = steps.find(([from]) => Math.abs(value) >= from) ?? [0, unit, least]
    return `${three.format(value / length)}${space}${name}`
  }
  const plain = (value: number) => {
    const size = Math.abs(value)
    if (size >= 10_000) return compact.format(value)
    return size >= 1000 ? whole.format(value) : three.format(value)
  }
  return (value, unit) => {
    if (value === null || !Number.isFinite(value)) return dash
    if (unit === null || unit === '' || unit === 'none' || unit === '1') return plain(value)
    const [ms, bytes] = [timeUnitsMs[unit], byteUnits[unit]]
    if (ms !== undefined) return value === 0 ? `0${space}ms` : scaled(value * ms, timeSteps, 'ns', 1e-6)
    if (bytes !== undefined) return scaled(value * bytes, byteSteps, 'B', 1)
    if (unit === 'ratio') return share.format(value)
    if (unit === 'percent') return share.format(value / 100)
    return `${plain(value)}${space}${unit}`
  }
}
