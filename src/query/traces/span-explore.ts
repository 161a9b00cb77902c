import type { Cell, Facet, Value } from '../../store/events/question.ts'
import type { TraceSummary } from '../../store/events/span-search.ts'
import type { PlanView } from '../compile/dataset.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { isWide } from '../compile/filter.ts'
import { newestScope } from '../compile/limits.ts'
import { searchOfView } from '../compile/question.ts'
import { scopeOfView, slugsOf } from '../compile/scope.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { bucketOf } from '../range.ts'

export type ExploreMode = 'traces' | 'spans'
export type ExploreSort = 'newest' | 'slowest' | 'fastest'

/** Rows of one page. */
const exploreRowsMax = 50
/** Found spans whose traces are listed: several can be of one trace. */
const spansForTraces = 400
const facetValuesMax = 6
const attributesMax = 6
const barsMax = 60

/** Keys of the search, and the columns that they name. */
const facetColumns: readonly (readonly [key: string, column: string])[] = [
  ['span.category', 'category'],
  ['span.op', 'op'],
  ['span.status', 'status'],
  ['environment', 'environment'],
  ['release', 'release'],
]

/** A span in the list. */
export type ExploreSpan = {
  id: string
  traceId: string
  projectId: number
  label: string
  op: string
  transaction: string
  failed: boolean
  startMs: number
  durationMs: number
}

/** One bar of the histogram: [fromUs, toUs) with extrapolated counts. */
export type DurationBar = { fromMs: number; toMs: number; count: number; failed: number }

export type Exploration = {
  spans: ExploreSpan[]
  traces: TraceSummary[]
  more: boolean
  facets: Facet[]
  histogram: DurationBar[]
  series: { startMs: number; count: number; failed: number }[]
  bucketMs: number
  /** Spans that match, extrapolated, and the stored ones among them. */
  count: number
  samples: number
  /** Start of the part of the range that was counted, if it is not the whole range. */
  partialFromMs: number | undefined
}

type Request = { query: string; mode: ExploreMode; sort: ExploreSort; offset: number }

const rowValues: readonly Value[] = [
  { of: 'id', column: 'span' },
  { of: 'id', column: 'trace' },
  { of: 'number', column: 'projectId' },
  { of: 'text', column: 'label' },
  { of: 'text', column: 'op' },
  { of: 'text', column: 'transaction' },
  { of: 'flag', column: 'failed' },
  { of: 'time' },
  { of: 'number', column: 'duration' },
]
const durationAt = rowValues.length - 1

const readSpan = (cells: readonly Cell[]): ExploreSpan => {
  const [id, traceId, projectId, label, op, transaction, failed, time, durationMs] = cells
  return {
    id: String(id ?? ''),
    traceId: String(traceId ?? ''),
    projectId: Number(projectId),
    label: String(label ?? ''),
    op: String(op ?? ''),
    transaction: String(transaction ?? ''),
    failed: failed === true,
    startMs: Date.parse(String(time)),
    durationMs: Number(durationMs),
  }
}

/** The traces of found spans, in the order of the spans, at most a page of them. */
async function tracesOf(deps: QueryDeps, projectIds: number[], found: readonly ExploreSpan[]): Promise<TraceSummary[]> {
  const ids = [...new Set(found.map(({ traceId }) => traceId).filter((id) => id !== ''))].slice(0, exploreRowsMax)
  const starts = found.filter(({ traceId }) => ids.includes(traceId)).map(({ startMs }) => startMs)
  if (ids.length === 0) return []
  const range = { projectIds, fromMs: Math.min(...starts), toMs: Math.max(...starts) }
  const summaries = await deps.events.traceSummaries(range, ids)
  const byId = new Map(summaries.map((summary) => [summary.traceId, summary]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The bars of a histogram without gaps, merged where they are too many. A bucket is a third of a doubling. */
function barsOf(found: readonly { at: number; count: number; failed: number }[]): DurationBar[] {
  const [first, last] = [found[0]?.at, found.at(-1)?.at]
  if (first === undefined || last === undefined) return []
  const buckets = new Map(found.map((bucket) => [bucket.at, bucket]))
  const step = Math.ceil((last - first + 1) / barsMax)
  const limitMs = (at: number) => 2 ** (at / 3) / 1000
  return Array.from({ length: Math.ceil((last - first + 1) / step) }, (_, n) => {
    const from = first + n * step
    const own = Array.from({ length: step }, (_unused, k) => buckets.get(from + k))
    return {
      fromMs: limitMs(from),
      toMs: limitMs(from + step),
      count: own.reduce((sum, bucket) => sum + (bucket?.count ?? 0), 0),
      failed: own.reduce((sum, bucket) => sum + (bucket?.failed ?? 0), 0),
    }
  })
}

/**
 * Returns everything that the screen of traces shows for a search: rows, facets, the distribution of durations and the
 * failures over time. Rows by time are of the whole range; the rest is of its newest part, if the range has too many
 * spans. Throws QUERY_*, STORE_UNAVAILABLE.
 */
export async function exploreSpans(deps: QueryDeps, view: PlanView, request: Request): Promise<Exploration> {
  const { mode, sort, offset } = request
  const { filter } = await searchOfView(deps, fieldsOfDataset('spans'), view, request.query)
  const whole = scopeOfView(view)
  const part = await newestScope(deps.events, 'spans', whole, isWide(filter) ? 'wide' : 'costly')
  const projectIds = view.projects.map((project) => project.id)
  const asked = { from: 'spans' as const, scope: part, filter }
  const bucketMs = bucketOf(view.range, 60)
  const max = mode === 'traces' ? spansForTraces : exploreRowsMax
  const [cells, columns, projects, attributes, histogram, series] = await Promise.all([
    deps.events.listRows({
      from: 'spans',
      scope: sort === 'newest' ? whole : part,
      filter,
      values: rowValues,
      order: sort === 'newest' ? [] : [{ at: durationAt, descending: sort === 'slowest' }],
      max: max + 1,
      offset: mode === 'spans' ? offset : 0,
    }),
    deps.events.columnFacets({ ...asked, columns: facetColumns.map(([, column]) => column), max: facetValuesMax }),
    projectIds.length > 1 ? deps.events.projectFacet(asked) : [],
    deps.events.attributeFacets({ ...asked, keys: attributesMax, max: facetValuesMax }),
    deps.events.durationHistogram(asked),
    deps.events.seriesOfRows({
      ...asked,
      withCut: true,
      values: [],
      only: [],
      aggregates: [{ fn: 'count' }, { fn: 'failureCount' }, { fn: 'samples' }],
      bucketMs,
    }),
  ])
  const found = cells.slice(0, max).map(readSpan)
  const slugOf = slugsOf(view.projects)
  const keyOf = new Map<string, string>(facetColumns.map(([key, column]) => [column, key]))
  const projectFacet: Facet = {
    key: 'project',
    values: projects.slice(0, facetValuesMax).map(({ projectId, ...rest }) => ({ value: slugOf(projectId), ...rest })),
  }
  const sum = (at: number) => series.reduce((total, row) => total + Number(row.cells[at] ?? 0), 0)
  return {
    spans: mode === 'spans' ? found : [],
    traces: mode === 'traces' ? await tracesOf(deps, projectIds, found) : [],
    more: mode === 'spans' && cells.length > max,
    facets: [
      ...columns.map((facet) => ({ ...facet, key: keyOf.get(facet.key) ?? facet.key })),
      ...(projectFacet.values.length > 0 ? [projectFacet] : []),
      ...attributes,
    ],
    histogram: barsOf(histogram),
    series: series.map(({ startMs, cells: [count, failed] }) => ({
      startMs,
      count: Number(count ?? 0),
      failed: Number(failed ?? 0),
    })),
    bucketMs,
    count: Math.round(sum(0)),
    samples: sum(2),
    partialFromMs: part.fromMs > whole.fromMs ? part.fromMs : undefined,
  }
}
