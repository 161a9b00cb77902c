import { MishapError } from '../../base/errors.ts'
import type { Plan, PlanColumn } from '../../contract/explore/explore.ts'
import type { Aggregate, Cell, Filter, Having, Order, Value } from '../../store/events/question.ts'
import type { CompileDeps } from '../issues/issue.ts'
import { latestReleases } from '../latest.ts'
import type { DatasetFields, PlanView } from './dataset.ts'
import { type Field, fieldsOf, isAggregate, type ValueField } from './fields.ts'
import { isWide, type RowSearch, searchOf } from './filter.ts'
import { formulaOf } from './formula.ts'
import type { FieldType } from './functions.ts'
import type { Reads } from './limits.ts'

const wrong = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })

/** Reads a search over rows of a dataset. Throws QUERY_*. */
export async function searchOfView(
  deps: CompileDeps,
  dataset: DatasetFields,
  view: Pick<PlanView, 'projects' | 'environments' | 'meUserId'>,
  text: string,
): Promise<RowSearch> {
  if (dataset.filterOf) return { filter: await dataset.filterOf(deps, view, text), having: [], withCut: false }
  const projectIds = view.projects.map((project) => project.id)
  return searchOf(text, {
    dataset,
    nowMs: deps.clock.now(),
    projects: view.projects,
    latestReleases: () => latestReleases(deps.meta, projectIds),
  })
}

/** One series or formula of an answer. */
type Measure = { name: string; label: string; role: 'series' | 'formula'; aggregate: Aggregate; type: FieldType }

/** What a plan asks of the events store. */
export type Compiled = {
  dataset: DatasetFields
  filter: Filter | undefined
  having: Having[]
  withCut: boolean
  /** Columns of rows, or groups. */
  fields: ValueField[]
  measures: Measure[]
  order: Order
  reads: Reads
}

const wideValues = ['attribute', 'measurement', 'score', 'json']
const isWideValue = (value: Value | undefined) => value !== undefined && wideValues.includes(value.of)

/** What values, aggregates and conditions cost for each row. */
export function readsOf(values: readonly Value[], aggregates: readonly Aggregate[], filter: Filter | undefined): Reads {
  const ofAggregates = aggregates.map((aggregate) =>
    aggregate.fn !== 'formula' && 'of' in aggregate ? aggregate.of : undefined,
  )
  const isWideOnly = aggregates.some(({ only }) => isWide(only))
  if ([...values, ...ofAggregates].some(isWideValue) || isWide(filter) || isWideOnly) return 'wide'
  return aggregates.some(({ fn }) => fn === 'percentile' || fn === 'unique') ? 'costly' : 'narrow'
}

const demandValues = (fields: readonly Field[], parameter: string): ValueField[] =>
  fields.map((field) => {
    if (isAggregate(field)) throw wrong(parameter, `${field.name} is a function. It belongs to the series.`)
    return field
  })

/** Reads the series of a plan. Throws VALIDATION (names the wrong one) and QUERY_*. */
async function seriesOf(
  deps: CompileDeps,
  dataset: DatasetFields,
  view: PlanView,
  asked: Plan['series'],
): Promise<{ measures: Measure[]; withCut: boolean }> {
  let withCut = false
  const measures = await Array.fromAsync(asked, async ({ name, aggregate: text, query }): Promise<Measure> => {
    const [field] = fieldsOf(dataset, [text], 'series')
    if (!field || !isAggregate(field))
      throw wrong('series', `${name}: ${JSON.stringify(text)} is no function, such as count().`)
    const search = query ? await searchOfView(deps, dataset, view, query) : undefined
    if (search && search.having.length > 0)
      throw wrong('series', `${name}: a condition on a function belongs to the filter of all series.`)
    withCut ||= search?.withCut === true
    return {
      name,
      label: text,
      role: 'series',
      aggregate: search?.filter ? { ...field.aggregate, only: search.filter } : field.aggregate,
      type: field.type,
    }
  })
  return { measures, withCut }
}

/** The type of a formula: that of its series if all have the same and nothing is divided, else a number. */
function formulasOf(plan: Plan, series: readonly Measure[]): Measure[] {
  return plan.formulas.map(({ name, expression }) => {
    const found = formulaOf(expression, (text) => {
      const at = series.findIndex((measure) => measure.name === text)
      return at < 0 ? undefined : at
    })
    if (!('of' in found)) throw wrong('formulas', `${name}: at position ${found.position}, expected ${found.expected}.`)
    const type: FieldType = { type: 'number', unit: null }
    return { name, label: expression, role: 'formula', aggregate: { fn: 'formula', of: found.of }, type }
  })
}

/** Reads the order of an answer. Throws VALIDATION for a name that it does not have. */
function orderOfPlan(plan: Plan, fields: readonly ValueField[], measures: readonly Measure[]): Order {
  const name = plan.order.replace(/^-/, '')
  if (name === '') return measures.length > 0 && fields.length > 0 ? [{ at: fields.length, descending: true }] : []
  const names = [...fields.map((field) => field.name), ...measures.map((measure) => measure.name)]
  const labels = [...fields.map((field) => field.name), ...measures.map((measure) => measure.label)]
  const exact = names.indexOf(name)
  const at = exact >= 0 ? exact : labels.indexOf(name)
  if (at < 0) throw wrong('order', `${JSON.stringify(name.slice(0, 200))} is no column of the answer.`)
  return [{ at, descending: plan.order.startsWith('-') }]
}

/** What a plan asks for if it names nothing: how many. */
const counted: Plan['series'] = [{ name: 'a', aggregate: 'count()' }]

/** Compiles a plan. Throws VALIDATION with the wrong part, and QUERY_*. */
export async function compilePlan(
  deps: CompileDeps,
  dataset: DatasetFields,
  view: PlanView,
  plan: Plan,
  shape: 'table' | 'series',
): Promise<Compiled> {
  const isList = plan.series.length === 0 && plan.groupBy.length === 0 && shape === 'table'
  if (isList && plan.columns.length === 0) throw wrong('columns', 'At least one column, or one series.')
  const names = isList ? plan.columns : plan.groupBy
  const fields = demandValues(fieldsOf(dataset, names, isList ? 'columns' : 'groupBy'), isList ? 'columns' : 'groupBy')
  const asked = plan.series.length > 0 || isList ? plan.series : counted
  const unique = new Set([...asked, ...plan.formulas].map(({ name }) => name))
  if (unique.size < asked.length + plan.formulas.length) throw wrong('series', 'Each name only once.')
  const { measures: series, withCut } = await seriesOf(deps, dataset, view, asked)
  const measures = [...series, ...formulasOf(plan, series)]
  const search = await searchOfView(deps, dataset, view, plan.query)
  if (search.having.length > 0 && isList) throw wrong('query', 'A condition on a function needs a series.')
  return {
    dataset,
    filter: search.filter,
    having: search.having,
    withCut: withCut || search.withCut,
    fields,
    measures,
    order: orderOfPlan(plan, fields, measures),
    reads: readsOf(
      fields.map(({ value }) => value),
      measures.map(({ aggregate }) => aggregate),
      search.filter,
    ),
  }
}

/** Columns of an answer: fields or groups, then series and formulas, then those of the period before. */
export function columnsOf({ fields, measures }: Compiled, isCompared: boolean): PlanColumn[] {
  const role = measures.length > 0 ? 'group' : 'field'
  const columnOf = ({ name, label, type }: Measure, as: PlanColumn['role']): PlanColumn => ({
    name,
    label,
    role: as,
    ...type,
  })
  return [
    ...fields.map(({ name, type }): PlanColumn => ({ name, label: name, role, ...type })),
    ...measures.map((measure) => columnOf(measure, measure.role)),
    ...(isCompared ? measures.map((measure) => columnOf(measure, 'previous')) : []),
  ]
}

/** Counts are whole numbers, also where weights are fractions. */
export const shownNumber = (type: FieldType, cell: Cell | undefined): number | null =>
  typeof cell !== 'number' ? null : type.type === 'integer' ? Math.round(cell) : cell
