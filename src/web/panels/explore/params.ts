import type { Plan } from '../../../contract/explore/explore.ts'
import type { RestSavedQuery } from '../../../contract/explore/saved-queries.ts'
import { type Dataset, datasets, planLimits } from '../../../domain/datasets.ts'
import { isRelativeRange } from '../../../domain/time-ranges.ts'
import type { ProjectName } from '../search/list-params.ts'
import { type Range, rangeOf } from '../search/range.ts'
import { scopeOfView } from '../search/views.ts'

// Server page and browser both use this module, so that they read a URL the same way.

const exploreModes = ['chart', 'rows', 'sql'] as const
/** Series over time and by group; rows; or a statement of an owner. */
type ExploreMode = (typeof exploreModes)[number]
export const chartKinds = ['line', 'area', 'bar'] as const
type ChartKind = (typeof chartKinds)[number]

/** The range of the page without a parameter. */
export const explorePeriod = '24h'
const textMax = 4096
const rowsShown = 100

/** The state of the page, as in its URL. */
export type ExploreParams = {
  mode: ExploreMode
  kind: ChartKind
  plan: Plan
  project: string
  env: string
  range: Range
  /** Id of the saved query that the page was opened with; '' for none. */
  saved: string
}

/** Columns of rows where the reader chose none. */
const ordinaryColumns: Readonly<Record<Dataset, readonly string[]>> = {
  errors: ['timestamp', 'level', 'title', 'project', 'release'],
  spans: ['timestamp', 'span.op', 'span.description', 'span.duration', 'project'],
  logs: ['timestamp', 'severity', 'message', 'service', 'project'],
  metrics: ['timestamp', 'metric.name', 'metric.type', 'value', 'project'],
  outcomes: ['timestamp', 'category', 'outcome', 'reason', 'quantity', 'project'],
}

/** The first series of a dataset. Of the ledger, rows are counts. */
const ordinaryAggregate = (dataset: Dataset): string => (dataset === 'outcomes' ? 'sum(quantity)' : 'count()')

/** Between the aggregate of a series and its own filter, in the URL. No aggregate has this in it. */
const where = ' where '

/** The name of a column by its place: a, b, and so on; formulas follow the series. */
const nameAt = (place: number): string => String.fromCharCode(97 + place)

const seriesOf = (text: string, place: number): Plan['series'][number] => {
  const at = text.indexOf(where)
  const aggregate = (at < 0 ? text : text.slice(0, at)).trim().slice(0, 300)
  const query = at < 0 ? '' : text.slice(at + where.length).trim()
  return { name: nameAt(place), aggregate, ...(query === '' ? {} : { query: query.slice(0, textMax) }) }
}

const filled = (values: readonly string[], max: number): string[] =>
  values
    .map((value) => value.trim().slice(0, 300))
    .filter((value) => value !== '')
    .slice(0, max)

function planOf(search: URLSearchParams, mode: ExploreMode): Plan {
  const dataset = datasets.find((known) => known === search.get('dataset')) ?? 'errors'
  const given = filled(search.getAll('s'), planLimits.series)
  const series = mode === 'rows' ? [] : (given.length > 0 ? given : [ordinaryAggregate(dataset)]).map(seriesOf)
  const formulas = mode === 'rows' ? [] : filled(search.getAll('f'), planLimits.formulas)
  const columns = filled(search.getAll('c'), planLimits.columns)
  const limit = Number(search.get('n') ?? '')
  return {
    dataset,
    query: (search.get('q') ?? '').trim().slice(0, textMax),
    columns: mode === 'rows' ? (columns.length > 0 ? columns : [...ordinaryColumns[dataset]]) : [],
    groupBy: mode === 'rows' ? [] : filled(search.getAll('by'), planLimits.groups),
    series,
    formulas: formulas.map((expression, at) => ({ name: nameAt(series.length + at), expression })),
    order: (search.get('sort') ?? '').slice(0, 300),
    limit: Number.isInteger(limit) && limit >= 1 ? Math.min(limit, planLimits.rows) : rowsShown,
    ...(mode === 'chart' && search.get('compare') === '1' ? { compare: 'previous' as const } : {}),
  }
}

/** Reads the range of a query string: 24 hours if it has none. */
export function exploreRange(search: URLSearchParams): Range {
  const period = search.get('t') ?? ''
  return rangeOf({
    t: isRelativeRange(period) ? period : explorePeriod,
    from: search.get('from'),
    to: search.get('to'),
  })
}

/** Reads the query string. Unknown values fall back to the defaults: the number of errors of the last 24 hours. */
export function exploreParams(search: URLSearchParams): ExploreParams {
  const mode = exploreModes.find((known) => known === search.get('mode')) ?? 'chart'
  return {
    mode,
    kind: chartKinds.find((known) => known === search.get('kind')) ?? 'line',
    plan: planOf(search, mode),
    project: search.get('project') ?? '',
    env: search.get('env') ?? '',
    range: exploreRange(search),
    saved: /^\d{1,15}$/.test(search.get('saved') ?? '') ? (search.get('saved') ?? '') : '',
  }
}

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((item, at) => item === b[at])

/** Writes a plan into a query string. Values that are the default are left out. */
function writePlan(search: URLSearchParams, plan: Plan, mode: ExploreMode): void {
  if (plan.dataset !== 'errors') search.set('dataset', plan.dataset)
  if (plan.query !== '') search.set('q', plan.query)
  const series = plan.series.map(({ aggregate, query }) => (query ? `${aggregate}${where}${query}` : aggregate))
  if (mode !== 'rows' && !same(series, [ordinaryAggregate(plan.dataset)]))
    for (const text of series) search.append('s', text)
  for (const { expression } of plan.formulas) search.append('f', expression)
  for (const field of plan.groupBy) search.append('by', field)
  if (mode === 'rows' && !same(plan.columns, ordinaryColumns[plan.dataset]))
    for (const field of plan.columns) search.append('c', field)
  if (plan.order !== '') search.set('sort', plan.order)
  if (plan.limit !== rowsShown) search.set('n', String(plan.limit))
  if (plan.compare) search.set('compare', '1')
}

/** The query string of a state, with its `?`; '' for the plain page. */
export function exploreSearch({ mode, kind, plan, project, env, range, saved }: ExploreParams): string {
  const search = new URLSearchParams()
  if (mode !== 'chart') search.set('mode', mode)
  if (kind !== 'line') search.set('kind', kind)
  writePlan(search, plan, mode)
  if (project) search.set('project', project)
  if (env) search.set('env', env)
  if (range.kind === 'absolute') {
    search.set('from', new Date(range.fromMs).toISOString())
    search.set('to', new Date(range.toMs).toISOString())
  } else if (range.period !== explorePeriod) search.set('t', range.period)
  if (saved) search.set('saved', saved)
  return search.size > 0 ? `?${search}` : ''
}

/** The address of a new alert rule that watches the query. `name`: of its saved query. */
export function alertHref(organization: string, params: ExploreParams, name: string | undefined): string {
  const search = new URLSearchParams(exploreSearch(params))
  search.set('dataset', params.plan.dataset)
  if (name) search.set('name', name)
  return `/o/${organization}/alerts/new?${search}`
}

/** Renumbers series and formulas after one was added or removed, so that names stay a, b, c. */
export const renamed = (plan: Plan): Plan => ({
  ...plan,
  series: plan.series.map((series, at) => ({ ...series, name: nameAt(at) })),
  formulas: plan.formulas.map((formula, at) => ({ ...formula, name: nameAt(plan.series.length + at) })),
})

/** The state of another dataset: its filter and fields would not fit, so it starts anew. */
export const ofDataset = (params: ExploreParams, dataset: Dataset): ExploreParams => ({
  ...params,
  saved: '',
  plan: planOf(new URLSearchParams({ dataset }), params.mode),
})

/** The state in another mode. */
export const ofMode = (params: ExploreParams, mode: ExploreMode): ExploreParams => ({
  ...params,
  saved: '',
  mode,
  plan: { ...planOf(new URLSearchParams({ dataset: params.plan.dataset }), mode), query: params.plan.query },
})

/** The state that a saved query opens. */
export function savedParams(saved: RestSavedQuery, projects: readonly ProjectName[]): ExploreParams {
  const { plan } = saved
  const scope = scopeOfView(saved, projects, explorePeriod)
  return {
    mode: plan.series.length > 0 ? 'chart' : 'rows',
    kind: 'line',
    plan,
    project: scope.get('project') ?? '',
    env: scope.get('env') ?? '',
    range: exploreRange(scope),
    saved: saved.id,
  }
}
