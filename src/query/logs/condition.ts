import type { Scope } from '../../store/events/events.ts'
import type { LogExpression } from '../../store/events/log-search.ts'
import type { QueryDeps, View } from '../issue.ts'

export type LogView = Pick<View, 'projects' | 'environments' | 'range'>

/** The scope of a view in the events store. */
export const scopeOfLogs = ({ projects, environments, range }: LogView): Scope => ({
  projectIds: projects.map((project) => project.id),
  environments,
  fromMs: range.fromMs,
  toMs: range.toMs,
})

/** The condition of a search text over the lines of a view. Throws QUERY_*. */
export async function logCondition(
  _deps: QueryDeps,
  _view: LogView,
  _query: string,
): Promise<{ where: LogExpression | undefined; isWide: boolean }> {
  return { where: undefined, isWide: false }
}
export const logFields = (names: readonly string[]): LogExpression[] =>
  names.map((name) => (values) => `tags[${values.add('String', name)}]`)
