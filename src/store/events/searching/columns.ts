import type { Values } from '../filter.ts'
import { hashText } from '../rows.ts'
import type { SpanAggregate, SpanCell, SpanNumber, SpanText, SpanValue, Vital } from '../span-search.ts'

// The SQL of everything that a search reads of a span. Names come from closed tables, everything else is bound.

/** The description of a transaction's child, or the name of a streamed span: what SDKs call `span.description`. */
const texts: Record<SpanText, string> = {
  op: 'op',
  category: 'category',
  label: "if(description != '', description, name)",
  name: 'name',
  status: 'status',
  transaction: 'transaction',
  route: 'route',
  statement: 'statement',
  kind: 'kind',
  origin: 'origin',
  platform: 'platform',
  release: 'release',
  environment: 'environment',
  cut: 'cut',
}

const numbers: Record<SpanNumber, string> = {
  duration: 'duration / 1000',
  selfTime: 'if(self_time < 0, NULL, self_time / 1000)',
  httpStatus: 'if(http_status = 0, NULL, http_status)',
  weight: 'weight',
  projectId: 'toFloat64(project_id)',
}

const ids = { span: 'span_id', parent: 'parent_id', segment: 'segment_id' } as const

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

/** Returns the SQL of a value as it is selected and grouped. `readCell` reads what the engine answers for it. */
export function compileValue(values: Values, value: SpanValue): string {
  switch (value.of) {
    case 'text':
      return texts[value.column]
    case 'number':
      return numbers[value.column]
    case 'id':
      return value.column === 'trace' ? 'lower(hex(trace_id))' : ids[value.column]
    case 'user':
      return 'user_hash'
    case 'flag':
      return value.column === 'isSegment' ? 'is_segment' : 'failed'
    case 'time':
      return 'toUnixTimestamp64Micro(start)'
    case 'measurement': {
      const key = values.add('String', value.key)
      return `if(mapContains(measurements, ${key}), measurements[${key}], NULL)`
    }
    case 'score':
      return value.vital === 'total' ? totalScore() : `if(${hasVital(value.vital)}, ${scoreOf(value.vital)}, NULL)`
    case 'attribute': {
      const key = values.add('String', value.key)
      const number = `if(mapContains(numbers, ${key}), numbers[${key}], NULL)`
      if (value.as === 'number') return number
      return value.as === 'text' ? `tags[${key}]` : `tuple(tags[${key}], ${number})`
    }
  }
}

/** What the engine answers for a value. */
type Answered = string | number | null | [string, number | null]

/** Reads a cell. Empty texts, ids of 0 and missing values are null. */
export function readCell(value: SpanValue, answered: Answered): SpanCell {
  if (Array.isArray(answered)) return answered[1] ?? (answered[0] === '' ? null : answered[0])
  switch (value.of) {
    case 'id':
      if (value.column === 'trace') return /^0*$/.test(String(answered)) ? null : String(answered)
      return answered === '0' ? null : hashText(String(answered))
    case 'user':
      return answered === '0' ? null : hashText(String(answered))
    case 'flag':
      return answered === 1
    case 'time':
      // Microseconds: the engine writes 64-bit numbers as texts.
      return new Date(Math.floor(Number(answered) / 1000)).toISOString()
    case 'attribute':
      return answered === '' ? null : answered
    default:
      return answered
  }
}

/** Whether a value is compared and averaged as a number. Of an attribute of any type, this is its number. */
export const asNumber = (value: SpanValue): SpanValue => (value.of === 'attribute' ? { ...value, as: 'number' } : value)

/** Weights are fractions, but the engine's weighted percentiles take whole numbers. */
const wholeWeight = 'toUInt32(least(1e8, round(weight * 16)))'

/** How an aggregate is computed: the length of its range, and whether percentiles count cut-off spans. */
export type Over = { lengthMs: number; withCut: boolean }

/** Returns the SQL of an aggregate. */
export function compileAggregate(values: Values, aggregate: SpanAggregate, { lengthMs, withCut }: Over): string {
  switch (aggregate.fn) {
    case 'count':
      return 'sum(weight)'
    case 'samples':
      return 'toFloat64(count())'
    case 'failureCount':
      return 'sum(weight * failed)'
    case 'failureRate':
      return 'sum(weight * failed) / sum(weight)'
    case 'rate':
      return `sum(weight) / ${values.add('Float64', Math.max(1, lengthMs) / aggregate.perMs)}`
    case 'apdex': {
      const limit = values.add('Float64', aggregate.satisfiedMs * 1000)
      return `(sumIf(weight, duration <= ${limit}) + sumIf(weight, duration > ${limit} AND duration <= 4 * ${limit}) / 2) / sum(weight)`
    }
    case 'unique':
      return `toFloat64(uniqIf(${compileValue(values, aggregate.of)}, ${compilePresence(values, aggregate.of)}))`
    case 'min':
    case 'max':
      return `${aggregate.fn}OrNull(${compileValue(values, asNumber(aggregate.of))})`
    case 'sum':
      return `sum(weight * ${compileValue(values, asNumber(aggregate.of))})`
    case 'avg': {
      const number = compileValue(values, asNumber(aggregate.of))
      return `sum(weight * (${number})) / sumIf(weight, isNotNull(${number}))`
    }
    case 'percentile': {
      const number = compileValue(values, asNumber(aggregate.of))
      if (aggregate.level === 1) return withCut ? `maxOrNull(${number})` : `maxOrNullIf(${number}, cut = '')`
      const level = `quantileTDigestWeighted${withCut ? 'OrNull' : 'OrNullIf'}(${aggregate.level})`
      return `${level}(toFloat64(${number}), ${wholeWeight}${withCut ? '' : ", cut = ''"})`
    }
  }
}

/** Condition that a span has a value, and that it is not empty. */
export function compilePresence(values: Values, value: SpanValue): string {
  switch (value.of) {
    case 'text':
      return `(${texts[value.column]}) != ''`
    case 'id':
      return value.column === 'trace' ? "trace_id != toFixedString('', 16)" : `${ids[value.column]} != 0`
    case 'user':
      return 'user_hash != 0'
    case 'flag':
    case 'time':
      return '1'
    case 'attribute': {
      const key = values.add('String', value.key)
      const text = `(mapContains(tags, ${key}) AND tags[${key}] != '')`
      const number = `mapContains(numbers, ${key})`
      return value.as === 'any' ? `(${text} OR ${number})` : value.as === 'text' ? text : number
    }
    default:
      return `isNotNull(${compileValue(values, value)})`
  }
}
