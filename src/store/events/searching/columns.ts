import type { Cell, Value, Vital } from '../question.ts'
import type { Values } from '../reading/filter.ts'
import { hashText } from '../tables/rows.ts'
import { compileElements, compileMention, compileOnly, isList } from './json.ts'
import { columnOf, type Source } from './sources.ts'

// The SQL of everything that a question reads of a row.

/**
 * Log-normal curves of the web vitals score, in ms (CLS: a plain number): the value that scores 0.9, the one that scores
 * 0.5, and the weight in the total.
 */
const curves: Record<Vital, { p10: number; p50: number; weight: number }> = {
  lcp: { p10: 1200, p50: 2400, weight: 0.3 },
  inp: { p10: 200, p50: 500, weight: 0.3 },
  fcp: { p10: 900, p50: 1600, weight: 0.15 },
  cls: { p10: 0.1, p50: 0.25, weight: 0.15 },
  ttfb: { p10: 200, p50: 400, weight: 0.1 },
}
/** The standard normal variable that 90% of values stay below. */
const z90 = 1.2815515655446004

const isVital = (name: string): name is Vital => Object.hasOwn(curves, name)
const vitals: readonly Vital[] = Object.keys(curves).filter(isVital)

/** The score of one vital: the share of page loads worldwide that are slower. A vital of 0 scores 1. */
function scoreOf(vital: Vital): string {
  const { p10, p50 } = curves[vital]
  const spread = ((Math.log(p50) - Math.log(p10)) / z90) * Math.SQRT2
  return `(0.5 * erfc((log(greatest(measurements['${vital}'], 1e-9)) - ${Math.log(p50)}) / ${spread}))`
}

const hasVital = (vital: Vital) => `mapContains(measurements, '${vital}')`

/** The weights are shared among the vitals that the span has: browsers without LCP or CLS are not punished. */
function totalScore(): string {
  const sum = (part: (vital: Vital) => string) =>
    vitals.map((vital) => `if(${hasVital(vital)}, ${part(vital)}, 0)`).join(' + ')
  const weights = sum((vital) => String(curves[vital].weight))
  return `(${sum((vital) => `${curves[vital].weight} * ${scoreOf(vital)}`)}) / nullIf(${weights}, 0)`
}

type AttributeValue = Extract<Value, { of: 'attribute' }>
type JsonValue = Extract<Value, { of: 'json' }>

function compileAttribute(source: Source, values: Values, { key: name, as }: AttributeValue): string {
  const key = values.add('String', name)
  if (!source.hasNumbers) return as === 'number' ? `toFloat64OrNull(tags[${key}])` : `tags[${key}]`
  const number = `if(mapContains(numbers, ${key}), numbers[${key}], NULL)`
  if (as === 'number') return number
  return as === 'text' ? `tags[${key}]` : `tuple(tags[${key}], ${number})`
}

/** The text that has the JSON of a value. */
export const jsonText = (source: Source, values: Values, { text }: JsonValue): string =>
  text.of === 'text' ? columnOf(source.texts, text.column) : compileAttribute(source, values, text)

/** Returns SQL of the values of a path, as a list of texts. A text that cannot have one is not read. */
export function compileList(source: Source, values: Values, value: JsonValue): string {
  const text = jsonText(source, values, value)
  return `if(${compileMention(values, value, text)}, ${compileElements(values, value, text)}, [])`
}

/** Returns the SQL of a value as rows show it. `readCell` reads what the engine answers for it. */
export function compileValue(source: Source, values: Values, value: Value): string {
  switch (value.of) {
    case 'text':
      return columnOf(source.texts, value.column)
    case 'number':
      return columnOf(source.numbers, value.column)
    case 'id': {
      const id = columnOf(source.ids, value.column)
      return id.bytes ? `lower(hex(${id.sql}))` : id.sql
    }
    case 'flag':
      return columnOf(source.flags, value.column)
    case 'time':
      return `toUnixTimestamp64Micro(${source.time})`
    case 'measurement': {
      if (!source.hasMeasurements) throw new Error('no measurements')
      const key = values.add('String', value.key)
      return `if(mapContains(measurements, ${key}), measurements[${key}], NULL)`
    }
    case 'score':
      if (!source.hasMeasurements) throw new Error('no measurements')
      return value.vital === 'total' ? totalScore() : `if(${hasVital(value.vital)}, ${scoreOf(value.vital)}, NULL)`
    case 'attribute':
      return compileAttribute(source, values, value)
    case 'json': {
      if (isList(value)) return `arrayStringConcat(arrayDistinct(${compileList(source, values, value)}), ', ')`
      const text = jsonText(source, values, value)
      return `if(${compileMention(values, value, text)}, ${compileOnly(values, value, text)}, '')`
    }
  }
}

/** Returns the SQL of a value as rows are grouped by it: a row with several values is in the group of each. */
export function compileKey(source: Source, values: Values, value: Value): string {
  if (value.of !== 'json' || !isList(value)) return compileValue(source, values, value)
  const list = `arrayDistinct(${compileList(source, values, value)})`
  return `arrayJoin(if(empty(${list}), [''], ${list}))`
}

/** Returns the SQL of a value as a number; of a value of several elements, a list of numbers. */
export function compileNumber(source: Source, values: Values, value: Value): string {
  if (value.of === 'attribute') return compileAttribute(source, values, { ...value, as: 'number' })
  if (value.of !== 'json') return compileValue(source, values, value)
  if (!isList(value)) return `toFloat64OrNull(${compileValue(source, values, value)})`
  const list = compileList(source, values, value)
  return `arrayMap(x -> toFloat64OrZero(x), arrayFilter(x -> isNotNull(toFloat64OrNull(x)), ${list}))`
}

/** What the engine answers for a value. */
export type Answered = string | number | null | [string, number | null]

/** Reads a cell. Empty texts, ids of 0 and missing values are null. */
export function readCell(source: Source, value: Value, answered: Answered): Cell {
  if (Array.isArray(answered)) return answered[1] ?? (answered[0] === '' ? null : answered[0])
  switch (value.of) {
    case 'id':
      if (columnOf(source.ids, value.column).bytes) return /^0*$/.test(String(answered)) ? null : String(answered)
      return answered === '0' ? null : hashText(String(answered))
    case 'flag':
      return answered === 1
    case 'number':
      return answered === null ? null : Number(answered)
    case 'time':
      // Microseconds: the engine writes 64-bit numbers as texts.
      return new Date(Math.floor(Number(answered) / 1000)).toISOString()
    case 'attribute':
    case 'json':
      return answered === '' ? null : answered
    default:
      return answered
  }
}

/** Condition that a row has a value, and that it is not empty. */
export function compilePresence(source: Source, values: Values, value: Value): string {
  switch (value.of) {
    case 'text':
      return `(${columnOf(source.texts, value.column)}) != ''`
    case 'id': {
      const id = columnOf(source.ids, value.column)
      return id.bytes ? `${id.sql} != toFixedString('', 16)` : `${id.sql} != 0`
    }
    case 'flag':
    case 'time':
      return '1'
    case 'attribute': {
      const key = values.add('String', value.key)
      const text = `(mapContains(tags, ${key}) AND tags[${key}] != '')`
      if (!source.hasNumbers) return value.as === 'number' ? `isNotNull(toFloat64OrNull(tags[${key}]))` : text
      const number = `mapContains(numbers, ${key})`
      return value.as === 'any' ? `(${text} OR ${number})` : value.as === 'text' ? text : number
    }
    case 'json':
      return isList(value)
        ? `notEmpty(${compileList(source, values, value)})`
        : `(${compileValue(source, values, value)}) != ''`
    default:
      return `isNotNull(${compileValue(source, values, value)})`
  }
}
