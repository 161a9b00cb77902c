import { MishapError } from '../../base/errors.ts'
import type { RestOutcomeStats } from '../../contract/explore/dataset-search.ts'
import type { Aggregate, Cell, Filter, Value } from '../../store/events/question.ts'
import { bucketMsOf } from '../compile/buckets.ts'
import type { PlanView } from '../compile/dataset.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { ledgerQuestions } from '../compile/ledger.ts'
import { scopeOfView } from '../compile/scope.ts'
import type { QueryDeps } from '../issues/issue.ts'

const wrong = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })

const text = (column: string): Value => ({ of: 'text', column })
const groupValues: Readonly<Record<string, Value>> = {
  category: text('category'),
  outcome: text('outcome'),
  reason: text('reason'),
  project: { of: 'number', column: 'projectId' },
  key_id: { of: 'number', column: 'key' },
}
const quantity: Value = { of: 'number', column: 'quantity' }
/** Fields as clients know them: both are the number of items. */
const fields: Readonly<Record<string, Aggregate>> = {
  'sum(quantity)': { fn: 'sum', of: quantity },
  'sum(times_seen)': { fn: 'sum', of: quantity },
}

/** Other clients know stored items as accepted. */
const restOutcome = (outcome: string) => (outcome === 'stored' ? 'accepted' : outcome)
const ownOutcome = (outcome: string) => (outcome === 'accepted' ? 'stored' : outcome)

type StatsRequest = {
  fields: readonly string[]
  groupBy: readonly string[]
  /** Values to which the items are limited, by column. Empty: all. */
  only: Readonly<Record<'category' | 'outcome' | 'reason', readonly string[]>>
  intervalMs: number | undefined
}

/** Groups of one answer at most. */
const groupsMax = 1000

function demandNames(names: readonly string[], known: object, parameter: string): void {
  const strange = names.find((name) => !Object.hasOwn(known, name))
  if (strange !== undefined)
    throw wrong(parameter, `${JSON.stringify(strange.slice(0, 200))} is none of ${Object.keys(known).join(', ')}.`)
}

function filterOf(only: StatsRequest['only']): Filter {
  const limited = (['category', 'outcome', 'reason'] as const).filter((column) => only[column].length > 0)
  return {
    op: 'and',
    of: limited.map((column) => ({
      op: 'or',
      of: only[column].map((value) => ({
        op: 'match',
        value: text(column),
        match: 'is',
        text: column === 'outcome' ? ownOutcome(value) : value,
      })),
    })),
  }
}

const shown = (name: string, cell: Cell | undefined) =>
  typeof cell === 'string' ? (name === 'outcome' ? restOutcome(cell) : cell) : typeof cell === 'number' ? cell : null
const iso = (ms: number) => new Date(ms).toISOString()
const keyOf = (cells: readonly Cell[]) => JSON.stringify(cells)

/** Returns the sums of outcomes by bucket and group. Throws VALIDATION that names a wrong field, group or interval. */
export async function outcomeStats(
  deps: Pick<QueryDeps, 'meta'>,
  view: PlanView,
  request: StatsRequest,
): Promise<RestOutcomeStats> {
  const { groupBy } = request
  const names = request.fields.length > 0 ? request.fields : ['sum(quantity)']
  demandNames(names, fields, 'field')
  demandNames(groupBy, groupValues, 'groupBy')
  const bucketMs = bucketMsOf(fieldsOfDataset('outcomes'), view.range, request.intervalMs)
  const values = groupBy.flatMap((name) => groupValues[name] ?? [])
  const aggregates = names.flatMap((name) => fields[name] ?? [])
  const question = { from: 'outcomes', scope: scopeOfView(view), filter: filterOf(request.only) } as const
  const asked = { ...question, withCut: false, values, aggregates }
  const ledger = ledgerQuestions(deps.meta)
  const groups = await ledger.groupRows({
    ...asked,
    having: [],
    order: [{ at: values.length, descending: true }],
    max: groupsMax,
    offset: 0,
  })
  const rows = await ledger.seriesOfRows({ ...asked, only: groups, bucketMs })
  const firstMs = Math.floor(view.range.fromMs / bucketMs) * bucketMs
  const length = Math.ceil((view.range.toMs - firstMs) / bucketMs)
  const starts = Array.from({ length }, (_, n) => firstMs + n * bucketMs)
  const found = new Map(rows.map((row) => [keyOf([...row.group, row.startMs]), row.cells]))
  return {
    start: iso(firstMs),
    end: iso(firstMs + length * bucketMs),
    intervals: starts.map(iso),
    groups: groups.map((cells) => {
      const group = cells.slice(0, values.length)
      const bucket = (startMs: number, at: number) => Number(found.get(keyOf([...group, startMs]))?.[at] ?? 0)
      return {
        by: Object.fromEntries(groupBy.map((name, at) => [name, shown(name, group[at])])),
        totals: Object.fromEntries(names.map((name, at) => [name, Number(cells[values.length + at] ?? 0)])),
        series: Object.fromEntries(names.map((name, at) => [name, starts.map((startMs) => bucket(startMs, at))])),
      }
    }),
  }
}
