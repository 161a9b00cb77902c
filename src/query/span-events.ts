import { MishapError } from '../base/errors.ts'
import type { RestSpanTable } from '../contract/span-search.ts'
import type { Scope } from '../store/events/events.ts'
import type { SpanCell } from '../store/events/span-search.ts'
import { type Page, pageByOffset, readCursor } from './cursor.ts'
import type { QueryDeps, View } from './issue.ts'
import { latestReleases } from './latest.ts'
import { fieldsOf, metaOfFields, orderOf, type SpanField, shownCell, splitFields } from './spans/fields.ts'
import { isWide, type SpanPlan, spanPlan } from './spans/plan.ts'

/**
 * Most spans that one answer reads: of narrow columns, for percentiles, distinct values and all facets of a screen, and
 * of attributes or patterns. Longer ranges are answered from their newest part. Each takes up to 300 ms
 * (bench/span-search.ts): 165 ms for a count of 8.6 million, 220 ms for percentiles of 2 million.
 */
const spansMax = { narrow: 8_000_000, costly: 2_000_000, wide: 1_500_000 }
/** Rows of an order other than by time, and aggregates, are not paged further. */
const offsetMax = 10_000

const wrong = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })

export type SpanView = Pick<View, 'projects' | 'environments' | 'range'>

/** Returns the conditions of a search text over the spans of a view. Throws QUERY_*. */
export async function planOfView(deps: QueryDeps, view: Pick<SpanView, 'projects'>, query: string): Promise<SpanPlan> {
  const projectIds = view.projects.map((project) => project.id)
  return spanPlan(query, {
    nowMs: deps.clock.now(),
    projects: view.projects,
    latestReleases: () => latestReleases(deps.meta, projectIds),
  })
}

/** The part of a view's range that one answer reads. */
type Scanned = { scope: Scope; isPartial: boolean }

const scopeOfView = ({ projects, environments, range }: SpanView): Scope => ({
  projectIds: projects.map((project) => project.id),
  environments,
  fromMs: range.fromMs,
  toMs: range.toMs,
})

/** Returns the newest part of a view that an answer can read in time. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export async function scannedOf(
  deps: QueryDeps,
  view: SpanView,
  reads: keyof typeof spansMax,
  signal?: AbortSignal,
): Promise<Scanned> {
  const scope = scopeOfView(view)
  const { fromMs } = await deps.events.newestSpans(scope, spansMax[reads], signal)
  return { scope: { ...scope, fromMs }, isPartial: fromMs > scope.fromMs }
}

/** The `meta` that says how much of the data an answer is from. */
export const samplingMeta = ({ scope, isPartial }: Scanned, samples: number | null) => ({
  dataset: 'spans' as const,
  samples,
  dataScanned: isPartial ? ('partial' as const) : ('full' as const),
  scannedFrom: new Date(scope.fromMs).toISOString(),
})

/** What fields and conditions cost for each span. */
export const costOf = (fields: readonly SpanField[], plan: SpanPlan): keyof typeof spansMax => {
  const isWideValue = (value: { of: string } | undefined) =>
    value !== undefined && ['attribute', 'measurement', 'score'].includes(value.of)
  const wide = fields.some((field) =>
    field.aggregate ? 'of' in field.aggregate && isWideValue(field.aggregate.of) : isWideValue(field.value),
  )
  if (wide || isWide(plan.filter)) return 'wide'
  const isCostly = fields.some(({ aggregate }) => aggregate?.fn === 'percentile' || aggregate?.fn === 'unique')
  return isCostly ? 'costly' : 'narrow'
}

/** Returns the slug of a project by its id. */
export const slugsOf = (projects: readonly { id: number; slug: string }[]) => {
  const slugs = new Map(projects.map(({ id, slug }) => [id, slug]))
  return (id: number) => slugs.get(id) ?? String(id)
}

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

type SpanAnswer = Page<Record<string, SpanCell>> & { meta: RestSpanTable['meta'] }

/** Attributes of any type are numbers where all of a page are. */
function metaOf(fields: readonly SpanField[], rows: readonly SpanCell[][]) {
  const typed = fields.map((field, at): SpanField => {
    if (field.aggregate || field.value.of !== 'attribute') return field
    const cells = rows.map((row) => row[at] ?? null).filter((cell) => cell !== null)
    const isNumber = cells.length > 0 && cells.every((cell) => typeof cell === 'number')
    return isNumber ? { ...field, type: { type: 'number', unit: null } } : field
  })
  return metaOfFields(typed)
}

/**
 * Returns one page of spans, or of aggregates by the other fields if a field is an aggregate. Without an order: spans
 * newest first, aggregates by the largest first one. Throws VALIDATION (names the wrong field), QUERY_*,
 * STORE_UNAVAILABLE.
 */
export async function spanTable(deps: QueryDeps, view: SpanView, request: TableRequest): Promise<SpanAnswer> {
  const { limit, signal } = request
  const fields = fieldsOf(request.fields)
  if (fields.length === 0) throw wrong('field', 'At least one field.')
  const { offset, after } = readCursor(request.cursor)
  if (after || offset > offsetMax) throw wrong('cursor', `A cursor of this list, up to row ${offsetMax}.`)
  const { values, aggregates } = splitFields(fields)
  const order = orderOf(request.sort, fields)
  const plan = await planOfView(deps, view, request.query)
  if (plan.having.length > 0 && aggregates.length === 0)
    throw wrong('query', 'A condition on a function needs a function among the fields.')
  const isTable = aggregates.length > 0
  const isNewest =
    !isTable && order.every(({ at, descending }) => descending && values[at]?.value.of === 'time') && order.length < 2
  const scanned = isNewest
    ? { scope: scopeOfView(view), isPartial: false }
    : await scannedOf(deps, view, costOf(fields, plan), signal)
  const asked = { scope: scanned.scope, filter: plan.filter, max: limit + 1, offset, signal }
  const withCut = request.withCut || plan.withCut
  // The last aggregate counts the samples of each group.
  const [found, samples] = isTable
    ? await Promise.all([
        deps.events.spanGroups({
          ...asked,
          withCut,
          values: values.map(({ value }) => value),
          aggregates: aggregates.map(({ aggregate }) => aggregate),
          having: plan.having,
          order: order.length > 0 ? order : values.length > 0 ? [{ at: values.length, descending: true }] : [],
        }),
        samplesOf(deps, scanned.scope, plan, signal),
      ])
    : [await deps.events.spanRows({ ...asked, values: values.map(({ value }) => value), order }), null]
  const slugOf = slugsOf(view.projects)
  const sorted: SpanField[] = [...values, ...aggregates]
  const rows = found
    .slice(0, limit)
    .map((cells) =>
      Object.fromEntries(sorted.map((field, at) => [field.name, shownCell(field, cells[at] ?? null, slugOf)])),
    )
  return {
    ...pageByOffset(rows, offset, limit, found.length > limit),
    meta: { ...metaOf(sorted, found), ...samplingMeta(scanned, samples) },
  }
}

/** Returns the number of stored spans that match. */
async function samplesOf(
  deps: QueryDeps,
  scope: Scope,
  { filter }: SpanPlan,
  signal: AbortSignal | undefined,
): Promise<number> {
  const [row] = await deps.events.spanGroups({
    scope,
    filter,
    withCut: false,
    values: [],
    aggregates: [{ fn: 'samples' }],
    having: [],
    order: [],
    max: 1,
    offset: 0,
    signal,
  })
  return Number(row?.[0] ?? 0)
}
