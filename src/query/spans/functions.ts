import type { SpanAggregate, SpanValue } from '../../store/events/span-search.ts'
import { spanKeyOf } from '../span-keys.ts'

/** The type of a field in an answer, and its unit. */
export type FieldType = {
  type: 'string' | 'number' | 'integer' | 'duration' | 'percentage' | 'date' | 'boolean' | 'rate'
  unit: 'millisecond' | '1/second' | '1/minute' | null
}

const plain = (type: FieldType['type']): FieldType => ({ type, unit: null })
const milliseconds: FieldType = { type: 'duration', unit: 'millisecond' }

type Call = { name: string; argument: string }
type Made = SpanAggregate | string
type SpanFunction = {
  /** Whether it takes an argument, and whether that must be a number. */
  takes: 'nothing' | 'field' | 'number' | 'threshold'
  make(of: SpanValue, argument: string): Made
  type(of: FieldType): FieldType
}

const itself = (type: FieldType) => type
const percentile = (level: number): SpanFunction => ({
  takes: 'number',
  make: (of) => ({ fn: 'percentile', level, of }),
  type: itself,
})
const ofNumber = (fn: 'avg' | 'sum' | 'min' | 'max'): SpanFunction => ({
  takes: 'number',
  make: (of) => ({ fn, of }),
  type: itself,
})
const counted = (fn: 'count' | 'samples' | 'failureCount'): SpanFunction => ({
  takes: 'nothing',
  make: () => ({ fn }),
  type: () => plain('integer'),
})
const rate = (perMs: number, unit: '1/second' | '1/minute'): SpanFunction => ({
  takes: 'nothing',
  make: () => ({ fn: 'rate', perMs }),
  type: () => ({ type: 'rate', unit }),
})
const minute = rate(60_000, '1/minute')
const second = rate(1000, '1/second')

/** Largest threshold of Apdex: a day. */
const thresholdMsMax = 86_400_000

/** Every function, by name. */
const functions: ReadonlyMap<string, SpanFunction> = new Map<string, SpanFunction>([
  ['count', { ...counted('count'), takes: 'nothing' }],
  ['count_sample', counted('samples')],
  ['count_unique', { takes: 'field', make: (of) => ({ fn: 'unique', of }), type: () => plain('integer') }],
  ['avg', ofNumber('avg')],
  ['sum', ofNumber('sum')],
  ['min', ofNumber('min')],
  ['max', ofNumber('max')],
  ['p50', percentile(0.5)],
  ['p75', percentile(0.75)],
  ['p90', percentile(0.9)],
  ['p95', percentile(0.95)],
  ['p99', percentile(0.99)],
  ['p100', percentile(1)],
  ['failure_count', counted('failureCount')],
  ['failure_rate', { takes: 'nothing', make: () => ({ fn: 'failureRate' }), type: () => plain('percentage') }],
  ['epm', minute],
  ['tpm', minute],
  ['eps', second],
  ['tps', second],
  [
    'apdex',
    {
      takes: 'threshold',
      make: (_of, argument) => {
        const satisfiedMs = argument === '' ? 300 : Number(argument)
        return /^(\d{1,8}(\.\d{1,3})?)?$/.test(argument) && satisfiedMs > 0 && satisfiedMs <= thresholdMsMax
          ? { fn: 'apdex', satisfiedMs }
          : 'milliseconds, such as apdex(300)'
      },
      type: () => plain('number'),
    },
  ],
  [
    'performance_score',
    {
      takes: 'number',
      make: (of) => (of.of === 'score' ? { fn: 'avg', of } : 'measurements.score.total, or lcp, inp, cls, fcp or ttfb'),
      type: () => plain('number'),
    },
  ],
])

/** A value that a field or an argument names. */
export type NamedValue = { value: SpanValue; type: FieldType; project?: 'slug' | 'id' }

function typeOf(value: SpanValue, keyType: string): FieldType {
  if (keyType === 'duration') return milliseconds
  switch (value.of) {
    case 'number':
    case 'measurement':
    case 'score':
      return plain('number')
    case 'flag':
      return plain('boolean')
    case 'time':
      return plain('date')
    case 'attribute':
      return plain(value.as === 'number' ? 'number' : 'string')
    default:
      return plain('string')
  }
}

const attributeForm = /^[^\s"'`()[\]{},\\:]{1,200}$/

/** Returns what a name stands for: a key of the table, or an attribute. Undefined: it is no name. */
export function valueOfName(name: string): NamedValue | undefined {
  const tagged = /^tags\[([^\]]{1,200}?)(?:,\s*(number|string|boolean))?\]$/.exec(name)
  if (tagged) {
    const as = tagged[2] === undefined ? 'any' : tagged[2] === 'number' ? 'number' : 'text'
    const value: SpanValue = { of: 'attribute', key: tagged[1] ?? '', as }
    return { value, type: typeOf(value, '') }
  }
  if (name === 'user') return { value: { of: 'user' }, type: plain('string') }
  const known = spanKeyOf(name)
  if (known?.source.in === 'span') return { value: known.source.value, type: typeOf(known.source.value, known.type) }
  if (known?.source.in === 'project')
    return {
      value: { of: 'number', column: 'projectId' },
      type: plain(known.source.by === 'slug' ? 'string' : 'integer'),
      project: known.source.by,
    }
  if (known || !attributeForm.test(name)) return undefined
  const value: SpanValue = { of: 'attribute', key: name, as: 'any' }
  return { value, type: typeOf(value, '') }
}

const numeric = ({ value }: NamedValue) =>
  value.of === 'number' || value.of === 'measurement' || value.of === 'score' || value.of === 'attribute'

/** Splits `p95(span.duration)`. Undefined: the text is no call of a function. */
export function callOf(text: string): Call | undefined {
  const found = /^([A-Za-z_]\w{0,50})\(([^()]{0,220})\)$/.exec(text)
  return found ? { name: found[1] ?? '', argument: (found[2] ?? '').trim() } : undefined
}

const names = [...functions.keys()].join(', ')

/** Reads a call of a function. A text: what was expected instead. */
export function functionOf({ name, argument }: Call): { aggregate: SpanAggregate; type: FieldType } | string {
  const found = functions.get(name)
  if (!found) return `${name} is no function. Functions are ${names}`
  const duration: NamedValue = { value: { of: 'number', column: 'duration' }, type: milliseconds }
  const isOptional = found.takes === 'number' || found.takes === 'nothing' || found.takes === 'threshold'
  if (argument === '' && !isOptional) return `${name}() needs a field, such as ${name}(user)`
  if (argument !== '' && found.takes === 'nothing' && !/^span\.duration$/.test(argument))
    return `${name}() takes no argument`
  const of = argument === '' || found.takes === 'threshold' ? duration : valueOfName(argument)
  if (!of) return `${argument} in ${name}() is no field`
  if (found.takes === 'number' && !numeric(of)) return `${argument} in ${name}() is no number`
  const made = found.make(of.value, argument)
  const type = of.value.of === 'attribute' ? plain('number') : of.type
  return typeof made === 'string' ? `${name}() takes ${made}` : { aggregate: made, type: found.type(type) }
}

/** Reads the aggregate of a condition. A text: what was expected instead. */
export function aggregateOfText(text: string): SpanAggregate | string {
  const call = callOf(text)
  const made = call ? functionOf(call) : `a function, such as p95(span.duration)`
  return typeof made === 'string' ? made : made.aggregate
}
