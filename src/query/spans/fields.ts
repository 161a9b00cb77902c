import { MishapError } from '../../base/errors.ts'
import type { SpanAggregate, SpanCell, SpanOrder } from '../../store/events/span-search.ts'
import { callOf, type FieldType, functionOf, type NamedValue, valueOfName } from './functions.ts'

/** A requested field: a value of each span, or an aggregate. */
export type SpanField =
  | ({ name: string } & NamedValue & { aggregate?: never })
  | { name: string; aggregate: SpanAggregate; type: FieldType }
type ValueField = Extract<SpanField, { value: unknown }>
export type AggregateField = Exclude<SpanField, ValueField>

const isAggregate = (field: SpanField): field is AggregateField => field.aggregate !== undefined

/** Most fields of one request. Each is a column that the engine reads. */
const fieldsMax = 40

const wrong = (parameter: string, sentence: string) =>
  new MishapError('VALIDATION', { fields: { [parameter]: [`${sentence}.`] } })

/** Reads a field. Throws VALIDATION that names it. */
function fieldOf(name: string, parameter = 'field'): SpanField {
  const call = callOf(name)
  if (call) {
    const made = functionOf(call)
    if (typeof made === 'string') throw wrong(parameter, made)
    return { name, ...made }
  }
  const found = valueOfName(name)
  if (!found) throw wrong(parameter, `${JSON.stringify(name.slice(0, 200))} is no field`)
  return { name, ...found }
}

/** Reads the fields of a request, each once. Throws VALIDATION that names a wrong one. */
export function fieldsOf(names: readonly string[], parameter = 'field'): SpanField[] {
  const unique = [...new Set(names.filter((name) => name !== ''))]
  if (unique.length > fieldsMax) throw wrong(parameter, `At most ${fieldsMax} fields`)
  return unique.map((name) => fieldOf(name, parameter))
}

/** Splits fields into values and aggregates, each in the requested order. */
export const splitFields = (fields: readonly SpanField[]): { values: ValueField[]; aggregates: AggregateField[] } => ({
  values: fields.filter((field): field is ValueField => !isAggregate(field)),
  aggregates: fields.filter(isAggregate),
})

/** Names of a sort: `-p95(span.duration)`, and `-p95_span_duration` as older clients write it. */
const sortName = (name: string) => name.replace(/\W+/g, '_').replace(/_$/, '')

/**
 * Reads the order of a table: names of its fields, with a `-` for the largest first. `at` counts the values, then the
 * aggregates. Throws VALIDATION for a name that is no requested field.
 */
export function orderOf(sorts: readonly string[], fields: readonly SpanField[]): SpanOrder {
  const { values, aggregates } = splitFields(fields)
  const all: SpanField[] = [...values, ...aggregates]
  return sorts
    .filter((sort) => sort !== '')
    .map((sort) => {
      const name = sort.replace(/^-/, '')
      const exact = all.findIndex((field) => field.name === name)
      const at = exact >= 0 ? exact : all.findIndex((field) => sortName(field.name) === sortName(name))
      if (at < 0) throw wrong('sort', `${JSON.stringify(name.slice(0, 200))} is none of the requested fields`)
      return { at, descending: sort.startsWith('-') }
    })
}

/** A cell as clients see it: a project by its slug, counts as whole numbers. */
export function shownCell(field: SpanField, cell: SpanCell, slugOf: (id: number) => string): SpanCell {
  if (isAggregate(field)) return field.type.type === 'integer' && typeof cell === 'number' ? Math.round(cell) : cell
  return field.project === 'slug' && typeof cell === 'number' ? slugOf(cell) : cell
}

/** Types and units of fields for the `meta` of an answer. */
export const metaOfFields = (fields: readonly SpanField[]) => ({
  fields: Object.fromEntries(fields.map(({ name, type }) => [name, type.type])),
  units: Object.fromEntries(fields.map(({ name, type }) => [name, type.unit])),
})
