import { MishapError } from '../../base/errors.ts'
import { valueOfBin } from '../../store/events/bins.ts'
import type { Aggregate, Arithmetic, Cell, Filter, Value } from '../../store/events/question.ts'
import { compute } from './ledger.ts'

/** A merged part of a window: a number, the weight of each bin, or nothing. */
type Merged = number | ReadonlyMap<number, number> | null

/** A part of an aggregate that can be computed of short buckets and merged. */
export type Part = { aggregate: Aggregate; merge: 'sum' | 'min' | 'max' | 'bins' }

/** An aggregate as parts, and how their merged values make it. */
type Recipe = { parts: Part[]; valueOf(merged: readonly Merged[], windowMs: number): number | null }

const numberOf = (merged: Merged | undefined): number => (typeof merged === 'number' ? merged : 0)
const ratio = (a: number, b: number): number | null => (b === 0 ? null : a / b)
const sumOf = (aggregate: Aggregate): Part => ({ aggregate, merge: 'sum' })

/** A condition with another one beside it. */
export const both = (...filters: readonly (Filter | undefined)[]): Filter | undefined => {
  const of = filters.filter((filter) => filter !== undefined)
  return of.length > 1 ? { op: 'and', of } : of[0]
}

/** The bin at a level of the weights, as a percentile. Null: no bin has any. */
function percentileOf(merged: Merged | undefined, level: number): number | null {
  if (!(merged instanceof Map)) return null
  const bins = [...(merged as ReadonlyMap<number, number>)]
    .filter(([, weight]) => weight > 0)
    .toSorted(([a], [b]) => a - b)
  const total = bins.reduce((sum, [, weight]) => sum + weight, 0)
  let passed = 0
  for (const [bin, weight] of bins) {
    passed += weight
    if (passed >= level * total) return valueOfBin(bin)
  }
  return null
}

function apdexRecipe(only: Filter | undefined, satisfiedMs: number): Recipe {
  const duration: Value = { of: 'number', column: 'duration' }
  const within = (number: number): Part =>
    sumOf({ fn: 'count', only: both(only, { op: 'compare', value: duration, compare: '<=', number }) })
  return {
    parts: [within(satisfiedMs), within(4 * satisfiedMs), sumOf({ fn: 'count', only })],
    // Half of those that are tolerated: (satisfied + all within the second limit) / 2.
    valueOf: ([satisfied, tolerated, all]) => ratio((numberOf(satisfied) + numberOf(tolerated)) / 2, numberOf(all)),
  }
}

/** Returns an aggregate as parts. Undefined: it has no parts that can be merged. */
function recipeOf(aggregate: Aggregate): Recipe | undefined {
  const { only } = aggregate
  switch (aggregate.fn) {
    case 'count':
    case 'samples':
    case 'failureCount':
      return { parts: [sumOf(aggregate)], valueOf: ([merged]) => numberOf(merged) }
    case 'rate':
      return {
        parts: [sumOf({ fn: 'count', only })],
        valueOf: ([count], windowMs) => numberOf(count) / (windowMs / aggregate.perMs),
      }
    case 'failureRate':
      return {
        parts: [sumOf({ fn: 'failureCount', only }), sumOf({ fn: 'count', only })],
        valueOf: ([failed, all]) => ratio(numberOf(failed), numberOf(all)),
      }
    case 'sum':
    case 'avg': {
      const { of, fn } = aggregate
      return {
        parts: [sumOf({ fn: 'sum', of, only }), sumOf({ fn: 'valued', of, only })],
        valueOf: ([sum, valued]) =>
          fn === 'avg' ? ratio(numberOf(sum), numberOf(valued)) : numberOf(valued) === 0 ? null : numberOf(sum),
      }
    }
    case 'min':
    case 'max':
      return {
        parts: [{ aggregate, merge: aggregate.fn }],
        valueOf: ([merged]) => (typeof merged === 'number' ? merged : null),
      }
    case 'percentile': {
      const { level, of } = aggregate
      if (level === 1)
        return {
          parts: [{ aggregate, merge: 'max' }],
          valueOf: ([merged]) => (typeof merged === 'number' ? merged : null),
        }
      return {
        parts: [{ aggregate: { fn: 'bins', of, only }, merge: 'bins' }],
        valueOf: ([bins]) => percentileOf(bins, level),
      }
    }
    case 'apdex':
      return apdexRecipe(only, aggregate.satisfiedMs)
    default:
      return undefined
  }
}

/** A number of different values: the only aggregate whose windows are asked for. */
type UniquePart = { of: Value; only: Filter | undefined }

/** The measure of a rule: what is asked of each bucket, and how a window's value is made of it. */
export type Recipes = {
  /** The first counts the rows that the minimum of a rule is about. */
  parts: Part[]
  uniques: UniquePart[]
  valueOf(merged: readonly Merged[], uniques: readonly number[], windowMs: number): number | null
}

const wrong = (sentence: string) => new MishapError('VALIDATION', { fields: { of: [sentence] } })

/** The places of the aggregates that a formula names. */
function placesOf(of: Arithmetic): number[] {
  if (of.op === 'number') return []
  return of.op === 'aggregate' ? [of.at] : of.of.flatMap(placesOf)
}

type Placed = (merged: readonly Merged[], uniques: readonly number[], windowMs: number) => number | null

/**
 * Returns the measure of one of these aggregates. Throws VALIDATION for a share, which is a part of groups that a rule
 * does not have.
 */
export function recipesOf(aggregates: readonly Aggregate[], at: number): Recipes {
  const wanted = aggregates[at]
  const parts: Part[] = [sumOf({ fn: 'count', only: wanted?.only })]
  const uniques: UniquePart[] = []
  function place(aggregate: Aggregate | undefined): Placed {
    if (aggregate?.fn === 'unique') {
      const own = uniques.push({ of: aggregate.of, only: aggregate.only }) - 1
      return (_merged, counts) => counts[own] ?? 0
    }
    const recipe = aggregate && recipeOf(aggregate)
    if (!recipe) throw wrong('share() is a part of groups, and a rule watches one number.')
    const first = parts.push(...recipe.parts) - recipe.parts.length
    return (merged, _counts, windowMs) => recipe.valueOf(merged.slice(first, first + recipe.parts.length), windowMs)
  }
  if (wanted?.fn !== 'formula') return { parts, uniques, valueOf: place(wanted) }
  const { of } = wanted
  const placed = new Map([...new Set(placesOf(of))].map((named) => [named, place(aggregates[named])]))
  return {
    parts,
    uniques,
    valueOf: (merged, counts, windowMs) => {
      const values: (number | null)[] = []
      for (const [named, measured] of placed) values[named] = measured(merged, counts, windowMs)
      return compute(of, values)
    },
  }
}

/** The answer of one bucket for one part, as it is merged. */
export type Bucket = readonly (number | ReadonlyMap<number, number> | null)[]

/** Reads the cells of a bucket. */
export const bucketOf = (parts: readonly Part[], cells: readonly Cell[]): Bucket =>
  parts.map(({ merge }, at) => {
    const cell = cells[at]
    if (merge !== 'bins') return typeof cell === 'number' ? cell : null
    if (typeof cell !== 'string') return null
    const [bins = [], weights = []] = JSON.parse(cell) as [number[], (number | string)[]]
    return new Map(bins.map((bin, place) => [bin, Number(weights[place])]))
  })

/** A part of all buckets of a window that have it. */
function mergedNumber(window: ReadonlyMap<number, Bucket>, at: number, merge: 'sum' | 'min' | 'max'): number | null {
  let merged: number | null = null
  for (const bucket of window.values()) {
    const own = bucket[at]
    if (typeof own !== 'number') continue
    if (merged === null) merged = own
    else merged = merge === 'sum' ? merged + own : Math[merge](merged, own)
  }
  return merged
}

type Merging = { add(startMs: number, bucket: Bucket): void; drop(startMs: number): void; merged(): Merged[] }

/**
 * Merges the buckets of a window that moves: whole weights of bins are added and dropped exactly. Sums are added again for
 * each window, as fractions that are dropped leave a rest, and so are limits.
 */
export function createMerging(parts: readonly Part[]): Merging {
  const window = new Map<number, Bucket>()
  const bins = parts.map(({ merge }) => (merge === 'bins' ? new Map<number, number>() : undefined))
  const addBins = (bucket: Bucket, sign: 1 | -1) => {
    for (const [at, sums] of bins.entries()) {
      const own = bucket[at]
      if (!sums || !(own instanceof Map)) continue
      for (const [bin, weight] of own as ReadonlyMap<number, number>)
        sums.set(bin, (sums.get(bin) ?? 0) + sign * weight)
    }
  }
  return {
    add: (startMs, bucket) => {
      window.set(startMs, bucket)
      addBins(bucket, 1)
    },
    drop: (startMs) => {
      const bucket = window.get(startMs)
      if (bucket) addBins(bucket, -1)
      window.delete(startMs)
    },
    merged: () =>
      parts.map(({ merge }, at) => (merge === 'bins' ? (bins[at] ?? null) : mergedNumber(window, at, merge))),
  }
}
