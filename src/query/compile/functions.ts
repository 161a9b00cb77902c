import type { Aggregate, Value } from '../../store/events/question.ts'
import type { KeySource } from '../search/key.ts'
import type { DatasetFields } from './dataset.ts'
import { jsonPathOf } from './json-path.ts'

/** The type of a field in an answer, and its unit. */
export type FieldType = {
  type: 'string' | 'number' | 'integer' | 'duration' | 'percentage' | 'date' | 'boolean' | 'rate'
  unit: 'millisecond' | '1/second' | '1/minute' | null
}

const plain = (type: FieldType['type']): FieldType => ({ type, unit: null })
const milliseconds: FieldType = { type: 'duration', unit: 'millisecond' }

type Call = { name: string; argument: string }
type Made = Aggregate | string
type DatasetFunction = {
  /** Whether it takes an argument, and whether that must be a number. */
  takes: 'nothing' | 'field' | 'number' | 'threshold'
  make(of: Value, argument: string): Made
  type(of: FieldType): FieldType
}

const itself = (type: FieldType) => type
const percentile = (level: number): DatasetFunction => ({
  takes: 'number',
  make: (of) => ({ fn: 'percentile', level, of }),
  type: itself,
})
const ofNumber = (fn: 'avg' | 'sum' | 'min' | 'max'): DatasetFunction => ({
  takes: 'number',
  make: (of) => ({ fn, of }),
  type: itself,
})
const counted = (fn: 'count' | 'samples' | 'failureCount'): DatasetFunction => ({
  takes: 'nothing',
  make: () => ({ fn }),
  type: () => plain('integer'),
})
const rate = (perMs: number, unit: '1/second' | '1/minute'): DatasetFunction => ({
  takes: 'nothing',
  make: () => ({ fn: 'rate', perMs }),
  type: () => ({ type: 'rate', unit }),
})
const minute = rate(60_000, '1/minute')
const second = rate(1000, '1/second')

/** Largest threshold of Apdex: a day. */
const thresholdMsMax = 86_400_000

/** Every function, by name. */
const functions: ReadonlyMap<string, DatasetFunction> = new Map<string, DatasetFunction>([
  ['count', counted('count')],
  ['share', { takes: 'nothing', make: () => ({ fn: 'share' }), type: () => plain('percentage') }],
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
export type NamedValue = { value: Value; type: FieldType; project?: 'slug' | 'id' }

function typeOf(value: Value, keyType: string): FieldType {
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

/** A path into the JSON of a text: `body.order.items[].id`, or `items[].id` in an attribute. Else undefined. */
export function jsonValueOf(dataset: DatasetFields, name: string): Value | undefined {
  const body = dataset.json
  const ofBody = body && name.startsWith(`${body.prefix}.`) ? jsonPathOf(name.slice(body.prefix.length + 1)) : undefined
  if (body && ofBody) return { of: 'json', text: { of: 'text', column: body.column }, path: ofBody }
  const [, key = '', rest = ''] = /^([^[\]]{1,200})(\[.*)$/.exec(name) ?? []
  const path = key !== '' && attributeForm.test(key) ? jsonPathOf(rest) : undefined
  return path && { of: 'json', text: { of: 'attribute', key, as: 'text' }, path }
}

/** What a key stands for as a field. Undefined: it is only a condition. */
function valueOfSource(source: KeySource, type: string): NamedValue | undefined {
  if (source.in === 'row') return { value: source.value, type: typeOf(source.value, type) }
  if (source.in !== 'project') return undefined
  return {
    value: { of: 'number', column: 'projectId' },
    type: plain(source.by === 'slug' ? 'string' : 'integer'),
    project: source.by,
  }
}

/** Returns what a name stands for: a key of the table, a path, or an attribute. Undefined: it is no name. */
export function valueOfName(dataset: DatasetFields, name: string): NamedValue | undefined {
  const tagged = dataset.isClosed ? null : /^tags\[([^\]]{1,200}?)(?:,\s*(number|string|boolean))?\]$/.exec(name)
  if (tagged) {
    const as = tagged[2] === undefined ? 'any' : tagged[2] === 'number' ? 'number' : 'text'
    const value: Value = { of: 'attribute', key: tagged[1] ?? '', as }
    return { value, type: typeOf(value, '') }
  }
  const known = dataset.fieldOf?.(name) ?? dataset.keyOf(name)
  if (known) return valueOfSource(known.source, known.type)
  if (dataset.isClosed) return undefined
  const value = jsonValueOf(dataset, name) ?? (attributeForm.test(name) ? attributeOf(name) : undefined)
  return value && { value, type: typeOf(value, '') }
}

const attributeOf = (key: string): Value => ({ of: 'attribute', key, as: 'any' })

const numeric = ({ value }: NamedValue) =>
  ['number', 'measurement', 'score', 'attribute', 'json', 'flag'].includes(value.of)

/** Stands for the field of a function that takes none. */
const nothing: NamedValue = { value: { of: 'time' }, type: plain('number') }

/** Splits `p95(span.duration)`. Undefined: the text is no call of a function. */
export function callOf(text: string): Call | undefined {
  const found = /^([A-Za-z_]\w{0,50})\(([^()]{0,220})\)$/.exec(text)
  return found ? { name: found[1] ?? '', argument: (found[2] ?? '').trim() } : undefined
}

/** Functions that only some datasets have. */
const special = new Set(['failure_count', 'failure_rate', 'apdex', 'performance_score', 'tpm', 'tps'])
const isOf = (dataset: DatasetFields, name: string) => !special.has(name) || dataset.functions.includes(name)

/** The functions of a dataset, by name. */
const functionNames = (dataset: DatasetFields): string[] => [...functions.keys()].filter((name) => isOf(dataset, name))

/** Reads a call of a function. A text: what was expected instead. */
export function functionOf(
  dataset: DatasetFields,
  { name, argument }: Call,
): { aggregate: Aggregate; type: FieldType } | string {
  const found = isOf(dataset, name) ? functions.get(name) : undefined
  if (!found) return `${name} is no function of ${dataset.word}. Functions are ${functionNames(dataset).join(', ')}`
  const { measured } = dataset
  const isOptional = found.takes !== 'field' && (found.takes !== 'number' || measured !== undefined)
  if (argument === '' && !isOptional)
    return `${name}() needs a field, such as ${name}(${found.takes === 'field' ? 'user' : 'value'})`
  if (argument !== '' && found.takes === 'nothing' && argument !== measured?.name) return `${name}() takes no argument`
  const isOwn = argument === '' || found.takes === 'threshold' || found.takes === 'nothing'
  const of: NamedValue | undefined = isOwn ? (measured ?? nothing) : valueOfName(dataset, argument)
  if (!of) return `${argument} in ${name}() is no field`
  if (found.takes === 'number' && !numeric(of)) return `${argument} in ${name}() is no number`
  const made = found.make(of.value, argument)
  const type = of.value.of === 'attribute' || of.value.of === 'json' ? plain('number') : of.type
  return typeof made === 'string' ? `${name}() takes ${made}` : { aggregate: made, type: found.type(type) }
}

/** Reads the aggregate of a condition. A text: what was expected instead. */
export function aggregateOfText(dataset: DatasetFields, text: string): Aggregate | string {
  const call = callOf(text)
  const made = call ? functionOf(dataset, call) : `a function, such as count()`
  return typeof made === 'string' ? made : made.aggregate
}
