import { binSql } from '../bins.ts'
import type { Aggregate, Arithmetic, Value } from '../question.ts'
import type { Values } from '../reading/filter.ts'
import { compileKey, compileList, compileNumber, compilePresence } from './columns.ts'
import { compileFilter } from './filter.ts'
import { isList } from './json.ts'
import type { Source } from './sources.ts'

/**
 * How aggregates are computed: the length of their range, whether percentiles count cut-off spans, and within what a
 * share is a part of all groups, and the names of columns.
 */
export type Over = { lengthMs: number; withCut: boolean; shareOf: string; nameOf: (at: number) => string }

/** The engine's weighted percentiles take whole numbers as weights, but ours are fractions. */
const wholeWeight = (weight: string) => `toUInt32(least(1e8, round(toFloat64(${weight}) * 16)))`

type Called = {
  name: string
  level?: number
  args: string[]
  where: readonly string[]
  each?: boolean
  orNull?: boolean
}

/** A call of an aggregate function: over the elements of lists, over the rows that meet conditions, null without any. */
function called({ name, level, args, where, each = false, orNull = false }: Called): string {
  const conditions = where.filter((condition) => condition !== '')
  const suffix = `${each ? 'Array' : ''}${conditions.length > 0 ? 'If' : ''}${orNull ? 'OrNull' : ''}`
  const all = conditions.length > 0 ? [...args, conditions.join(' AND ')] : args
  return `${name}${suffix}${level === undefined ? '' : `(${level})`}(${all.join(', ')})`
}

/** Number of rows that the stored ones stand for. */
const weightSum = ({ weight }: Source, where: readonly string[], factor?: string): string =>
  called({ name: 'sum', args: [[weight ?? '1', factor].filter((part) => part !== undefined).join(' * ')], where })

/** Returns SQL of arithmetic over columns, which it names. */
function arithmetic(values: Values, of: Arithmetic, nameOf: (at: number) => string): string {
  switch (of.op) {
    case 'number':
      return values.add('Float64', of.value)
    case 'aggregate':
      return `toFloat64(${nameOf(of.at)})`
    default: {
      const [left, right] = of.of.map((part) => arithmetic(values, part, nameOf))
      return of.op === '/' ? `(${left} / nullIf(${right}, 0))` : `(${left} ${of.op} ${right})`
    }
  }
}

function percentile(source: Source, values: Values, level: number, of: Value, where: readonly string[]): string {
  const number = compileNumber(source, values, of)
  const each = isList(of)
  if (level === 1) return called({ name: 'max', args: [number], where, each, orNull: true })
  const weight = wholeWeight(source.weight ?? '1')
  const args = each ? [number, `arrayMap(x -> ${weight}, ${number})`] : [`toFloat64(${number})`, weight]
  return called({ name: 'quantileTDigestWeighted', level, args, where, each, orNull: true })
}

/** Conditions of rows that percentiles count. */
const withoutCut = (source: Source, over: Over, where: readonly string[]): readonly string[] =>
  source.isCut && !over.withCut ? [...where, `NOT (${source.isCut})`] : where

/** How often each bin has the number. Null is in no bin. */
function binned(source: Source, values: Values, of: Value, where: readonly string[]): string {
  const number = compileNumber(source, values, of)
  const list = isList(of) ? number : `if(isNull(${number}), [], [assumeNotNull(toFloat64(${number}))])`
  const finite = `arrayFilter(x -> isFinite(x), ${list})`
  const weight = wholeWeight(source.weight ?? '1')
  const args = [`arrayMap(x -> ${binSql('x')}, ${finite})`, `arrayMap(x -> toUInt64(${weight}), ${finite})`]
  return `toJSONString(${called({ name: 'sumMap', args, where })})`
}

/** Weighted number of rows, or of elements of lists, that have the number. */
function valued(source: Source, values: Values, of: Value, where: readonly string[]): string {
  const number = compileNumber(source, values, of)
  return isList(of)
    ? called({ name: 'sum', args: [`${source.weight ?? '1'} * length(${number})`], where })
    : weightSum(source, [...where, `isNotNull(${number})`])
}

/** A weighted sum or mean; null for a mean of nothing. */
function summed(source: Source, values: Values, fn: 'sum' | 'avg', of: Value, where: readonly string[]): string {
  const number = compileNumber(source, values, of)
  const weight = source.weight ?? '1'
  if (isList(of)) {
    const sum = called({ name: 'sum', args: [`${weight} * arraySum(${number})`], where })
    return fn === 'sum' ? sum : `${sum} / ${valued(source, values, of, where)}`
  }
  const sum = called({ name: 'sum', args: [`${weight} * (${number})`], where })
  return fn === 'sum' ? sum : `${sum} / ${valued(source, values, of, where)}`
}

/** Returns the SQL of an aggregate. `offset` is the number of the column of the first aggregate. */
export function compileAggregate(
  source: Source,
  values: Values,
  aggregate: Aggregate,
  over: Over,
  offset: number,
): string {
  const only = aggregate.only ? [compileFilter(source, values, aggregate.only)] : []
  switch (aggregate.fn) {
    case 'count':
      return weightSum(source, only)
    case 'samples':
      return only.length > 0 ? `toFloat64(countIf(${only[0]}))` : 'toFloat64(count())'
    case 'allSamples':
      return `sum(count()) OVER (${over.shareOf})`
    case 'allCount':
      return `sum(${weightSum(source, [])}) OVER (${over.shareOf})`
    case 'share': {
      const own = weightSum(source, only)
      return `${own} / sum(${own}) OVER (${over.shareOf})`
    }
    case 'failureCount':
      return weightSum(source, only, source.failed)
    case 'failureRate':
      return `${weightSum(source, only, source.failed)} / ${weightSum(source, only)}`
    case 'rate':
      return `${weightSum(source, only)} / ${values.add('Float64', Math.max(1, over.lengthMs) / aggregate.perMs)}`
    case 'apdex': {
      if (source.duration === undefined) throw new Error('no duration')
      const limit = values.add('Float64', aggregate.satisfiedMs * 1000)
      const satisfied = weightSum(source, [...only, `${source.duration} <= ${limit}`])
      const tolerated = weightSum(source, [
        ...only,
        `${source.duration} > ${limit}`,
        `${source.duration} <= 4 * ${limit}`,
      ])
      return `(${satisfied} + ${tolerated} / 2) / ${weightSum(source, only)}`
    }
    case 'unique': {
      const { of } = aggregate
      if (of.of === 'json' && isList(of))
        return `toFloat64(${called({ name: 'uniq', args: [compileList(source, values, of)], where: only, each: true })})`
      const where = [...only, compilePresence(source, values, of)]
      return `toFloat64(${called({ name: 'uniq', args: [compileKey(source, values, of)], where })})`
    }
    case 'min':
    case 'max': {
      const { fn: name, of } = aggregate
      return called({ name, args: [compileNumber(source, values, of)], where: only, each: isList(of), orNull: true })
    }
    case 'valued':
      return valued(source, values, aggregate.of, only)
    case 'bins':
      return binned(source, values, aggregate.of, withoutCut(source, over, only))
    case 'sum':
    case 'avg':
      return summed(source, values, aggregate.fn, aggregate.of, only)
    case 'percentile':
      return percentile(source, values, aggregate.level, aggregate.of, withoutCut(source, over, only))
    case 'formula':
      return arithmetic(values, aggregate.of, (at) => over.nameOf(offset + at))
  }
}
