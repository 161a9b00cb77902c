import type { Compare, Measured, Moment, Term, TextPattern } from './ast.ts'
import type { SearchKey } from './key.ts'
import { refuseValue } from './mistakes.ts'
import { isState, states } from './states.ts'

/** One value as written in the text. */
export type Raw = { text: string; quoted: boolean; at: number }

const minuteMs = 60_000
const unitMs: Record<string, number> = { m: minuteMs, h: 60 * minuteMs, d: 1440 * minuteMs, w: 10_080 * minuteMs }
const magnitude: Record<string, number> = { '': 1, k: 1e3, m: 1e6, b: 1e9 }

/** Removes the escapes `\"`, `\*` and `\\`. Any other backslash stays. */
export const unescaped = (text: string): string => text.replace(/\\(["*\\])/g, '$1')

/** Parses a text value: stars are wildcards unless escaped. */
export function textPattern(raw: Pick<Raw, 'text'>): TextPattern {
  const wild = raw.text.replace(/\\["*\\]/g, '').includes('*')
  const pattern = () => raw.text.replace(/\\(["*\\])/g, (all, escaped: string) => (escaped === '"' ? escaped : all))
  return { text: wild ? pattern() : unescaped(raw.text), wild }
}

/** Required place of a text within a value. Sentry's screens write it between two marks before the value. */
export type TextPosition = 'Contains' | 'StartsWith' | 'EndsWith'

/** Returns a pattern for values that have the text at that place. */
export function placed(pattern: TextPattern, position: TextPosition): TextPattern {
  const text = pattern.wild ? pattern.text : pattern.text.replace(/[*\\]/g, '\\$&')
  return { text: `${position === 'StartsWith' ? '' : '*'}${text}${position === 'EndsWith' ? '' : '*'}`, wild: true }
}

type Compared = { compare: Compare | '!='; value: number }

const compared = (operator: string | undefined) => (operator ?? '=') as Compared['compare']

/** Parses a number with a comparison operator and k, m or b; undefined for any other text. */
export function numberOf(text: string): Compared | undefined {
  const found = /^(>=|<=|!=|>|<|=)?(-?\d+(?:\.\d+)?)([kmb]?)$/i.exec(text)
  if (!found) return undefined
  return { compare: compared(found[1]), value: Number(found[2]) * (magnitude[(found[3] ?? '').toLowerCase()] ?? 1) }
}

const second = 1000
const durations: [pattern: RegExp, ms: number][] = [
  [/^ms$/, 1],
  [/^(?:s|secs?|seconds?)$/, second],
  [/^(?:m|mins?|minutes?)$/, minuteMs],
  [/^(?:h|hrs?|hours?)$/, 60 * minuteMs],
  [/^(?:d|days?)$/, 1440 * minuteMs],
  [/^(?:w|wks?|weeks?)$/, 10_080 * minuteMs],
]

const perK = 'kmgtpezy'

/** Returns the bytes of a unit: powers of 1,000 for kb, of 1,024 for kib. */
function sizeOf(unit: string): number | undefined {
  if (unit === 'bit') return 1 / 8
  if (/^(?:nb|bytes?)$/.test(unit)) return 1
  const found = /^([kmgtpezy])(i?)b$/.exec(unit)
  return found ? (found[2] ? 1024 : 1000) ** (perK.indexOf(found[1] ?? '') + 1) : undefined
}

/**
 * Parses a number with a unit: milliseconds for durations, bytes for sizes, percent for percentages. Undefined for any
 * other text. `of` applies to a number without a unit, and to `m`: minutes in a duration, millions in a number.
 */
export function measureOf(text: string, of: Measured): (Compared & { of: Measured }) | undefined {
  const plain = numberOf(text)
  if (plain && (of !== 'duration' || !/[a-z]$/i.test(text))) return { ...plain, of }
  const found = /^(>=|<=|!=|>|<|=)?(-?\d+(?:\.\d+)?)(%|[a-z]{1,7})$/i.exec(text)
  if (!found) return undefined
  const [compare, value, unit] = [compared(found[1]), Number(found[2]), (found[3] ?? '').toLowerCase()]
  if (unit === '%') return { compare, value, of: 'percent' }
  const ms = durations.find(([pattern]) => pattern.test(unit))?.[1]
  if (ms !== undefined) return { compare, value: value * ms, of: 'duration' }
  const bytes = sizeOf(unit)
  return bytes === undefined ? undefined : { compare, value: value * bytes, of: 'size' }
}

/**
 * Parses a date: relative (`-24h` is later than, `+7d` is earlier than) or ISO 8601 with an optional operator. Without
 * an operator a day means that day, and a time means the five minutes before and after it. Else undefined.
 */
export function dateOf(text: string): { compare: Compare; moment: Moment; until?: Moment } | undefined {
  const relative = /^([+-])(\d{1,6})([mhdw])$/.exec(text)
  if (relative)
    return {
      compare: relative[1] === '-' ? '>=' : '<=',
      moment: { agoMs: Number(relative[2]) * (unitMs[relative[3] ?? ''] ?? 0) },
    }
  const found =
    /^(>=|<=|>|<|=)?(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  if (!found) return undefined
  const day = found[2] ?? ''
  const time = found[3]
  const zone = (found[4] ?? 'Z').replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  const atMs = Date.parse(time ? `${day}T${time}${zone}` : `${day}T00:00:00Z`)
  if (Number.isNaN(atMs)) return undefined
  if (found[1] && found[1] !== '=') return { compare: found[1] as Compare, moment: { atMs } }
  // Users type a time from a screen, which shows minutes, so it means the 5 minutes before and after.
  return time
    ? { compare: '>=', moment: { atMs: atMs - 5 * minuteMs }, until: { atMs: atMs + 5 * minuteMs } }
    : { compare: '>=', moment: { atMs }, until: { atMs: atMs + 1440 * minuteMs } }
}

/** Converts a comparison to leaves. `!=` becomes `<` or `>`, so the stores need no operator for it. */
const leaves = ({ compare, value }: Compared, make: (compare: Compare, value: number) => Term): Term[] =>
  compare === '!=' ? [make('<', value), make('>', value)] : [make(compare, value)]

/** Parses the value of an aggregate such as p95(x), in the unit `of` if known. Undefined if the text is words. */
export function aggregated(key: string, of: Measured | undefined, text: string, at: number): Term[] | undefined {
  const date = dateOf(text)
  // The date's value is dropped: no stored data has such an aggregate.
  if (date && (of === undefined || of === 'number') && !numberOf(text))
    return [measure(key, true, '=', 0, 'number', at)]
  const found = measureOf(text, of ?? 'duration')
  if (!found || (of !== undefined && found.of !== of)) return undefined
  return leaves(found, (compare, value) => measure(key, true, compare, value, found.of, at))
}

const measure = (key: string, aggregate: boolean, compare: Compare, value: number, of: Measured, at: number): Term => ({
  op: 'measure',
  key,
  aggregate,
  compare,
  value,
  unit: of,
  at,
})

/** Parses leaves of a tag that is compared as a number; undefined for any other text. */
export function numbered(key: string, text: string, at: number): Term[] | undefined {
  const found = numberOf(text)
  return found && leaves(found, (compare, value) => ({ op: 'number', key, tag: true, compare, value, at }))
}

/** Parses one value by the type of its key. Throws QUERY_TYPE with the position and the expected text. */
export function typed(searchKey: SearchKey, raw: Raw, at: number): Term[] {
  const key = searchKey.name
  if (raw.text === '' && raw.quoted) return [{ op: 'match', key, tag: false, values: [{ text: '', wild: false }], at }]
  switch (searchKey.type) {
    case 'is': {
      const value = raw.text.toLowerCase()
      if (!isState(value)) throw refuseValue(raw, 'state', `one of ${states.slice(0, 12).join(', ')}`)
      return [{ op: 'is', value, at }]
    }
    case 'choice': {
      const { words = [] } = searchKey
      const text = raw.text.toLowerCase()
      if (!words.includes(text)) throw refuseValue(raw, 'choice', `one of ${words.join(', ')}`, words)
      return [{ op: 'match', key, tag: false, values: [{ text, wild: false }], at }]
    }
    case 'boolean': {
      const isWord = searchKey.words?.includes(raw.text.toLowerCase()) === true
      if (!isWord && !/^(true|false|0|1)$/i.test(raw.text)) throw refuseValue(raw, 'boolean', 'true, 1, false or 0')
      return [{ op: 'flag', key, value: /^(true|1|yes)$/i.test(raw.text), at }]
    }
    case 'number': {
      const found = numberOf(raw.text)
      if (!found) throw refuseValue(raw, 'number', 'a number, such as 10, >10 or 2k')
      return leaves(found, (compare, value) =>
        searchKey.measured
          ? measure(key, false, compare, value, 'number', at)
          : { op: 'number', key, compare, value, at },
      )
    }
    case 'duration': {
      const found = measureOf(raw.text, 'duration')
      if (found?.of !== 'duration') throw refuseValue(raw, 'duration', 'a number with ms, s, m, h, d or w')
      return leaves(found, (compare, value) => measure(key, false, compare, value, found.of, at))
    }
    default:
      return [{ op: 'match', key, tag: false, values: [textPattern(raw)], at }]
  }
}
