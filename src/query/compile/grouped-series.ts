import type { Aggregate, Cell, Filter, Having, Order, Value } from '../../store/events/question.ts'
import type { DatasetFields, PlanView } from './dataset.ts'
import type { RowQuestions } from './ledger.ts'
import { type Reads, withinLimits } from './limits.ts'
import { scopeOfView } from './scope.ts'

type SeriesQuestion = {
  dataset: DatasetFields
  filter: Filter | undefined
  having: readonly Having[]
  withCut: boolean
  values: readonly Value[]
  aggregates: readonly Aggregate[]
  order: Order
  reads: Reads
  /** Most groups. */
  max: number
  bucketMs: number
  signal?: AbortSignal | undefined
}

/** Behind the aggregates of a bucket: its stored rows, and what they stand for. */
const totals: readonly Aggregate[] = [{ fn: 'samples' }, { fn: 'count' }]

/**
 * Returns aggregates by bucket of the largest groups, within the limits. `more`: there are more groups. The groups and
 * their buckets are of the same part of the range. Throws as `withinLimits`.
 */
export function groupedSeries(deps: { events: RowQuestions }, view: PlanView, question: SeriesQuestion) {
  const { dataset, filter, withCut, values, aggregates, having, order, max, bucketMs, reads, signal } = question
  const { from } = dataset
  const limited = { from, scope: scopeOfView(view), reads, signal }
  return withinLimits(deps.events, limited, async (scope, options) => {
    const asked = { from, scope, filter, withCut, values, ...options }
    const found: Cell[][] =
      values.length === 0
        ? [[]]
        : await deps.events.groupRows({ ...asked, aggregates, having, order, max: max + 1, offset: 0 })
    const groups = found.slice(0, max || 1).map((cells) => cells.slice(0, values.length))
    const rows = await deps.events.seriesOfRows({
      ...asked,
      aggregates: [...aggregates, ...totals],
      only: groups,
      bucketMs,
    })
    return { groups, rows, more: found.length > groups.length }
  })
}
