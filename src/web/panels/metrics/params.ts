import { isRelativeRange } from '../../../domain/time-ranges.ts'
import { metricKeyOf } from '../../../query/metrics/metric-keys.ts'
import type { MetricOrder } from '../../../query/metrics/metrics.ts'
import type { MetricPair } from '../../../store/events/metric-store.ts'
import { exploreHref } from '../../client/explore-link.ts'
import { searchWith } from '../../client/search-with.ts'
import { type Range, rangeOf } from '../search/range.ts'
import { keyOfTag, quoted } from '../search/terms.ts'

// Server page and browser both use this module, so that they read a URL the same way.

export const metricOrders: readonly MetricOrder[] = ['newest', 'name', 'points']
/** The range of the page without a parameter. */
const metricsPeriod = '24h'
/** Limits of a query: between 1970 and 2106, at most ten years. */
const momentMsMax = 4_294_967_295_000
const rangeMsMax = 3650 * 86_400_000
const textMax = 250
const valueMax = 1024
const filtersMax = 10
const offsetMax = 100_000

/** The state of the screen, as in its URL. */
export type MetricParams = {
  /** A part of the names in the list. */
  q: string
  project: string
  env: string
  range: Range
  sort: MetricOrder
  /** Number of metrics before the page's first. */
  at: number
  /** The open metric; '' for none. */
  name: string
  aggregate: string
  /** The attribute that groups the points; '' for none. */
  by: string
  where: MetricPair[]
  /** Start of the bucket whose points are shown, and their group. */
  bucketMs: number | undefined
  group: string | undefined
}

export type MetricChange = Partial<
  Record<
    | 'q'
    | 'project'
    | 'env'
    | 't'
    | 'from'
    | 'to'
    | 'sort'
    | 'at'
    | 'name'
    | 'agg'
    | 'by'
    | 'where'
    | 'bucket'
    | 'group',
    string | null
  >
>

/** Filters as one parameter: a query string of their keys and values. */
const pairsOf = (text: string): MetricPair[] =>
  [...new URLSearchParams(text)]
    .slice(0, filtersMax)
    .map(([key, value]) => ({ key: key.slice(0, textMax), value: value.slice(0, valueMax) }))
    .filter(({ key }) => key !== '')

/** The filters with one more, or without it if it is there. */
export function toggledPair(where: readonly MetricPair[], pair: MetricPair): string {
  const rest = where.filter(({ key, value }) => key !== pair.key || value !== pair.value)
  const all = rest.length < where.length ? rest : [...rest.filter(({ key }) => key !== pair.key), pair]
  return new URLSearchParams(all.map(({ key, value }): [string, string] => [key, value])).toString()
}

function requestedRange(search: URLSearchParams): Range {
  const period = search.get('t') ?? ''
  const t = isRelativeRange(period) ? period : metricsPeriod
  const range = rangeOf({ t, from: search.get('from'), to: search.get('to') })
  if (range.kind === 'relative') return range
  const fits = range.fromMs >= 0 && range.toMs <= momentMsMax && range.toMs - range.fromMs <= rangeMsMax
  return fits ? range : { kind: 'relative', period: metricsPeriod }
}

/** Reads the query string. Unknown values fall back to the defaults. */
export function metricParams(search: URLSearchParams): MetricParams {
  const text = (key: string, max = textMax) => (search.get(key) ?? '').slice(0, max)
  const at = /^\d{1,6}$/.test(text('at')) ? Number(text('at')) : 0
  return {
    q: text('q').trim(),
    project: search.get('project') ?? '',
    env: search.get('env') ?? '',
    range: requestedRange(search),
    sort: metricOrders.find((sort) => sort === search.get('sort')) ?? 'newest',
    at: Math.min(at, offsetMax),
    name: text('name'),
    aggregate: text('agg', 20),
    by: text('by'),
    where: pairsOf(search.get('where') ?? ''),
    bucketMs: /^\d{1,13}$/.test(text('bucket')) ? Math.min(Number(text('bucket')), momentMsMax) : undefined,
    group: search.has('group') ? text('group', valueMax) : undefined,
  }
}

/**
 * The changed query string with its `?`. A change of the list returns to its first page, one of the chart closes the open
 * bucket, and another metric has its own aggregate, groups and filters.
 */
export function changedSearch(search: URLSearchParams, change: MetricChange): string {
  const isPage = 'at' in change || 'name' in change
  const isBucket = 'bucket' in change
  return searchWith(search, {
    ...(isPage || isBucket ? {} : { at: null }),
    ...(isBucket ? {} : { bucket: null, group: null }),
    ...('name' in change ? { agg: null, by: null, where: null } : {}),
    ...change,
  })
}

/** Whether no filter is set. An empty list then means that no metric came in the range. */
export const isPlain = ({ q, project, env, at }: MetricParams): boolean =>
  q === '' && project === '' && env === '' && at === 0

/** The aggregates of this screen that a query has under another name, or has the nearest of. */
const planAggregates: Readonly<Record<string, string>> = { count: 'count()', rate: 'sum(value)', last: 'avg(value)' }

/** Attributes that are also keys of the search, with the same values. */
const sharedKeys: readonly string[] = ['service', 'release', 'environment']
const termOf = ({ key, value }: MetricPair): string =>
  `${sharedKeys.includes(key) ? key : keyOfTag(key, metricKeyOf)}:${value === '' ? '""' : quoted(value)}`

/** The address of Explore with what the screen shows: the open metric as it is drawn, or the points of all. */
export function metricsInExplore(organization: string, params: MetricParams, aggregate: string): string {
  const { name, by, where } = params
  if (name === '') return exploreHref(organization, 'metrics', '', params)
  const terms = [`metric.name:${quoted(name)}`, ...where.map(termOf)].join(' ')
  const href = exploreHref(organization, 'metrics', terms, params)
  const drawn = new URLSearchParams({ s: planAggregates[aggregate] ?? `${aggregate}(value)` })
  if (by !== '') drawn.set('by', by)
  return `${href}&${drawn}`
}
