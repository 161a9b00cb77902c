import { plainParts } from '../../text.ts'

/** Numbers of metrics as text. */
type MetricWords = {
  /** A value with its unit: 1.24 s, 3.1 MB, 42 %, 17 items. */
  value(value: number, unit: string): string
  count(count: number): string
}

const space = '\u00a0'
/** Milliseconds of each unit of time. */
const timeUnits: Readonly<Record<string, number>> = {
  nanosecond: 1e-6,
  ns: 1e-6,
  microsecond: 1e-3,
  us: 1e-3,
  millisecond: 1,
  ms: 1,
  second: 1000,
  s: 1000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  h: 3_600_000,
  day: 86_400_000,
  d: 86_400_000,
}
/** Bytes of each unit of size. */
const sizeUnits: Readonly<Record<string, number>> = {
  byte: 1,
  By: 1,
  kilobyte: 1e3,
  kibibyte: 1024,
  KiBy: 1024,
  megabyte: 1e6,
  mebibyte: 1024 ** 2,
  MiBy: 1024 ** 2,
  gigabyte: 1e9,
  gibibyte: 1024 ** 3,
}
const lengths = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
  [1, 'ms'],
  [1e-3, 'µs'],
] as const
const sizes = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const

const known = (units: Readonly<Record<string, number>>, unit: string): number | undefined =>
  Object.hasOwn(units, unit) ? units[unit] : undefined

/** Longest unit beside a value. */
const unitMax = 16

/** A unit of a sender's own, without characters that would turn the value beside it round. */
const shownUnit = (unit: string): string => {
  const visible = plainParts(unit.replace(/^\{(.+)\}$/, '$1'))
    .map((part) => (typeof part === 'string' ? part : ''))
    .join('')
  return visible.length > unitMax ? `${visible.slice(0, unitMax - 1)}…` : visible
}

/** The formatters for a locale. */
export function metricWords(locale: string): MetricWords {
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })
  const three = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 3 })
  const plain = (value: number) => (Math.abs(value) >= 1000 ? compact : three).format(value)
  const scaled = (value: number, steps: readonly (readonly [number, string])[], least: string) => {
    const [length, name] = steps.find(([from]) => Math.abs(value) >= from) ?? [1, least]
    return `${three.format(value / length)}${space}${name}`
  }
  return {
    count: (count) => compact.format(count),
    value: (value, unit) => {
      const [ms, bytes] = [known(timeUnits, unit), known(sizeUnits, unit)]
      if (value === 0 || unit === '') return plain(value)
      if (ms !== undefined) return scaled(value * ms, lengths, 'ms')
      if (bytes !== undefined) return scaled(value * bytes, sizes, 'B')
      if (unit === 'ratio') return percent.format(value)
      if (unit === 'percent' || unit === '%') return percent.format(value / 100)
      return `${plain(value)}${space}${shownUnit(unit)}`
    },
  }
}

/** The ends of an axis: round numbers around the values. It begins at zero, unless values are negative. */
export function axisOf(values: readonly number[]): { low: number; high: number } {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  return { low: least < 0 ? -roundUp(-least) : 0, high: most > 0 ? roundUp(most) : least < 0 ? 0 : 1 }
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].find((step) => step * power >= value) ?? 10) * power
}

/** The line of a row in a list, on its own scale. A single point is a dot. '' without points. */
export function sparkPath(
  points: readonly (readonly [startMs: number, value: number])[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
  widthPx: number,
  heightPx: number,
): string {
  if (points.length === 0) return ''
  const { low, high } = axisOf(points.map(([, value]) => value))
  const path = points
    .map(([startMs, value], index) => {
      const x = Math.max(0, Math.min(1, (startMs - fromMs) / Math.max(1, toMs - fromMs))) * widthPx
      const y = heightPx - ((value - low) / (high - low)) * heightPx
      return `${index === 0 ? 'M' : 'L'}${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`
    })
    .join('')
  return points.length === 1 ? `${path}h.01` : path
}
