import { MishapError } from '../../base/errors.ts'
import type { Aggregate, Cell, Order } from '../../store/events/question.ts'
import type { DatasetFields } from './dataset.ts'
import { callOf, type FieldType, functionOf, type NamedValue, valueOfName } from './functions.ts'

/** A requested field: a value of each row, or an aggregate. */
export type Field =
  | ({ name: string } & NamedValue & { aggregate?: never })
  | { name: string; aggregate: Aggregate; type: FieldType }
export type ValueField = Extract<Field, { value: unknown }>
export type AggregateField = Exclude<Field, ValueField>

export const isAggregate = (field: Field): field is AggregateField => field.aggregate !== undefined

/** Most fields of one request. Each is a column that the engine reads. */
const fieldsMax = 40

const wrong = (parameter: string, sentence: string) =>
  new MishapError('VALIDATION', { fields: { [parameter]: [`${sentence}.`] } })

/** Reads a field. Throws VALIDATION that names it. */
function fieldOf(dataset: DatasetFields, name: string, parameter: string): Field {
  const call = callOf(name)
  if (call) {
    const made = functionOf(dataset, call)
    if (typeof made === 'string') throw wrong(parameter, made)
    return { name, ...made }
  }
  const found = valueOfName(dataset, name)
  if (!found) throw wrong(parameter, `${JSON.stringify(name.slice(0, 200))} is no field of ${dataset.word}`)
  return { name, ...found }
}

/** Names of fields, each once. */
export const uniqueNames = (names: readonly string[]): string[] => [...new Set(names.filter((name) => name !== ''))]

/** Reads the fields of a request, each once. Throws VALIDATION that names a wrong field. */
export function fieldsOf(dataset: DatasetFields, names: readonly string[], parameter = 'field'): Field[] {
  const unique = uniqueNames(names)
  if (unique.length > fieldsMax) throw wrong(parameter, `At most ${fieldsMax} fields`)
  return unique.map((name) => fieldOf(dataset, name, parameter))
}

/** Splits fields into values and aggregates, each in the requested order. */
export const splitFields = (fields: readonly Field[]): { values: ValueField[]; aggregates: AggregateField[] } => ({
  values: fields.filter((field): field is ValueField => !isAggregate(field)),
  aggregates: fields.filter(isAggregate),
})

/** Names of a sort: `-p95(span.duration)`, and `-p95_span_duration` as older clients write it. */
const sortName = (name: string) => name.replace(/\W+/g, '_').replace(/_$/, '')

/**
 * Reads the order of a table: names of its fields, with a `-` for the largest first. `at` counts the values, then the
 * aggregates. Throws VALIDATION for a name that is no requested field.
 */
export function orderOf(sorts: readonly string[], fields: readonly Field[]): Order {
  const { values, aggregates } = splitFields(fields)
  const all: Field[] = [...values, ...aggregates]
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
export function shownCell(field: Field, cell: Cell, slugOf: (id: number) => string): Cell {
  if (isAggregate(field)) return field.type.type === 'integer' && typeof cell === 'number' ? Math.round(cell) : cell
  return field.project === 'slug' && typeof cell === 'number' ? slugOf(cell) : cell
}

/** Types and units of fields for the `meta` of an answer. */
export const metaOfFields = (fields: readonly Field[]) => ({
  fields: Object.fromEntries(fields.map(({ name, type }) => [name, type.type])),
  units: Object.fromEntries(fields.map(({ name, type }) => [name, type.unit])),
})
