import type { ErrorCode } from '../../errors.ts'
import { MishapError } from '../../errors.ts'
import type { Compare, Moment, Term, Wanted } from './ast.ts'
import type { Field } from './fields.ts'
import { states } from './fields.ts'

/** One value as it stood in the text. */
export type Raw = { text: string; quoted: boolean; at: number }

const minuteMs = 60_000
const unitMs: Record<string, number> = { m: minuteMs, h: 60 * minuteMs, d: 1440 * minuteMs, w: 10_080 * minuteMs }
const magnitude: Record<string, number> = { '': 1, k: 1e3, m: 1e6, b: 1e9 }

/** Refusal of a query: where it went wrong (counted from 1) and what was expected there. */
export function refuse(at: number, expected: string, code: ErrorCode = 'QUERY_SYNTAX'): MishapError {
  return new MishapError(code, {
    detail: `Invalid query: at position ${at + 1}, expected ${expected}.`,
    causes: [`position ${at + 1}`, `expected ${expected}`],
  })
}

/** A text value; stars are wildcards unless escaped. Takes the value as written, returns it with escapes resolved. */
export function wanted(raw: Raw): Wanted {
  const text = raw.text.replace(/\\"/g, '"')
  const wild = /(^|[^\\])\*/.test(text)
  return { text: wild ? text : text.replace(/\\\*/g, '*'), wild }
}

/** A number with comparison sign and k, m, b; undefined when it is none. */
export function numberOf(text: string): { compare: Compare | '!='; value: number } | undefined {
  const found = /^(>=|<=|!=|>|<|=)?(-?\d+(?:\.\d+)?)([kmb]?)$/i.exec(text)
  if (!found) return undefined
  return {
    compare: (found[1] ?? '=') as Compare | '!=',
    value: Number(found[2]) * (magnitude[(found[3] ?? '').toLowerCase()] ?? 1),
  }
}

const isDuration = (text: string) =>
  /^(>=|<=|!=|>|<|=)?-?\d+(\.\d+)?(ms|s|sec|secs|second|seconds|min|mins|m|minute|minutes|hr|hrs|h|hour|hours|d|day|days|wk|wks|w|week|weeks)$/i.test(
    text,
  )
/** What the value of an aggregate may be: number, duration, size, percent or date. */
export const isMeasure = (text: string) =>
  numberOf(text) !== undefined ||
  isDuration(text) ||
  /^(>=|<=|!=|>|<|=)?-?\d+(\.\d+)?(%|bit|nb|bytes?|[kmgtpezy]i?b)$/i.test(text) ||
  dateOf(text) !== undefined

/** A date: relative (`-24h` younger, `+7d` older) or ISO 8601 with an optional comparison sign; a day alone or a bare moment means that day or minute. */
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
  // A bare moment is taken as the 5 minutes on both sides, as people type it from a screen.
  return time
    ? { compare: '>=', moment: { atMs: atMs - 5 * minuteMs }, until: { atMs: atMs + 5 * minuteMs } }
    : { compare: '>=', moment: { atMs }, until: { atMs: atMs + 1440 * minuteMs } }
}

/** Reads one value by the type of its field. Throws QUERY_TYPE with position and what was expected. */
export function typed(field: Field, raw: Raw, at: number): Term[] {
  const key = field.name
  if (raw.text === '' && raw.quoted) return [{ op: 'match', key, tag: false, values: [{ text: '', wild: false }], at }]
  switch (field.type) {
    case 'is': {
      const value = raw.text.toLowerCase()
      if (!(states as readonly string[]).includes(value))
        throw refuse(raw.at, `one of ${states.slice(0, 11).join(', ')}`, 'QUERY_TYPE')
      return [{ op: 'is', value, at }]
    }
    case 'boolean': {
      if (!/^(true|false|0|1)$/i.test(raw.text)) throw refuse(raw.at, 'true, 1, false or 0', 'QUERY_TYPE')
      return [{ op: 'flag', key, value: /^(true|1)$/i.test(raw.text), at }]
    }
    case 'number': {
      const found = numberOf(raw.text)
      if (!found) throw refuse(raw.at, 'a number, such as 10, >10 or 2k', 'QUERY_TYPE')
      // != is spelled as a pair, so that the leaf needs no sign of its own
      if (found.compare === '!=')
        return [
          { op: 'number', key, compare: '<', value: found.value, at },
          { op: 'number', key, compare: '>', value: found.value, at },
        ]
      return [{ op: 'number', key, compare: found.compare, value: found.value, at }]
    }
    case 'duration': {
      if (!isDuration(raw.text) && !numberOf(raw.text))
        throw refuse(raw.at, 'a number with ms, s, m, h, d or w', 'QUERY_TYPE')
      return [{ op: 'nothing', key, at }]
    }
    default:
      return [{ op: 'match', key, tag: false, values: [wanted(raw)], at }]
  }
}
