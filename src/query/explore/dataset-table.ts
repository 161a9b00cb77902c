import { MishapError } from '../../base/errors.ts'
import type { RestDatasetTable } from '../../contract/explore/dataset-search.ts'
import type { Cell } from '../../store/events/question.ts'
import type { DatasetFields, PlanView } from '../compile/dataset.ts'
import { fieldsOfDataset, type RowDataset } from '../compile/datasets.ts'
import { type Field, fieldsOf, metaOfFields, orderOf, shownCell, splitFields } from '../compile/fields.ts'
import { type Scanned, withinLimits } from '../compile/limits.ts'
import { readsOf, searchOfView } from '../compile/question.ts'
import { scopeOfView, slugsOf } from '../compile/scope.ts'
import { type Page, pageByOffset, readCursor } from '../cursor.ts'
import type { QueryDeps } from '../issues/issue.ts'

/** Checks that a dataset accepts a search, without running it. Throws QUERY_*. */
export async function checkSearch(
  deps: QueryDeps,
  name: RowDataset,
  view: Pick<PlanView, 'projects' | 'meUserId'>,
  query: string,
): Promise<void> {
  await searchOfView(deps, fieldsOfDataset(name), { ...view, environments: [] }, query)
}

/** Rows of an order other than by time, and aggregates, are not paged further. */
const offsetMax = 10_000

const wrong = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })

/** The `meta` that says how much of the data an answer is from. */
export const samplingMeta = (
  { name }: DatasetFields,
  { scope, partial, cost }: Scanned,
  samples: number | null,
): Omit<RestDatasetTable['meta'], 'fields' | 'units'> => ({
  dataset: name,
  samples,
  dataScanned: partial ? 'partial' : 'full',
  partial,
  scannedFrom: new Date(scope.fromMs).toISOString(),
  scannedTo: new Date(scope.toMs).toISOString(),
  rowsRead: cost.rows,
  bytesRead: cost.bytes,
})

type TableRequest = {
  fields: readonly string[]
  query: string
  sort: readonly string[]
  limit: number
  cursor?: string | undefined
  /** Percentiles count cut-off spans, too. */
  withCut: boolean
  signal?: AbortSignal | undefined
}

type TableAnswer = Page<Record<string, Cell>> & { meta: RestDatasetTable['meta'] }

/** Attributes of any type are numbers where all of a page are. */
function metaOf(fields: readonly Field[], rows: readonly Cell[][]) {
  const typed = fields.map((field, at): Field => {
    if (field.aggregate || field.value.of !== 'attribute') return field
    const cells = rows.map((row) => row[at] ?? null).filter((cell) => cell !== null)
    const isNumber = cells.length > 0 && cells.every((cell) => typeof cell === 'number')
    return isNumber ? { ...field, type: { type: 'number', unit: null } } : field
  })
  return metaOfFields(typed)
}

/**
 * Returns one page of rows of a dataset, or of aggregates by the other fields if a field is an aggregate. Without an
 * order: rows newest first, aggregates by the largest of the first field. Throws VALIDATION (names the wrong field), QUERY_*,
 * STORE_UNAVAILABLE.
 */
export async function datasetTable(
  deps: QueryDeps,
  view: PlanView,
  name: RowDataset,
  request: TableRequest,
): Promise<TableAnswer> {
  const { limit, signal } = request
  const dataset = fieldsOfDataset(name)
  const { from } = dataset
  const fields = fieldsOf(dataset, request.fields)
  if (fields.length === 0) throw wrong('field', 'At least one field.')
  const { offset, after } = readCursor(request.cursor)
  if (after || offset > offsetMax) throw wrong('cursor', `A cursor of this list, up to row ${offsetMax}.`)
  const { values, aggregates } = splitFields(fields)
  const order = orderOf(request.sort, fields)
  const search = await searchOfView(deps, dataset, view, request.query)
  if (search.having.length > 0 && aggregates.length === 0)
    throw wrong('query', 'A condition on a function needs a function among the fields.')
  const isTable = aggregates.length > 0
  const isNewest =
    !isTable && order.every(({ at, descending }) => descending && values[at]?.value.of === 'time') && order.length < 2
  const { filter } = search
  const read = values.map(({ value }) => value)
  const measures = aggregates.map(({ aggregate }) => aggregate)
  const reads = isNewest ? 'newest' : readsOf(read, measures, filter)
  const { answer, scanned } = await withinLimits(
    deps.events,
    { from, scope: scopeOfView(view), reads, signal },
    async (scope, options) => {
      const asked = { from, scope, filter, values: read, max: limit + 1, offset, ...options }
      if (!isTable) return deps.events.listRows({ ...asked, order })
      return deps.events.groupRows({
        ...asked,
        withCut: request.withCut || search.withCut,
        // The last one counts the stored rows of all groups.
        aggregates: [...measures, { fn: 'allSamples' }],
        having: search.having,
        order: order.length > 0 ? order : values.length > 0 ? [{ at: values.length, descending: true }] : [],
      })
    },
  )
  const slugOf = slugsOf(view.projects)
  const sorted: Field[] = [...values, ...aggregates]
  const rows = answer
    .slice(0, limit)
    .map((cells) =>
      Object.fromEntries(sorted.map((field, at) => [field.name, shownCell(field, cells[at] ?? null, slugOf)])),
    )
  const samples = isTable ? Number(answer[0]?.[sorted.length] ?? 0) : null
  return {
    ...pageByOffset(rows, offset, limit, answer.length > limit),
    meta: { ...metaOf(sorted, answer), ...samplingMeta(dataset, scanned, samples) },
  }
}
