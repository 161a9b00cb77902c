import { MishapError } from '../../base/errors.ts'
import { aggregatesOf, type MetricAggregate, type MetricType } from '../../domain/metrics.ts'
import type { Scope } from '../../store/events/events.ts'
import type { ListedMetric, MetricAttribute, MetricPair, MetricSample } from '../../store/events/metric-store.ts'
import type { QueryDeps, View } from '../issues/issue.ts'
import { bucketOf } from '../range.ts'

/** Metrics of one page. */
export const metricsPerPage = 50
/** Groups that are drawn, and that the table lists. */
const drawnGroups = 8
const listedGroups = 20
const samplesMax = 20
const attributesMax = 12
const valuesMax = 6
const trendBuckets = 30
const chartBuckets = 60
export const metricFiltersMax = 10

export type MetricsView = Pick<View, 'projects' | 'environments' | 'range'>
export type MetricOrder = 'name' | 'newest' | 'points'

const scopeOf = ({ projects, environments, range }: MetricsView): Scope => ({
  projectIds: projects.map((project) => project.id),
  environments,
  fromMs: range.fromMs,
  toMs: range.toMs,
})

/** A metric in the list, with its course. `trend`: start (ms) and value of each bucket that has points. */
export type MetricEntry = ListedMetric & { trend: [startMs: number, value: number][] }

/** Points of a project that lost attributes, because it has more series than its limit. */
export type FoldedProject = {
  project: string
  /** Series that the project stores in an hour. */
  max: number
  points: number
  sinceMs: number
  /** The metrics with the most such points. */
  names: string[]
}

export type MetricsPage = { metrics: MetricEntry[]; more: boolean; folded: FoldedProject[]; bucketMs: number }

/** The points that lost attributes, by project. */
async function foldedOf(deps: QueryDeps, view: MetricsView): Promise<FoldedProject[]> {
  const found = Map.groupBy(await deps.events.foldedMetrics(scopeOf(view)), ({ projectId }) => projectId)
  return view.projects.flatMap((project) => {
    const own = found.get(project.id)
    if (!own) return []
    return {
      project: project.slug,
      max: project.metricSeriesMax,
      points: own.reduce((sum, { points }) => sum + points, 0),
      sinceMs: Math.min(...own.map(({ sinceMs }) => sinceMs)),
      names: own.slice(0, 3).map(({ name }) => name),
    }
  })
}

/** Returns a page of the metrics of a view, and what was folded there. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export async function listMetrics(
  deps: QueryDeps,
  view: MetricsView,
  { text, order, offset }: { text: string; order: MetricOrder; offset: number },
): Promise<MetricsPage> {
  const scope = scopeOf(view)
  const bucketMs = bucketOf(view.range, trendBuckets)
  const [found, folded] = await Promise.all([
    deps.events.metricList({ scope, text, order, max: metricsPerPage + 1, offset }),
    foldedOf(deps, view),
  ])
  const shown = found.slice(0, metricsPerPage)
  const trends = Map.groupBy(
    await deps.events.metricTrends(
      scope,
      shown.map(({ name }) => name),
      bucketMs,
    ),
    ({ name }) => name,
  )
  const metrics = shown.map((metric) => ({
    ...metric,
    trend: (trends.get(metric.name) ?? []).map(({ startMs, value }): [number, number] => [startMs, value]),
  }))
  return { metrics, more: found.length > metricsPerPage, folded, bucketMs }
}

export type MetricRequest = {
  name: string
  /** Undefined, or not fitting the type: the default of the type. */
  aggregate: string | undefined
  by: string | undefined
  where: readonly MetricPair[]
  /** Only points of the bucket that starts here, and of a group. Undefined: of the whole range. */
  bucket: { startMs: number; group: string | undefined } | undefined
}

export type MetricDetails = {
  name: string
  type: MetricType
  unit: string
  points: number
  folded: number
  aggregate: MetricAggregate
  bucketMs: number
  /** Groups with their value over the whole range; those that are drawn have points. */
  groups: { group: string; value: number; points: number; series: [startMs: number, value: number][] }[]
  moreGroups: boolean
  attributes: MetricAttribute[]
  samples: MetricSample[]
}

/**
 * Returns a metric by time and group, its attributes, and points with the traces behind them. Undefined: the view has no
 * point of it. Throws VALIDATION, STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function metricDetails(
  deps: QueryDeps,
  view: MetricsView,
  request: MetricRequest,
): Promise<MetricDetails | undefined> {
  const { name, by, where, bucket } = request
  if (where.length > metricFiltersMax)
    throw new MishapError('VALIDATION', { fields: { where: [`At most ${metricFiltersMax} filters.`] } })
  const scope = scopeOf(view)
  const [metric] = await deps.events.metricList({ scope, text: name, order: 'name', max: 1, offset: 0, isWhole: true })
  if (!metric) return undefined
  const fits = aggregatesOf(metric.type)
  const aggregate = fits.find((candidate) => candidate === request.aggregate) ?? fits[0] ?? 'count'
  const bucketMs = bucketOf(view.range, chartBuckets)
  const selection = { scope, name, where }
  const inBucket = bucket && {
    scope: {
      ...scope,
      fromMs: Math.max(scope.fromMs, bucket.startMs),
      toMs: Math.min(scope.toMs, bucket.startMs + bucketMs),
    },
    name,
    where: by !== undefined && bucket.group !== undefined ? [...where, { key: by, value: bucket.group }] : where,
  }
  const [groups, attributes, samples] = await Promise.all([
    deps.events.metricGroups({ ...selection, by, aggregate, max: listedGroups + 1 }),
    deps.events.metricAttributes({ ...selection, keys: attributesMax, max: valuesMax }),
    deps.events.metricSamples({ ...(inBucket ?? selection), max: samplesMax, withTrace: inBucket !== undefined }),
  ])
  const listed = groups.slice(0, listedGroups)
  const only = listed.slice(0, drawnGroups).map(({ group }) => group)
  const series = Map.groupBy(
    await deps.events.metricSeries({ ...selection, by, only, aggregate, bucketMs }),
    ({ group }) => group,
  )
  return {
    name: metric.name,
    type: metric.type,
    unit: metric.unit,
    points: metric.points,
    folded: metric.folded,
    aggregate,
    bucketMs,
    groups: listed.map((group) => ({
      ...group,
      series: (series.get(group.group) ?? []).map(({ startMs, value }): [number, number] => [startMs, value]),
    })),
    moreGroups: groups.length > listedGroups,
    attributes,
    samples,
  }
}
