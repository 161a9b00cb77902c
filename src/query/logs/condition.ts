import { MishapError } from '../../base/errors.ts'
import { isColumnName } from '../../domain/view-scopes.ts'
import type { Scope } from '../../store/events/events.ts'
import type { Filter } from '../../store/events/question.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { fieldsOf, splitFields, type ValueField } from '../compile/fields.ts'
import { isWide } from '../compile/filter.ts'
import { callOf, valueOfName } from '../compile/functions.ts'
import { searchOfView } from '../compile/question.ts'
import type { QueryDeps, View } from '../issues/issue.ts'

export type LogView = Pick<View, 'projects' | 'environments' | 'range'>

const dataset = fieldsOfDataset('logs')

/** Every level that a line can have. */
export const logLevels: readonly string[] = Object.keys(dataset.levels?.from ?? {})

/** The scope of a view in the events store. */
export const scopeOfLogs = ({ projects, environments, range }: LogView): Scope => ({
  projectIds: projects.map((project) => project.id),
  environments,
  fromMs: range.fromMs,
  toMs: range.toMs,
})

/** The condition of a search text over the lines of a view. Throws QUERY_*. */
export async function logCondition(
  deps: QueryDeps,
  view: LogView,
  query: string,
): Promise<{ filter: Filter | undefined; reads: 'wide' | 'narrow' }> {
  const { filter } = await searchOfView(deps, dataset, view, query)
  return { filter, reads: isWide(filter) ? 'wide' : 'narrow' }
}

/** The fields, attributes or JSON paths of these names. Throws VALIDATION for a wrong name, or for a function. */
export function logFields(names: readonly string[], parameter: string): ValueField[] {
  const { values, aggregates } = splitFields(fieldsOf(dataset, names, parameter))
  const [aggregate] = aggregates
  // Left out silently, the cells behind it would be those of other columns.
  if (aggregate)
    throw new MishapError('VALIDATION', {
      fields: {
        [parameter]: [`${JSON.stringify(aggregate.name.slice(0, 200))} is a function. A line has fields only.`],
      },
    })
  return values
}

/** Splits names of columns into those that a list of lines can show, and others: functions, and what is no name. */
export function splitColumns(names: readonly string[]): { known: string[]; unknown: string[] } {
  const isKnown = (name: string) =>
    isColumnName(name) && callOf(name) === undefined && valueOfName(dataset, name) !== undefined
  return { known: names.filter(isKnown), unknown: names.filter((name) => !isKnown(name)) }
}
