import type { Scope } from '../../store/events/events.ts'
import type {
  Aggregate,
  Arithmetic,
  Cell,
  Compare,
  Filter,
  Order,
  QuestionStore,
  Value,
} from '../../store/events/question.ts'
import type { OutcomeRow } from '../../store/meta/meta.ts'
import type { MetaStore } from '../../store/meta/meta-store.ts'
import { fits } from '../search/release-parts.ts'

// Questions over outcomes. The ledger is in the meta store, which has a row for each hour and kind of outcome: some
// thousand for a month. They are read by time and project and computed here, so that both databases answer alike.

/** The questions that a plan asks. */
export type RowQuestions = Pick<
  QuestionStore,
  'newestPart' | 'listRows' | 'groupRows' | 'seriesOfRows' | 'largestOfBuckets'
>

/** `received` is the sum of the others, and downsampled rows stay counted as stored: both would count twice. */
const isCounted = ({ outcome }: OutcomeRow) => outcome !== 'received' && outcome !== 'thinned'

function cellOf(row: OutcomeRow, value: Value): Cell {
  if (value.of === 'time') return new Date(row.hourMs).toISOString()
  if (value.of !== 'text' && value.of !== 'number') return null
  switch (value.column) {
    case 'category':
      return row.category
    case 'outcome':
      return row.outcome
    case 'reason':
      return row.reason
    case 'item':
      return row.itemType === '' ? null : row.itemType
    case 'key':
      return row.keyId === 0 ? null : row.keyId
    case 'quantity':
      return row.quantity
    case 'bytes':
      return row.bytes
    case 'projectId':
      return row.projectId
    default:
      throw new Error(`no column: ${value.column}`)
  }
}

const numberOf = (row: OutcomeRow, value: Value): number | null => {
  const cell = value.of === 'time' ? row.hourMs : cellOf(row, value)
  return typeof cell === 'number' ? cell : null
}

const meets: Record<Compare, (a: number, b: number) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
}

function matches(row: OutcomeRow, filter: Filter): boolean {
  switch (filter.op) {
    case 'and':
      return filter.of.every((part) => matches(row, part))
    case 'or':
      return filter.of.some((part) => matches(row, part))
    case 'not':
      return !matches(row, filter.of)
    case 'projects':
      return filter.ids.includes(row.projectId)
    case 'event':
      return false
    case 'compare': {
      const number = numberOf(row, filter.value)
      return number !== null && meets[filter.compare](number, filter.number)
    }
    case 'match': {
      const cell = cellOf(row, filter.value)
      if (filter.match === 'has') return cell !== null && cell !== ''
      const text = String(cell ?? '')
      if (filter.match === 'is') return text === filter.text
      return fits(text.toLowerCase(), { text: filter.text.toLowerCase(), wild: true })
    }
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Arithmetic over computed aggregates. A missing one makes it null, and so does a division by 0. */
export function compute(of: Arithmetic, computed: readonly (number | null)[]): number | null {
  if (of.op === 'number') return of.value
  if (of.op === 'aggregate') return computed[of.at] ?? null
  const [left, right] = of.of.map((part) => compute(part, computed))
  if (typeof left !== 'number' || typeof right !== 'number') return null
  if (of.op === '+') return left + right
  if (of.op === '-') return left - right
  if (of.op === '*') return left * right
  return right === 0 ? null : left / right
}

/** The numbers of an aggregate with a field. */
function ofField(aggregate: Extract<Aggregate, { of: Value }>, own: readonly OutcomeRow[]): number | null {
  const { of } = aggregate
  if (aggregate.fn === 'unique')
    return new Set(own.map((row) => cellOf(row, of)).filter((cell) => cell !== null && cell !== '')).size
  const numbers = own.flatMap((row) => numberOf(row, of) ?? []).toSorted((a, b) => a - b)
  if (numbers.length === 0) return aggregate.fn === 'sum' ? 0 : null
  switch (aggregate.fn) {
    case 'sum':
      return sum(numbers)
    case 'avg':
      return sum(numbers) / numbers.length
    case 'min':
      return numbers[0] ?? null
    case 'max':
      return numbers.at(-1) ?? null
    case 'valued':
      return numbers.length
    case 'bins':
      throw new Error('no bins of outcomes')
    case 'percentile':
      return numbers[Math.min(numbers.length - 1, Math.floor(aggregate.level * numbers.length))] ?? null
  }
}

const quantity = (rows: readonly OutcomeRow[]) => sum(rows.map((row) => row.quantity))

/** The rows of all groups. Their sum is computed once for each filter: for each group it would take rows x groups steps. */
type All = { length: number; quantityOf(only: Filter | undefined): number }

function allOf(rows: readonly OutcomeRow[]): All {
  const known = new Map<Filter | undefined, number>()
  return {
    length: rows.length,
    quantityOf: (only) => {
      const found = known.get(only) ?? quantity(only ? rows.filter((row) => matches(row, only)) : rows)
      known.set(only, found)
      return found
    },
  }
}

/** Computes the aggregates of a group. */
function aggregated(
  aggregates: readonly Aggregate[],
  rows: readonly OutcomeRow[],
  all: All,
  lengthMs: number,
): (number | null)[] {
  const computed: (number | null)[] = []
  for (const aggregate of aggregates) {
    const { only } = aggregate
    const own = only ? rows.filter((row) => matches(row, only)) : rows
    switch (aggregate.fn) {
      case 'count':
        computed.push(quantity(own))
        break
      case 'samples':
        computed.push(own.length)
        break
      case 'allSamples':
        computed.push(all.length)
        break
      case 'allCount':
        // An hour of the ledger is exact: nothing is extrapolated.
        computed.push(all.length)
        break
      case 'share': {
        const total = all.quantityOf(only)
        computed.push(total === 0 ? null : quantity(own) / total)
        break
      }
      case 'rate':
        computed.push((quantity(own) * aggregate.perMs) / Math.max(1, lengthMs))
        break
      case 'formula':
        computed.push(compute(aggregate.of, computed))
        break
      default:
        computed.push('of' in aggregate ? ofField(aggregate, own) : null)
    }
  }
  return computed
}

/** Orders cells, missing ones last. */
function compareCells(a: Cell | undefined, b: Cell | undefined, descending: boolean): number {
  const [left, right] = [a ?? null, b ?? null]
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  const order = left < right ? -1 : left > right ? 1 : 0
  return descending ? -order : order
}

const ordered = (rows: readonly Cell[][], order: Order): Cell[][] =>
  rows.toSorted((a, b) => {
    for (const { at, descending } of order) {
      const found = compareCells(a[at], b[at], descending)
      if (found !== 0) return found
    }
    return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
  })

const keyOf = (cells: readonly Cell[]) => JSON.stringify(cells)

type Group = { cells: Cell[]; rows: OutcomeRow[] }

/** Rows by the values of their group. Without values there is one group, also if there are no rows. */
function grouped(rows: readonly OutcomeRow[], values: readonly Value[]): Map<string, Group> {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const cells = values.map((value) => cellOf(row, value))
    const group = groups.get(keyOf(cells)) ?? { cells, rows: [] }
    group.rows.push(row)
    groups.set(keyOf(cells), group)
  }
  if (values.length === 0 && groups.size === 0) groups.set('[]', { cells: [], rows: [] })
  return groups
}

type Largest = Pick<Parameters<RowQuestions['largestOfBuckets']>[0], 'values' | 'aggregates' | 'max' | 'bucketMs'>

/** The groups of one bucket with the largest first aggregate. */
function largestOf(rows: readonly OutcomeRow[], asked: Largest & { startMs: number }) {
  const { startMs, values, aggregates, max, bucketMs } = asked
  const all = allOf(rows)
  const found = [...grouped(rows, values).values()]
    .map(({ cells, rows: own }) => [...cells, ...aggregated(aggregates, own, all, bucketMs)])
    .filter((cells) => Number(cells[values.length] ?? 0) > 0)
  return ordered(found, [{ at: values.length, descending: true }])
    .slice(0, max)
    .map((cells) => ({
      startMs,
      group: cells.slice(0, values.length),
      cells: cells.slice(values.length),
      groups: found.length,
    }))
}

/** Creates the questions over the ledger. Rows have the time of their hour; environments do not exist there. */
export function ledgerQuestions(meta: Pick<MetaStore, 'ledger'>): RowQuestions {
  const rowsOf = async ({ projectIds, fromMs, toMs }: Scope, filter: Filter | undefined) =>
    (await meta.ledger.outcomesSince({ projectIds, fromMs })).filter(
      (row) => row.hourMs < toMs && isCounted(row) && (!filter || matches(row, filter)),
    )
  return {
    newestPart: async ({ scope }) => ({ fromMs: scope.fromMs, rows: 0 }),
    async listRows({ scope, filter, values, order, max, offset }) {
      const rows = await rowsOf(scope, filter)
      const cells = rows.toReversed().map((row) => values.map((value) => cellOf(row, value)))
      return (order.length > 0 ? ordered(cells, order) : cells).slice(offset, offset + max)
    },
    async groupRows({ scope, filter, values, aggregates, having, order, max, offset, only }) {
      const rows = await rowsOf(scope, filter)
      const wanted = only && new Set(only.map((cells) => keyOf(cells.slice(0, values.length))))
      const lengthMs = scope.toMs - scope.fromMs
      const all = allOf(rows)
      const found = [...grouped(rows, values).values()]
        .filter(({ cells }) => !wanted || wanted.has(keyOf(cells)))
        .filter(({ rows: own }) =>
          having.every(({ aggregate, compare, number }) => {
            const [value] = aggregated([aggregate], own, all, lengthMs)
            return typeof value === 'number' && meets[compare](value, number)
          }),
        )
        .map(({ cells, rows: own }) => [...cells, ...aggregated(aggregates, own, all, lengthMs)])
      return ordered(found, order).slice(offset, offset + max)
    },
    async seriesOfRows({ scope, filter, values, aggregates, only, bucketMs }) {
      const rows = await rowsOf(scope, filter)
      const wanted = new Set(only.map((cells) => keyOf(cells.slice(0, values.length))))
      const buckets = Map.groupBy(rows, (row) => Math.floor(row.hourMs / bucketMs) * bucketMs)
      return [...buckets]
        .toSorted(([a], [b]) => a - b)
        .flatMap(([startMs, bucket]) => {
          const all = allOf(bucket)
          return [...grouped(bucket, values).values()]
            .filter(({ cells }) => values.length === 0 || wanted.has(keyOf(cells)))
            .map(({ cells, rows: own }) => ({
              startMs,
              group: cells,
              cells: aggregated(aggregates, own, all, bucketMs),
            }))
        })
    },
    largestOfBuckets: async ({ scope, filter, values, aggregates, max, bucketMs }) => {
      const buckets = Map.groupBy(await rowsOf(scope, filter), (row) => Math.floor(row.hourMs / bucketMs) * bucketMs)
      return [...buckets]
        .toSorted(([a], [b]) => a - b)
        .flatMap(([startMs, bucket]) => largestOf(bucket, { startMs, values, aggregates, max, bucketMs }))
    },
  }
}
