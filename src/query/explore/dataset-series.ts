import { MishapError } from '../../base/errors.ts'
import type {
  RestDatasetStats,
  RestDatasetStatsSeries,
  RestDatasetTimeseries,
} from '../../contract/explore/dataset-search.ts'
import type { Cell } from '../../store/events/question.ts'
import type { DatasetFields, PlanView } from '../compile/dataset.ts'
import { fieldsOfDataset, type RowDataset } from '../compile/datasets.ts'
import { type AggregateField, fieldsOf, metaOfFields, orderOf, shownCell, splitFields } from '../compile/fields.ts'
import { groupedSeries } from '../compile/grouped-series.ts'
import { readsOf, searchOfView } from '../compile/question.ts'
import { slugsOf } from '../compile/scope.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { bucketOf } from '../range.ts'
import { samplingMeta } from './dataset-table.ts'

/** Most buckets of a series, and most groups of one answer. */
const bucketsMax = 2000
const groupsMax = 10

const wrong = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })

export type SeriesRequest = {
  yAxis: readonly string[]
  /** Fields whose values make a series each. Needs `top`. */
  groupBy: readonly string[]
  top: number
  query: string
  sort: readonly string[]
  /** `5m`, `1h`, or milliseconds. */
  interval: string | undefined
  withCut: boolean
  signal?: AbortSignal | undefined
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Returns the length of the buckets in ms. Throws VALIDATION for a text of another form and for too many buckets. */
function intervalOf(text: string | undefined, range: PlanView['range']): number {
  if (text === undefined || text === '') return bucketOf(range, 120)
  const [, amount = '', unit = ''] = /^(\d{1,12})(ms|[smhdw])?$/.exec(text) ?? []
  const bucketMs = Number(amount) * (unitMs[unit] ?? 1)
  if (amount === '' || bucketMs < 1000)
    throw wrong('interval', 'A length of at least a second, such as 5m, 1h or 3600000.')
  if ((range.toMs - range.fromMs) / bucketMs > bucketsMax)
    throw wrong('interval', `It makes more than ${bucketsMax} buckets. Choose a longer interval or a shorter range.`)
  return bucketMs
}

type Point = { startMs: number; value: number | null; samples: number }
type Series = { field: AggregateField; group: Cell[]; points: Point[] }

/** A bucket without rows has no percentile, but it has a count. */
const emptyOf = ({ type }: AggregateField['type']): number | null => (type === 'integer' || type === 'rate' ? 0 : null)

/** Reads the fields of a request. Throws VALIDATION that names a wrong field. */
function readRequest(dataset: DatasetFields, request: SeriesRequest) {
  const fields = fieldsOf(dataset, request.yAxis.length > 0 ? request.yAxis : ['count()'], 'yAxis')
  const { values: notAggregates, aggregates } = splitFields(fields)
  if (notAggregates[0]) throw wrong('yAxis', `${notAggregates[0].name} is no function, such as count().`)
  const grouped = splitFields(fieldsOf(dataset, request.groupBy, 'groupBy'))
  if (grouped.aggregates[0]) throw wrong('groupBy', `${grouped.aggregates[0].name} is a function. Group by fields.`)
  const sort = request.sort.length > 0 ? request.sort : [`-${aggregates[0]?.name}`]
  return { aggregates, groups: grouped.values, order: orderOf(sort, [...grouped.values, ...aggregates]) }
}

async function seriesOf(deps: QueryDeps, view: PlanView, name: RowDataset, request: SeriesRequest) {
  const dataset = fieldsOfDataset(name)
  const { aggregates, groups: groupFields, order } = readRequest(dataset, request)
  const bucketMs = intervalOf(request.interval, view.range)
  const search = await searchOfView(deps, dataset, view, request.query)
  const values = groupFields.map(({ value }) => value)
  const wanted = aggregates.map(({ aggregate }) => aggregate)
  const { answer, scanned } = await groupedSeries(deps, view, {
    ...search,
    dataset,
    withCut: request.withCut || search.withCut,
    values,
    aggregates: wanted,
    order,
    reads: readsOf(values, wanted, search.filter),
    max: Math.min(groupsMax, request.top),
    bucketMs,
    signal: request.signal,
  })
  const { groups, rows } = answer
  const startMs = Math.floor(view.range.fromMs / bucketMs) * bucketMs
  const starts = Array.from(
    { length: Math.ceil((view.range.toMs - startMs) / bucketMs) },
    (_, n) => startMs + n * bucketMs,
  )
  const found = new Map(rows.map((row) => [JSON.stringify([row.group, row.startMs]), row.cells]))
  const all = groups.flatMap((group) =>
    aggregates.map((field, at): Series => {
      const points = starts.map((bucketStartMs): Point => {
        const cells = found.get(JSON.stringify([group, bucketStartMs]))
        const value = cells ? (cells[at] ?? null) : emptyOf(field.type)
        const shown = field.type.type === 'integer' && typeof value === 'number' ? Math.round(value) : value
        return {
          startMs: bucketStartMs,
          value: typeof shown === 'number' ? shown : null,
          samples: Number(cells?.[aggregates.length] ?? 0),
        }
      })
      return { field, group, points }
    }),
  )
  const slugOf = slugsOf(view.projects)
  const shownGroup = (group: Cell[]) =>
    groupFields.map((field, at) => ({ key: field.name, value: shownCell(field, group[at] ?? null, slugOf) }))
  const samples = rows.reduce((sum, row) => sum + Number(row.cells[aggregates.length] ?? 0), 0)
  return { all, groups, aggregates, bucketMs, shownGroup, meta: samplingMeta(dataset, scanned, samples) }
}

/** Returns series with times in ms. Throws VALIDATION (names the wrong function), QUERY_*, STORE_UNAVAILABLE. */
export async function datasetTimeseries(
  deps: QueryDeps,
  view: PlanView,
  dataset: RowDataset,
  request: SeriesRequest,
): Promise<RestDatasetTimeseries> {
  const { all, groups, bucketMs, shownGroup, meta } = await seriesOf(deps, view, dataset, request)
  const nowMs = deps.clock.now()
  return {
    timeSeries: all.map(({ field, group, points }) => ({
      yAxis: field.name,
      groupBy: group.length > 0 ? shownGroup(group) : null,
      values: points.map(({ startMs, value, samples }) => ({
        timestamp: startMs,
        value,
        incomplete: startMs + bucketMs > nowMs,
        sampleCount: samples,
      })),
      meta: {
        valueType: field.type.type,
        valueUnit: field.type.unit,
        interval: bucketMs,
        order: groups.indexOf(group),
      },
    })),
    meta: { ...meta, start: view.range.fromMs, end: view.range.toMs },
  }
}

/** Returns series with times in seconds, in the older form. Throws as `datasetTimeseries`. */
export async function datasetStats(
  deps: QueryDeps,
  view: PlanView,
  dataset: RowDataset,
  request: SeriesRequest,
): Promise<RestDatasetStats> {
  const { all, groups, aggregates, shownGroup, meta } = await seriesOf(deps, view, dataset, request)
  const shown = ({ field, points }: Series, order: number): RestDatasetStatsSeries => ({
    data: points.map(({ startMs, value }) => [Math.floor(startMs / 1000), [{ count: value }]]),
    order,
    start: Math.floor(view.range.fromMs / 1000),
    end: Math.floor(view.range.toMs / 1000),
    isMetricsData: false,
    meta: { ...metaOfFields([field]), ...meta },
  })
  const ofGroup = (group: Cell[], order: number) => {
    const own = all.filter((series) => series.group === group)
    const [only] = own
    if (own.length === 1 && only) return shown(only, order)
    return { ...Object.fromEntries(own.map((series, at) => [series.field.name, shown(series, at)])), order }
  }
  const nameOf = (group: Cell[]) =>
    shownGroup(group)
      .map(({ value }) => String(value ?? '(none)'))
      .join(',')
  if (request.groupBy.length > 0)
    return Object.fromEntries(groups.map((group, order) => [nameOf(group), ofGroup(group, order)]))
  const [first] = all
  if (aggregates.length === 1 && first) return shown(first, 0)
  return Object.fromEntries(all.map((series, at) => [series.field.name, shown(series, at)]))
}
