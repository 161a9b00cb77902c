import { isDeepStrictEqual } from 'node:util'
import { MishapError } from '../../base/errors.ts'
import type { RestTile, RestTileQuery, TileBody } from '../../contract/explore/dashboards.ts'
import type { Plan } from '../../contract/explore/explore.ts'
import {
  chartGroups,
  datasetOfTile,
  freePlace,
  gridColumns,
  type TileType,
  tileTypeOf,
} from '../../domain/dashboards.ts'
import type { Dataset } from '../../domain/datasets.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { parseSearch } from '../search/parse.ts'

/** The path of a tile's field in an error, such as `widgets[2].queries[0].orderby`. */
const invalid = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: `${field}: ${sentence}`, fields: { [field]: [sentence] } })

const equation = 'equation|'
const isAggregate = (field: string) => field.startsWith(equation) || /^[a-z_]\w*\(.*\)$/is.test(field)
/** An aggregate inside an equation. Aggregates do not nest. */
const aggregateInside = /[a-z_]\w*\([^()]*\)/gi

type Terms = { columns: string[]; aggregates: string[] }

/** The columns and aggregates of a query. Older clients send only `fields`. */
function termsOf(query: RestTileQuery, path: string): Terms {
  const { fields, aggregates, columns } = query
  if (aggregates.length === 0 && columns.length === 0)
    return { columns: fields.filter((field) => !isAggregate(field)), aggregates: fields.filter(isAggregate) }
  const unknown = fields.find((field) => !aggregates.includes(field) && !columns.includes(field))
  if (unknown !== undefined) throw invalid(`${path}.fields`, `${unknown} is neither in aggregates nor in columns.`)
  return { columns, aggregates }
}

const quoted = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/**
 * An aggregate of a plan, and its further filter. Metrics have the name, type and unit of their metric in the aggregate:
 * `sum(value,queue.depth,gauge,none)`.
 */
function metricAggregate(dataset: Dataset, aggregate: string): { aggregate: string; query: string } {
  const parts = /^(\w+)\(\s*value\s*,\s*([^,()]+?)\s*(?:,\s*([^,()]*?)\s*)?(?:,\s*([^,()]*?)\s*)?\)$/.exec(aggregate)
  if (dataset !== 'metrics' || !parts) return { aggregate, query: '' }
  const [, operation = '', metric = '', type = '', unit = ''] = parts
  const filters = [
    `metric.name:${quoted(metric)}`,
    ...(type === '' || type === '-' ? [] : [`metric.type:${quoted(type)}`]),
    ...(unit === '' || unit === '-' || unit === 'none' ? [] : [`metric.unit:${quoted(unit)}`]),
  ]
  return { aggregate: `${operation}(value)`, query: filters.join(' ') }
}

const both = (first: string, second: string) => {
  if (first === '' || second === '') return first || second
  return `(${first}) (${second})`
}

const seriesName = (at: number) => String.fromCharCode(97 + at)

type Series = Plan['series'][number]

/** Collects the series and formulas of a plan. Equal aggregates of one query are one series. */
function collectSeries(dataset: Dataset) {
  const series: (Series & { asked: string })[] = []
  const formulas: (Plan['formulas'][number] & { asked: string })[] = []
  const seriesOf = (asked: string, conditions: string): string => {
    const own = metricAggregate(dataset, asked)
    // Refused by itself: in parentheses, `a) OR (b` would be a search that leaves the metric.
    if (own.query !== '') parseSearch(conditions, fieldsOfDataset(dataset).keyOf)
    const query = both(conditions, own.query)
    const known = series.find((other) => other.asked === asked && (other.query ?? '') === query)
    if (known) return known.name
    const name = seriesName(series.length)
    series.push({ name, aggregate: own.aggregate, asked, ...(query === '' ? {} : { query }) })
    return name
  }
  return {
    series,
    formulas,
    add(asked: string, conditions: string): void {
      if (!asked.startsWith(equation)) {
        seriesOf(asked, conditions)
        return
      }
      const expression = asked.slice(equation.length).replace(aggregateInside, (part) => seriesOf(part, conditions))
      formulas.push({ name: '', expression, asked })
    },
  }
}

/** The order of a plan for the order of a query. Throws VALIDATION for a field that the query does not have. */
function orderOf(
  orderby: string,
  { series, formulas }: Pick<ReturnType<typeof collectSeries>, 'series' | 'formulas'>,
  columns: readonly string[],
  path: string,
): string {
  const sign = orderby.startsWith('-') ? '-' : ''
  const field = orderby.replace(/^-/, '')
  if (field === '') return ''
  const placed = /^equation\[(\d+)\]$/.exec(field)
  const formula = placed ? formulas[Number(placed[1])] : formulas.find(({ asked }) => asked === field)
  const name = formula?.name ?? series.find(({ asked }) => asked === field)?.name
  if (name !== undefined) return `${sign}${name}`
  if (!columns.includes(field)) throw invalid(`${path}.orderby`, `${field} is no field of the query.`)
  return `${sign}${field}`
}

/**
 * Converts the queries of a tile to a plan. Throws VALIDATION that names the field for what a plan cannot hold: several
 * queries with different columns, or without aggregates.
 */
function planOfQueries(
  dataset: Dataset,
  queries: readonly RestTileQuery[],
  { limit, isChart, path }: { limit: number | null; isChart: boolean; path: string },
): Plan {
  const [first] = queries
  if (!first) throw invalid(`${path}.queries`, 'At least one query, or a plan.')
  const terms = queries.map((query, at) => termsOf(query, `${path}.queries[${at}]`))
  const columns = terms[0]?.columns ?? []
  const other = terms.findIndex((own) => !isDeepStrictEqual(own.columns, columns))
  if (other > 0) throw invalid(`${path}.queries[${other}].columns`, 'All queries of a tile need the same columns.')
  const hasSeries = terms.some(({ aggregates }) => aggregates.length > 0)
  if (!hasSeries && queries.length > 1)
    throw invalid(`${path}.queries[1]`, 'Several queries need aggregates. Rows come from one query.')
  if (!hasSeries && isChart) throw invalid(`${path}.queries[0].aggregates`, 'A chart needs an aggregate.')
  const isShared = queries.every(({ conditions }) => conditions === first.conditions)
  const collected = collectSeries(dataset)
  terms.forEach(({ aggregates }, at) => {
    for (const aggregate of aggregates) collected.add(aggregate, isShared ? '' : (queries[at]?.conditions ?? ''))
  })
  if (collected.series.length > 10) throw invalid(`${path}.queries`, 'At most 10 different aggregates.')
  // Formulas take the letters after those of the series.
  collected.formulas.forEach((formula, at) => {
    formula.name = seriesName(collected.series.length + at)
  })
  const order = orderOf(first.orderby, collected, columns, `${path}.queries[0]`)
  return {
    dataset,
    query: isShared ? first.conditions : '',
    columns: hasSeries ? [] : columns,
    groupBy: hasSeries ? columns : [],
    series: collected.series.map(({ asked: _asked, ...own }) => own),
    formulas: collected.formulas.map(({ asked: _asked, ...own }) => own),
    order,
    limit: limit ?? (isChart ? chartGroups : 100),
  }
}

const emptyQuery: RestTileQuery = {
  name: '',
  fields: [],
  aggregates: [],
  columns: [],
  fieldAliases: [],
  conditions: '',
  orderby: '',
}

/** A formula with its aggregates in place of the names of series. */
const spelledOut = (expression: string, series: readonly Series[]) =>
  expression.replace(/[a-z][a-z0-9_]*/g, (name) => series.find((own) => own.name === name)?.aggregate ?? name)

/** The queries of a tile that was made from a plan, for clients that only know queries. */
export function queriesOfPlan(plan: Plan): RestTileQuery[] {
  const { series, formulas, groupBy, columns } = plan
  if (series.length === 0)
    return [{ ...emptyQuery, fields: columns, columns, conditions: plan.query, orderby: plan.order }]
  const filters = [...new Set(series.map((own) => own.query ?? ''))]
  return filters.map((filter, at) => {
    const own = series.filter(({ query }) => (query ?? '') === filter)
    const equations = at === 0 ? formulas.map(({ expression }) => `${equation}${spelledOut(expression, series)}`) : []
    const aggregates = [...own.map(({ aggregate }) => aggregate), ...equations]
    const named = plan.order.replace(/^-/, '')
    const ordered = series.find(({ name }) => name === named)?.aggregate
    const placed = formulas.findIndex(({ name }) => name === named)
    const field = ordered ?? (placed >= 0 ? `equation[${placed}]` : named)
    return {
      ...emptyQuery,
      fields: [...groupBy, ...aggregates],
      aggregates,
      columns: groupBy,
      conditions: both(plan.query, filter),
      orderby: at === 0 && field !== '' ? `${plan.order.startsWith('-') ? '-' : ''}${field}` : '',
    }
  })
}

/** The type of a tile that names none. */
const typeOf = (body: TileBody): TileType | null => {
  if (body.displayType === 'text') return null
  return body.widgetType ?? (body.plan ? tileTypeOf(body.plan.dataset) : 'error-events')
}

const isChartDisplay = (display: TileBody['displayType']) => display !== 'table' && display !== 'big_number'

/** The plan and the queries of a tile. The queries count where both are given and differ. */
function askedBy(body: TileBody, type: TileType | null, path: string): Pick<RestTile, 'plan' | 'queries'> {
  const queries = body.queries.map(({ id: _id, widgetId: _widget, isHidden: _hidden, ...query }) => query)
  const { plan } = body
  if (type === null) {
    if (plan || queries.some((query) => !isDeepStrictEqual({ ...query, name: '' }, emptyQuery)))
      throw invalid(`${path}.queries`, 'A text has no query.')
    return { plan: null, queries: [] }
  }
  const dataset = datasetOfTile(type)
  if (dataset === undefined) {
    if (body.displayType !== 'table') throw invalid(`${path}.displayType`, 'A list of issues is a table.')
    if (queries.length > 1) throw invalid(`${path}.queries[1]`, 'A list of issues has one query.')
    return { plan: null, queries: [queries[0] ?? emptyQuery] }
  }
  if (plan && plan.dataset !== dataset) throw invalid(`${path}.plan.dataset`, `widgetType ${type} asks ${dataset}.`)
  const isChart = isChartDisplay(body.displayType)
  if (plan && (queries.length === 0 || isDeepStrictEqual(queries, queriesOfPlan(plan)))) {
    if (plan.series.length === 0 && body.displayType !== 'table')
      throw invalid(`${path}.plan.series`, 'Only a table shows rows. Add a series.')
    return { plan, queries: queriesOfPlan(plan) }
  }
  if (body.displayType === 'big_number' && queries.length > 1)
    throw invalid(`${path}.queries[1]`, 'A number has one query.')
  const converted = planOfQueries(dataset, queries, { limit: body.limit, isChart, path })
  if (body.displayType === 'big_number' && converted.series.length === 0)
    throw invalid(`${path}.queries[0].aggregates`, 'A number needs an aggregate.')
  // A plan that these queries were made from before, with what queries cannot say, is kept.
  return { plan: plan && isDeepStrictEqual(queriesOfPlan(plan), queriesOfPlan(converted)) ? plan : converted, queries }
}

/**
 * Converts the tiles of a body to stored tiles: each gets an id and a place. `known`: the ids of the dashboard's tiles.
 * Throws VALIDATION that names the field that cannot be kept.
 */
export function tilesOf(bodies: readonly TileBody[], known: readonly string[]): RestTile[] {
  const taken = bodies.flatMap(({ layout }) => (layout ? [layout] : []))
  const used = new Set<string>()
  let next = Math.max(0, ...known.map(Number).filter(Number.isSafeInteger))
  return bodies.map((body, at) => {
    const path = `widgets[${at}]`
    const asked = String(body.id ?? '')
    const id = asked !== '' && known.includes(asked) && !used.has(asked) ? asked : String(++next)
    used.add(id)
    if (body.layout && body.layout.x + body.layout.w > gridColumns)
      throw invalid(`${path}.layout`, `The grid has ${gridColumns} columns.`)
    const type = typeOf(body)
    const place = body.layout ?? freePlace(taken, { w: 3, h: 2 })
    if (!body.layout) taken.push(place)
    return {
      id,
      title: body.title,
      description: body.description,
      displayType: body.displayType,
      widgetType: type,
      interval: body.interval,
      limit: body.limit,
      layout: place,
      ...askedBy(body, type, path),
    }
  })
}
